//! The lane algorithms: how one element is converted without a branch. Compiled for each tier, over slices,
//! they become vector code; nothing here is specific to a CPU.
//!
//! **Rounding by addition.** Let m be a magnitude in a wide format W with F fraction bits, and D a format
//! with P < F. Take c, the power of two at or below m (m with its fraction cleared), but at least D's least
//! normal number, so that subnormal results take the same path. Then c' = c · 2^(F − P) is a power of two
//! whose last place is exactly D's quantum at m, and in t = m + c' the addition itself rounds m, to nearest
//! even, to a multiple of that quantum. As integers, t − c' is the number of quanta, and that plus
//! (c − least) >> (F − P) is D's code: a carry into the next binade comes out right, because codes of
//! neighbouring binades follow each other.
//!
//! Other modes correct the result by one step: t − c' is exact, so that comparing it with m says on which
//! side the addition went.
//!
//! **Stochastic rounding** adds the n random bits just below the last place, which needs no float: as
//! integers m + (R << (F − P − n)) for normal results; for subnormal ones m is first cut to multiples of
//! 2^-n quanta by the same addition.
//!
//! **Range.** m is first limited to the largest finite number, or to the power of two beyond it whose code is
//! infinity, whichever the mode and `.satfinite` ask for; the limit is a multiple of the quantum and stays.
//!
//! No operation meets a subnormal product or quotient, which some CPUs compute slowly.

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

use crate::bits::mask;
use crate::formats::{Format, Kind, Parameters};
use crate::round::Rounding;

/// The roundings as constants, because a `const` parameter must be an integer.
pub(super) mod mode {
    pub const RN: u8 = 0;
    pub const RZ: u8 = 1;
    pub const RM: u8 = 2;
    pub const RP: u8 = 3;
    pub const RS: u8 = 4;
    /// tf32's, which has an algorithm of its own.
    pub const RNA: u8 = 5;
    /// Rounds nothing.
    pub const NONE: u8 = 6;
}

/// The constant that stands for `rounding`.
pub(super) const fn mode_of(rounding: Rounding) -> u8 {
    match rounding {
        Rounding::Rn | Rounding::Rni => mode::RN,
        Rounding::Rna => mode::RNA,
        Rounding::Rz | Rounding::Rzi => mode::RZ,
        Rounding::Rm | Rounding::Rmi => mode::RM,
        Rounding::Rp | Rounding::Rpi => mode::RP,
        Rounding::Rs => mode::RS,
    }
}

/// Parts and values of an f32, as bits.
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

/// The row of format number `D`.
pub(super) const fn row<const D: usize>() -> &'static Parameters {
    Format::ALL[D].parameters()
}

/// Fraction bits and bias of float format `D`.
pub(super) const fn float<const D: usize>() -> (u32, i32) {
    match row::<D>().kind {
        Kind::Float { fraction, bias, .. } => (fraction, bias),
        _ => (0, 0),
    }
}

/// Random bits that `.rs` adds for format `D`: as many as an f32 has below an f16 would be, at most 16.
const fn random_bits<const D: usize>() -> u32 {
    if D == Format::F16 as usize { 13 } else { 16 }
}

impl Parameters {
    /// 1 for a format with a sign.
    const fn is_signed(&self) -> u32 {
        matches!(self.kind, Kind::Float { signed: true, .. }) as u32
    }
}

/// The exponent field of float format `S`, all ones.
const fn exponent_mask<const S: usize>() -> u64 {
    match row::<S>().kind {
        Kind::Float { exponent, fraction, .. } => mask(exponent) << fraction,
        _ => 0,
    }
}
