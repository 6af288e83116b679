//! Conversions in one generic stage, apart from the modifiers that work on codes.

use super::stages::{Stages, by_mode};
use crate::arch::generic::direct::{
    HalfToSingle, HalfToUe5m3, SingleOfS32, SingleOfU32, SingleToDouble, WordOf, WordOfPower, WordsOfNibbles,
};
use crate::arch::generic::integer::{Extend, Limit, Truncate, Unit};
use crate::lanes::mode;
use crate::stage::Typed;
use ptxcvt::Rounding;
use ptxcvt::formats::Format;
use ptxcvt::forms::Modifier;

impl Stages<'_> {
    pub(super) fn direct(&self) -> Option<Typed> {
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
                Some(by_mode!(self, self.rounding, [RN RZ RP], R => HalfToUe5m3<R>))
            }
            (source, _) if source.is_integer() && form.has(Modifier::Sat) => self.unit(),
            (_, F16 | Bf16) if !self.in_the_way() => self.small_to_word(),
            _ => None,
        }
    }

    /// Integers to floats with `.sat`. Rounding and flushing do not change 0 and 1.
    fn unit(&self) -> Option<Typed> {
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

    /// True if a scale or `.satfinite` is applied between source and code.
    fn in_the_way(&self) -> bool {
        self.form.modifiers().iter().any(|m| m == Modifier::Satfinite || m.is_scale())
    }

    /// FP8, FP6, FP4 and ue8m0 to f16 or bf16.
    fn small_to_word(&self) -> Option<Typed> {
        use Format::{Bf16, E2m1, F16, Ue8m0};
        macro_rules! choose {
            ($($s:ident)+) => {
                match (self.source, self.destination) {
                    $((Format::$s, F16) => self.stage::<WordOf<{ Format::$s as usize }, { F16 as usize }>>(),
                      (Format::$s, Bf16) => self.stage::<WordOf<{ Format::$s as usize }, { Bf16 as usize }>>(),)+
                    // A conversion to f16 can overflow.
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
    pub(super) fn integers(&self) -> Option<Typed> {
        if self.form.has(Modifier::Sat) {
            return self.limited_integers();
        }
        use Format::{S8, S16, S32, U8, U16, U32};
        Some(match (self.source, self.source.bits(), self.destination.bits()) {
            (_, 16, 8) => self.stage::<Truncate<u16, u8>>(),
            (_, 32, 8) => self.stage::<Truncate<u32, u8>>(),
            (_, 32, 16) => self.stage::<Truncate<u32, u16>>(),
            (_, 64, 8) => self.stage::<Truncate<u64, u8>>(),
            (_, 64, 16) => self.stage::<Truncate<u64, u16>>(),
            (_, 64, 32) => self.stage::<Truncate<u64, u32>>(),
            (U8, _, 16) => self.stage::<Extend<u8, u16>>(),
            (U8, _, 32) => self.stage::<Extend<u8, u32>>(),
            (U8, _, 64) => self.stage::<Extend<u8, u64>>(),
            (S8, _, 16) => self.stage::<Extend<i8, i16>>(),
            (S8, _, 32) => self.stage::<Extend<i8, i32>>(),
            (S8, _, 64) => self.stage::<Extend<i8, i64>>(),
            (U16, _, 32) => self.stage::<Extend<u16, u32>>(),
            (U16, _, 64) => self.stage::<Extend<u16, u64>>(),
            (S16, _, 32) => self.stage::<Extend<i16, i32>>(),
            (S16, _, 64) => self.stage::<Extend<i16, i64>>(),
            (U32, _, 64) => self.stage::<Extend<u32, u64>>(),
            (S32, _, 64) => self.stage::<Extend<i32, i64>>(),
            _ => return None,
        })
    }

    /// Integer to integer with `.sat`.
    fn limited_integers(&self) -> Option<Typed> {
        use Format::{S8, S16, S32, S64, U8, U16, U32, U64};
        macro_rules! pairs {
            ($($source:ident $s:ident: $($destination:ident $d:ident),+;)+) => {
                match (self.source, self.destination) {
                    $($(($source, $destination) => self.stage::<Limit<$s, $d>>(),)+)+
                    _ => return None,
                }
            };
        }
        Some(pairs! {
            U8 u8: S8 i8;
            S8 i8: U8 u8, U16 u16, U32 u32, U64 u64;
            U16 u16: U8 u8, S8 i8, S16 i16;
            S16 i16: U8 u8, S8 i8, U16 u16, U32 u32, U64 u64;
            U32 u32: U8 u8, S8 i8, U16 u16, S16 i16, S32 i32;
            S32 i32: U8 u8, S8 i8, U16 u16, S16 i16, U32 u32, U64 u64;
            U64 u64: U8 u8, S8 i8, U16 u16, S16 i16, U32 u32, S32 i32, S64 i64;
            S64 i64: U8 u8, S8 i8, U16 u16, S16 i16, U32 u32, S32 i32, U64 u64;
        })
    }
}
