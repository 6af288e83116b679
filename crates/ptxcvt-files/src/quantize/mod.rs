//! Tensors of files and checkpoints through a recipe of block quantisation, and back.
//!
//! [`Options`] holds what the user chose. [`file`](mod@file) quantises the tensors of one file and [`model`] those of a
//! checkpoint, a folder of files with an index; [`dequantize`] turns both back into numbers. A loader's row says how
//! a library names and types the parts of a quantised tensor.

mod architectures;
mod cautions;
mod checkpoint;
mod compare;
mod config;
pub mod dequantize;
mod description;
pub mod file;
mod files;
mod fuse;
mod fused;
mod json;
mod layers;
mod left;
mod loader;
mod lock;
mod metadata;
pub mod model;
mod modules;
mod options;
mod output;
mod outputs;
mod recipe;
mod target;
mod tensor;
mod unloaded;
mod work;

pub use checkpoint::Checkpoint;
pub use compare::{Compared, FirstBlock, Outcome, compare};
pub use fused::Fused;
pub use loader::Loader;
pub use options::Options;
pub use recipe::recipe;
pub use work::Axis;
