//! AVX-512 without VBMI: registers of 64 bytes.

mod bfloat;
mod double;
mod fixed;
mod half;
mod integer;
mod integral;
mod long;
pub mod registers;
mod unsigned;
mod whole;
mod words;

use super::avx2::{small, widen};
use super::philox;
use crate::arch::find::first_of;
use crate::arch::need::Need;
use crate::lanes::mode;
use crate::stage::Stage;

/// The kernel of this tier, if there is one. FP4 to f16 and bf16 is as fast in registers of 32 bytes.
pub fn hand_written(need: Need) -> Option<Stage> {
    match need {
        Need::Philox => Some(Stage { run: philox::avx512, name: "avx512 philox", streams: false }),
        Need::Convert(need) => {
            first_of!("avx512", &need, half bfloat double words fixed unsigned integer integral long
                whole)
            .or_else(|| if need.rounding == mode::RS { first_of!("avx2", &need, small) } else { None })
            .or_else(|| {
                widen::find_nibbles(&need).map(|run| Stage { run, name: "avx2 widen", streams: true })
            })
        }
    }
}
