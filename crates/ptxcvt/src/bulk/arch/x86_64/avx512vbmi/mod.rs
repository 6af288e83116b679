//! AVX-512 with VBMI: permutes of 64 and 128 bytes, and shifts that choose eight bits anywhere.

mod permutations;
mod power;
mod small;
mod widen;

use super::super::Need;
use crate::bulk::arch::find::first_of;
use crate::bulk::stage::Stage;

/// What this tier has beside AVX-512.
pub fn hand_written(need: Need) -> Option<Stage> {
    match need {
        Need::Philox => None,
        Need::Convert(need) => first_of!("avx512vbmi", &need, power small widen),
    }
}
