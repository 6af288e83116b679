//! The table and what is read off it: which forms exist, where, and how they are written.
//!
//! PTX ISA sections 9.7.9.21 and 9.7.9.22. [`rows`] is the only statement of what is legal.

mod form;
mod modifier;
mod operand;
mod problem;
mod rows;
mod spelling;
mod target;
mod vector;

pub use form::{Form, Opcode};
pub use modifier::{Modifier, Modifiers};
pub use operand::{Immediate, Operand, RegisterClass, RegisterType, Role};
pub use problem::SpellingError;
pub use spelling::{Part, Spelling};
pub use target::{IsaVersion, Suffix, Target, UnknownTarget, UnknownVersion};
pub use vector::{VectorElement, VectorProblem, vector_problem};
