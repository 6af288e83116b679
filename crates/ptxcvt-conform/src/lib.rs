//! # ptxcvt-conform: comparisons of the table and the reference with independent oracles
//!
//! The command `ptxcvt conform` runs four comparisons:
//!
//! - **A GPU** ([`hardware`]): prints a kernel per form ([`kernel`]), has the driver compile and run it
//!   ([`driver`]) over the operands of [`cases`], and compares every bit with [`ptxcvt::Form::eval`].
//! - **Recorded vectors** ([`vectors`], [`replay`]): results with their provenance, written by the first
//!   comparison or by hand, replayed without a GPU.
//! - **A codec** ([`judge`]): a function or a program that converts numbers, compared on every input with PTX's forms and
//!   with the policies of other libraries.
//! - **An assembler** ([`legality`]): every spelling and operand kind, for every target and ISA version that
//!   it knows.
//!
//! ```
//! use ptxcvt_conform::{replay, vectors::File};
//! let text = "# ptxcvt-vectors: 1\n# source: worked by hand\ncvt.rn.f16.f32\t3f800000\t3c00\n";
//! let file = File::parse("hand.tsv", text)?;
//! let report = replay::run(&file, &mut |_| {});
//! assert_eq!((report.inputs(), report.differences()), (1, 0));
//! # Ok::<(), ptxcvt_conform::vectors::Malformed>(())
//! ```
//!
//! [`suite`] writes test vectors for other implementations. [`deviations`] is the table of known differences; [`state`]
//! writes the page that lists which oracles have confirmed each form.
//!
//! `unsafe` is confined to [`driver`], which calls a library that is found at run time.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod assembler;
pub mod cases;
pub mod compare;
pub mod deviations;
pub mod device;
pub mod driver;
pub mod explain;
pub mod hardware;
pub mod judge;
pub mod kernel;
pub mod legality;
pub mod replay;
pub mod report;
pub mod state;
pub mod suite;
pub mod vectors;

/// The examples in Rust of the page about the command.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/conform.md")]
struct Page;
