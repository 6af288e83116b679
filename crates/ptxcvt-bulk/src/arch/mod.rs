//! The kernels of a processor. Hand-written ones are all found through [`hand_written`]; `generic` has the
//! others.
//!
//! Each architecture has a folder, with a folder for each tier, with a file for each operation. Files have
//! the same names everywhere:
//!
//! | file | kernels |
//! |---|---|
//! | `half`, `bfloat`, `power` | f32 to f16, bf16 and ue8m0; f16 to f32 |
//! | `small` | f32 to FP8, FP6 and FP4 |
//! | `words` | f16 and bf16 to FP8, FP6 and FP4, and conversions with a scale |
//! | `fixed`, `unsigned` | to s2f6 and ue5m3 |
//! | `single` | FP8, FP6 and FP4 to f32 |
//! | `widen` | FP8, FP6 and FP4 to f16 and bf16 |
//! | `double`, `double_bfloat` | f64 to f32 and f16, and to bf16 |
//! | `to_double` | f32, f16 and bf16 to f64 |
//! | `integer`, `long` | floats to integers of up to 32 bits, and of 64 |
//! | `double_integer` | f64 to integers of up to 32 bits |
//! | `integral` | floats to integral values of their own format |
//! | `whole` | integers to floats |
//! | `philox` | random words |
//!
//! Each tier's `mod.rs` has a function `hand_written`, which lists its files. A new architecture needs a
//! folder and a line below. A kernel is written by hand if the benchmark shows that it is faster than
//! compiled lane algorithms ([`lanes`](super::lanes)). Those also explain the arithmetic. The tests run both.

#[cfg(all(hand_written, target_arch = "aarch64"))]
mod aarch64;
#[cfg(hand_written)]
mod find;
pub(super) mod generic;
mod need;
#[cfg(all(hand_written, target_arch = "x86_64"))]
mod planes;
#[cfg(all(hand_written, target_arch = "x86_64"))]
mod scale;
#[cfg(hand_written)]
mod small;
#[cfg(hand_written)]
mod tables;
#[cfg(all(hand_written, target_arch = "x86_64"))]
mod x86_64;

#[cfg(all(hand_written, target_arch = "aarch64"))]
use aarch64 as processor;
#[cfg(not(hand_written))]
use none as processor;
#[cfg(all(hand_written, target_arch = "x86_64"))]
use x86_64 as processor;

pub(super) use need::Conversion;

use need::Need;

use super::lane::Lane;
use super::stage::{Stage, Typed};
use super::tier::Tier;

/// The hand-written stage of this tier for blocks of Philox words, if there is one.
pub(super) fn philox(tier: Tier) -> Option<Stage> {
    processor::hand_written(tier, Need::Philox)
}

/// The hand-written stage of this tier for the whole conversion, if there is one.
pub(super) fn hand_written(tier: Tier, conversion: Conversion) -> Option<Typed> {
    let Conversion { from, to, packed, .. } = conversion;
    let gives = if packed { Lane::stored(to) } else { Lane::Codes(to) };
    let stage = processor::hand_written(tier, Need::Convert(conversion))?;
    Some(Typed { stage, takes: Lane::stored(from), gives })
}

/// For processors without a folder.
#[cfg(not(hand_written))]
mod none {
    use super::{Need, Stage, Tier};

    pub fn hand_written(_: Tier, _: Need) -> Option<Stage> {
        None
    }
}
