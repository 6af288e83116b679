//! The order of a function's basic blocks: every block follows all of its predecessors. Loops are refused.
//!
//! PTX ISA section 9.7.12 (control flow).

use std::collections::HashMap;
use std::ops::Range;

use ptxcvt_syntax::Span;

use super::statement::Statement;
use crate::block::Guard;
use crate::read::error::Error;

/// Statements that run one after the other.
#[derive(Clone, Debug)]
pub(super) struct BasicBlock {
    /// The statements. The last one may be a branch or a return.
    pub statements: Range<usize>,
    /// The next blocks, each with its guard. At most one has no guard: it is taken if no other guard holds.
    pub next: Vec<(Option<Guard>, Next)>,
}

/// Where a basic block continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Block(usize),
    /// The function ends.
    Exit,
}

/// The basic blocks that the beginning reaches, and their order.
pub(super) struct Graph {
    pub blocks: Vec<BasicBlock>,
    pub order: Vec<usize>,
}

impl Graph {
    pub fn new(statements: &[Statement]) -> Result<Graph, Error> {
        let mut starts: Vec<usize> = vec![0];
        let mut labels: HashMap<(&str, u32), usize> = HashMap::new();
        for (at, statement) in statements.iter().enumerate() {
            match statement {
                Statement::Label { name, block } => {
                    starts.push(at);
                    labels.insert((name, *block), at);
                }
                Statement::Branch { .. } | Statement::Return { .. } => starts.push(at + 1),
                Statement::Op(_) | Statement::Access(_) | Statement::Address { .. } => {}
            }
        }
        starts.retain(|start| *start < statements.len());
        starts.sort_unstable();
        starts.dedup();
        let index_of = |at: usize| starts.partition_point(|start| *start < at);
        let mut blocks = Vec::new();
        for (n, start) in starts.iter().enumerate() {
            let end = starts.get(n + 1).copied().unwrap_or(statements.len());
            let following = if n + 1 < starts.len() { Next::Block(n + 1) } else { Next::Exit };
            let next = match &statements[end - 1] {
                Statement::Branch { guard, to, blocks, span } => {
                    // A label of an inner block hides a label of an outer one.
                    let found = blocks.iter().rev().find_map(|block| labels.get(&(to, *block)));
                    let Some(at) = found else { return Err(unknown(to, *span, &labels)) };
                    with_guard(*guard, Next::Block(index_of(*at)), following)
                }
                Statement::Return { guard } => with_guard(*guard, Next::Exit, following),
                _ => vec![(None, following)],
            };
            blocks.push(BasicBlock { statements: *start..end, next });
        }
        let order = order(&blocks, statements)?;
        Ok(Graph { blocks, order })
    }
}

/// The error for a branch to a label that none of its blocks has.
fn unknown(name: &str, branch: Span, labels: &HashMap<(&str, u32), usize>) -> Error {
    match labels.keys().any(|(other, _)| *other == name) {
        true => Error::new(branch, format!("`{name}` is a label of a block that this branch is not in")),
        false => Error::new(branch, format!("the function has no label `{name}`")),
    }
}

fn with_guard(guard: Option<Guard>, to: Next, following: Next) -> Vec<(Option<Guard>, Next)> {
    match guard {
        None => vec![(None, to)],
        Some(_) => vec![(guard, to), (None, following)],
    }
}

fn successors(block: &BasicBlock) -> impl Iterator<Item = usize> {
    block.next.iter().filter_map(|(_, next)| match next {
        Next::Block(n) => Some(*n),
        Next::Exit => None,
    })
}

/// The blocks that are reachable from the first one, in an order in which each block follows all of its predecessors,
/// and otherwise in text order.
fn order(blocks: &[BasicBlock], statements: &[Statement]) -> Result<Vec<usize>, Error> {
    let mut reached = vec![false; blocks.len()];
    let mut open = if blocks.is_empty() { Vec::new() } else { vec![0] };
    while let Some(n) = open.pop() {
        if !std::mem::replace(&mut reached[n], true) {
            open.extend(successors(&blocks[n]));
        }
    }
    let mut before = vec![0; blocks.len()];
    for (n, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
        successors(&blocks[n]).for_each(|to| before[to] += 1);
    }
    let mut order: Vec<usize> = Vec::new();
    let mut left: Vec<usize> = (0..blocks.len()).filter(|n| reached[*n]).collect();
    while let Some(at) = left.iter().position(|n| before[*n] == 0) {
        let n = left.remove(at);
        successors(&blocks[n]).for_each(|to| before[to] -= 1);
        order.push(n);
    }
    match left.is_empty() {
        true => Ok(order),
        false => Err(in_a_loop(blocks, statements, &left)),
    }
}

/// The error for the loop among these blocks: it names the branch that jumps back.
fn in_a_loop(blocks: &[BasicBlock], statements: &[Statement], left: &[usize]) -> Error {
    // Every remaining block is on a loop or follows one. A block is on a loop if it reaches itself.
    let comes_back = |from: usize| {
        let mut seen = vec![false; blocks.len()];
        let mut open: Vec<usize> = successors(&blocks[from]).collect();
        while let Some(n) = open.pop() {
            if !std::mem::replace(&mut seen[n], true) {
                open.extend(successors(&blocks[n]));
            }
        }
        seen
    };
    let back = left.iter().find_map(|n| {
        let on_the_way = comes_back(*n);
        let backward = successors(&blocks[*n]).any(|to| to <= *n && comes_back(to)[*n]);
        (on_the_way[*n] && backward).then_some(*n)
    });
    let last = back.map(|n| &statements[blocks[n].statements.end - 1]);
    match last {
        Some(Statement::Branch { to, span, .. }) => {
            let message = format!("a loop: this branch jumps back to `{to}`");
            Error::new(*span, message).with_help("only branches without loops run here: unroll the loop")
        }
        _ => unreachable!("a loop has a branch to a block before it"),
    }
}
