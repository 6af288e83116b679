//! # ptxcvt-blocks: block-scaled quantisation, byte for byte
//!
//! FP8, FP6 and FP4 are used with scales that blocks of elements share. What decides the bytes is the *recipe*:
//! how the scale comes from the block's largest magnitude, in which order f32 operations round, what zero and NaN
//! get, and how bytes lie. This crate has the recipes of the common libraries as one table of data, and a user
//! can write their own from the same parts.
//!
//! ```
//! use ptxcvt_blocks::Recipe;
//!
//! let recipe = Recipe::named("mx-rceil/e2m1")?;
//! let lines: Vec<_> = recipe.quantize_lines().collect();
//! assert_eq!(lines[1], "s = cvt.rp.satfinite.ue8m0x2.f32(t)");
//! # Ok::<(), ptxcvt_blocks::RecipeError>(())
//! ```

mod compare;
mod error;
mod fast;
mod input;
mod layout;
mod recipe;
mod reference;
mod report;
mod run;

pub use compare::{Comparison, Difference, compare};
pub use error::BlockError;
pub use input::{Input, Matrix};
pub use layout::{from_swizzled, swizzled_len, to_swizzled};
pub use recipe::{AmaxNan, BlockShape, Definition, Layout, Ragged, Recipe, RecipeError};
pub use reference::{Step, Worked};
pub use report::Report;
pub use run::{
    Global, Options, Quantized, dequantize, dequantize_into, dequantize_reference, largest_magnitude,
    quantize, quantize_both, quantize_into, quantize_reference, work_block,
};
