//! AVX-512 with VBMI: permutes of 64 and 128 bytes, and shifts that select eight bits at any position.

mod permutations;
mod power;
mod small;
mod widen;

use crate::arch::find::first_of;
use crate::arch::need::Need;
use crate::stage::Stage;

/// The kernels that this tier has in addition to those of AVX-512.
pub fn hand_written(need: Need) -> Option<Stage> {
    match need {
        Need::Philox => None,
        Need::Convert(need) => first_of!("avx512vbmi", &need, power small widen),
    }
}
