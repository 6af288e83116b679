//! NEON, which every 64-bit Arm CPU has: registers of 16 bytes.
// Newer compilers know that the intrinsics are safe where NEON is always there.
#![allow(unused_unsafe)]

mod bfloat;
mod half;
mod registers;
mod small;
mod widen;

use crate::bulk::arch::Conversion;
use crate::bulk::arch::find::first_of;
use crate::bulk::stage::Stage;

/// What this tier has.
pub fn hand_written(need: &Conversion) -> Option<Stage> {
    first_of!("neon", need, half bfloat small widen)
}
