//! The fast implementation: runs a block over many lanes, one operation after the other, over columns that stay in the
//! cache.
//!
//! [`Program::new`] renames registers so that each is written once, and turns instructions into kernels over columns and
//! conversions into [`ptxcvt_bulk::Plan`]s. Columns share memory once they have been read for the last time. An
//! instruction without a kernel is computed lane by lane by the reference (`semantics/`).

mod arithmetic;
mod bits;
mod compare;
mod covered;
mod elementwise;
mod emit;
mod emitter;
mod floats;
mod fuse;
mod integer;
mod kernel;
pub(crate) mod lane;
mod memory;
mod program;
mod run;
mod step;
mod tier;
mod values;

pub use elementwise::{Elementwise, ElementwiseError};
pub use program::{LANES, Program};
pub use run::Runner;
