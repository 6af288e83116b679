//! Renders lowerings for other compilers: as a PTX function, a CUDA function, a header.

mod adapter;
mod block;
mod branches;
mod condition;
mod cuda;
mod func;
mod header;
mod host;
mod kernel;
mod memory;
mod text;
mod types;
mod variant;

pub use adapter::{AdapterError, cuda as cuda_adapter, cutlass, triton};
pub use block::{block, word};
pub use cuda::{function as cuda, function_for as cuda_for};
pub use func::module as func;
pub use header::{default_forms, header};
pub use kernel::{empty_kernel, kernel, kernels, word_kernels};
pub(crate) use text::with_names;
pub use types::{parameter_types, register_type};
pub use variant::{moves, variant_header};
