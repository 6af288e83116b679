//! Conversions for which one generic stage does, but for the modifiers that look at codes.

use super::{Stages, by_mode};
use crate::bulk::arch::generic::direct::{
    HalfToSingle, HalfToUe5m3, SingleOfS32, SingleOfU32, SingleToDouble, WordOf, WordOfPower, WordsOfNibbles,
};
use crate::bulk::arch::generic::integer::{Integer, Unit};
use crate::bulk::lanes::mode;
use crate::bulk::stage::Stage;
use crate::formats::Format;
use crate::forms::Modifier;
use crate::round::Rounding;

impl Stages<'_> {
    pub(super) fn direct(&self) -> Option<Stage> {
        use Format::{Bf16, F16, F32, F64, S32, U32, Ue5m3};
        let form = self.form;
        match (self.source, self.destination) {
            // `.ftz` has nothing to flush: f16's subnormals are normal in f32.
            (F16, F32) if !form.has(Modifier::Sat) => Some(self.stage::<HalfToSingle>()),
            (U32, F32) if self.to_nearest() => Some(self.stage::<SingleOfU32>()),
            (S32, F32) if self.to_nearest() => Some(self.stage::<SingleOfS32>()),
            (F32, F64) if form.modifiers().is_empty() && form.rounding().is_none() => {
                Some(self.stage::<SingleToDouble>())
            }
            (F16, Ue5m3) if !form.modifiers().iter().any(|m| m.is_scale()) => {
                Some(by_mode!(self, self.form_mode(), [RN RZ RP], R => HalfToUe5m3<R>))
            }
            (source, _) if source.is_integer() && form.has(Modifier::Sat) => self.unit(),
            (_, F16 | Bf16) if !self.in_the_way() => self.small_to_word(),
            _ => None,
        }
    }

    /// Integers to floats with `.sat`: 0 and 1 are rounded and flushed to themselves.
    fn unit(&self) -> Option<Stage> {
        use Format::{F16, F32, F64, S8, S16, S32, S64, U8, U16, U32, U64};
        macro_rules! from {
            ($($format:ident $s:ident),+) => {
                match (self.source, self.destination) {
                    $(($format, F16) => self.stage::<Unit<$s, u16>>(),
                    ($format, F32) => self.stage::<Unit<$s, u32>>(),
                    ($format, F64) => self.stage::<Unit<$s, u64>>(),)+
                    _ => return None,
                }
            };
        }
        Some(from!(U8 u8, S8 i8, U16 u16, S16 i16, U32 u32, S32 i32, U64 u64, S64 i64))
    }

    fn to_nearest(&self) -> bool {
        self.form.modifiers().is_empty() && self.form.rounding() == Some(Rounding::Rn)
    }

    /// True where a scale or `.satfinite` comes between source and code.
    fn in_the_way(&self) -> bool {
        self.form.modifiers().iter().any(|m| m == Modifier::Satfinite || m.is_scale())
    }

    /// FP8, FP6, FP4 and ue8m0 to f16 or bf16.
    fn small_to_word(&self) -> Option<Stage> {
        use Format::{Bf16, E2m1, F16, Ue8m0};
        macro_rules! choose {
            ($($s:ident)+) => {
                match (self.source, self.destination) {
                    $((Format::$s, F16) => self.stage::<WordOf<{ Format::$s as usize }, { F16 as usize }>>(),
                      (Format::$s, Bf16) => self.stage::<WordOf<{ Format::$s as usize }, { Bf16 as usize }>>(),)+
                    // To f16 it can overflow.
                    (Format::Ue5m3, Bf16) => {
                        self.stage::<WordOf<{ Format::Ue5m3 as usize }, { Bf16 as usize }>>()
                    }
                    (E2m1, F16) => self.stage::<WordsOfNibbles<{ E2m1 as usize }, { F16 as usize }>>(),
                    (E2m1, Bf16) => self.stage::<WordsOfNibbles<{ E2m1 as usize }, { Bf16 as usize }>>(),
                    (Ue8m0, Bf16) => self.stage::<WordOfPower>(),
                    _ => return None,
                }
            };
        }
        Some(choose!(E4m3 E5m2 E2m3 E3m2))
    }

    /// Integer to integer.
    pub(super) fn integers(&self) -> Option<Stage> {
        use Format::{S8, S16, S32, S64, U8, U16, U32, U64};
        macro_rules! to {
            ($s:ident: $($format:ident $d:ident),+) => {
                match (self.destination, self.form.has(Modifier::Sat)) {
                    $(($format, false) => self.stage::<Integer<$s, $d, false>>(),
                      ($format, true) => self.stage::<Integer<$s, $d, true>>(),)+
                    _ => return None,
                }
            };
        }
        macro_rules! from {
            ($($format:ident $s:ident),+) => {
                match self.source {
                    $($format => to!($s: U8 u8, S8 i8, U16 u16, S16 i16, U32 u32, S32 i32, U64 u64, S64 i64),)+
                    _ => return None,
                }
            };
        }
        Some(from!(U8 u8, S8 i8, U16 u16, S16 i16, U32 u32, S32 i32, U64 u64, S64 i64))
    }
}
