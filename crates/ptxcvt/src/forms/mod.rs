//! Forms, their operands and spellings: the table, and everything derived from it.
//!
//! PTX ISA sections 9.7.9.21 and 9.7.9.22. Legality is stated only in `rows.rs` and, for forms known from the
//! manual only, in `announced.rs`.

mod admit;
mod announced;
mod between;
#[cfg(feature = "alloc")]
mod chain;
mod conversion;
mod fault;
mod find;
mod form;
mod gates;
mod identifier;
mod made_up;
mod misspelt;
mod modifier;
mod nearest;
mod opcode;
mod operand;
mod part;
#[cfg(feature = "alloc")]
mod problem;
mod problems;
mod random;
mod refusal;
mod register;
mod requirement;
mod row;
mod rows;
mod sets;
mod signature;
mod spelling;
#[cfg(feature = "alloc")]
mod steps;
mod syntax;
mod table;
mod vector;

pub use between::{Between, BetweenError};
#[cfg(feature = "alloc")]
pub use chain::{chain, chain_with, is_path, path};
pub use form::Form;
pub use modifier::{Modifier, Modifiers};
pub use nearest::use_rank;
pub use opcode::Opcode;
pub use operand::{Immediate, Operand, Role};
pub use part::Part;
#[cfg(feature = "alloc")]
pub use problem::{Help, Problem, Remedy};
pub use random::random_bits;
pub(crate) use random::random_field;
pub use refusal::Refusal;
pub use register::{Contents, RegisterClass, RegisterType};
pub use spelling::Spelling;
pub use vector::{VectorElement, VectorProblem, vector_problem};
