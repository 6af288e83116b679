//! The table of instructions: which spellings exist, which operands they take, and which targets and ISA versions have
//! them. [`rows`] is its only statement; everything else is derived. `cvt` and `cvt.pack` have another table,
//! [`ptxcvt::Form`].

mod candidates;
mod op;
mod reading;
mod row;
mod rows;

pub use candidates::Candidate;
pub use op::{Op, Opcode};
pub use reading::OpError;
pub(crate) use row::{Dependence, Kind, Of, Operand, Semantics};
