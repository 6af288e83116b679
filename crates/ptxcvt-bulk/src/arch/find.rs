//! Maps a [`Conversion`] to the `const` parameters of a kernel. All tiers share these conditions; each macro names
//! functions of the file that uses it.
//!
//! These are macros because Rust has no parameter for a function that still has `const` parameters: a trait for each family
//! of kernels, with an implementation in each tier, would be longer.

use super::need::Conversion;
use crate::stage::{Run, Stage};

/// Makes values that are known at run time constants of an expression for a kernel. Each value is one of a list, or a
/// `bool`; there is no kernel for any other.
///
/// `pick!(R: u8 = need.rounding, [RN, RZ]; SAT: bool = sat => Some(narrow::<R, SAT> as Run))` expands to nested matches
/// whose innermost arms are `Some(narrow::<RN, false> as Run)` and the other three; other roundings give `None`.
macro_rules! pick {
    ($name:ident: bool = $value:expr; $($rest:tt)+) => { pick!($name: bool = $value, [false, true]; $($rest)+) };
    ($name:ident: bool = $value:expr => $then:expr) => { pick!($name: bool = $value, [false, true] => $then) };
    ($name:ident: $ty:ty = $value:expr, $known:tt; $($rest:tt)+) => {
        pick!(@arms $name: $ty = $value, $known ($($rest)+))
    };
    ($name:ident: $ty:ty = $value:expr, [$($known:expr),+] => $then:expr) => {
        match $value {
            $(value if value == $known => {
                const $name: $ty = $known;
                $then
            })+
            _ => None,
        }
    };
    (@arms $name:ident: $ty:ty = $value:expr, [$($known:expr),+] $rest:tt) => {
        pick!($name: $ty = $value, [$($known),+] => pick!(@rest $rest))
    };
    (@rest ($($rest:tt)+)) => { pick!($($rest)+) };
}
pub(super) use pick;

/// From f32 to a signed float of 8, 6 or 4 bits, over `narrow8` and `narrow4` (format, mode, and whether codes are
/// modified). If `packed`, two FP4 codes share a byte.
macro_rules! small_by_need {
    ($need:expr) => {{
        use $crate::arch::find::pick;
        use $crate::lanes::mode::{RN, RZ};
        use ptxcvt::formats::Format::{self, E2m1, E2m3, E3m2, E4m3, E5m2, F32};
        let codes = if $need.from == F32 { $need.is_plain_but_for_codes() } else { None };
        codes.and_then(|codes| {
            pick!(R: u8 = $need.rounding, [RN, RZ]; CODES: bool = codes => {
                if ($need.to, $need.packed) == (E2m1, true) {
                    Some(narrow4::<{ E2m1 as usize }, R, CODES> as Run)
                } else {
                    pick!(D: Format = $need.to, [E4m3, E5m2, E2m3, E3m2, E2m1] => {
                        Some(narrow8::<{ D as usize }, R, CODES> as Run)
                    })
                }
            })
        })
    }};
}
pub(super) use small_by_need;

