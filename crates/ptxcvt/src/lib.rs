//! # ptxcvt: PTX number conversion, bit for bit
//!
//! NVIDIA GPUs convert numbers with the PTX instructions `cvt` and `cvt.pack`. This library knows every legal form of
//! both through [the newest ISA version](IsaVersion::NEWEST), the targets and ISA versions that accept it, and exactly
//! which bits it returns, without a GPU.
//!
//! ```
//! use ptxcvt::{Form, Target};
//!
//! let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
//! // 1.5 becomes the upper byte, -500 saturates to -448 in the lower one.
//! let d = form.eval(&[1.5_f32.to_bits().into(), (-500_f32).to_bits().into()])?;
//! assert_eq!(d, 0x3cfe);
//! // sm_89 has it from ISA 8.1 on.
//! let sm_89: Target = "sm_89".parse()?;
//! assert_eq!(form.since(sm_89).unwrap().to_string(), "8.1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | contains |
//! |---|---|
//! | [`forms`] | every form, its operands, its spelling, problems of a spelling |
//! | [`formats`] | number formats: parameters, facts, one number encoded and decoded |
//! | [`targets`] | targets and ISA versions |
//! | [`literal`] | numbers as text |
//! | [`names`] | names as people write them: of formats, types, roundings, modifiers and instructions |
//! | [`types`] | number types: `E4m3`, `E2m1`, `Ue8m0`, … |
//! | [`inputs`] | inputs for tests: edge cases and random numbers |
//!
//! Operands and results are bits (`u64`), as in the hardware's registers. If the manual leaves a result open
//! (the payload of some NaN), DESIGN.md states the choice and the reason. The crate `ptxcvt-syntax` reads
//! whole PTX modules, and `ptxcvt-bulk` converts arrays.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

#[cfg(feature = "alloc")]
mod account;
mod bits;
mod codes;
mod conversion;
mod counted;
mod decimal;
mod error;
mod exact;
mod explain;
pub mod formats;
pub mod forms;
pub mod inputs;
pub mod literal;
#[cfg(feature = "alloc")]
pub mod names;
mod one_of;
#[cfg(feature = "alloc")]
mod order;
mod outcome;
mod overflow;
mod quoted;
mod reference;
mod round;
#[cfg(feature = "serde")]
mod serde;
pub mod targets;
#[cfg(feature = "alloc")]
mod text;
pub mod types;

#[cfg(feature = "alloc")]
pub use account::{Account, Emphasis};
pub use conversion::{Clamp, Conversion, Extra, Rules, Scale, Subnormals};
pub use error::{Code, OperandCountError};
pub use exact::{Exact, Value};
pub use explain::{Element, Explanation, Tie};
pub use formats::Format;
pub use forms::{Form, Modifier, Modifiers, Opcode, Spelling};
#[cfg(feature = "alloc")]
pub use names::UnknownName;
pub use outcome::{NanRule, Outcome};
pub use overflow::Overflow;
pub use round::{Random, Rounding};
pub use targets::{IsaVersion, Target};
pub use types::Type;
#[doc(no_inline)]
pub use types::*;

// For the other crates of the workspace; not part of the public API. DESIGN.md says why they are here.
#[doc(hidden)]
pub use bits::{little_endian, mask, sign_extend};
#[doc(hidden)]
pub use counted::counted;
#[doc(hidden)]
pub use decimal::decimal;
#[doc(hidden)]
pub use one_of::one_of;
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub use order::order_by;
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub use text::{clip, fill, floor_char_boundary, listed};
