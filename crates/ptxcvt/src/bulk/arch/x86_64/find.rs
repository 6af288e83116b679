//! From what is asked for to the `const` parameters of a kernel: the matches that the tiers share.

/// From f32 to a signed float of 8, 6 or 4 bits, FP4 two to a byte where that is `packed`. Expands to a match over the
/// functions `narrow8` and `narrow4` (format and mode), `stochastic8` and `stochastic4` (format) of the calling file.
macro_rules! small_by_need {
    ($need:expr, $($f:ident)+) => {{
        use $crate::bulk::lanes::mode;
        use $crate::bulk::stage::Stage;
        use $crate::formats::Format;
        match ($need.to, $need.rounding, $need.packed) {
            _ if $need.from != Format::F32 || !$need.is_plain() => None,
            (Format::E2m1, mode::RN, true) => Some(narrow4::<{ Format::E2m1 as usize }, { mode::RN }> as Stage),
            (Format::E2m1, mode::RZ, true) => Some(narrow4::<{ Format::E2m1 as usize }, { mode::RZ }> as Stage),
            (Format::E2m1, mode::RS, true) => Some(stochastic4::<{ Format::E2m1 as usize }> as Stage),
            $((Format::$f, mode::RN, _) => Some(narrow8::<{ Format::$f as usize }, { mode::RN }> as Stage),
            (Format::$f, mode::RZ, _) => Some(narrow8::<{ Format::$f as usize }, { mode::RZ }> as Stage),
            (Format::$f, mode::RS, _) => Some(stochastic8::<{ Format::$f as usize }> as Stage),)+
            _ => None,
        }
    }};
}
pub(super) use small_by_need;

/// A kernel from f32 to bf16 by mode and `.satfinite`, both `const` parameters.
macro_rules! bfloat_by_mode {
    ($kernel:ident, $need:expr) => {{
        use $crate::bulk::lanes::mode;
        use $crate::bulk::stage::Stage;
        use $crate::formats::Format;
        let finite = $need.modifiers.has($crate::forms::Modifier::Satfinite);
        match ($need.rounding, finite) {
            _ if ($need.from, $need.to) != (Format::F32, Format::Bf16) || !$need.is_plain() => None,
            (mode::RN, false) => Some($kernel::<{ mode::RN }, false> as Stage),
            (mode::RZ, false) => Some($kernel::<{ mode::RZ }, false> as Stage),
            (mode::RM, false) => Some($kernel::<{ mode::RM }, false> as Stage),
            (mode::RP, false) => Some($kernel::<{ mode::RP }, false> as Stage),
            (mode::RN, true) => Some($kernel::<{ mode::RN }, true> as Stage),
            (mode::RZ, true) => Some($kernel::<{ mode::RZ }, true> as Stage),
            _ => None,
        }
    }};
}
pub(super) use bfloat_by_mode;

/// From f16 and bf16 to the same, to nearest, with `.relu` or without it. Expands to a match over the functions `narrow8`
/// and `narrow4` (source, destination, `.relu`) of the calling file.
macro_rules! words_by_need {
    ($need:expr, $($d:ident)+) => {{
        use $crate::bulk::lanes::mode;
        use $crate::bulk::stage::Stage;
        use $crate::formats::Format::{self, Bf16, E2m1, F16};
        use $crate::forms::Modifier::{Relu, Satfinite};
        const HALF: usize = F16 as usize;
        const BFLOAT: usize = Bf16 as usize;
        const FP4: usize = E2m1 as usize;
        match ($need.from, $need.to, $need.modifiers.has(Relu), $need.packed) {
            _ if $need.rounding != mode::RN || !$need.only(&[Satfinite, Relu]) => None,
            (F16, E2m1, false, true) => Some(narrow4::<HALF, FP4, false> as Stage),
            (F16, E2m1, true, true) => Some(narrow4::<HALF, FP4, true> as Stage),
            (Bf16, E2m1, false, true) => Some(narrow4::<BFLOAT, FP4, false> as Stage),
            (Bf16, E2m1, true, true) => Some(narrow4::<BFLOAT, FP4, true> as Stage),
            $((F16, Format::$d, false, _) => Some(narrow8::<HALF, { Format::$d as usize }, false> as Stage),
            (F16, Format::$d, true, _) => Some(narrow8::<HALF, { Format::$d as usize }, true> as Stage),
            (Bf16, Format::$d, false, _) => Some(narrow8::<BFLOAT, { Format::$d as usize }, false> as Stage),
            (Bf16, Format::$d, true, _) => Some(narrow8::<BFLOAT, { Format::$d as usize }, true> as Stage),)+
            _ => None,
        }
    }};
}
pub(super) use words_by_need;

/// A kernel by source and destination, both `const` parameters: `by_formats!(bytes, need, E4m3 E5m2)` expands to a match
/// with the arms `bytes::<{ E4m3 }, { F16 }>`, `bytes::<{ E4m3 }, { Bf16 }>` and so on.
macro_rules! by_formats {
    ($kernel:ident, $need:expr, $($s:ident)+) => {
        {
            use $crate::bulk::stage::Stage;
            use $crate::formats::Format;
            match ($need.from, $need.to) {
                $((Format::$s, Format::F16) => {
                    Some($kernel::<{ Format::$s as usize }, { Format::F16 as usize }> as Stage)
                }
                (Format::$s, Format::Bf16) => {
                    Some($kernel::<{ Format::$s as usize }, { Format::Bf16 as usize }> as Stage)
                })+
                _ => None,
            }
        }
    };
}
pub(super) use by_formats;

/// A kernel from f32 to f16 by the conversion instruction's rounding, which is a `const` parameter beside the mode and
/// `.satfinite`: `half_by_mode!(narrow, need)` expands to a match with the arms `narrow::<{ RN }, { _MM_FROUND_… },
/// false>` and so on.
macro_rules! half_by_mode {
    ($kernel:ident, $need:expr) => {{
        use $crate::bulk::lanes::mode;
        let finite = $need.modifiers.has($crate::forms::Modifier::Satfinite);
        match ($need.rounding, finite) {
            (mode::RN, false) => Some(
                $kernel::<{ mode::RN }, { _MM_FROUND_TO_NEAREST_INT }, false> as $crate::bulk::stage::Stage,
            ),
            (mode::RZ, false) => {
                Some($kernel::<{ mode::RZ }, { _MM_FROUND_TO_ZERO }, false> as $crate::bulk::stage::Stage)
            }
            (mode::RM, false) => {
                Some($kernel::<{ mode::RM }, { _MM_FROUND_TO_NEG_INF }, false> as $crate::bulk::stage::Stage)
            }
            (mode::RP, false) => {
                Some($kernel::<{ mode::RP }, { _MM_FROUND_TO_POS_INF }, false> as $crate::bulk::stage::Stage)
            }
            (mode::RN, true) => Some(
                $kernel::<{ mode::RN }, { _MM_FROUND_TO_NEAREST_INT }, true> as $crate::bulk::stage::Stage,
            ),
            (mode::RZ, true) => {
                Some($kernel::<{ mode::RZ }, { _MM_FROUND_TO_ZERO }, true> as $crate::bulk::stage::Stage)
            }
            _ => None,
        }
    }};
}
pub(super) use half_by_mode;
