//! Functions with branches and memory as straight-line blocks.
//!
//! A branch becomes a condition on the instructions after it (if-conversion), and a place in memory becomes a register.
//! What is read from memory before the function writes it is an input, what the function writes is an output. PTX ISA
//! sections 5.1 (state spaces), 7.1 (functions), 9.7.9 (`ld`, `st`, `cvta`), 9.7.12 (control flow).
//!
//! There are two passes:
//!
//! 1. [`walk`] visits the statements in an order in which every statement follows those that may run before it. It finds
//!    the condition of each statement, the addresses, and the registers that are always written before they are read.
//! 2. [`emit`] writes the block.
//!
//! Whatever would make the meaning unclear is refused: loops, addresses other than a pointer parameter and a constant,
//! places that overlap in part, and loads after stores through another pointer.

mod condition;
mod emit;
mod graph;
mod memory;
mod walk;

use ptxcvt_syntax::Span;

use crate::block::{Block, Guard, Instruction};
use crate::operand::{Operand, Reg};
use crate::read::{Error, Names};
use crate::ty::Ty;

/// A statement of a function.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// An instruction of the tables.
    Op(Instruction),
    Label(String),
    Branch {
        guard: Option<Guard>,
        to: String,
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

/// Adds a function's statements to a block that has its registers, and the operands that they need.
pub(crate) fn convert(
    block: &mut Block,
    parameters: &[Parameter],
    statements: &[Statement],
    names: &Names,
) -> Result<(), Error> {
    let mut walk = walk::Walk::new(block, parameters, statements)?;
    walk.memory.give_meanings(block, statements, &walk.steps, names);
    emit::emit(block, parameters, statements, walk)
}
