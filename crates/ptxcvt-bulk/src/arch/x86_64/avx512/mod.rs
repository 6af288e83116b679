//! AVX-512 without VBMI: registers of 64 bytes.

mod bfloat;
mod double;
mod double_bfloat;
mod double_integer;
mod fixed;
mod half;
mod integer;
mod integral;
mod long;
pub mod registers;
mod to_double;
mod unsigned;
mod whole;
pub mod words;

use super::avx2::{small, widen};
use super::philox;
use crate::arch::find::{Find, first_of};
use crate::arch::need::Need;
use crate::stage::Stage;

const INTEGER: &str = "avx512 integer";
const DOUBLE_INTEGER: &str = "avx512 double_integer";

/// The files of this tier; the first one that has a kernel is used. FP4 to f16 and bf16 is as fast in registers of 32 bytes.
const FILES: &[(&str, Find)] = &[
    ("avx512 half", half::find),
    ("avx512 bfloat", bfloat::find),
    ("avx512 double", double::find),
    ("avx512 double_bfloat", double_bfloat::find),
    (DOUBLE_INTEGER, double_integer::find),
    ("avx512 to_double", to_double::find),
    ("avx512 words", words::find),
    ("avx512 fixed", fixed::find),
    ("avx512 unsigned", unsigned::find),
    (INTEGER, integer::find),
    ("avx512 integral", integral::find),
    ("avx512 long", long::find),
    ("avx512 whole", whole::find),
    ("avx2 small", small::find_stochastic),
    ("avx2 widen", widen::find_nibbles),
];

/// The kernel of this tier, if there is one.
pub fn hand_written(need: Need) -> Option<Stage> {
    match need {
        Need::Philox => {
            Some(Stage { run: philox::avx512, name: "avx512 philox", streams: false, reports: false })
        }
        Need::Convert(need) => {
            let stage = first_of(&need, FILES)?;
            let reports = stage.name == INTEGER && integer::reports(&need) || stage.name == DOUBLE_INTEGER;
            Some(Stage { reports, ..stage })
        }
    }
}
