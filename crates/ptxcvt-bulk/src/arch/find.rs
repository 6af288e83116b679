//! Maps a [`Conversion`](super::need::Conversion) to the `const` parameters of a kernel. All tiers share
//! these matches.

/// From f32 to a signed float of 8, 6 or 4 bits. If `packed`, two FP4 codes share a byte. Expands to a match
/// over the functions `narrow8` and `narrow4` (format, mode, and whether codes are modified) of the calling
/// file.
macro_rules! small_by_need {
    ($need:expr, $($f:ident)+) => {{
        use $crate::lanes::mode;
        use $crate::stage::Run;
        use ptxcvt::formats::Format;
        const FP4: usize = Format::E2m1 as usize;
        match ($need.to, $need.rounding, $need.packed, $need.is_plain_but_for_codes()) {
            _ if $need.from != Format::F32 => None,
            (Format::E2m1, mode::RN, true, Some(false)) => Some(narrow4::<FP4, { mode::RN }, false> as Run),
            (Format::E2m1, mode::RN, true, Some(true)) => Some(narrow4::<FP4, { mode::RN }, true> as Run),
            (Format::E2m1, mode::RZ, true, Some(false)) => Some(narrow4::<FP4, { mode::RZ }, false> as Run),
            (Format::E2m1, mode::RZ, true, Some(true)) => Some(narrow4::<FP4, { mode::RZ }, true> as Run),
            $((Format::$f, mode::RN, _, Some(false)) => {
                Some(narrow8::<{ Format::$f as usize }, { mode::RN }, false> as Run)
            }
            (Format::$f, mode::RN, _, Some(true)) => {
                Some(narrow8::<{ Format::$f as usize }, { mode::RN }, true> as Run)
            }
            (Format::$f, mode::RZ, _, Some(false)) => {
                Some(narrow8::<{ Format::$f as usize }, { mode::RZ }, false> as Run)
            }
            (Format::$f, mode::RZ, _, Some(true)) => {
                Some(narrow8::<{ Format::$f as usize }, { mode::RZ }, true> as Run)
            })+
            _ => None,
        }
    }};
}
pub(super) use small_by_need;

