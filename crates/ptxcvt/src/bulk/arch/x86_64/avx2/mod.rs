//! AVX2 with F16C and FMA: registers of 32 bytes.

mod bfloat;
mod double;
mod fields;
mod half;
mod integer;
mod power;
mod registers;
mod small;
pub mod widen;
mod words;

use super::super::Need;
use super::philox;
use crate::bulk::stage::Stage;

/// What this tier has.
pub fn hand_written(need: Need) -> Option<Stage> {
    match need {
        Need::Philox => Some(philox::avx2),
        Need::Fields(format) => fields::find(format),
        Need::Convert(need) => half::find(&need)
            .or_else(|| bfloat::find(&need))
            .or_else(|| double::find(&need))
            .or_else(|| power::find(&need))
            .or_else(|| small::find(&need))
            .or_else(|| words::find(&need))
            .or_else(|| widen::find(&need))
            .or_else(|| integer::find(&need)),
    }
}
