//! AVX2 with F16C and FMA: registers of 32 bytes.

mod bfloat;
mod double;
mod double_bfloat;
mod double_integer;
mod fixed;
mod half;
mod integer;
mod integral;
mod power;
mod registers;
mod single;
pub mod small;
mod sums;
mod to_double;
mod unsigned;
mod whole;
pub mod widen;
mod words;

use super::philox;
use crate::arch::find::{Find, first_of};
use crate::arch::need::Need;
use crate::stage::Stage;

const INTEGER: &str = "avx2 integer";
const DOUBLE_INTEGER: &str = "avx2 double_integer";

/// The files of this tier; the first one that has a kernel is used.
const FILES: &[(&str, Find)] = &[
    ("avx2 half", half::find),
    ("avx2 bfloat", bfloat::find),
    ("avx2 double", double::find),
    ("avx2 double_bfloat", double_bfloat::find),
    (DOUBLE_INTEGER, double_integer::find),
    ("avx2 to_double", to_double::find),
    ("avx2 power", power::find),
    ("avx2 small", small::find),
    ("avx2 words", words::find),
    ("avx2 fixed", fixed::find),
    ("avx2 unsigned", unsigned::find),
    ("avx2 single", single::find),
    ("avx2 widen", widen::find),
    (INTEGER, integer::find),
    ("avx2 integral", integral::find),
    ("avx2 whole", whole::find),
];

/// The kernel of this tier, if there is one.
pub fn hand_written(need: Need) -> Option<Stage> {
    match need {
        Need::Philox => {
            Some(Stage { run: philox::avx2, name: "avx2 philox", streams: false, reports: false })
        }
        Need::Convert(need) => {
            let stage = first_of(&need, FILES)?;
            Some(Stage { reports: [INTEGER, DOUBLE_INTEGER].contains(&stage.name), ..stage })
        }
    }
}
