//! `ptxcvt quantize` and `dequantize` on files.

mod bench;
mod messages;
mod metadata;
mod results;

#[path = "../../../../tests/blocks/vectors.rs"]
mod vectors;
