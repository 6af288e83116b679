//! AVX-512 without VBMI: registers of 64 bytes.

mod bfloat;
mod double;
mod fields;
mod half;
mod integer;
pub mod registers;
mod words;

use super::super::Need;
use super::{avx2, philox};
use crate::bulk::stage::Stage;

/// What this tier has. FP4 to f16 and bf16 is as fast in registers of 32 bytes.
pub fn hand_written(need: Need) -> Option<Stage> {
    match need {
        Need::Philox => Some(philox::avx512),
        Need::Fields(format) => fields::find(format),
        Need::Convert(need) => half::find(&need)
            .or_else(|| bfloat::find(&need))
            .or_else(|| double::find(&need))
            .or_else(|| words::find(&need))
            .or_else(|| integer::find(&need))
            .or_else(|| avx2::widen::find_nibbles(&need)),
    }
}
