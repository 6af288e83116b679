//! Forms, their operands and spellings: the table, and what is read off it.
//!
//! PTX ISA sections 9.7.9.21 and 9.7.9.22. `rows.rs` is the only statement of what is legal, with
//! `announced.rs` beside it for what is known from the manual only.

#[cfg(feature = "alloc")]
mod advice;
mod announced;
mod between;
#[cfg(feature = "alloc")]
mod chain;
mod error;
mod form;
mod gates;
mod modifier;
mod nearest;
mod opcode;
mod operand;
mod part;
mod problems;
#[cfg(feature = "alloc")]
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

#[cfg(feature = "alloc")]
pub use advice::{Advice, Remedy};
pub use between::{Between, BetweenError};
#[cfg(feature = "alloc")]
pub use chain::{chain, chain_with};
pub use error::SpellingError;
pub use form::Form;
pub use modifier::{Modifier, Modifiers};
pub use opcode::Opcode;
pub use operand::{Immediate, Operand, Role};
pub use part::Part;
#[cfg(feature = "alloc")]
pub use refusal::{Refusal, clip};
pub use register::{RegisterClass, RegisterType};
pub use spelling::Spelling;
pub use vector::{VectorElement, VectorProblem, vector_problem};
