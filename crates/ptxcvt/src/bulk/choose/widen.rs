//! From the source to lanes of f32 or f64, and what happens to them there.

use super::{F32_LANE, F64_LANE, Lane, Stages, WORD, by_format, by_mode};
use crate::bulk::arch::generic::narrow::{Adjust32, Adjust64, Scale, ScaleBf16};
use crate::bulk::arch::generic::widen::*;
use crate::bulk::arch::{Conversion, Need, hand_written};
use crate::bulk::lanes::{mode, mode_of};
use crate::bulk::stage::Stage;
use crate::formats::Format;
use crate::forms::{Modifier, Modifiers};

impl Stages<'_> {
    /// The source as f32 or f64.
    pub(super) fn widen(&mut self) -> Option<Lane> {
        use Format::{Bf16, E2m1, F16, F32, F64, S2f6, S8, S16, S32, S64, U8, U16, U32, U64, Ue8m0};
        if let Some(run) = self.widen_by_hand() {
            self.push(run, F32_LANE);
            return Some(Lane::F32);
        }
        if let Some(run) = self.small_by_hand() {
            self.push(run, WORD);
            self.source = Bf16;
        }
        let (double, single) = (self.destination == F64, self.destination == F32);
        let rounding = self.form_mode();
        let (run, lane) = match self.source {
            F32 => return Some(Lane::F32),
            F64 => return Some(Lane::F64),
            F16 => (self.stage::<Widen16<{ F16 as usize }>>(), Lane::F32),
            Bf16 if self.is_scaled() => return Some(Lane::Bf16),
            Bf16 => (self.stage::<Widen16<{ Bf16 as usize }>>(), Lane::F32),
            U8 if double => (self.stage::<DoubleOfU8>(), Lane::F64),
            S8 if double => (self.stage::<DoubleOfS8>(), Lane::F64),
            U16 if double => (self.stage::<DoubleOfU16>(), Lane::F64),
            S16 if double => (self.stage::<DoubleOfS16>(), Lane::F64),
            U8 => (self.stage::<WidenU8>(), Lane::F32),
            S8 => (self.stage::<WidenS8>(), Lane::F32),
            U16 => (self.stage::<WidenU16>(), Lane::F32),
            S16 => (self.stage::<WidenS16>(), Lane::F32),
            U32 if single => (by_mode!(self, rounding, [RN RZ RM RP], R => SingleFromU32<R>), Lane::F32),
            S32 if single => (by_mode!(self, rounding, [RN RZ RM RP], R => SingleFromS32<R>), Lane::F32),
            U32 if !double => (self.stage::<StickyU32>(), Lane::F32),
            S32 if !double => (self.stage::<StickyS32>(), Lane::F32),
            U32 => (self.stage::<WidenU32>(), Lane::F64),
            S32 => (self.stage::<WidenS32>(), Lane::F64),
            U64 if double => (by_mode!(self, rounding, [RN RZ RM RP], R => F64FromU64<R>), Lane::F64),
            S64 if double => (by_mode!(self, rounding, [RN RZ RM RP], R => F64FromS64<R>), Lane::F64),
            U64 if self.destination == F16 => (self.stage::<ShortU64>(), Lane::F32),
            S64 if self.destination == F16 => (self.stage::<ShortS64>(), Lane::F32),
            U64 if self.destination == Bf16 => (self.stage::<OddOfU64>(), Lane::F32),
            S64 if self.destination == Bf16 => (self.stage::<OddOfS64>(), Lane::F32),
            U64 => (self.stage::<WidenU64>(), Lane::F64),
            S64 => (self.stage::<WidenS64>(), Lane::F64),
            Ue8m0 => (self.stage::<WidenPower>(), Lane::F32),
            S2f6 => (self.stage::<WidenFixed>(), Lane::F32),
            E2m1 => (self.stage::<Widen4<{ E2m1 as usize }>>(), Lane::F32),
            small => (
                by_format!(S in [E4m3 E5m2 E2m3 E3m2 Ue5m3] of small => self.stage::<Widen8<S>>()),
                Lane::F32,
            ),
        };
        self.push(run, if lane == Lane::F64 { F64_LANE } else { F32_LANE });
        Some(lane)
    }

    /// f16 as f32 by a kernel that makes one NaN of all, which f64 alone tells apart.
    fn widen_by_hand(&self) -> Option<Stage> {
        if (self.source, self.destination == Format::F64) != (Format::F16, false) {
            return None;
        }
        let (from, to) = (Format::F16, Format::F32);
        let conversion =
            Conversion { from, to, rounding: mode::NONE, modifiers: Modifiers::NONE, packed: true };
        hand_written(self.tier, Need::Convert(conversion))
    }

    /// FP8, FP6 and FP4 as bf16, which holds all of them.
    fn small_by_hand(&self) -> Option<Stage> {
        if self.destination != Format::Bf16 || self.source.storage() > 8 {
            return None;
        }
        self.by_hand(self.source, mode::RN, Modifiers::NONE, true)
    }

    fn is_scaled(&self) -> bool {
        self.form.modifiers().iter().any(Modifier::is_scale)
    }

    /// By an n1 scale is divided, and by the n2 scale of fixed point; by the other n2 scales is multiplied.
    fn scale(&self, lane: Lane) -> Stage {
        let divided = self.destination != Format::Bf16;
        let finite = divided && !self.form.has(Modifier::Satfinite);
        match (lane, divided, finite) {
            (Lane::Bf16, true, true) => self.stage::<ScaleBf16<true, true>>(),
            (Lane::Bf16, true, false) => self.stage::<ScaleBf16<true, false>>(),
            (Lane::Bf16, false, _) => self.stage::<ScaleBf16<false, false>>(),
            (_, true, true) => self.stage::<Scale<true, true>>(),
            (_, true, false) => self.stage::<Scale<true, false>>(),
            (_, false, _) => self.stage::<Scale<false, false>>(),
        }
    }

    /// What happens before narrowing; and where the lanes are the result already, the rule for NaN.
    pub(super) fn adjust(&mut self, lane: Lane) -> Option<Lane> {
        let mut lane = lane;
        if self.is_scaled() {
            self.push(self.scale(lane), F32_LANE);
            lane = Lane::F32;
        }
        match (lane, self.destination) {
            (Lane::F32, Format::F64) => {
                self.push(self.stage::<Widen32<{ Format::F32 as usize }>>(), F64_LANE);
                self.adjust_f64()
            }
            (Lane::F32, _) => self.adjust_f32(),
            (_, d) if d.is_integer() => Some(lane),
            _ => self.adjust_f64(),
        }
    }

    fn adjust_f32(&mut self) -> Option<Lane> {
        let (is_result, integral) = (self.destination == Format::F32, self.integral());
        // Integers have no NaN, and bf16's pass to f32 as they are.
        let nan_rule =
            is_result && !self.source.is_integer() && (self.source, self.ftz()) != (Format::Bf16, false);
        let flushes = self.ftz() && self.source == Format::F32;
        if nan_rule || integral != mode::NONE || self.sat() || flushes {
            let run = match self.integral_by_hand(Format::F32) {
                Some(run) => run,
                None => by_mode!(self, integral, [NONE RN RZ RM RP], R => Adjust32<R>),
            };
            self.push(run, F32_LANE);
        }
        Some(if is_result { Lane::Code } else { Lane::F32 })
    }

    fn adjust_f64(&mut self) -> Option<Lane> {
        let (is_result, integral) = (self.destination == Format::F64, self.integral());
        let floats = !self.source.is_integer();
        if floats && (is_result || self.ftz()) || self.sat() {
            let run = match self.integral_by_hand(Format::F64) {
                Some(run) => run,
                None => by_mode!(self, integral, [NONE RN RZ RM RP], R => Adjust64<R>),
            };
            self.push(run, F64_LANE);
        }
        Some(if is_result { Lane::Code } else { Lane::F64 })
    }

    /// The same by a kernel from a format to itself; what it does to NaN is what every narrower format does.
    fn integral_by_hand(&self, lane: Format) -> Option<Stage> {
        let none = Modifiers::NONE;
        let modifiers = if self.ftz() { none.with(Modifier::Ftz) } else { none };
        let modifiers = if self.sat() { modifiers.with(Modifier::Sat) } else { modifiers };
        let conversion =
            Conversion { from: lane, to: lane, rounding: self.integral(), modifiers, packed: true };
        hand_written(self.tier, Need::Convert(conversion))
    }

    /// The mode of rounding to an integral value that stays a float.
    fn integral(&self) -> u8 {
        let floats = !self.source.is_integer() && !self.destination.is_integer();
        match self.form.rounding() {
            Some(r) if r.is_integer() && floats => mode_of(r),
            _ => mode::NONE,
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
