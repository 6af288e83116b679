//! `ptxcvt quantize` and `dequantize` on files.

#[path = "../common/mod.rs"]
mod common;
mod messages;
mod metadata;
mod places;
mod results;

#[path = "../../../../tests/blocks/vectors.rs"]
mod vectors;
