//! # ptxcvt-blocks: block-scaled quantisation, byte for byte
//!
//! FP8, FP6 and FP4 are used with scales that blocks of elements share. A *recipe* decides the bytes: how the
//! scale is computed from the block's largest magnitude, in which order f32 operations round, how zero and
//! NaN are treated, and how elements and scales are stored. This crate has the recipes of the common
//! libraries as one table of data, and you can write your own.
//!
//! ```
//! use ptxcvt_blocks::Recipe;
//!
//! let recipe = Recipe::named("mx-rceil/e2m1")?;
//! let lines: Vec<_> = recipe.quantize_lines().collect();
//! assert_eq!(lines[1], "s = cvt.rp.satfinite.ue8m0x2.f32(t)");
//! # Ok::<(), ptxcvt_blocks::RecipeError>(())
//! ```

mod array;
mod compare;
mod error;
mod fast;
mod geometry;
mod input;
mod layout;
mod losses;
mod magnitude;
mod options;
mod recipe;
mod reference;
mod report;
mod result;
mod run;

pub use array::{dequantize_array_into, quantize_array_into};
pub use compare::{Comparison, Counts, Difference, compare};
pub use error::{AmaxError, BlockError};
pub use geometry::{BlocksAlong, Matrices};
pub use input::{Input, Matrix};
pub use layout::{from_swizzled, swizzled_len, swizzled_shape, to_swizzled};
pub use losses::{Errors, Loss, Losses};
pub use options::{Global, Options, Parts, Quantized};
pub use ptxcvt_bulk::NonFinite;
pub use recipe::{AmaxNan, BlockShape, BlockShapeError, Definition, Layout, Ragged, Recipe, RecipeError};
pub use reference::{Step, Worked, dequantize_reference, quantize_reference};
pub use report::Report;
pub use result::non_finite_result;
pub use run::{
    dequantize, dequantize_into, largest_magnitude, quantize, quantize_both, quantize_into, work_block,
};
