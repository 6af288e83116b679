//! NEON, which every 64-bit Arm CPU has: registers of 16 bytes.
// In newer compilers these intrinsics are safe where NEON is always available.
#![allow(unused_unsafe)]

mod bfloat;
mod half;
mod registers;
mod small;
mod widen;

use crate::arch::find::first_of;
use crate::arch::need::Conversion;
use crate::stage::Stage;

/// The kernel of this tier for a conversion, if there is one.
pub fn hand_written(need: &Conversion) -> Option<Stage> {
    first_of!("neon", need, half bfloat small widen)
}
