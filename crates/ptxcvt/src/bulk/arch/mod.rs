//! Where a processor's kernels are found: one door for those written by hand, and the generic ones beside it.
//!
//! A folder for each architecture, in it a folder for each tier, in that a file for each operation, under the same
//! names everywhere: `half` (f32 and f16), `bfloat` (bf16), `power` (ue8m0), `small` (f32 to FP8, FP6, FP4), `words` (f16
//! and bf16 to them, and what has a scale), `fixed` (to s2f6), `unsigned` (to ue5m3), `widen` (from them), `double` (f64 to
//! f32 and f16, and f32 to f64), `integer` (floats to integers), `integral` (floats to integral values), `long` (to integers
//! of 64 bits), `whole` (from integers), `philox`. Each tier's `mod.rs` has the function `hand_written`, a list of what is
//! there; a new
//! architecture is a folder and a line below. Kernels are written by hand where the benchmark shows that compilers
//! make slower ones of the lane algorithms ([`lanes`](super::lanes)); the prose is there, and the tests drive both.

#[cfg(all(hand_written, target_arch = "aarch64"))]
mod aarch64;
#[cfg(hand_written)]
mod find;
pub(super) mod generic;
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

#[cfg(hand_written)]
use super::lanes::mode;
use super::stage::Stage;
use super::tier::Tier;
use crate::formats::Format;
#[cfg(hand_written)]
use crate::forms::Modifier;
use crate::forms::Modifiers;

/// What a stage shall do.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(hand_written), allow(dead_code))]
pub(super) enum Need {
    Convert(Conversion),
    /// Blocks of Philox words: `source` is the key and the counter of the first block.
    Philox,
}

/// Elements of one format to elements of another in one stage. Under `.rs`, a word of random bits lies beside every four
/// of them, and under `.scaled::n1` a scale beside every two, as PTX has it.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(hand_written), allow(dead_code))]
pub(super) struct Conversion {
    pub from: Format,
    pub to: Format,
    /// One of [`mode`](super::lanes::mode).
    pub rounding: u8,
    /// All that the stage has to see to.
    pub modifiers: Modifiers,
    /// Two FP4 codes to a byte, else one.
    pub packed: bool,
}

#[cfg(hand_written)]
impl Conversion {
    /// True where there are no modifiers but `.satfinite`, which changes constants alone.
    #[cfg(target_arch = "x86_64")]
    fn is_plain(&self) -> bool {
        self.only(&[Modifier::Satfinite])
    }

    /// The same without a modifier.
    fn without(mut self, modifier: Modifier) -> Self {
        self.modifiers = self.modifiers.iter().filter(|m| *m != modifier).collect();
        self
    }

    /// The same without `.ftz`, where that changes nothing: what f32 flushes, the destination rounds to zero.
    fn without_idle_flushing(mut self) -> Self {
        if (self.from, self.to) == (Format::F32, Format::F16) && matches!(self.rounding, mode::RN | mode::RZ)
        {
            self = self.without(Modifier::Ftz);
        }
        self
    }

    /// True where there are no modifiers but `.satfinite` and those that look at codes alone; whether there are such.
    fn is_plain_but_for_codes(&self) -> Option<bool> {
        let zeroes = |m: &Modifier| matches!(m, Modifier::Relu | Modifier::Pzo);
        let plain = self.modifiers.iter().all(|m| m == Modifier::Satfinite || zeroes(&m));
        plain.then(|| self.modifiers.iter().any(|m| zeroes(&m)))
    }

    /// True where there are no modifiers but those.
    fn only(&self, modifiers: &[Modifier]) -> bool {
        self.modifiers.iter().all(|modifier| modifiers.contains(&modifier))
    }
}

/// The stage that a tier has by hand; `None` where the generic ones have to do.
pub(super) fn hand_written(tier: Tier, need: Need) -> Option<Stage> {
    processor::hand_written(tier, need)
}

/// A processor without a folder.
#[cfg(not(hand_written))]
mod none {
    use super::{Need, Stage, Tier};

    pub fn hand_written(_: Tier, _: Need) -> Option<Stage> {
        None
    }
}
