//! Number formats: one row of data for each, and one decoder and one encoder for all of them.
//!
//! PTX ISA sections 5.2.1 (fundamental types), 5.2.3 (alternate floating-point formats) and 5.2.4
//! (fixed-point formats). A [`Format`] is a single element; a [`Type`](crate::Type) is what an instruction
//! names, one to four elements packed in a register.
//!
//! # Example: one number of a format, without an instruction
//!
//! ```
//! use ptxcvt::{Format, Rounding};
//! use ptxcvt::formats::Encoding;
//! let code = Format::E4m3.encode(1.55_f32, Rounding::Rn);
//! assert_eq!((code, Format::E4m3.decode(code).to_f64()), (0x3c, 1.5));
//! // NaN above 448, or 448 with `.satfinite`.
//! assert_eq!(Format::E4m3.encode(1000.0, Rounding::Rn), 0x7f);
//! assert_eq!(Format::E4m3.encode(1000.0, Encoding::new(Rounding::Rn).satfinite()), 0x7e);
//! ```

mod codes;
mod decode;
mod encode;
mod facts;
mod format;
mod names;
mod neighbours;
mod parameters;
mod rows;

pub(crate) use codes::Encoded;
pub use encode::Encoding;
pub use parameters::{Kind, NanCode, Parameters, Specials};
pub use rows::Format;
