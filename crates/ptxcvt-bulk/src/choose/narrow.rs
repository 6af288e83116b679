//! From lanes of f32 or f64 to the destination's codes; 4-bit codes occupy a byte each.

use super::stages::{Stages, by_format, by_mode};
use crate::arch::generic::integer::*;
use crate::arch::generic::narrow::*;
use crate::lane::{F32, F64, Lane};
use crate::lanes::mode;
use crate::stage::Typed;
use ptxcvt::formats::Format;
use ptxcvt::forms::{Modifier, Modifiers};

impl Stages<'_> {
    pub(super) fn narrow(&self) -> Option<Typed> {
        use Format::{Bf16, F16, Tf32};
        let (rounding, finite) = (self.narrowing_mode(), self.form.has(Modifier::Satfinite));
        if let Some(stage) = self.lanes_by_hand(rounding, finite) {
            return Some(stage);
        }
        const WORD: usize = F16 as usize;
        let is_wide = matches!(self.lane, F64 | Lane::Double { .. });
        Some(match (self.lane, self.destination) {
            (_, d) if d.is_integer() => return self.narrow_to_integer(is_wide, d, rounding),
            (Lane::Odd, F16) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleHalf<R>),
            (Lane::Odd, Bf16) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleBf16<R>),
            (_, Format::F32) if is_wide => by_mode!(self, rounding, [RN RZ RM RP], R => Double32<R>),
            (_, F16) if rounding == mode::RS => self.stage::<Stochastic16<WORD>>(),
            (_, F16) if finite => by_mode!(self, rounding, [RN RZ], R => Narrow16<WORD, R, true>),
            (_, F16) => by_mode!(self, rounding, [RN RZ RM RP], R => Narrow16<WORD, R, false>),
            (_, Bf16) if rounding == mode::RS => self.stage::<StochasticBf16>(),
            (_, Bf16) => {
                by_mode!(self, rounding, [RN RZ RM RP], R => crate::arch::generic::narrow::Bf16<R>)
            }
            (_, Tf32) if rounding == mode::RNA => self.stage::<Tf32TiesAway>(),
            (_, Tf32) => by_mode!(self, rounding, [RN RZ], R => crate::arch::generic::narrow::Tf32<R>),
            (_, d) => return self.narrow_to_byte(d, rounding, finite),
        })
    }

    /// The mode in which lanes become codes: none for integral values of the same format and for exact
    /// conversions.
    fn narrowing_mode(&self) -> u8 {
        match (self.form.rounding(), self.rounding) {
            (Some(r), _) if r.is_integer() && !self.destination.is_integer() => mode::RN,
            (_, mode::NONE) => mode::RN,
            (_, mode) => mode,
        }
    }

    /// The hand-written stage that does the rest once lanes are adjusted.
    pub(super) fn rest_by_hand(&self) -> Option<Typed> {
        let from = match self.lane {
            F32 | Lane::Single { .. } | Lane::Half => Format::F32,
            F64 | Lane::Double { .. } => Format::F64,
            _ => return None,
        };
        // Hand-written kernels read random bits in the operands' layout; here they are a field for each
        // element.
        if self.narrowing_mode() == mode::RS || self.is_done() {
            return None;
        }
        let later = |m: &Modifier| matches!(m, Modifier::Satfinite | Modifier::Relu | Modifier::Pzo);
        let modifiers = self.form.modifiers().iter().filter(later).collect();
        self.by_hand(from, self.narrowing_mode(), modifiers, true)
    }

    fn lanes_by_hand(&self, rounding: u8, finite: bool) -> Option<Typed> {
        let from = match self.lane {
            F32 | Lane::Single { .. } | Lane::Half => Format::F32,
            F64 | Lane::Double { .. } => Format::F64,
            // NaN keeps its payload, unlike in f32.
            _ => return None,
        };
        if rounding == mode::RS {
            return None;
        }
        let modifiers = if finite { Modifiers::NONE.with(Modifier::Satfinite) } else { Modifiers::NONE };
        self.by_hand(from, rounding, modifiers, false)
    }

    fn narrow_to_byte(&self, d: Format, rounding: u8, finite: bool) -> Option<Typed> {
        const UE5M3: usize = Format::Ue5m3 as usize;
        Some(match d {
            Format::Ue8m0 => by_mode!(self, rounding, [RZ RP], R => Power<R>),
            Format::S2f6 => by_mode!(self, rounding, [RN RZ], R => Fixed8<R>),
            Format::Ue5m3 if finite => by_mode!(self, rounding, [RN RZ RP], R => Narrow8<UE5M3, R, true>),
            Format::Ue5m3 => by_mode!(self, rounding, [RN RZ RP], R => Narrow8<UE5M3, R, false>),
            _ if rounding == mode::RS => by_format!(D in [E4m3 E5m2 E2m3 E3m2 E2m1] of d =>
                self.stage::<Stochastic8<D>>(), else return None),
            _ if finite && matches!(rounding, mode::RN | mode::RZ) => {
                by_format!(D in [E4m3 E5m2 E2m3 E3m2 E2m1] of d =>
                    by_mode!(self, rounding, [RN RZ], R => Narrow8<D, R, true>),
                    else by_mode!(self, rounding, [RN RZ], R => NarrowAny8<R>))
            }
            // A float of 8 bits or fewer without a kernel for its format.
            _ => by_mode!(self, rounding, [RN RZ RM RP], R => NarrowAny8<R>),
        })
    }

    fn narrow_to_integer(&self, is_wide: bool, d: Format, rounding: u8) -> Option<Typed> {
        Some(match (is_wide, d.bits(), d.is_signed()) {
            (true, 8, _) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleFixed8<R>),
            (true, 16, _) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleFixed16<R>),
            (true, 32, _) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleFixed32<R>),
            (true, 64, true) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleInteger64<R, true>),
            (true, 64, false) => by_mode!(self, rounding, [RN RZ RM RP], R => DoubleInteger64<R, false>),
            (false, 8, _) if rounding == mode::RZ => self.stage::<Truncated8>(),
            (false, 16, _) if rounding == mode::RZ => self.stage::<Truncated16>(),
            (false, 32, true) if rounding == mode::RZ => self.stage::<Signed32<{ mode::NONE }>>(),
            (false, 32, false) if rounding == mode::RZ => self.stage::<Unsigned32<{ mode::NONE }>>(),
            (false, 32, true) => by_mode!(self, rounding, [RN RM RP], R => Signed32<R>),
            (false, 32, false) => by_mode!(self, rounding, [RN RM RP], R => Unsigned32<R>),
            (false, 8, _) => by_mode!(self, rounding, [RN RM RP], R => Fixed8<R>),
            (false, 16, _) => by_mode!(self, rounding, [RN RM RP], R => Fixed16<R>),
            (false, 64, true) => by_mode!(self, rounding, [RN RZ RM RP], R => Integer64<R, true>),
            (false, 64, false) => by_mode!(self, rounding, [RN RZ RM RP], R => Integer64<R, false>),
            _ => return None,
        })
    }
}
