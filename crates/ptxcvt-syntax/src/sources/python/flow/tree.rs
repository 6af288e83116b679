//! The statements of a file as a tree.

use std::collections::HashMap;

use super::super::conditions::parts;

/// Limit on the nesting of blocks.
const DEEPEST: usize = 64;

/// The number of times that the body of a loop runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rounds {
    #[default]
    Any,
    /// At least once, unless an exit leaves the loop before.
    Some,
    Exactly(usize),
}

/// A statement or a part of one.
#[derive(Debug)]
pub(super) enum Node<'s> {
    /// The beginning of a statement: its number, and the number of assignments before it.
    Point(usize, usize),
    /// An assignment with its number. `target`: the name gets an item of a loop's list.
    Assign {
        name: &'s str,
        number: usize,
        target: bool,
    },
    /// The list, dictionary or object of this name may be changed.
    Change(&'s str),
    /// An exception may be raised here.
    Raise,
    Exit(&'s str),
    /// `if` with its `elif` and `else`, or the cases of a `match`.
    If {
        branches: Vec<Branch<'s>>,
        opaque: bool,
    },
    Loop(Box<Loop<'s>>),
    Try(Box<Try<'s>>),
}

#[derive(Debug)]
pub(super) struct Branch<'s> {
    /// The effects of the head, before the condition has an outcome.
    pub head: Vec<Node<'s>>,
    pub condition: Option<&'s str>,
    pub body: Vec<Node<'s>>,
}

#[derive(Debug, Default)]
pub(super) struct Loop<'s> {
    pub head: Vec<Node<'s>>,
    /// The condition of `while`.
    pub condition: Option<&'s str>,
    pub rounds: Rounds,
    pub body: Vec<Node<'s>>,
    /// The `else` block, which runs if nothing leaves the loop.
    pub other: Vec<Node<'s>>,
}

#[derive(Debug, Default)]
pub(super) struct Try<'s> {
    pub body: Vec<Node<'s>>,
    pub handlers: Vec<Handler<'s>>,
    pub other: Vec<Node<'s>>,
    pub last: Vec<Node<'s>>,
}

#[derive(Debug)]
pub(super) struct Handler<'s> {
    pub body: Vec<Node<'s>>,
    /// True if the handler may catch exceptions that end the program: `SystemExit`, or those of `pytest.skip` and
    /// similar.
    pub exits: bool,
}

impl<'s> Try<'s> {
    /// All blocks, in no particular order.
    pub fn blocks(&self) -> impl Iterator<Item = &Vec<Node<'s>>> {
        self.handlers.iter().map(|handler| &handler.body).chain([&self.body, &self.other, &self.last])
    }
}

/// The statement to which a block belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    If,
    Case,
    /// `elif`, `else` or `case` of the conditional before it.
    NextBranch,
    Loop,
    LoopElse,
    Try,
    /// `with contextlib.suppress(…)`
    Suppress,
    Handler,
    TryElse,
    Finally,
    Scope(usize),
}

/// A block that is open.
#[derive(Debug)]
struct Open<'s> {
    indentation: usize,
    part: Part,
    head: Vec<Node<'s>>,
    condition: Option<&'s str>,
    rounds: Rounds,
    nodes: Vec<Node<'s>>,
}

/// The statements of a file.
#[derive(Debug, Default)]
pub(crate) struct Tree<'s> {
    open: Vec<Open<'s>>,
    /// The statements of each function and class, by its number; 0 is the file.
    scopes: HashMap<usize, Vec<Node<'s>>>,
    outer: Vec<Node<'s>>,
    statement: usize,
    deep: bool,
}

impl<'s> Tree<'s> {
    /// The statements of a function or class, or of the file for 0. `None` if blocks are nested too deeply.
    pub(super) fn scope(&self, number: usize) -> Option<&[Node<'s>]> {
        self.scopes.get(&number).filter(|_| !self.deep).map(Vec::as_slice)
    }

