//! # ptxcvt: PTX number conversion, bit for bit
//!
//! NVIDIA GPUs convert numbers with the PTX instructions `cvt` and `cvt.pack`. This library knows every
//! legal form of both through [the newest ISA version](IsaVersion::NEWEST), which targets take it from which ISA version on, and exactly
//! which bits it returns, without a GPU.
//!
//! ```
//! use ptxcvt::{Form, Target};
//!
//! let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
//! // 1.5 becomes the upper byte, -500 saturates to -448 in the lower one.
//! let d = form.eval(&[1.5_f32.to_bits().into(), (-500_f32).to_bits().into()])?;
//! assert_eq!(d, 0x3cfe);
//! // On sm_89 it takes ISA 8.1.
//! let sm_89: Target = "sm_89".parse()?;
//! assert_eq!(form.since(sm_89).unwrap().to_string(), "8.1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`forms`] | every form, its operands, its spelling, what is wrong with a spelling |
//! | [`formats`] | number formats: parameters, facts, one number encoded and decoded |
//! | [`targets`] | targets and ISA versions |
//! | [`literal`] | operands as text |
//! | [`bulk`] | arrays |
//! | [`inputs`] | inputs that find mistakes |
//!
//! Results are bits in, bits out (`u64`), as the hardware returns them; where the manual leaves a result
//! open (the payload of some NaN), DESIGN.md names what is chosen and why. The library does not read whole
//! PTX modules: that is the crate `ptxcvt-syntax`.

#![no_std]
#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "alloc")]
mod account;
mod bits;
pub mod bulk;
mod error;
mod exact;
mod explain;
pub mod formats;
pub mod forms;
pub mod inputs;
pub mod literal;
mod outcome;
mod reference;
mod round;
#[cfg(feature = "serde")]
mod serde;
pub mod targets;
mod types;

#[cfg(feature = "alloc")]
pub use account::{Account, Emphasis};
pub use error::{Code, OperandCountError};
pub use exact::{Exact, Value};
pub use explain::{Element, Explanation};
pub use formats::Format;
pub use forms::{Form, Modifier, Modifiers, Opcode, Spelling};
pub use outcome::{NanRule, Outcome};
pub use round::{Random, Rounding};
pub use targets::{IsaVersion, Target};
pub use types::Type;
