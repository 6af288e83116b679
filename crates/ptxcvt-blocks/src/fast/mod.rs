//! The fast implementation: a recipe over whole matrices, in chunks that fit in a cache.
//!
//! A band has as many rows as a block; a chunk is a few thousand elements of a band. For each chunk:
//!
//! 1. The largest magnitude of every block is computed from the numbers as stored.
//! 2. The lines of the block run over all blocks of the chunk at once, with one array for each register.
//! 3. Each row's elements are widened to f32 and scaled, a few thousand at a time, and the bulk engine's
//!    kernels convert them to the output.
//!
//! Memory is allocated only when a thread starts. Threads share the bands in order, so results do not depend
//! on their number. Kernels and tables are stored with the recipe.

mod amax;
mod codec;
mod cut;
mod dequantize;
mod kernels;
mod largest;
mod machine;
mod quantize;
mod rows;
mod scale;

pub(crate) use dequantize::{Source, dequantize};
pub(crate) use largest::largest;
pub(crate) use quantize::{Target, quantize};
