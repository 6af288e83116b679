//! Test vectors for other implementations: hardware designs, emulators, libraries.
//!
//! A [`Suite`] has the inputs on which conversions go wrong, and their results: special values, every number of a
//! narrow destination, every tie with its two neighbours, the boundaries of overflow and underflow, and seeded random
//! numbers. [`Suite::write`] writes them for several kinds of readers, and [`digest`] has the digest of all results.
//! [`registers`] has the vectors of instructions that take random bits or a scale-factor.
//!
//! # Example: compare an implementation
//!
//! ```
//! use ptxcvt::{Conversion, Format, Overflow};
//! use ptxcvt_conform::suite::Suite;
//! let conversion = Conversion::new(Format::F32, Format::E4m3).overflow(Overflow::Saturate);
//! let suite = Suite::new(conversion, 1000, 1);
//! // 2^-10 is half of the smallest e4m3 number, a tie that goes to zero.
//! let tie = suite.vectors().iter().find(|vector| vector.input == u64::from(0.5_f32.powi(10).to_bits()));
//! assert_eq!(tie.unwrap().result, 0);
//! assert!(suite.vectors().iter().all(|vector| vector.result == conversion.eval(vector.input)));
//! ```

pub mod digest;
mod list;
mod registers;
mod request;
mod table;
mod write;

pub use list::{Suite, Vector, conversion};
pub use registers::registers;
pub use request::{Choices, Request, RequestError};
pub use table::{Column, Table};
pub use write::Layout;
