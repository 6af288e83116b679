//! Arrays in files: what `ptxcvt convert` reads, how it runs, what it writes.
//!
//! Data flows one way: a container (`npy`, `safetensors`, `raw`) yields [`Array`]s over a mapped file; the
//! command decides what each becomes; the `engine` converts it in pieces; the `sink` writes the pieces to a
//! temporary file that takes the target's place when it is whole.

pub mod array;
pub mod engine;
#[cfg(test)]
mod fuzz;
pub mod npy;
pub mod raw;
pub mod safetensors;
pub mod sink;
pub mod stats;
pub mod task;
