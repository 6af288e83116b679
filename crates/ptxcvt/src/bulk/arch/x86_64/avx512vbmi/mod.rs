//! AVX-512 with VBMI: permutes of 64 and 128 bytes, and shifts that choose eight bits anywhere.

mod permutations;
mod power;
mod small;
mod widen;

use super::super::Need;
use crate::bulk::stage::Stage;

/// What this tier has beside AVX-512.
pub fn hand_written(need: Need) -> Option<Stage> {
    match need {
        Need::Philox | Need::Fields(_) => None,
        Need::Convert(need) => {
            power::find(&need).or_else(|| small::find(&need)).or_else(|| widen::find(&need))
        }
    }
}
