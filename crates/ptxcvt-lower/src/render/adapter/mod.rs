//! The header's functions in the shape that other projects expect.

mod cuda;
mod cutlass;
mod triton;

use std::fmt;

use ptxcvt::Form;

pub use cuda::cuda;
pub use cutlass::cutlass;
pub use triton::triton;

use super::memory::Memory;
use crate::word::{ShapeError, WordError};

/// The reason why no adapter exists.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AdapterError {
    /// The project has no conversion of this kind.
    Form(Form, &'static str),
    /// The form does not convert that number of elements.
    Shape(ShapeError),
    /// The word cannot be written.
    Word(WordError),
}

impl fmt::Display for AdapterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdapterError::Form(form, adapter) => {
                write!(f, "`{form}` is not among the forms of the adapter for {adapter}")
            }
            AdapterError::Shape(error) => error.fmt(f),
            AdapterError::Word(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AdapterError {}

/// The functions of a form in memory order, or an error that names the adapter.
fn memory(form: Form, adapter: &'static str) -> Result<Memory, AdapterError> {
    Memory::new(form).ok_or(AdapterError::Form(form, adapter))
}
