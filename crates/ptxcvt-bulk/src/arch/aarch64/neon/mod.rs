//! NEON, which every 64-bit Arm CPU has: registers of 16 bytes.
// In newer compilers these intrinsics are safe where NEON is always available.
#![allow(unused_unsafe)]

mod bfloat;
mod half;
mod registers;
mod small;
mod widen;

use crate::arch::find::{Find, first_of};
use crate::arch::need::Conversion;
use crate::stage::Stage;

/// The files of this tier; the first one that has a kernel is used.
const FILES: &[(&str, Find)] = &[
    ("neon half", half::find),
    ("neon bfloat", bfloat::find),
    ("neon small", small::find),
    ("neon widen", widen::find),
];

/// The kernel of this tier for a conversion, if there is one.
pub fn hand_written(need: &Conversion) -> Option<Stage> {
    first_of(need, FILES)
}
