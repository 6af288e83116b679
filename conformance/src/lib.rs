//! Checks of `ptxcvt` against what nobody in this project wrote: NVIDIA's assembler, the host emulation in
//! the CUDA headers, and the assembler's constant folding.
//!
//! Each oracle is a subcommand that needs NVIDIA's tools and leaves a small record under `records/`; the
//! tests in `tests/` hold the library to the records and need nothing.

pub mod cost;
pub mod cuda;
pub mod fixes;
pub mod folding;
pub mod headers;
pub mod instructions;
pub mod legality;
pub mod lowering;
pub mod proofs;
pub mod record;
pub mod rewritten;
pub mod sources;
pub mod tools;
