//! The stages of a form while they are being selected, and the macros that select kernels with `const` parameters.

use ptxcvt::formats::Format;
use ptxcvt::forms::{Form, Modifiers, Opcode};

use crate::arch::{Conversion, hand_written};
use crate::lane::Lane;
use crate::lanes::{mode, mode_of};
use crate::stage::{Kernel, Stage, Typed, typed};
use crate::tier::Tier;

/// The most stages that a form needs.
pub(crate) const MAX_STEPS: usize = 5;

/// One stage and the size of its results, in half bytes per element.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub run: Stage,
    pub half_bytes: usize,
}

/// Selects a kernel whose rounding is a `const` parameter.
///
/// `by_mode!(stages, m, [RN RZ], R => Bf16<R>)` expands to `match m { mode::RN => { const R: u8 = mode::RN;
/// stages.stage::<Bf16<R>>() } … }`. A mode that is not listed has no kernel.
macro_rules! by_mode {
    ($stages:expr, $mode:expr, [$($m:ident)+], $r:ident => $kernel:ty) => {
        match $mode {
            $(mode::$m => { const $r: u8 = mode::$m; $stages.stage::<$kernel>() })+
            _ => return None,
        }
    };
}
pub(super) use by_mode;

/// Evaluates an expression with a format as a constant.
///
/// `by_format!(D in [E4m3 E5m2] of format => expression, else other)` defines the constant `D` as the format's number in
/// each arm, and evaluates `other` for the formats that are not listed.
macro_rules! by_format {
    ($d:ident in [$($f:ident)+] of $format:expr => $arm:expr, else $other:expr) => {
        match $format {
            $(Format::$f => { const $d: usize = Format::$f as usize; $arm })+
            _ => $other,
        }
    };
}
pub(super) use by_format;

/// A form whose stages are being selected. Functions that find no kernel return `None`.
pub(super) struct Stages<'f> {
    pub form: &'f Form,
    pub tier: Tier,
    pub source: Format,
    pub destination: Format,
    /// The form's rounding as one of [`mode`].
    pub rounding: u8,
    pub steps: [Option<Step>; MAX_STEPS],
    pub count: usize,
    /// The output of the last stage, or the source before the first stage.
    pub lane: Lane,
    /// The kernels need one random field or scale for each element, not the operands as they are.
    pub spread: bool,
}

impl<'f> Stages<'f> {
    pub fn new(form: &'f Form, tier: Tier) -> Option<Stages<'f>> {
        let (source, destination) = (form.source().format(), form.destination().format());
        let rounding = match form.rounding() {
            Some(rounding) => mode_of(rounding)?,
            None => mode::NONE,
        };
        let lane = if form.opcode() == Opcode::CvtPack { Lane::Columns } else { Lane::stored(source) };
        let (steps, count, spread) = ([None; MAX_STEPS], 0, true);
        Some(Stages { form, tier, source, destination, rounding, steps, count, lane, spread })
    }

    /// The required output of the last stage.
    pub fn last_lane(&self) -> Lane {
        if self.form.opcode() == Opcode::CvtPack { Lane::Columns } else { Lane::stored(self.destination) }
    }

    /// Adds a stage. Returns `None` if its input is not the output of the stages so far.
    pub fn push(&mut self, next: Typed) -> Option<()> {
        let of = |lane: Lane| lane.of(self.source, self.destination);
        let (takes, gives) = (of(next.takes)?, of(next.gives)?);
        if !takes.reads(self.lane, self.destination) {
            return None;
        }
        *self.steps.get_mut(self.count)? = Some(Step { run: next.stage, half_bytes: gives.half_bytes() });
        self.count += 1;
        self.lane = gives;
        Some(())
    }

    /// Whether the elements are codes of the destination already.
    pub fn is_done(&self) -> bool {
        self.lane == Lane::Codes(self.destination)
    }

    /// A generic kernel.
    pub fn stage<K: Kernel>(&self) -> Typed {
        typed::<K>(self.tier)
    }

    /// A hand-written kernel from elements of `from` to the destination.
    pub fn by_hand(&self, from: Format, rounding: u8, modifiers: Modifiers, packed: bool) -> Option<Typed> {
        let conversion = Conversion { from, to: self.destination, rounding, modifiers, packed };
        hand_written(self.tier, conversion)
    }
}