    fn nodes(&mut self) -> &mut Vec<Node<'s>> {
        self.open.last_mut().map_or(&mut self.outer, |open| &mut open.nodes)
    }

    /// Begins the statement with this number, which ends the blocks with at least this indentation. `raises`: it may
    /// raise an exception.
    pub fn line(&mut self, indentation: usize, statement: usize, assignments: usize, raises: bool) {
        while self.open.last().is_some_and(|open| open.indentation >= indentation) {
            self.close();
        }
        self.statement = statement;
        self.nodes().push(Node::Point(statement, assignments));
        if raises {
            self.raise();
        }
    }

    /// Records that the rest of the statement may raise an exception.
    pub fn raise(&mut self) {
        self.nodes().push(Node::Raise);
    }

    pub fn assign(&mut self, name: &'s str, number: usize, target: bool) {
        self.nodes().push(Node::Assign { name, number, target });
    }

    pub fn change(&mut self, name: &'s str) {
        self.nodes().push(Node::Change(name));
    }

    pub fn exit(&mut self, word: &'s str) {
        self.nodes().push(Node::Exit(word));
    }

    /// Records how often the loop that begins here runs.
    pub fn rounds(&mut self, rounds: Rounds) {
        if let Some(open) = self.open.last_mut().filter(|open| open.part == Part::Loop) {
            open.rounds = rounds;
        }
    }

    /// Begins the block of a statement whose first word is `word`. `scope` is the number of a function or class.
    pub fn begin(
        &mut self,
        indentation: usize,
        word: &str,
        condition: &'s str,
        scope: usize,
        assignments: usize,
    ) {
        let statement = self.statement;
        let nodes = self.nodes();
        let own = |node: &Node<'_>| matches!(node, Node::Point(number, _) if *number == statement);
        let from = nodes.iter().rposition(own).unwrap_or(nodes.len());
        let before = from.checked_sub(1).map(|at| &nodes[at]);
        let part = match (word, before) {
            ("elif" | "else", Some(Node::If { opaque: false, .. })) => Part::NextBranch,
            ("case", Some(Node::If { opaque: true, .. })) => Part::NextBranch,
            ("else", Some(Node::Loop(_))) => Part::LoopElse,
            ("else", Some(Node::Try(_))) => Part::TryElse,
            ("except", Some(Node::Try(_))) => Part::Handler,
            ("finally", Some(Node::Try(_))) => Part::Finally,
            ("case", _) => Part::Case,
            ("for" | "while", _) => Part::Loop,
            ("try", _) => Part::Try,
            ("with", _) => Part::Suppress,
            ("def" | "class", _) => Part::Scope(scope),
            ("finally", _) => return,
            // An invalid statement may or may not be entered.
            _ => Part::If,
        };
        let head = if matches!(part, Part::Scope(_)) { Vec::new() } else { nodes.split_off(from) };
        let condition = matches!(word, "if" | "elif" | "case" | "while" | "except").then_some(condition);
        // `else` without an `if` may be entered or not.
        let condition = condition.or_else(|| (part == Part::If).then_some(""));
        let nodes = vec![Node::Point(statement, assignments)];
        self.open.push(Open { indentation, part, head, condition, rounds: Rounds::Any, nodes });
        self.deep |= self.open.len() > DEEPEST;
    }

    fn close(&mut self) {
        let Some(Open { part, head, condition, rounds, nodes: body, .. }) = self.open.pop() else { return };
        if let Part::Scope(number) = part {
            self.scopes.insert(number, body);
            return;
        }
        let nodes = self.nodes();
        match (part, nodes.last_mut()) {
            (Part::NextBranch, Some(Node::If { branches, .. })) => {
                branches.push(Branch { head, condition, body });
            }
            (Part::LoopElse, Some(Node::Loop(of))) => of.other = with(head, body),
            (Part::TryElse, Some(Node::Try(of))) => of.other = with(head, body),
            (Part::Handler, Some(Node::Try(of))) => {
                let exits = condition.is_none_or(catches_exits);
                of.handlers.push(Handler { body: with(head, body), exits });
            }
            (Part::Finally, Some(Node::Try(of))) => of.last = with(head, body),
            (Part::Loop, _) => {
                let condition = condition.filter(|condition| !condition.is_empty());
                nodes.push(Node::Loop(Box::new(Loop { head, condition, rounds, body, other: Vec::new() })));
            }
            (Part::Try, _) => {
                nodes.push(Node::Try(Box::new(Try { body: with(head, body), ..Try::default() })))
            }
            (Part::Suppress, _) => {
                let handlers = vec![Handler { body: Vec::new(), exits: true }];
                nodes.push(Node::Try(Box::new(Try { body: with(head, body), handlers, ..Try::default() })));
            }
            (part, _) => {
                let branches = vec![Branch { head, condition, body }];
                nodes.push(Node::If { branches, opaque: part == Part::Case });
            }
        }
    }

    /// Closes all blocks. Call this after all statements are read.
    pub fn finish(&mut self) {
        while !self.open.is_empty() {
            self.close();
        }
        let outer = std::mem::take(&mut self.outer);
        self.scopes.insert(0, outer);
    }
}

