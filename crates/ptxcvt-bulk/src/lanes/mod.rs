//! The lane algorithms, which convert one element without a branch. Compiled for each tier over slices, they
//! become vector code; nothing here is specific to a CPU.
//!
//! **Rounding by addition.** Let m be a magnitude in a wide format W with F fraction bits, and D a format
//! with P < F. Let c be the power of two at or below m (m with its fraction cleared), but at least D's least normal
//! number, so that subnormal results need no other path. Then c' = c · 2^(F − P) is a power of two whose last place is
//! exactly D's quantum at m. In t = m + c' the addition itself rounds m, to nearest even, to a multiple of that
//! quantum. The difference of the codes of t and c' is the number of quanta, and D's code is that number plus (c −
//! least) >> (F − P). A carry into the next binade is correct, because the codes of neighbouring binades are
//! consecutive.
//!
//! Other modes correct the result by one step: t − c' is exact, so a comparison with m shows the direction of
//! the rounding.
//!
//! **Stochastic rounding** adds the n random bits just below the last place. Integers suffice for this: m +
//! (R << (F − P − n)) for normal results. For subnormal ones m is first truncated to multiples of 2^-n quanta
//! by the same addition.
//!
//! **Range.** m is first limited to the largest finite number, or to the power of two above it, whose code is
//! infinity. The mode and `.satfinite` decide which. The limit is a multiple of the quantum, so rounding does
//! not change it.
//!
//! No operation has a subnormal product or quotient, which some CPUs compute slowly.

mod float;
mod integer;
mod scale;
mod shorten;
mod word;

pub(super) use float::{lanes32, lanes64};
pub(super) use integer::{
    integer_to_f32, integer_to_f64, odd_of_integer, single_to_s32, single_to_u32, sticky, sticky_single,
    truncated,
};
pub(super) use scale::scaled;
pub(super) use shorten::{odd_single, power, shorten, tf32_ties_away};
pub(super) use word::word_of;

use ptxcvt::formats::{Format, Kind, Parameters, Specials};
use ptxcvt::forms::random_bits;
use ptxcvt::{Rounding, mask};

/// The roundings as constants, because a `const` parameter must be an integer.
pub(super) mod mode {
    pub const RN: u8 = 0;
    pub const RZ: u8 = 1;
    pub const RM: u8 = 2;
    pub const RP: u8 = 3;
    pub const RS: u8 = 4;
    /// tf32's mode, which has its own algorithm.
    pub const RNA: u8 = 5;
    /// No rounding.
    pub const NONE: u8 = 6;
}

/// `match` on a constant, such as a property of a `const` parameter. It does not compile for a value without an arm, and it
/// has no arm for "all others": a kernel that is chosen for a format which it does not implement is a compile-time error.
macro_rules! match_const {
    ($value:expr, { $($pattern:pat => $result:expr),+ $(,)? }) => {{
        let value = const {
            let value = $value;
            match value {
                $($pattern => {})+
                #[allow(unreachable_patterns, reason = "the patterns may be complete")]
                _ => panic!("the kernel has no algorithm for this"),
            }
            value
        };
        match value {
            $($pattern => $result,)+
            // Checked above.
            #[allow(unreachable_patterns, reason = "the patterns may be complete")]
            _ => unreachable!(),
        }
    }};
}
pub(super) use match_const;

/// [`match_const`] on the number of a format, by the names of formats.
#[cfg(hand_written)]
macro_rules! match_format {
    ($format:ident { $($($name:ident)|+ => $result:expr),+ $(,)? }) => {{
        use ptxcvt::formats::Format;
        $crate::lanes::match_const!(Format::ALL[$format], { $($(Format::$name)|+ => $result),+ })
    }};
}
#[cfg(hand_written)]
pub(super) use match_format;

/// [`match_const`] on a rounding, by the names in [`mode`].
macro_rules! match_mode {
    ($rounding:ident { $($($mode:ident)|+ => $result:expr),+ $(,)? }) => {{
        use $crate::lanes::mode;
        $crate::lanes::match_const!($rounding, { $($(mode::$mode)|+ => $result),+ })
    }};
}
pub(super) use match_mode;

