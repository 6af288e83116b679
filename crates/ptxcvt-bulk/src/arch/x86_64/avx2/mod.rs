//! AVX2 with F16C and FMA: registers of 32 bytes.

mod bfloat;
mod double;
mod fixed;
mod half;
mod integer;
mod integral;
mod power;
mod registers;
pub mod small;
mod unsigned;
mod whole;
pub mod widen;
mod words;

use super::philox;
use crate::arch::find::first_of;
use crate::arch::need::Need;
use crate::stage::Stage;

/// The kernel of this tier, if there is one.
pub fn hand_written(need: Need) -> Option<Stage> {
    match need {
        Need::Philox => Some(Stage { run: philox::avx2, name: "avx2 philox", streams: false }),
        Need::Convert(need) => {
            first_of!("avx2", &need, half bfloat double power small words fixed unsigned widen integer integral
                whole)
        }
    }
}