/// From f32 to a signed float of 8, 6 or 4 bits under `.rs`, over the functions `stochastic8` and
/// `stochastic4` (format, and whether codes are modified).
#[cfg(target_arch = "x86_64")]
macro_rules! stochastic_by_need {
    ($need:expr, $($f:ident)+) => {{
        use $crate::lanes::mode;
        use $crate::stage::Run;
        use ptxcvt::formats::Format;
        const FP4: usize = Format::E2m1 as usize;
        match ($need.to, $need.packed, $need.is_plain_but_for_codes()) {
            _ if ($need.from, $need.rounding) != (Format::F32, mode::RS) => None,
            (Format::E2m1, true, Some(false)) => Some(stochastic4::<FP4, false> as Run),
            (Format::E2m1, true, Some(true)) => Some(stochastic4::<FP4, true> as Run),
            $((Format::$f, _, Some(false)) => Some(stochastic8::<{ Format::$f as usize }, false> as Run),
            (Format::$f, _, Some(true)) => Some(stochastic8::<{ Format::$f as usize }, true> as Run),)+
            _ => None,
        }
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use stochastic_by_need;

/// A kernel from f32 to bf16 by mode, `.satfinite` and whether codes are modified, all `const` parameters.
macro_rules! bfloat_by_mode {
    ($kernel:ident, $need:expr) => {{
        use $crate::lanes::mode::{RM, RN, RP, RZ};
        use ptxcvt::formats::Format;
        match $need.is_plain_but_for_codes() {
            Some(codes) if ($need.from, $need.to) == (Format::F32, Format::Bf16) => {
                let finite = $need.modifiers.has(ptxcvt::forms::Modifier::Satfinite);
                $crate::arch::find::by_rounding!(
                    $kernel, ($need.rounding, finite, codes), RN [RN] RZ [RZ] RM [RM] RP [RP]
                )
            }
            _ => None,
        }
    }};
}
pub(super) use bfloat_by_mode;

#[cfg(target_arch = "x86_64")]
/// From f16 and bf16 to a signed float of 8, 6 or 4 bits, `$step` elements a step. If there is a scale for
/// each pair of elements, also from f32, which is read as bf16. Expands to a match over the functions
/// `narrow8` and `narrow4` (source, destination, mode, whether codes are modified, bytes of elements and of
/// scales) of the calling file.
macro_rules! words_by_need {
    ($need:expr, $step:literal, $($d:ident)+) => {{
        use ptxcvt::formats::Format::{self, Bf16, E2m1, F16, F32};
        use ptxcvt::forms::Modifier::ScaledN1;
        const HALF: usize = F16 as usize;
        const BFLOAT: usize = Bf16 as usize;
        const FP4: usize = E2m1 as usize;
        // The bytes of elements of two and of four bytes, and of scales.
        const TWO: usize = 2 * $step;
        const FOUR: usize = 4 * $step;
        const SCALES: usize = $step / 2;
        let is_scaled = $need.modifiers.has(ScaledN1);
        let need = $need.without(ScaledN1);
        match (need.from, need.to, is_scaled, need.packed) {
            (F16, E2m1, false, true) => words_by_need!(@mode need, narrow4, HALF, FP4, TWO, 0),
            (Bf16, E2m1, false, true) => words_by_need!(@mode need, narrow4, BFLOAT, FP4, TWO, 0),
            (F16, E2m1, true, true) => words_by_need!(@mode need, narrow4, HALF, FP4, TWO, SCALES),
            (Bf16, E2m1, true, true) => words_by_need!(@mode need, narrow4, BFLOAT, FP4, TWO, SCALES),
            (F32, E2m1, true, true) => words_by_need!(@mode need, narrow4, BFLOAT, FP4, FOUR, SCALES),
            $((F16, Format::$d, false, _) => words_by_need!(@mode need, narrow8, HALF, { Format::$d as usize }, TWO, 0),
            (Bf16, Format::$d, false, _) => words_by_need!(@mode need, narrow8, BFLOAT, { Format::$d as usize }, TWO, 0),
            (F16, Format::$d, true, _) => words_by_need!(@mode need, narrow8, HALF, { Format::$d as usize }, TWO, SCALES),
            (Bf16, Format::$d, true, _) => {
                words_by_need!(@mode need, narrow8, BFLOAT, { Format::$d as usize }, TWO, SCALES)
            }
            (F32, Format::$d, true, _) => {
                words_by_need!(@mode need, narrow8, BFLOAT, { Format::$d as usize }, FOUR, SCALES)
            })+
            _ => None,
        }
    }};
    (@mode $need:expr, $kernel:ident, $s:expr, $d:expr, $from:ident, $with:expr) => {{
        use $crate::lanes::mode::{RN, RZ};
        use $crate::stage::Run;
        match ($need.rounding, $need.is_plain_but_for_codes()) {
            (RN, Some(false)) => Some($kernel::<{ $s }, { $d }, RN, false, $from, { $with }> as Run),
            (RN, Some(true)) => Some($kernel::<{ $s }, { $d }, RN, true, $from, { $with }> as Run),
            (RZ, Some(false)) => Some($kernel::<{ $s }, { $d }, RZ, false, $from, { $with }> as Run),
            (RZ, Some(true)) => Some($kernel::<{ $s }, { $d }, RZ, true, $from, { $with }> as Run),
            _ => None,
        }
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use words_by_need;

#[cfg(target_arch = "x86_64")]
/// From f32 and bf16 to s2f6, `$step` elements a step. Expands to a match over the function `narrow` (source,
/// mode, whether codes are modified, bytes of elements and of scales) of the calling file.
macro_rules! fixed_by_need {
    ($need:expr, $step:literal) => {{
        use $crate::lanes::mode::{RN, RZ};
        use ptxcvt::formats::Format::{Bf16, F32, S2f6};
        use ptxcvt::forms::Modifier::ScaledN2;
        const SINGLE: usize = F32 as usize;
        const BFLOAT: usize = Bf16 as usize;
        let (need, is_scaled) = ($need.without(ScaledN2), $need.modifiers.has(ScaledN2));
        macro_rules! by_codes {
            ($s:ident $size:literal $r:ident) => {
                match (is_scaled, need.is_plain_but_for_codes()?) {
                    (false, false) => Some(narrow::<$s, $r, false, { $size * $step }, 0> as Run),
                    (false, true) => Some(narrow::<$s, $r, true, { $size * $step }, 0> as Run),
                    (true, false) => Some(narrow::<$s, $r, false, { $size * $step }, $step> as Run),
                    (true, true) => Some(narrow::<$s, $r, true, { $size * $step }, $step> as Run),
                }
            };
        }
        match (need.from, need.to, need.rounding) {
            (F32, S2f6, RN) => by_codes!(SINGLE 4 RN),
            (F32, S2f6, RZ) => by_codes!(SINGLE 4 RZ),
            (Bf16, S2f6, RN) => by_codes!(BFLOAT 2 RN),
            (Bf16, S2f6, RZ) => by_codes!(BFLOAT 2 RZ),
            _ => None,
        }
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use fixed_by_need;

#[cfg(target_arch = "x86_64")]
/// From f32, f16 and bf16 to ue5m3, `$step` elements a step. Expands to a match over the function `narrow` (source, mode,
/// whether infinity saturates, bytes of elements and of scales) of the calling file.
macro_rules! unsigned_by_need {
    ($need:expr, $step:literal) => {{
        use $crate::lanes::mode::{RN, RP, RZ};
        use ptxcvt::formats::Format::{Bf16, F16, F32, Ue5m3};
        use ptxcvt::forms::Modifier::{Satfinite, ScaledN1};
        const SINGLE: usize = F32 as usize;
        const HALF: usize = F16 as usize;
        const BFLOAT: usize = Bf16 as usize;
        const SCALES: usize = $step / 2;
        macro_rules! by_modifiers {
            ($s:ident $size:literal $r:ident) => {
                match ($need.modifiers.has(ScaledN1), $need.modifiers.has(Satfinite)) {
                    (false, false) => Some(narrow::<$s, $r, false, { $size * $step }, 0> as Run),
                    (false, true) => Some(narrow::<$s, $r, true, { $size * $step }, 0> as Run),
                    (true, false) => Some(narrow::<$s, $r, false, { $size * $step }, SCALES> as Run),
                    (true, true) => Some(narrow::<$s, $r, true, { $size * $step }, SCALES> as Run),
                }
            };
        }
        match ($need.from, $need.to, $need.rounding) {
            _ if !$need.only(&[Satfinite, ScaledN1]) => None,
            (F32, Ue5m3, RN) => by_modifiers!(SINGLE 4 RN),
            (F32, Ue5m3, RZ) => by_modifiers!(SINGLE 4 RZ),
            // With a scale, numbers that are too small become 0, which is wrong when rounding up. No form
            // combines the two.
            (F32, Ue5m3, RP) if !$need.modifiers.has(ScaledN1) => by_modifiers!(SINGLE 4 RP),
            // Without a scale, f16 has another kernel.
            (F16, Ue5m3, RN) if $need.modifiers.has(ScaledN1) => by_modifiers!(HALF 2 RN),
            (F16, Ue5m3, RZ) if $need.modifiers.has(ScaledN1) => by_modifiers!(HALF 2 RZ),
            (Bf16, Ue5m3, RN) => by_modifiers!(BFLOAT 2 RN),
            (Bf16, Ue5m3, RZ) => by_modifiers!(BFLOAT 2 RZ),
            (Bf16, Ue5m3, RP) if !$need.modifiers.has(ScaledN1) => by_modifiers!(BFLOAT 2 RP),
            _ => None,
        }
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use unsigned_by_need;

/// A kernel by source and destination, both `const` parameters: `by_formats!(bytes, need, E4m3 E5m2)` expands to a match
/// with the arms `bytes::<{ E4m3 }, { F16 }>`, `bytes::<{ E4m3 }, { Bf16 }>` and so on.
macro_rules! by_formats {
    ($kernel:ident, $need:expr, $($s:ident)+) => {
        {
            use $crate::stage::Run;
            use ptxcvt::formats::Format;
            match ($need.from, $need.to) {
                $((Format::$s, Format::F16) => {
                    Some($kernel::<{ Format::$s as usize }, { Format::F16 as usize }> as Run)
                }
                (Format::$s, Format::Bf16) => {
                    Some($kernel::<{ Format::$s as usize }, { Format::Bf16 as usize }> as Run)
                })+
                _ => None,
            }
        }
    };
}
pub(super) use by_formats;

#[cfg(target_arch = "x86_64")]
/// A kernel from f32 to f16 by the rounding of the conversion instruction, `.satfinite` and whether codes are
/// modified.
macro_rules! half_by_mode {
    ($kernel:ident, $need:expr) => {{
        use $crate::lanes::mode::{RM, RN, RP, RZ};
        let finite = $need.modifiers.has(ptxcvt::forms::Modifier::Satfinite);
        $need.is_plain_but_for_codes().and_then(|codes| {
            $crate::arch::find::by_rounding!(
                $kernel, ($need.rounding, finite, codes),
                RN [_MM_FROUND_TO_NEAREST_INT] RZ [_MM_FROUND_TO_ZERO]
                RM [_MM_FROUND_TO_NEG_INF] RP [_MM_FROUND_TO_POS_INF]
            )
        })
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use half_by_mode;

#[cfg(target_arch = "x86_64")]
/// Floats to integral values of their own format, over the functions `singles`, `halves`, `bfloats` and `doubles` (mode,
/// `.ftz`, `.sat`) of the calling file.
macro_rules! integral_by_need {
    ($need:expr) => {{
        use ptxcvt::formats::Format::{Bf16, F16, F32, F64};
        use ptxcvt::forms::Modifier::{Ftz, Sat};
        use $crate::lanes::mode::{NONE, RM, RN, RP, RZ};
        use $crate::stage::Run;
        macro_rules! by_mode {
            ($kernel:ident, $ftz:literal, $sat:literal) => {
                match $need.rounding {
                    NONE => Some($kernel::<NONE, $ftz, $sat> as Run),
                    RN => Some($kernel::<RN, $ftz, $sat> as Run),
                    RZ => Some($kernel::<RZ, $ftz, $sat> as Run),
                    RM => Some($kernel::<RM, $ftz, $sat> as Run),
                    RP => Some($kernel::<RP, $ftz, $sat> as Run),
                    _ => None,
                }
            };
        }
        match ($need.from, $need.modifiers.has(Ftz), $need.modifiers.has(Sat)) {
            _ if $need.from != $need.to || !$need.only(&[Ftz, Sat]) => None,
            (F32, false, false) => by_mode!(singles, false, false),
            (F32, true, false) => by_mode!(singles, true, false),
            (F32, false, true) => by_mode!(singles, false, true),
            (F32, true, true) => by_mode!(singles, true, true),
            (F16, false, false) => by_mode!(halves, false, false),
            (F16, false, true) => by_mode!(halves, false, true),
            (Bf16, false, false) => by_mode!(bfloats, false, false),
            // No instruction of this kernel quiets NaN.
            (F64, false, false) if $need.rounding == NONE => None,
            (F64, false, false) => by_mode!(doubles, false, false),
            (F64, false, true) => by_mode!(doubles, false, true),
            _ => None,
        }
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use integral_by_need;

#[cfg(target_arch = "x86_64")]
/// A kernel from f64 to f16 by the mode of the conversion from f32 to f16 and `.sat`, both `const`
/// parameters.
macro_rules! half_of_double_by_mode {
    ($kernel:ident, $need:expr) => {{
        use $crate::lanes::mode::{RM, RN, RP, RZ};
        match ($need.rounding, $need.modifiers.has(ptxcvt::forms::Modifier::Sat)) {
            (RN, false) => Some($kernel::<_MM_FROUND_TO_NEAREST_INT, false>),
            (RZ, false) => Some($kernel::<_MM_FROUND_TO_ZERO, false>),
            (RM, false) => Some($kernel::<_MM_FROUND_TO_NEG_INF, false>),
            (RP, false) => Some($kernel::<_MM_FROUND_TO_POS_INF, false>),
            (RN, true) => Some($kernel::<_MM_FROUND_TO_NEAREST_INT, true>),
            (RZ, true) => Some($kernel::<_MM_FROUND_TO_ZERO, true>),
            (RM, true) => Some($kernel::<_MM_FROUND_TO_NEG_INF, true>),
            (RP, true) => Some($kernel::<_MM_FROUND_TO_POS_INF, true>),
            _ => None,
        }
    }};
}
#[cfg(target_arch = "x86_64")]
pub(super) use half_of_double_by_mode;

/// `by_rounding!(narrow, (mode, finite, codes), RN [a] RZ [b])` expands to a match with the arms `narrow::<{ a }, false,
/// false>`, `narrow::<{ a }, false, true>` and so on.
macro_rules! by_rounding {
    ($kernel:ident, $what:expr, $($mode:ident [$how:expr])+) => {{
        use $crate::stage::Run;
        match $what {
            $(($mode, false, false) => Some($kernel::<{ $how }, false, false> as Run),
            ($mode, false, true) => Some($kernel::<{ $how }, false, true> as Run),
            ($mode, true, false) => Some($kernel::<{ $how }, true, false> as Run),
            ($mode, true, true) => Some($kernel::<{ $how }, true, true> as Run),)+
            _ => None,
        }
    }};
}
pub(super) use by_rounding;

/// The kernel from the first of several files that has it, with the names of tier and file:
/// `first_of!("avx2", &need, half bfloat)` expands to `half::find(&need).map(…).or_else(||
/// bfloat::find(&need).map(…))`.
macro_rules! first_of {
    ($tier:literal, $need:expr, $first:ident $($file:ident)*) => {{
        use $crate::stage::{Run, Stage};
        let named = |name: &'static str| move |run: Run| Stage { run, name, streams: true };
        $first::find($need).map(named(concat!($tier, " ", stringify!($first))))
            $(.or_else(|| $file::find($need).map(named(concat!($tier, " ", stringify!($file))))))*
    }};
}
pub(super) use first_of;
