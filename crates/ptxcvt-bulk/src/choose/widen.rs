//! From the source to lanes of f32 or f64, and the operations on lanes.

use super::stages::{Stages, by_format, by_mode};
use crate::arch::generic::narrow::{Adjust32, Adjust64, Scale, ScaleBf16};
use crate::arch::generic::widen::*;
use crate::arch::{Conversion, hand_written};
use crate::lane::{F32, Lane};
use crate::lanes::{mode, mode_of};
use crate::stage::Typed;
use ptxcvt::formats::Format;
use ptxcvt::forms::{Modifier, Modifiers};

const BF16: Lane = Lane::Codes(Format::Bf16);

impl Stages<'_> {
    /// Converts the source to f32 or f64 lanes. bf16 elements with a scale are unchanged, because the stage
    /// for the scale widens them.
    pub(super) fn widen(&mut self) -> Option<()> {
        use Format::{Bf16, E2m1, F16, F64, S2f6, S8, S16, S32, S64, U8, U16, U32, U64, Ue8m0};
        if let Some(stage) = self.widen_by_hand() {
            return self.push(stage);
        }
        if let Some(stage) = self.small_by_hand() {
            self.push(stage)?;
            self.source = Bf16;
        }
        let (double, single) = (self.destination == F64, self.destination == Format::F32);
        let rounding = self.rounding;
        let stage = match self.source {
            Format::F32 | F64 => return Some(()),
            F16 => self.stage::<Widen16<{ F16 as usize }>>(),
            Bf16 if self.is_scaled() => return Some(()),
            Bf16 => self.stage::<Widen16<{ Bf16 as usize }>>(),
            U8 if double => self.stage::<DoubleOfU8>(),
            S8 if double => self.stage::<DoubleOfS8>(),
            U16 if double => self.stage::<DoubleOfU16>(),
            S16 if double => self.stage::<DoubleOfS16>(),
            U8 => self.stage::<WidenU8>(),
            S8 => self.stage::<WidenS8>(),
            U16 => self.stage::<WidenU16>(),
            S16 => self.stage::<WidenS16>(),
            U32 if single => by_mode!(self, rounding, [RN RZ RM RP], R => SingleFromU32<R>),
            S32 if single => by_mode!(self, rounding, [RN RZ RM RP], R => SingleFromS32<R>),
            U32 if !double => self.stage::<StickyU32>(),
            S32 if !double => self.stage::<StickyS32>(),
            U32 => self.stage::<WidenU32>(),
            S32 => self.stage::<WidenS32>(),
            U64 if double => by_mode!(self, rounding, [RN RZ RM RP], R => F64FromU64<R>),
            S64 if double => by_mode!(self, rounding, [RN RZ RM RP], R => F64FromS64<R>),
            U64 if self.destination == F16 => self.stage::<ShortU64>(),
            S64 if self.destination == F16 => self.stage::<ShortS64>(),
            U64 if self.destination == Bf16 => self.stage::<OddOfU64>(),
            S64 if self.destination == Bf16 => self.stage::<OddOfS64>(),
            U64 => self.stage::<WidenU64>(),
            S64 => self.stage::<WidenS64>(),
            Ue8m0 => self.stage::<WidenPower>(),
            S2f6 => self.stage::<WidenFixed>(),
            E2m1 => self.stage::<Widen4<{ E2m1 as usize }>>(),
            small => by_format!(S in [E4m3 E5m2 E2m3 E3m2 Ue5m3] of small => self.stage::<Widen8<S>>(),
                else self.stage::<WidenAny8>()),
        };
        self.push(stage)
    }

    /// f16 as f32 by a kernel that makes all NaN canonical. Only f64 results keep a NaN's payload.
    fn widen_by_hand(&self) -> Option<Typed> {
        if (self.source, self.destination == Format::F64) != (Format::F16, false) {
            return None;
        }
        let (from, to) = (Format::F16, Format::F32);
        let conversion =
            Conversion { from, to, rounding: mode::NONE, modifiers: Modifiers::NONE, packed: true };
        hand_written(self.tier, conversion)
    }

    /// FP8, FP6 and FP4 as bf16, which represents all of them exactly.
    fn small_by_hand(&self) -> Option<Typed> {
        if self.destination != Format::Bf16 || self.source.storage() > 8 {
            return None;
        }
        self.by_hand(self.source, mode::RN, Modifiers::NONE, true)
    }

    fn is_scaled(&self) -> bool {
        self.form.modifiers().iter().any(Modifier::is_scale)
    }

    /// The stage for the scale.
    fn scale(&self) -> Typed {
        let divided = self.form.conversion().rules().scale == ptxcvt::Scale::Divide;
        let finite = divided && !self.form.has(Modifier::Satfinite);
        match (self.lane, divided, finite) {
            (BF16, true, true) => self.stage::<ScaleBf16<true, true>>(),
            (BF16, true, false) => self.stage::<ScaleBf16<true, false>>(),
            (BF16, false, _) => self.stage::<ScaleBf16<false, false>>(),
            (_, true, true) => self.stage::<Scale<true, true>>(),
            (_, true, false) => self.stage::<Scale<true, false>>(),
            (_, false, _) => self.stage::<Scale<false, false>>(),
        }
    }

    /// The operations before narrowing. If the lanes are already the result, these include the rule for NaN.
    pub(super) fn adjust(&mut self) -> Option<()> {
        if self.is_scaled() {
            self.push(self.scale())?;
        }
        let is_single = matches!(self.lane, F32 | Lane::Single { .. } | Lane::Half);
        match self.destination {
            Format::F64 if is_single => {
                self.push(self.stage::<Widen32<{ Format::F32 as usize }>>())?;
                self.adjust_f64()
            }
            _ if is_single => self.adjust_f32(),
            d if d.is_integer() => Some(()),
            _ => self.adjust_f64(),
        }
    }

    fn adjust_f32(&mut self) -> Option<()> {
        let (is_result, integral) = (self.destination == Format::F32, self.integral()?);
        // Integers have no NaN, and a NaN of bf16 becomes f32 unchanged.
        let nan_rule =
            is_result && !self.source.is_integer() && (self.source, self.ftz()) != (Format::Bf16, false);
        let flushes = self.ftz() && self.source == Format::F32;
        if nan_rule || integral != mode::NONE || self.sat() || flushes {
            let stage = match self.integral_by_hand(Format::F32, integral) {
                Some(stage) => stage,
                None => by_mode!(self, integral, [NONE RN RZ RM RP], R => Adjust32<R>),
            };
            self.push(stage)?;
        }
        Some(())
    }

    fn adjust_f64(&mut self) -> Option<()> {
        let (is_result, integral) = (self.destination == Format::F64, self.integral()?);
        let floats = !self.source.is_integer();
        if floats && (is_result || self.ftz()) || self.sat() {
            let stage = match self.integral_by_hand(Format::F64, integral) {
                Some(stage) => stage,
                None => by_mode!(self, integral, [NONE RN RZ RM RP], R => Adjust64<R>),
            };
            self.push(stage)?;
        }
        Some(())
    }

    /// A hand-written kernel from a format to itself. It treats NaN as conversions to narrower formats do.
    fn integral_by_hand(&self, lane: Format, rounding: u8) -> Option<Typed> {
        let none = Modifiers::NONE;
        let modifiers = if self.ftz() { none.with(Modifier::Ftz) } else { none };
        let modifiers = if self.sat() { modifiers.with(Modifier::Sat) } else { modifiers };
        hand_written(self.tier, Conversion { from: lane, to: lane, rounding, modifiers, packed: true })
    }

    /// The mode of rounding to an integral value that stays a float; `NONE` if the form does not do that.
    fn integral(&self) -> Option<u8> {
        let floats = !self.source.is_integer() && !self.destination.is_integer();
        match self.form.rounding() {
            Some(r) if r.is_integer() && floats => mode_of(r),
            _ => Some(mode::NONE),
        }
    }

    fn ftz(&self) -> bool {
        self.form.has(Modifier::Ftz)
    }

    /// `.sat` to the unit interval.
    fn sat(&self) -> bool {
        self.form.has(Modifier::Sat) && !self.destination.is_integer()
    }
}
