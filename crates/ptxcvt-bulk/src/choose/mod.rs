//! Selects the stages of a form by its formats and modifiers.
//!
//! If one kernel does all the work of a form, the form has one stage. Otherwise it has several: [`widen`]
//! converts the source to f32 or f64 lanes and adjusts them, [`narrow`] converts lanes to codes of the
//! destination, and the modifiers that work on codes are last. Hand-written kernels are all found through one
//! function ([`hand_written`](super::arch::hand_written)). The constants of stages are in
//! [`constants`](super::constants).
//!
//! Each stage declares the [`Lane`](super::lane::Lane) that it reads and the one that it writes, and [`Stages::push`]
//! is the only way to add a stage. The reference evaluates a form whose stages do not fit together, or whose modifiers
//! [`covered`] does not list.

mod covered;
mod direct;
mod extra;
mod narrow;
mod stages;
mod widen;

pub(super) use extra::Extra;
pub(super) use stages::Step;
use stages::{MAX_STEPS, Stages};

use super::arch::generic::codes::{CvtPack, Pack4, Post8, Post16, Post32};
use super::arch::generic::narrow::SinglesOfDoubles;
use super::constants::Constants;
use super::lane::F64;
use super::stage::Typed;
use super::tier::Tier;
use ptxcvt::formats::Format;
use ptxcvt::forms::{Form, Modifier, Opcode};

/// The engine's data about a form, except its stages.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// The number of elements that an instruction converts.
    pub elements: usize,
    /// The bytes of one data operand.
    pub operand: usize,
    /// The stage reads one column of operands after the other (`cvt.pack`) instead of interleaved operands.
    pub columns: bool,
}

/// A form's stages in order. No stage means a plain copy.
#[derive(Clone, Copy)]
pub(super) struct Pipeline {
    steps: [Option<Step>; MAX_STEPS],
    count: usize,
    pub extra: Option<Extra>,
    pub constants: Constants,
    pub shape: Shape,
}

impl Pipeline {
    /// The stages of `form`, or `None` if the reference has to evaluate it.
    pub fn new(form: &Form, tier: Tier) -> Option<Pipeline> {
        if tier == Tier::Reference || cfg!(target_endian = "big") {
            return None;
        }
        let constants = Constants::new(form)?;
        let mut stages = Stages::new(form, tier)?;
        stages.choose()?;
        if stages.lane != stages.last_lane() {
            return None;
        }
        Some(Pipeline {
            steps: stages.steps,
            count: stages.count,
            extra: Extra::new(form, tier, stages.spread),
            constants,
            shape: Shape {
                elements: form.lanes() as usize,
                operand: form.source().width() as usize / 8,
                columns: form.opcode() == Opcode::CvtPack,
            },
        })
    }

    /// The names of the stages, in order, after the stage that makes random bits or scales for each element.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        let spread = self.extra.iter().filter_map(|extra| extra.spread);
        spread.chain(self.steps().iter().flatten().map(|step| step.run)).map(|stage| stage.name)
    }

    /// The stages; all are `Some`.
    pub fn steps(&self) -> &[Option<Step>] {
        &self.steps[..self.count]
    }
}

impl Stages<'_> {
    /// Adds all stages of the form.
    fn choose(&mut self) -> Option<()> {
        if self.form.opcode() == Opcode::CvtPack {
            return self.push(self.stage::<CvtPack>());
        }
        if !self.is_covered() {
            return None;
        }
        if self.is_move() {
            self.lane = self.last_lane();
            return Some(());
        }
        if let Some(stage) = self.whole() {
            self.spread = false;
            return self.push(stage);
        }
        if self.source.is_integer() && self.destination.is_integer() {
            let stage = self.integers()?;
            return self.push(stage);
        }
        if let Some(stage) = self.codes() {
            self.push(stage)?;
            self.spread = false;
        } else if let Some(stage) = self.direct() {
            self.push(stage)?;
        } else {
            self.widen()?;
            self.adjust()?;
            if let Some(stage) = self.rest_by_hand() {
                return self.push(stage);
            }
            if self.lane == F64 && matches!(self.destination, Format::F16 | Format::Bf16) {
                self.push(self.stage::<SinglesOfDoubles>())?;
            }
            if !self.is_done() {
                let stage = self.narrow()?;
                self.push(stage)?;
            }
        }
        self.finish()
    }

    /// Whether all bits are unchanged.
    fn is_move(&self) -> bool {
        if self.source.is_integer() && self.destination.is_integer() {
            return self.source.bits() == self.destination.bits() && !self.form.has(Modifier::Sat);
        }
        let plain = self.form.rounding().is_none() && self.form.modifiers().is_empty();
        self.source == self.destination && plain && matches!(self.source, Format::F32 | Format::F64)
    }

    /// The hand-written stage that does all the work of the form.
    fn whole(&self) -> Option<Typed> {
        self.by_hand(self.source, self.rounding, self.form.modifiers(), true)
    }

    /// The hand-written stage that does everything except the modifiers that work on codes.
    fn codes(&self) -> Option<Typed> {
        let rest = self.form.modifiers().iter().filter(|m| !matches!(m, Modifier::Relu | Modifier::Pzo));
        self.by_hand(self.source, self.rounding, rest.collect(), false)
    }

    /// Adds the modifiers that work on codes, and the packing of FP4.
    fn finish(&mut self) -> Option<()> {
        if self.form.has(Modifier::Relu) || self.form.has(Modifier::Pzo) {
            let stage = match self.destination.storage() {
                ..=8 => self.stage::<Post8>(),
                16 => self.stage::<Post16>(),
                32 => self.stage::<Post32>(),
                _ => return None,
            };
            self.push(stage)?;
        }
        if self.destination.storage() == 4 {
            self.push(self.stage::<Pack4>())?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::mode;
    use super::*;

    /// No form of an assembler is left to the reference on any tier of the engine.
    #[test]
    fn every_form_has_stages_on_every_tier() {
        for tier in Tier::available().filter(|tier| *tier != Tier::Reference) {
            for form in Form::all().filter(|form| !form.is_announced()) {
                assert!(
                    Pipeline::new(&form, tier).is_some() || cfg!(target_endian = "big"),
                    "{form} on {tier}"
                );
            }
        }
    }

    /// A stage whose input is not the previous stage's output is refused.
    #[test]
    fn stages_that_do_not_fit_make_no_plan() {
        use crate::arch::generic::narrow::{Narrow8, NarrowAny8};
        use crate::arch::generic::widen::Widen16;
        const E5M2: usize = Format::E5m2 as usize;
        let form: Form = "cvt.rn.f32.f64".parse().unwrap();
        let mut stages = Stages::new(&form, Tier::Baseline).unwrap();
        assert_eq!(stages.push(stages.stage::<Narrow8<E5M2, { mode::RN }, true>>()), None);
        assert_eq!(stages.push(stages.stage::<NarrowAny8<{ mode::RN }>>()), None);
        assert_eq!(stages.push(stages.stage::<Widen16<{ Format::F16 as usize }>>()), None);
        assert_eq!(stages.push(stages.stage::<SinglesOfDoubles>()), Some(()));
        assert_eq!(stages.push(stages.stage::<SinglesOfDoubles>()), None);
    }
}
