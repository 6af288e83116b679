//! The loops of the fast implementation, compiled for every tier of the bulk engine. They do not branch on
//! data, except for NaN.
//!
//! `unsafe` is needed for three purposes: calls of functions compiled for AVX2, which the CPU must have;
//! conversions to an integer in one instruction, for which the number must fit; and an empty piece of assembly
//! that keeps the compiler from vectorising across the rounds of a loop.
#![allow(unsafe_code)]

mod arithmetic;
mod codes;
mod widen;

pub(super) use arithmetic::*;
pub(super) use codes::*;
pub(super) use widen::*;
