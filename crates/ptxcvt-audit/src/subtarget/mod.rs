//! The subtarget of LLVM's NVPTX backend: its targets, its PTX versions, and conditions on them.

mod condition;
mod evaluation;
mod functions;
mod machines;
mod tokens;

pub use functions::Functions;
pub use machines::{Machine, isa, machines};