/// The constant for `rounding`, or `None` if no lane algorithm supports it.
pub(super) const fn mode_of(rounding: Rounding) -> Option<u8> {
    Some(match rounding {
        Rounding::Rn | Rounding::Rni => mode::RN,
        Rounding::Rna => mode::RNA,
        Rounding::Rz | Rounding::Rzi => mode::RZ,
        Rounding::Rm | Rounding::Rmi => mode::RM,
        Rounding::Rp | Rounding::Rpi => mode::RP,
        Rounding::Rs => mode::RS,
        _ => return None,
    })
}

/// The fields and special values of an f32, as bits.
pub(super) mod single {
    pub const SIGN: u32 = 1 << 31;
    pub const MAGNITUDE: u32 = !SIGN;
    pub const INFINITY: u32 = 0x7f80_0000;
    /// The canonical NaN, and the greatest magnitude of all.
    pub const NAN: u32 = 0x7fff_ffff;
    pub const FRACTION_BITS: u32 = 23;
    pub const FRACTION: u32 = (1 << FRACTION_BITS) - 1;
    pub const LEAST_NORMAL: u32 = 1 << FRACTION_BITS;
    /// 2^-127, the least number of ue8m0; subnormal.
    pub const LEAST_POWER: u32 = LEAST_NORMAL / 2;
    /// The bits below the last place of a bf16, and of a tf32.
    pub const BELOW_BF16: u32 = 16;
    pub const BELOW_TF32: u32 = 13;
}

/// The upper words of f64, for conversions to bf16.
#[cfg(all(hand_written, target_arch = "x86_64"))]
pub(super) mod double {
    pub const FRACTION_BITS: u32 = 20;
    pub const FRACTION: u32 = (1 << FRACTION_BITS) - 1;
    pub const INFINITY: u32 = 0x7ff << FRACTION_BITS;
    pub const QUIET: u32 = 1 << (FRACTION_BITS - 1);
    /// The bits below the last place of a bf16.
    pub const BELOW_BF16: u32 = FRACTION_BITS - 7;
    /// The difference between the exponents and those of f32.
    pub const BASE: u32 = (1023 - 127) << FRACTION_BITS;
    /// The exponent of the least normal f32; that number, and how far it is to the first power of two that is not in range.
    pub const LEAST_EXPONENT: u32 = 1023 - 126;
    pub const LEAST: u32 = LEAST_EXPONENT << FRACTION_BITS;
    pub const RANGE: u32 = (126 + 128) << FRACTION_BITS;
    /// The greatest number in range. It rounds as all greater ones do.
    pub const LARGEST: u32 = LEAST + RANGE - 1;
}

/// The row of format number `D`.
pub(super) const fn row<const D: usize>() -> &'static Parameters {
    Format::ALL[D].parameters()
}

/// Fraction bits and bias of float format `D`.
pub(super) const fn float<const D: usize>() -> (u32, i32) {
    const { (FloatRow::of::<D>().fraction, FloatRow::of::<D>().bias) }
}

/// The parameters of a float format that the lane algorithms compute with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatRow {
    pub bits: u32,
    pub fraction: u32,
    pub bias: i32,
    pub signed: bool,
    pub specials: Specials,
    /// The number of random bits that `.rs` adds.
    pub random_bits: u32,
    /// A code with all bits except the sign, and one with all exponent bits.
    pub magnitude: u64,
    pub exponent: u64,
}

impl FloatRow {
    /// The row of float format number `D`. Any other format is a compile-time error.
    pub const fn of<const D: usize>() -> FloatRow {
        FloatRow::new(Format::ALL[D]).expect("a float format")
    }

    /// The row of a float format, or `None` if the format is not a float.
    pub const fn new(format: Format) -> Option<FloatRow> {
        match format.parameters().kind {
            Kind::Float { signed, fraction, bias, specials, .. } => {
                let bits = format.bits();
                // No form without a field of random bits rounds with them.
                let random_bits = match random_bits(format) {
                    Some(bits) => bits,
                    None => 0,
                };
                let magnitude = mask(bits - signed as u32);
                let exponent = magnitude & !mask(fraction);
                Some(FloatRow { bits, fraction, bias, signed, specials, random_bits, magnitude, exponent })
            }
            _ => None,
        }
    }
}