/// From f32 to a signed float of 8, 6 or 4 bits under `.rs`, over `stochastic8` and `stochastic4` (format, and whether
/// codes are modified).
#[cfg(target_arch = "x86_64")]
macro_rules! stochastic_by_need {
    ($need:expr) => {{
        use $crate::arch::find::pick;
        use ptxcvt::formats::Format::{self, E2m1, E2m3, E3m2, E4m3, E5m2, F32};
        let fits = ($need.from, $need.rounding) == (F32, $crate::lanes::mode::RS);
        let codes = if fits { $need.is_plain_but_for_codes() } else { None };
        codes.and_then(|codes| {
            pick!(CODES: bool = codes => {
                if ($need.to, $need.packed) == (E2m1, true) {
                    Some(stochastic4::<{ E2m1 as usize }, CODES> as Run)
                } else {
                    pick!(D: Format = $need.to, [E4m3, E5m2, E2m3, E3m2, E2m1] => {
                        Some(stochastic8::<{ D as usize }, CODES> as Run)
                    })
                }
            })
        })
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use stochastic_by_need;

/// From f32 to bf16, over `narrow` (mode, `.satfinite`, and whether codes are modified).
macro_rules! bfloat_by_need {
    ($need:expr) => {{
        use $crate::arch::find::pick;
        use $crate::lanes::mode::{RM, RN, RP, RZ};
        use ptxcvt::formats::Format::{Bf16, F32};
        let fits = ($need.from, $need.to) == (F32, Bf16);
        let codes = if fits { $need.is_plain_but_for_codes() } else { None };
        let finite = $need.modifiers.has(ptxcvt::forms::Modifier::Satfinite);
        codes.and_then(|codes| {
            pick!(R: u8 = $need.rounding, [RN, RZ, RM, RP]; FINITE: bool = finite; CODES: bool = codes => {
                Some(narrow::<R, FINITE, CODES> as Run)
            })
        })
    }};
}
pub(super) use bfloat_by_need;

/// From f16 and bf16 to a signed float of 8, 6 or 4 bits, `$step` elements a step. If there is a scale for
/// each pair of elements, also from f32, which is read as bf16. The functions are `narrow8` and `narrow4` (source,
/// destination, mode, whether codes are modified, bytes of elements and of scales).
#[cfg(target_arch = "x86_64")]
macro_rules! words_by_need {
    ($need:expr, $step:literal) => {{
        use $crate::arch::find::pick;
        use $crate::lanes::mode::{RN, RZ};
        use ptxcvt::formats::Format::{self, Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, F32};
        use ptxcvt::forms::Modifier::ScaledN1;
        /// Source, bytes of elements, bytes of scales.
        type Shape = (Format, usize, usize);
        const SCALES: usize = $step / 2;
        let need = $need.without(ScaledN1);
        let shape = match (need.from, $need.modifiers.has(ScaledN1)) {
            (F32, false) => None,
            (F32, true) => Some((Bf16, 4 * $step, SCALES)),
            (from, false) => Some((from, 2 * $step, 0)),
            (from, true) => Some((from, 2 * $step, SCALES)),
        };
        let known = shape.zip(need.is_plain_but_for_codes());
        known.and_then(|(shape, codes)| {
            pick!(S: Shape = shape, [
                (F16, 2 * $step, 0),
                (Bf16, 2 * $step, 0),
                (F16, 2 * $step, SCALES),
                (Bf16, 2 * $step, SCALES),
                (Bf16, 4 * $step, SCALES)
            ]; R: u8 = need.rounding, [RN, RZ]; CODES: bool = codes => {
                if (need.to, need.packed) == (E2m1, true) {
                    Some(narrow4::<{ S.0 as usize }, { E2m1 as usize }, R, CODES, { S.1 }, { S.2 }> as Run)
                } else {
                    pick!(D: Format = need.to, [E4m3, E5m2, E2m3, E3m2, E2m1] => {
                        Some(narrow8::<{ S.0 as usize }, { D as usize }, R, CODES, { S.1 }, { S.2 }> as Run)
                    })
                }
            })
        })
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use words_by_need;

/// From f32 and bf16 to s2f6, `$step` elements a step, over `narrow` (source, mode, whether codes are modified, bytes of
/// elements and of scales).
#[cfg(target_arch = "x86_64")]
macro_rules! fixed_by_need {
    ($need:expr, $step:literal) => {{
        use $crate::arch::find::pick;
        use $crate::lanes::mode::{RN, RZ};
        use ptxcvt::formats::Format::{self, Bf16, F32, S2f6};
        use ptxcvt::forms::Modifier::ScaledN2;
        let need = $need.without(ScaledN2);
        let scales = if $need.modifiers.has(ScaledN2) { $step } else { 0 };
        let codes = if need.to == S2f6 { need.is_plain_but_for_codes() } else { None };
        codes.and_then(|codes| {
            pick!(
                S: Format = need.from, [F32, Bf16]; R: u8 = need.rounding, [RN, RZ]; CODES: bool = codes;
                WITH: usize = scales, [0, $step] => {
                    Some(narrow::<{ S as usize }, R, CODES, { S.bits() as usize / 8 * $step }, WITH> as Run)
                }
            )
        })
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use fixed_by_need;

/// From f32, f16 and bf16 to ue5m3, `$step` elements a step, over `narrow` (source, mode, whether infinity saturates,
/// bytes of elements and of scales).
#[cfg(target_arch = "x86_64")]
macro_rules! unsigned_by_need {
    ($need:expr, $step:literal) => {{
        use $crate::arch::find::pick;
        use $crate::lanes::mode::{RN, RP, RZ};
        use ptxcvt::formats::Format::{self, Bf16, F16, F32, Ue5m3};
        use ptxcvt::forms::Modifier::{Satfinite, ScaledN1};
        /// Source, bytes of scales.
        type Shape = (Format, usize);
        const SCALES: usize = $step / 2;
        let shape = ($need.from, if $need.modifiers.has(ScaledN1) { SCALES } else { 0 });
        let finite = $need.modifiers.has(Satfinite);
        // Without a scale, f16 has another kernel. With a scale, numbers that are too small become 0, which is wrong
        // when rounding up; no form combines the two.
        match $need.rounding {
            _ if $need.to != Ue5m3 || !$need.only(&[Satfinite, ScaledN1]) => None,
            RP => pick!(S: Shape = shape, [(F32, 0), (Bf16, 0)]; FINITE: bool = finite => {
                Some(narrow::<{ S.0 as usize }, RP, FINITE, { S.0.bits() as usize / 8 * $step }, 0> as Run)
            }),
            rounding => pick!(S: Shape = shape, [
                (F32, 0), (Bf16, 0), (F32, SCALES), (F16, SCALES), (Bf16, SCALES)
            ]; R: u8 = rounding, [RN, RZ]; FINITE: bool = finite => {
                Some(narrow::<{ S.0 as usize }, R, FINITE, { S.0.bits() as usize / 8 * $step }, { S.1 }> as Run)
            }),
        }
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use unsigned_by_need;

/// A function (source, destination) by formats, to f16 and bf16.
macro_rules! by_formats {
    ($kernel:ident, $need:expr, [$($source:ident),+]) => {{
        use $crate::arch::find::pick;
        use ptxcvt::formats::Format;
        pick!(S: Format = $need.from, [$(Format::$source),+]; D: Format = $need.to, [Format::F16, Format::Bf16] => {
            Some($kernel::<{ S as usize }, { D as usize }> as Run)
        })
    }};
}
pub(super) use by_formats;

/// The operand by which conversion instructions choose a rounding, without other flags.
#[cfg(target_arch = "x86_64")]
pub(super) const fn instruction_mode(rounding: u8) -> i32 {
    use core::arch::x86_64::*;

    use crate::lanes::mode::{RM, RN, RP, RZ};
    match rounding {
        RN => _MM_FROUND_TO_NEAREST_INT,
        RZ => _MM_FROUND_TO_ZERO,
        RM => _MM_FROUND_TO_NEG_INF,
        RP => _MM_FROUND_TO_POS_INF,
        _ => panic!("the instructions have no other rounding"),
    }
}

/// From f32 to f16, over `narrow` (mode of the instruction, `.satfinite`, and whether codes are modified).
#[cfg(target_arch = "x86_64")]
macro_rules! half_by_need {
    ($need:expr) => {{
        use $crate::arch::find::{instruction_mode, pick};
        use $crate::lanes::mode::{RM, RN, RP, RZ};
        let finite = $need.modifiers.has(ptxcvt::forms::Modifier::Satfinite);
        $need.is_plain_but_for_codes().and_then(|codes| {
            pick!(R: u8 = $need.rounding, [RN, RZ, RM, RP]; FINITE: bool = finite; CODES: bool = codes => {
                Some(narrow::<{ instruction_mode(R) }, FINITE, CODES> as Run)
            })
        })
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use half_by_need;

/// Floats to integral values of their own format, over `singles`, `halves`, `bfloats` and `doubles` (mode, `.ftz`,
/// `.sat`).
#[cfg(target_arch = "x86_64")]
macro_rules! integral_by_need {
    ($need:expr) => {{
        use $crate::arch::find::pick;
        use $crate::lanes::mode::{NONE, RM, RN, RP, RZ};
        use ptxcvt::formats::Format::{Bf16, F16, F32, F64};
        use ptxcvt::forms::Modifier::{Ftz, Sat};
        let (ftz, sat) = ($need.modifiers.has(Ftz), $need.modifiers.has(Sat));
        pick!(R: u8 = $need.rounding, [NONE, RN, RZ, RM, RP]; SAT: bool = sat => {
            match ($need.from, ftz) {
                _ if $need.from != $need.to || !$need.only(&[Ftz, Sat]) => None,
                (F32, true) => Some(singles::<R, true, SAT> as Run),
                (F32, false) => Some(singles::<R, false, SAT> as Run),
                (F16, false) => Some(halves::<R, false, SAT> as Run),
                (Bf16, false) if !SAT => Some(bfloats::<R, false, false> as Run),
                // No instruction of this kernel quiets NaN.
                (F64, false) if R == NONE && !SAT => None,
                (F64, false) => Some(doubles::<R, false, SAT> as Run),
                _ => None,
            }
        })
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use integral_by_need;

/// The function by which a file finds its kernel for a conversion.
pub(super) type Find = fn(&Conversion) -> Option<Run>;

/// The kernel from the first of several files that has it. Each file has a name with its tier, such as `avx2 half`.
pub(super) fn first_of(need: &Conversion, files: &[(&'static str, Find)]) -> Option<Stage> {
    files
        .iter()
        .find_map(|(name, find)| find(need).map(|run| Stage { run, name, streams: true, reports: false }))
}
