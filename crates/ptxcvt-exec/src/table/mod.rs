//! The table of instructions and what is read off it: which spellings exist, what operands they take, and from
//! which target and version on. [`rows`] is the only statement of it; `cvt` and `cvt.pack` have their own table
//! in [`ptxcvt::Form`].

mod candidates;
mod modifier;
mod op;
mod row;
mod rows;

pub use candidates::Candidate;
pub use modifier::{Modifier, Modifiers};
pub use op::{Op, OpError, Opcode};
pub(crate) use row::{Kind, Of, Operand, Semantics};
pub(crate) use rows::ROWS;
