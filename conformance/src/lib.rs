//! Compares `ptxcvt` with the work of others: NVIDIA's assembler, its constant folding, and the host emulation in the CUDA
//! headers.
//!
//! Each oracle is a subcommand that needs NVIDIA's tools and writes a small record to `records/`. The tests in `tests/`
//! compare the library with the records and need no tools.

pub mod cost;
pub mod cuda;
pub mod drift;
pub mod fixes;
pub mod folding;
pub mod headers;
pub mod instructions;
pub mod legality;
pub mod lowering;
pub mod page;
pub mod proofs;
pub mod record;
pub mod rewritten;
pub mod search;
pub mod sources;
pub mod tools;
pub mod words;
