//! Which stages a form needs, read off its formats and modifiers.
//!
//! A form whose whole work has a kernel of its own takes one stage. Any other goes the long way: [`widen`] its
//! source to lanes of f32 or f64, adjust them there, [`narrow`] them to the destination's codes, and finish what
//! looks at codes alone. Each kernel written by hand is asked for through one door
//! ([`hand_written`](super::arch::hand_written)); what they compute with is in [`constants`](super::constants).

mod direct;
mod extra;
mod narrow;
mod widen;

pub(super) use extra::Extra;

use super::arch::generic::codes::{CvtPack, Pack4, Post8, Post16, Post32};
use super::arch::generic::narrow::SinglesOfDoubles;
use super::arch::{Conversion, Need, hand_written};
use super::constants::Constants;
use super::lanes::{mode, mode_of};
use super::stage::{Kernel, Stage, stage};
use super::tier::Tier;
use crate::formats::Format;
use crate::forms::{Form, Modifier, Modifiers, Opcode};

/// The most stages that a form needs.
pub(super) const MAX_STEPS: usize = 5;

/// Half bytes of a lane and of a byte for each element.
const F32_LANE: usize = 8;
const F64_LANE: usize = 16;
const WORD: usize = 4;
const BYTE: usize = 2;

/// One stage and the size of its results, in half bytes an element.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub run: Stage,
    pub half_bytes: usize,
}

/// What the engine needs to know of a form beside its stages.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Elements that an instruction converts.
    pub elements: usize,
    /// Bytes of one data operand.
    pub operand: usize,
    /// The stage reads the operands one column after the other (`cvt.pack`), not in turn.
    pub columns: bool,
}

/// A form's stages in order; none is a plain copy.
#[derive(Clone, Copy)]
pub(super) struct Pipeline {
    steps: [Option<Step>; MAX_STEPS],
    count: usize,
    pub extra: Option<Extra>,
    pub constants: Constants,
    pub shape: Shape,
}

impl Pipeline {
    /// The stages of `form`, or `None` where the reference has to do.
    pub fn new(form: &Form, tier: Tier) -> Option<Pipeline> {
        if tier == Tier::Reference || cfg!(target_endian = "big") {
            return None;
        }
        let mut stages = Stages::new(form, tier);
        stages.choose()?;
        Some(Pipeline {
            steps: stages.steps,
            count: stages.count,
            extra: Extra::new(form, tier, stages.spread),
            constants: Constants::new(form),
            shape: Shape {
                elements: form.lanes() as usize,
                operand: form.source().width() as usize / 8,
                columns: form.opcode() == Opcode::CvtPack,
            },
        })
    }

    /// The names of the stages, in order, and what makes random bits or scales of each element.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        let spread = self.extra.iter().filter_map(|extra| extra.spread);
        spread.chain(self.steps().iter().flatten().map(|step| step.run)).map(|stage| stage.name)
    }

    /// The stages, none of them `None`.
    pub fn steps(&self) -> &[Option<Step>] {
        &self.steps[..self.count]
    }
}

/// What the elements lie in between two stages.
#[derive(Clone, Copy, PartialEq)]
enum Lane {
    /// As it is, where a scale follows that widens it.
    Bf16,
    F32,
    F64,
    /// An f64 as f32, rounded to odd.
    Odd,
    /// The result's code.
    Code,
}

/// The kernel whose rounding is a `const` parameter. `by_mode!(stages, m, [RN RZ], R => Bf16<R>)` expands to `match m
/// { mode::RN => { const R: u8 = mode::RN; stages.stage::<Bf16<R>>() } … }`; a mode that is not listed has no kernel.
macro_rules! by_mode {
    ($stages:expr, $mode:expr, [$($m:ident)+], $r:ident => $kernel:ty) => {
        match $mode {
            $(mode::$m => { const $r: u8 = mode::$m; $stages.stage::<$kernel>() })+
            _ => return None,
        }
    };
}
use by_mode;

/// The same over formats: `by_format!(D in [E4m3 E5m2] of format => expression)` defines the constant `D`
/// as the format's number in each arm.
macro_rules! by_format {
    ($d:ident in [$($f:ident)+] of $format:expr => $arm:expr) => {
        match $format {
            $(Format::$f => { const $d: usize = Format::$f as usize; $arm })+
            _ => return None,
        }
    };
}
use by_format;

/// A form whose stages are being chosen. Functions that return `None` find no kernel.
struct Stages<'f> {
    form: &'f Form,
    tier: Tier,
    source: Format,
    destination: Format,
    steps: [Option<Step>; MAX_STEPS],
    count: usize,
    /// `rbits` must be spread to a field for each element, and scales for two to one each: the kernel is not written by hand.
    spread: bool,
}

