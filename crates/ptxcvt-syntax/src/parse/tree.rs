//! The tree of a text, which keeps everything that a [`Visitor`] receives.

use super::declaration::Declaration;
use super::instruction::Instruction;
use super::module::parse_with;
use super::visitor::Visitor;
use crate::diagnostic::Diagnostic;
use crate::source::{Span, Word};

/// The pieces of a module or a snippet, in the order of the text.
///
/// Blocks are flat: a [`Node::Open`] and a [`Node::Close`]. Most texts are read from the beginning to the end, and
/// blocks can nest more deeply than a stack allows.
///
/// ```
/// use ptxcvt_syntax::parse::{Node, OperandKind, Tree};
///
/// let tree = Tree::of_snippet("{ .reg .b32 t; add.u32 t, %1, 7; @!%2 mov.b64 %0, {t, t}; }");
/// assert!(tree.problems.is_empty());
/// let opcodes: Vec<_> = tree.instructions().map(|i| i.opcode.text()).collect();
/// assert_eq!(opcodes, ["add.u32", "mov.b64"]);
/// let mov = tree.instructions().nth(1).unwrap();
/// assert!(mov.guard.is_some());
/// assert!(matches!(&mov.operands[1].kind, OperandKind::Vector(elements) if elements.len() == 2));
/// assert!(matches!(tree.nodes[1], Node::Declaration(d) if d.name.text == "t"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Tree<'s> {
    /// The pieces.
    pub nodes: Vec<Node<'s>>,
    /// The syntax errors; empty if the whole text was read.
    pub problems: Vec<Diagnostic>,
}

/// A piece of the text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Node<'s> {
    /// `.version 9.1`
    Version(Word<'s>),
    /// `.target sm_90, debug`
    Target(Vec<Word<'s>>),
    /// A register, variable, function or label. The parameters of a function follow the [`Node::Open`] after it.
    Declaration(Declaration<'s>),
    /// An instruction.
    Instruction(Instruction<'s>),
    /// A directive that does not declare anything: its name, and the place of the whole directive.
    Directive(Word<'s>, Span),
    /// The beginning of a block or of a function's parameters.
    Open(Span),
    /// The end of a block, or of a function without a body.
    Close(Span),
}

impl<'s> Tree<'s> {
    /// Reads a module.
    pub fn of_module(text: &'s str) -> Self {
        let mut tree = Tree::default();
        parse_with(text, false, &mut tree);
        tree
    }

    /// Reads a block or an instruction of inline assembly, whose operands may be placeholders.
    pub fn of_snippet(text: &'s str) -> Self {
        let mut tree = Tree::default();
        parse_with(text, true, &mut tree);
        tree
    }

    /// The instructions.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction<'s>> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Instruction(instruction) => Some(instruction),
            _ => None,
        })
    }

    /// The declarations.
    pub fn declarations(&self) -> impl Iterator<Item = &Declaration<'s>> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Declaration(declaration) => Some(declaration),
            _ => None,
        })
    }
}

impl<'s> Visitor<'s> for Tree<'s> {
    fn version(&mut self, version: Word<'s>) {
        self.nodes.push(Node::Version(version));
    }

    fn target(&mut self, _directive: Span, names: &[Word<'s>]) {
        self.nodes.push(Node::Target(names.to_vec()));
    }

    fn open(&mut self, at: Span) {
        self.nodes.push(Node::Open(at));
    }

    fn close(&mut self, at: Span) {
        self.nodes.push(Node::Close(at));
    }

    fn declare(&mut self, declaration: Declaration<'s>) {
        self.nodes.push(Node::Declaration(declaration));
    }

    fn directive(&mut self, name: Word<'s>, span: Span) {
        self.nodes.push(Node::Directive(name, span));
    }

    fn instruction(&mut self, instruction: &Instruction<'s>) {
        self.nodes.push(Node::Instruction(instruction.clone()));
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.problems.push(diagnostic);
    }
}
