//! # ptxcvt-lower: conversions for targets that lack them
//!
//! Most forms of `cvt` exist on few GPUs. This crate writes PTX that computes a form with instructions that a target
//! has: short sequences for the conversions that kernels use most ([`short`]), and a systematic lowering for all forms.
//! The features that a sequence needs from a target are computed from the table of instructions. `ptxcvt-exec` shows
//! that it returns the form's bits.
//!
//! ```
//! let lowering = ptxcvt_lower::lower("cvt.f32.bf16".parse()?, "sm_75".parse()?, "6.3".parse()?)?;
//! assert_eq!(lowering.block().eval(&[0x3f80])?, [0x3f80_0000]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choice;
mod contract;
mod cost;
mod general;
mod instruction;
mod interface;
mod lowering;
mod module;
pub mod render;
mod sequence;
pub mod short;
mod unmoved;
pub mod word;

pub use choice::{LowerError, UnknownVariant, lower, lowerings, variant};
pub use contract::Contract;
pub use interface::Interface;
pub use lowering::Lowering;
pub use module::{RewriteError, Rewritten, is_gate, keep_lasting, rewrite};
pub use sequence::Kind;
