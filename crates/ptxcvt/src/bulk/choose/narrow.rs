//! From lanes of f32 or f64 to the destination's codes, FP4 a code to a byte.

use super::{Lane, Stages, by_format, by_mode};
use crate::bulk::arch::generic::integer::*;
use crate::bulk::arch::generic::narrow::*;
use crate::bulk::lanes::mode;
use crate::bulk::stage::Stage;
use crate::formats::Format;
use crate::forms::{Modifier, Modifiers};

impl Stages<'_> {
    pub(super) fn narrow(&self, lane: Lane) -> Option<Stage> {
        use Format::{Bf16, F16, F32, Tf32};
        let (rounding, finite) = (self.narrowing_mode(), self.form.has(Modifier::Satfinite));
        if let Some(run) = self.lanes_by_hand(lane, rounding, finite) {
            return Some(run);
        }
        const WORD: usize = F16 as usize;
        Some(match (lane, self.destination) {
            (_, d) if d.is_integer() => return self.narrow_to_integer(lane, d, rounding),
            (Lane::Odd, F16) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleHalf<R>),
            (Lane::Odd, Bf16) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleBf16<R>),
            (Lane::F64, F32) => by_mode!(self, rounding, [RN RZ RM RP], R => Double32<R>),
            (_, F16) if rounding == mode::RS => self.stage::<Stochastic16<WORD>>(),
            (_, F16) if finite => by_mode!(self, rounding, [RN RZ], R => Narrow16<WORD, R, true>),
            (_, F16) => by_mode!(self, rounding, [RN RZ RM RP], R => Narrow16<WORD, R, false>),
            (_, Bf16) if rounding == mode::RS => self.stage::<StochasticBf16>(),
            (_, Bf16) => {
                by_mode!(self, rounding, [RN RZ RM RP], R => crate::bulk::arch::generic::narrow::Bf16<R>)
            }
            (_, Tf32) if rounding == mode::RNA => self.stage::<Tf32TiesAway>(),
            (_, Tf32) => by_mode!(self, rounding, [RN RZ], R => crate::bulk::arch::generic::narrow::Tf32<R>),
            (_, d) => return self.narrow_to_byte(d, rounding, finite),
        })
    }

    /// Integral values of the same format, and conversions that lose nothing, need no mode of their own.
    fn narrowing_mode(&self) -> u8 {
        match (self.form.rounding(), self.form_mode()) {
            (Some(r), _) if r.is_integer() && !self.destination.is_integer() => mode::RN,
            (_, mode::NONE) => mode::RN,
            (_, mode) => mode,
        }
    }

    /// The one stage, written by hand, that does all that is left once lanes were adjusted.
    pub(super) fn rest_by_hand(&self, lane: Lane) -> Option<Stage> {
        let from = match lane {
            Lane::F32 => Format::F32,
            Lane::F64 => Format::F64,
            Lane::Bf16 | Lane::Odd | Lane::Code => return None,
        };
        // Random bits were spread.
        if self.narrowing_mode() == mode::RS {
            return None;
        }
        let later = |m: &Modifier| matches!(m, Modifier::Satfinite | Modifier::Relu | Modifier::Pzo);
        let modifiers = self.form.modifiers().iter().filter(later).collect();
        self.by_hand(from, self.narrowing_mode(), modifiers, true)
    }

    fn lanes_by_hand(&self, lane: Lane, rounding: u8, finite: bool) -> Option<Stage> {
        let from = match lane {
            Lane::F64 => Format::F64,
            // NaN keep their payload, which f32's do not.
            Lane::Odd => return None,
            _ => Format::F32,
        };
        let modifiers = if finite { Modifiers::NONE.with(Modifier::Satfinite) } else { Modifiers::NONE };
        self.by_hand(from, rounding, modifiers, false)
    }

    fn narrow_to_byte(&self, d: Format, rounding: u8, finite: bool) -> Option<Stage> {
        const UE5M3: usize = Format::Ue5m3 as usize;
        Some(match d {
            Format::Ue8m0 => by_mode!(self, rounding, [RZ RP], R => Power<R>),
            Format::S2f6 => by_mode!(self, rounding, [RN RZ], R => Fixed8<R>),
            Format::Ue5m3 if finite => by_mode!(self, rounding, [RN RZ RP], R => Narrow8<UE5M3, R, true>),
            Format::Ue5m3 => by_mode!(self, rounding, [RN RZ RP], R => Narrow8<UE5M3, R, false>),
            d => by_format!(D in [E4m3 E5m2 E2m3 E3m2 E2m1] of d => match rounding {
                mode::RS => self.stage::<Stochastic8<D>>(),
                _ => by_mode!(self, rounding, [RN RZ], R => Narrow8<D, R, true>),
            }),
        })
    }

    fn narrow_to_integer(&self, lane: Lane, d: Format, rounding: u8) -> Option<Stage> {
        Some(match (lane, d.bits(), d.is_signed()) {
            (Lane::F64, 8, _) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleFixed8<R>),
            (Lane::F64, 16, _) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleFixed16<R>),
            (Lane::F64, 32, _) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleFixed32<R>),
            (Lane::F64, 64, true) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleInteger64<R, true>),
            (Lane::F64, 64, false) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleInteger64<R, false>),
            (Lane::F32, 8, _) if rounding == mode::RZ => self.stage::<Truncated8>(),
            (Lane::F32, 16, _) if rounding == mode::RZ => self.stage::<Truncated16>(),
            (Lane::F32, 32, true) if rounding == mode::RZ => self.stage::<Signed32<{ mode::NONE }>>(),
            (Lane::F32, 32, false) if rounding == mode::RZ => self.stage::<Unsigned32<{ mode::NONE }>>(),
            (Lane::F32, 32, true) => by_mode!(self, rounding, [RN RM RP], R => Signed32<R>),
            (Lane::F32, 32, false) => by_mode!(self, rounding, [RN RM RP], R => Unsigned32<R>),
            (Lane::F32, 8, _) => by_mode!(self, rounding, [RN RM RP], R => Fixed8<R>),
            (Lane::F32, 16, _) => by_mode!(self, rounding, [RN RM RP], R => Fixed16<R>),
            (Lane::F32, 64, true) => by_mode!(self, rounding, [RN RZ RM RP], R => Integer64<R, true>),
            (Lane::F32, 64, false) => by_mode!(self, rounding, [RN RZ RM RP], R => Integer64<R, false>),
            _ => return None,
        })
    }
}
