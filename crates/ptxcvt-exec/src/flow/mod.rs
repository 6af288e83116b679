//! Functions with branches and memory as straight-line blocks.
//!
//! A branch becomes a condition on the instructions after it (if-conversion), and a place in memory becomes a register.
//! Memory that the function reads before it writes it is an input; memory that it writes is an output. PTX ISA
//! sections 5.1 (state spaces), 7.1 (functions), 9.7.9 (`ld`, `st`, `cvta`), 9.7.12 (control flow).
//!
//! There are two passes:
//!
//! 1. [`walk`] visits the statements in an order in which every statement follows those that may run before it. It
//!    finds the condition of each statement, the addresses, and the registers that are always written before they are
//!    read.
//! 2. [`emit`] writes the block.
//!
//! Functions with unsupported or ambiguous meaning are rejected: loops, addresses other than a pointer parameter plus a
//! constant, places that overlap partly, and loads after stores through another pointer.

mod condition;
mod emit;
mod graph;
mod memory;
mod statement;
mod walk;

pub(crate) use statement::{Access, Base, Direction, Parameter, Space, Statement};

use crate::block::Block;
use crate::read::error::Error;
use crate::read::names::Names;

/// Adds a function's statements to a block that has its registers, and the operands that they need.
pub(crate) fn convert(
    block: &mut Block,
    parameters: &[Parameter],
    statements: &[Statement],
    names: &Names,
) -> Result<(), Error> {
    let mut walk = walk::Walk::new(block, parameters, statements)?;
    walk.give_meanings(block, statements, names);
    emit::emit(block, parameters, statements, walk)
}
