//! The description of the work for which a hand-written kernel is looked up.

#[cfg(hand_written)]
use crate::lanes::mode;
use ptxcvt::formats::Format;
#[cfg(hand_written)]
use ptxcvt::forms::Modifier;
use ptxcvt::forms::Modifiers;

/// The work of a stage.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(hand_written), allow(dead_code))]
pub(crate) enum Need {
    Convert(Conversion),
    /// Blocks of Philox words: `source` is the key and the counter of the first block.
    Philox,
}

/// Converts elements of one format to another in one stage. PTX gives `.rs` a word of random bits for
/// every four elements, and `.scaled::n1` a scale for every two.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(hand_written), allow(dead_code))]
pub(crate) struct Conversion {
    pub from: Format,
    pub to: Format,
    /// One of [`mode`](crate::lanes::mode).
    pub rounding: u8,
    /// All modifiers that the stage must apply.
    pub modifiers: Modifiers,
    /// Whether two FP4 codes share a byte, those of the destination or of the source.
    pub packed: bool,
}

#[cfg(hand_written)]
impl Conversion {
    /// Whether there is no modifier except `.satfinite`, which changes only constants.
    #[cfg(target_arch = "x86_64")]
    pub fn is_plain(&self) -> bool {
        self.only(&[Modifier::Satfinite])
    }

    /// This conversion without a modifier.
    pub fn without(mut self, modifier: Modifier) -> Self {
        self.modifiers = self.modifiers.iter().filter(|m| *m != modifier).collect();
        self
    }

    /// This conversion without `.ftz` if it has no effect, because every number that it flushes rounds to
    /// zero.
    pub fn without_idle_flushing(mut self) -> Self {
        if (self.from, self.to) == (Format::F32, Format::F16) && matches!(self.rounding, mode::RN | mode::RZ)
        {
            self = self.without(Modifier::Ftz);
        }
        self
    }

    /// `None` if there are modifiers other than `.satfinite` and those that work on codes; otherwise whether
    /// there are any of the latter.
    pub fn is_plain_but_for_codes(&self) -> Option<bool> {
        let zeroes = |m: &Modifier| matches!(m, Modifier::Relu | Modifier::Pzo);
        let plain = self.modifiers.iter().all(|m| m == Modifier::Satfinite || zeroes(&m));
        plain.then(|| self.modifiers.iter().any(|m| zeroes(&m)))
    }

    /// Whether there are no modifiers but these.
    pub fn only(&self, modifiers: &[Modifier]) -> bool {
        self.modifiers.iter().all(|modifier| modifiers.contains(&modifier))
    }
}
