//! The statements of a function, as they are read.

use ptxcvt_syntax::Span;

use crate::block::{Guard, Instruction};
use crate::operand::{Operand, Reg};
use crate::ty::Ty;

/// A statement of a function.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// An instruction of the tables.
    Op(Instruction),
    /// A label, whose scope is its block. A block is identified by the place where it begins.
    Label {
        name: String,
        block: u32,
    },
    /// A branch in these blocks, the outer one first.
    Branch {
        guard: Option<Guard>,
        to: String,
        blocks: Vec<u32>,
        span: Span,
    },
    Return {
        guard: Option<Guard>,
    },
    /// A load or a store.
    Access(Access),
    /// Gives a register an address: that of another register (`cvta`) or of a parameter.
    Address {
        guard: Option<Guard>,
        to: Reg,
        from: Base,
        span: Span,
    },
}

/// A load or a store.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub guard: Option<Guard>,
    pub direction: Direction,
    /// True for `.nc`: nothing writes this memory while the function runs.
    pub constant: bool,
    pub space: Space,
    pub base: Base,
    pub offset: i64,
    /// The type of each element.
    pub ty: Ty,
    /// The registers, or the constants of a store; [`Operand::Sink`] for an element that is not needed.
    pub elements: Vec<Operand>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Load,
    Store,
}

/// A state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Parameter,
    /// Global memory, or a generic address.
    Global,
}

/// The part of an address before the constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The function's n-th parameter or result.
    Parameter(usize),
    Register(Reg),
}

/// A parameter or a result that is in memory.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub name: String,
    pub result: bool,
}

impl Statement {
    /// The place of the statement; empty if it needs none.
    pub fn span(&self) -> Span {
        match self {
            Statement::Op(instruction) => instruction.span,
            Statement::Access(access) => access.span,
            Statement::Branch { span, .. } | Statement::Address { span, .. } => *span,
            Statement::Label { .. } | Statement::Return { .. } => Span::default(),
        }
    }
}
