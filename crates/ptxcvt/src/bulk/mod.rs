//! Arrays at memory speed: rail 2, bit-equal to the reference ([`Form::eval`](crate::Form::eval)).
//!
//! A [`Plan`] chooses kernels for a form once and then runs over slices, without allocating:
//!
//! - [`Plan::run`] takes *operand columns*: one [`Column`] per PTX operand, in PTX order, and writes one
//!   result per instruction.
//! - [`Plan::run_packed`] takes *elements in memory order*, as arrays of FP8 or FP4 numbers lie in files:
//!   of a pair, element 2i is the lower operand (`b`) and 2i + 1 the upper (`a`); of four, elements 4i to
//!   4i + 3 are `f`, `e`, `b`, `a` ([`Plan::place`]). FP6 takes a byte an element, FP4 half a byte, the low nibble
//!   first.
//! - [`Plan::run_padded`] takes the same, however many elements there are.
//! - [`Plan::run_array`] takes any part of an array, and numbers of 4 bits a byte each.
//!
//! ```
//! use ptxcvt::Form;
//! use ptxcvt::bulk::Plan;
//!
//! let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
//! let plan = Plan::new(form);
//! let mut packed = [0_u8; 4];
//! plan.run_packed((&[1.0_f32, 1.5, -500.0, 0.0]).into(), None, (&mut packed).into())?;
//! assert_eq!(packed, [0x38, 0x3c, 0xfe, 0x00]);
//!
//! // The same as columns: b holds the even elements, a the odd ones.
//! let (a, b) = ([1.5_f32, 0.0], [1.0_f32, -500.0]);
//! let mut registers = [0_u16; 2];
//! plan.run(&[(&a).into(), (&b).into()], (&mut registers).into())?;
//! assert_eq!(registers, [0x3c38, 0x00fe]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This module is the only place with `unsafe`: slices of floats seen as their bits, raw pointers behind
//! checked lengths, and calls of functions compiled for CPU features that were detected.
#![allow(unsafe_code)]

mod arch;
mod array;
mod choose;
mod column;
mod constants;
mod engine;
mod error;
#[cfg(target_arch = "x86_64")]
mod features;
mod lanes;
mod layout;
mod memory;
mod philox;
mod plan;
mod stage;
#[cfg(hand_written)]
mod steps;
#[cfg(feature = "std")]
mod threads;
mod tier;
mod widths;

pub use array::{Array, pack_codes, unpack_codes};
pub use column::{Column, ColumnMut};
pub use engine::Stores;
pub use error::BulkError;
pub use layout::Place;
pub use philox::{philox4x32, rbits, seed_of};
pub use plan::Plan;
pub use tier::{Tier, TierError};