impl<'f> Stages<'f> {
    fn new(form: &'f Form, tier: Tier) -> Stages<'f> {
        let (source, destination) = (form.source().format(), form.destination().format());
        Stages { form, tier, source, destination, steps: [None; MAX_STEPS], count: 0, spread: true }
    }

    fn choose(&mut self) -> Option<()> {
        if self.form.opcode() == Opcode::CvtPack {
            self.push(self.stage::<CvtPack>(), F32_LANE);
            return Some(());
        }
        if self.is_move() {
            return Some(());
        }
        let size = self.destination.storage() as usize / 4;
        if let Some(run) = self.whole() {
            self.push(run, size);
            self.spread = false;
            return Some(());
        }
        if self.source.is_integer() && self.destination.is_integer() {
            let run = self.integers()?;
            self.push(run, size);
            return Some(());
        }
        if let Some(run) = self.codes() {
            self.push(run, self.code_size());
            self.spread = false;
        } else if let Some(run) = self.direct() {
            self.push(run, self.code_size());
        } else {
            let lane = self.widen()?;
            let lane = self.adjust(lane)?;
            if let Some(run) = self.rest_by_hand(lane) {
                self.push(run, size);
                return Some(());
            }
            let lane = if lane == Lane::F64 && matches!(self.destination, Format::F16 | Format::Bf16) {
                self.push(self.stage::<SinglesOfDoubles>(), F32_LANE);
                Lane::Odd
            } else {
                lane
            };
            if lane != Lane::Code {
                let run = self.narrow(lane)?;
                self.push(run, self.code_size());
            }
        }
        self.finish();
        Some(())
    }

    fn push(&mut self, run: Stage, half_bytes: usize) {
        self.steps[self.count] = Some(Step { run, half_bytes });
        self.count += 1;
    }

    /// A generic kernel.
    fn stage<K: Kernel>(&self) -> Stage {
        stage::<K>(self.tier)
    }

    /// True where bits stay as they are.
    fn is_move(&self) -> bool {
        if self.source.is_integer() && self.destination.is_integer() {
            return self.source.bits() == self.destination.bits() && !self.form.has(Modifier::Sat);
        }
        let plain = self.form.rounding().is_none() && self.form.modifiers().is_empty();
        self.source == self.destination && plain && matches!(self.source, Format::F32 | Format::F64)
    }

    /// The one stage, written by hand, that does all that the form asks for.
    fn whole(&self) -> Option<Stage> {
        self.by_hand(self.source, self.form_mode(), self.form.modifiers(), true)
    }

    /// The same but for the modifiers that look at codes.
    fn codes(&self) -> Option<Stage> {
        let rest = self.form.modifiers().iter().filter(|m| !matches!(m, Modifier::Relu | Modifier::Pzo));
        self.by_hand(self.source, self.form_mode(), rest.collect(), false)
    }

    /// A kernel written by hand that takes elements of `from` to the destination.
    fn by_hand(&self, from: Format, rounding: u8, modifiers: Modifiers, packed: bool) -> Option<Stage> {
        let conversion = Conversion { from, to: self.destination, rounding, modifiers, packed };
        hand_written(self.tier, Need::Convert(conversion))
    }

    fn form_mode(&self) -> u8 {
        self.form.rounding().map_or(mode::NONE, mode_of)
    }

    /// Half bytes of a code before FP4's are packed.
    fn code_size(&self) -> usize {
        (self.destination.storage() as usize / 4).max(BYTE)
    }

    /// The modifiers that look at codes, and FP4's packing.
    fn finish(&mut self) {
        if self.form.has(Modifier::Relu) || self.form.has(Modifier::Pzo) {
            let run = match self.destination.storage() {
                16 => self.stage::<Post16>(),
                32 => self.stage::<Post32>(),
                _ => self.stage::<Post8>(),
            };
            self.push(run, self.code_size());
        }
        if self.destination.storage() == 4 {
            self.push(self.stage::<Pack4>(), 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No form is left to the reference, where the bulk engine runs at all.
    #[test]
    fn every_form_has_stages_on_every_tier() {
        for tier in Tier::available().filter(|tier| *tier != Tier::Reference) {
            for form in Form::all() {
                assert!(
                    Pipeline::new(&form, tier).is_some() || cfg!(target_endian = "big"),
                    "{form} on {tier}"
                );
            }
        }
    }
}
