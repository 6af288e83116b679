//! # ptxcvt-picture: how a conversion rounds, drawn
//!
//! One line of numbers for each element of a conversion: the destination's values around the source, the source itself,
//! the points at which rounding to nearest changes, and an arrow to the result. [`Picture`] is the data; [`svg`] draws
//! it.
//!
//! ```
//! use ptxcvt::Form;
//! let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
//! let svg = ptxcvt_picture::svg(&form, &[0x3fc6_6666, 0xc479_c000])?; // 1.55, -999
//! assert!(svg.starts_with("<svg") && svg.contains(">1.5<"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod draw;
mod fields;
mod format;
mod label;
mod marks;
mod matrix;
mod picture;
mod spacing;
mod style;

pub use draw::{element_svg, svg};
pub use fields::{FieldKind, fields};
pub use format::{format_line_svg, format_lines_svg, format_svg, format_svg_with};
pub use matrix::{legality_svg, legality_svg_with};
pub use picture::{Picture, Stochastic, Tick};
pub use spacing::{spacing, spacing_svg};
pub use style::rounded;