/// Adds the conditions of statements that are in loops.
pub(super) fn conditions_in_loops(nodes: &[Node<'_>], in_loop: bool, found: &mut Vec<String>) {
    let mut add = |condition: &Option<&str>| {
        for part in condition.iter().filter(|_| in_loop).flat_map(|condition| parts(condition)) {
            if !part.is_empty() && !found.contains(&part) {
                found.push(part);
            }
        }
    };
    for node in nodes {
        match node {
            Node::Point(..) | Node::Assign { .. } | Node::Change(_) | Node::Raise | Node::Exit(_) => {}
            Node::If { branches, opaque } => {
                branches.iter().filter(|_| !opaque).for_each(|branch| add(&branch.condition));
            }
            Node::Loop(of) => add(&of.condition),
            Node::Try(_) => {}
        }
    }
    for node in nodes {
        match node {
            Node::Point(..) | Node::Assign { .. } | Node::Change(_) | Node::Raise | Node::Exit(_) => {}
            Node::If { branches, .. } => {
                branches.iter().for_each(|branch| conditions_in_loops(&branch.body, in_loop, found));
            }
            Node::Loop(of) => {
                conditions_in_loops(&of.body, true, found);
                conditions_in_loops(&of.other, in_loop, found);
            }
            Node::Try(of) => {
                of.blocks().for_each(|block| conditions_in_loops(block, in_loop, found));
            }
        }
    }
}

fn with<'s>(mut head: Vec<Node<'s>>, body: Vec<Node<'s>>) -> Vec<Node<'s>> {
    head.extend(body);
    head
}

/// The names that statements assign or change; the flag is true for an assignment.
pub(super) fn names<'s>(nodes: &[Node<'s>], found: &mut Vec<(&'s str, bool)>) {
    for node in nodes {
        match node {
            Node::Point(..) | Node::Raise | Node::Exit(_) => {}
            Node::Assign { name, .. } => found.push((name, true)),
            Node::Change(name) => found.push((name, false)),
            Node::If { branches, .. } => {
                for branch in branches {
                    names(&branch.head, found);
                    names(&branch.body, found);
                }
            }
            Node::Loop(of) => {
                [&of.head, &of.body, &of.other].into_iter().for_each(|block| names(block, found))
            }
            Node::Try(of) => {
                of.blocks().for_each(|block| names(block, found));
            }
        }
    }
}

/// True if a handler of these exceptions may catch exceptions that end the program. A handler of `ValueError` does not.
fn catches_exits(exceptions: &str) -> bool {
    let names = exceptions.split(" as ").next().unwrap_or_default().trim_matches(['(', ')']);
    let plain = |name: &str| {
        let name = name.rsplit('.').next().unwrap_or(name).trim();
        name != "BaseException" && ["Error", "Exception", "Warning"].iter().any(|end| name.ends_with(end))
    };
    !names.trim_end_matches(',').split(',').all(plain)
}
