//! # ptxcvt-bulk: arrays at memory speed
//!
//! Conversion of arrays at memory speed, bit-equal to the reference ([`Form::eval`](ptxcvt::Form::eval)).
//!
//! A [`Plan`] chooses kernels for a form once and then runs over slices, without allocating:
//!
//! - [`Plan::run`] reads *operand columns*: one [`Column`] per PTX operand, in PTX order. It writes one
//!   result per instruction.
//! - [`Plan::run_packed`] reads *elements in memory order*, as files store arrays of FP8 or FP4 numbers. If
//!   an instruction has two elements, element 2i is the lower operand (`b`) and 2i + 1 the upper one (`a`).
//!   If it has four, elements 4i to 4i + 3 are `f`, `e`, `b`, `a` ([`Plan::place`]). An FP6 element is a
//!   byte, an FP4 element half a byte, the low half first.
//! - [`Plan::run_padded`] reads any number of elements in memory order.
//! - [`Plan::run_array`] reads any part of an array. 4-bit numbers may be packed or have a byte each.
//! - A [`Chain`] makes several conversions in one pass.
//!
//! ```
//! use ptxcvt::Form;
//! use ptxcvt_bulk::Plan;
//!
//! let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
//! let plan = Plan::new(form);
//! let mut packed = [0_u8; 4];
//! plan.run_packed((&[1.0_f32, 1.5, -500.0, 0.0]).into(), None, (&mut packed).into())?;
//! assert_eq!(packed, [0x38, 0x3c, 0xfe, 0x00]);
//!
//! // The elements as columns: b holds the even ones, a the odd ones.
//! let (a, b) = ([1.5_f32, 0.0], [1.0_f32, -500.0]);
//! let mut registers = [0_u16; 2];
//! plan.run(&[(&a).into(), (&b).into()], (&mut registers).into())?;
//! assert_eq!(registers, [0x3c38, 0x00fe]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Tiers
//!
//! Kernels are compiled for several sets of CPU features, the [`Tier`]s. The fastest one of the machine is
//! used unless the environment variable `PTXCVT_TIER` names another. [`tiered!`] compiles the loops of other
//! crates for the same tiers.
//!
//! # Unsafe code
//!
//! `unsafe` is needed for three purposes: slices of floats reinterpreted as their bits, raw pointers with
//! checked lengths, and calls of functions compiled for detected CPU features.
#![no_std]
#![allow(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

/// The examples of the README and of the page about number types are tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/types.md")]
    struct Types;
}

mod arch;
mod array;
#[cfg(feature = "alloc")]
mod chain;
mod choose;
mod column;
mod constants;
mod current;
mod engine;
// For the runner of `ptxcvt-exec`; not part of the public API.
#[doc(hidden)]
pub mod environment;
mod error;
mod features;
mod lane;
mod lanes;
mod layout;
mod memory;
mod non_finite;
mod packed;
mod philox;
mod plan;
mod slices;
mod stage;
#[cfg(hand_written)]
mod steps;
#[cfg(feature = "std")]
mod threads;
mod tier;
#[cfg(feature = "std")]
mod variable;
#[cfg(feature = "std")]
mod watch;
mod widths;

pub use array::{Array, pack_codes, unpack_codes};
#[cfg(feature = "alloc")]
pub use chain::{Chain, ChainArray, Spread};
pub use column::{Column, ColumnMut};
pub use engine::Stores;
pub use error::BulkError;
pub use layout::Place;
/// For the kernels of this workspace's crates; not part of the public API.
#[doc(hidden)]
pub use memory::{copy_streamed, fence, fetch_at, fetch_line};
pub use non_finite::NonFinite;
pub use philox::{philox4x32, rbits, seed_of};
pub use plan::Plan;
pub use slices::{Element, convert_slice};
pub use tier::{Tier, TierError};
#[cfg(feature = "std")]
pub use variable::TierVariableError;
