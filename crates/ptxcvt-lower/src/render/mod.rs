//! Renders lowerings for other compilers: as a PTX function, a CUDA function, a header.

mod condition;
mod cuda;
mod func;
mod header;
mod kernel;
mod text;

pub use cuda::{function as cuda, parameter_types};
pub use func::module as func;
pub use header::{default_forms, header};
pub use kernel::{empty_kernel, kernel, kernels};
pub use text::name;
pub(crate) use text::with_names;
