//! AVX-512 with VBMI: permutes of 64 and 128 bytes, and shifts that select eight bits at any position.

mod permutations;
mod power;
mod single;
mod small;
mod widen;
mod words;

use crate::arch::find::{Find, first_of};
use crate::arch::need::Need;
use crate::stage::Stage;

/// The files of this tier; the first one that has a kernel is used.
const FILES: &[(&str, Find)] = &[
    ("avx512vbmi power", power::find),
    ("avx512vbmi single", single::find),
    ("avx512vbmi small", small::find),
    ("avx512vbmi widen", widen::find),
    ("avx512vbmi words", words::find),
];

/// The kernels that this tier has in addition to those of AVX-512.
pub fn hand_written(need: Need) -> Option<Stage> {
    match need {
        Need::Philox => None,
        Need::Convert(need) => first_of(&need, FILES),
    }
}
