//! PTX's data types as Rust types: [`E4m3`], [`E2m1`], [`Ue8m0`] and their kind, and pairs and quadruples of them.
//!
//! PTX ISA section 5.2. A value of a number type is a code of a [`Format`](crate::Format), in the storage that safetensors
//! and CUDA use. Conversions are `const fn`, return the bits of PTX's `cvt`, and round once.
//!
//! ```
//! use ptxcvt::{E4m3, Overflow, Rounding};
//! const X: E4m3 = E4m3::from_f32(1.55);
//! assert_eq!((X.to_bits(), X.to_f32()), (0x3c, 1.5));
//! assert_eq!(E4m3::from_f32(1000.0), E4m3::MAX); // .satfinite
//! assert!(E4m3::from_f32_with(1000.0, Rounding::Rz, Overflow::Nan).is_nan());
//! assert_eq!("0.3".parse::<E4m3>()?.to_string(), "0.3125");
//! assert_eq!((X * X).to_f32(), 2.25);
//! # Ok::<(), core::num::ParseFloatError>(())
//! ```
//!
//! # Packed types
//!
//! The first operand of an instruction is the **upper** part of its result; in memory the lower part is first.
//!
//! ```
//! use ptxcvt::{E4m3, E4m3x2, Form};
//! let packed = E4m3x2::from_hi_lo(E4m3::from_f32(1.5), E4m3::from_f32(-500.0));
//! let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
//! let d = form.eval(&[1.5_f32.to_bits().into(), (-500_f32).to_bits().into()])?;
//! assert_eq!(u64::from(packed.to_bits()), d);
//! assert_eq!(packed.to_f32_array(), [-448.0, 1.5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Overflow and NaN
//!
//! | | `from_f32` | [`Overflow::Saturate`] | [`Overflow::Ieee`], [`Overflow::InfinityOrNan`] | NaN |
//! |---|---|---|---|---|
//! | [`F16`] [`Bf16`] [`Tf32`] | infinity | largest number | infinity | NaN |
//! | [`E5m2`] | largest number | largest number | infinity | NaN |
//! | [`E4m3`] [`Ue5m3`] [`Ue8m0`] | largest number | largest number | NaN | NaN |
//! | [`E3m2`] [`E2m3`] [`E2m1`] [`S2f6`] | largest number | largest number | largest number | largest number |
//!
//! Infinity overflows like a number beyond the range. Under [`Overflow::Ieee`] a rounding towards zero returns the
//! largest number instead. The NaN that results is positive with every bit set, as on NVIDIA GPUs.
//!
//! [`Overflow::Saturate`]: crate::Overflow::Saturate
//! [`Overflow::Ieee`]: crate::Overflow::Ieee
//! [`Overflow::InfinityOrNan`]: crate::Overflow::InfinityOrNan

mod arith;
mod classify;
mod constants;
mod features;
mod generic;
mod list;
mod number;
mod packed;
mod quick;
mod table;
mod text;

pub use generic::Number;
pub use number::*;
pub use packed::*;
pub use table::Type;
