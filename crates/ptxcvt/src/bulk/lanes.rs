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

use crate::format::{Format, Kind, Parameters, Specials, mask};
use crate::round::Rounding;

/// The roundings as constants, because a `const` parameter must be an integer. `NONE` rounds nothing.
pub(super) mod mode {
    pub const RN: u8 = 0;
    pub const RZ: u8 = 1;
    pub const RM: u8 = 2;
    pub const RP: u8 = 3;
    pub const RS: u8 = 4;
    pub const NONE: u8 = 5;
}

/// The constant that stands for `rounding`; tf32's `.rna` has an algorithm of its own.
pub(super) const fn mode_of(rounding: Rounding) -> u8 {
    match rounding {
        Rounding::Rn | Rounding::Rna | Rounding::Rni => mode::RN,
        Rounding::Rz | Rounding::Rzi => mode::RZ,
        Rounding::Rm | Rounding::Rmi => mode::RM,
        Rounding::Rp | Rounding::Rpi => mode::RP,
        Rounding::Rs => mode::RS,
    }
}

/// What modifiers make of a conversion, as numbers that stay the same over a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Constants {
    /// Magnitudes above this become this before they are rounded: of positive and of negative numbers.
    pub limit: [u64; 2],
    /// The code of an infinite source, without sign.
    pub infinity: u64,
    /// The code of a NaN source.
    pub nan: u64,
    /// A NaN that stays in its format: these bits of it are kept, and those set.
    pub nan_keep: u64,
    pub nan_set: u64,
    /// Magnitudes below this are flushed, of positive and of negative numbers, to these bits of themselves.
    pub flush_below: [u64; 2],
    pub flush_keep: u64,
    /// All ones where `.sat` limits to 0 to 1.
    pub sat: u64,
    /// Fixed point and integers: the ends of the range, as numbers, and 1.5 · 2^F quanta.
    pub low: f64,
    pub high: f64,
    pub magic: f64,
    /// Integers: the ends of the range.
    pub low_integer: i64,
    pub high_integer: u64,
    /// Codes that become 0 at the end: all above `relu_above`, and `positive_zero` itself.
    pub relu_above: u64,
    pub positive_zero: u64,
    /// The byte that a `.scaled` source is multiplied by is this minus the scale, or the scale itself.
    pub scale_flip: u32,
    /// `cvt.pack`: the bits of one element.
    pub pack_bits: u32,
}

/// The row of format number `D`.
const fn row<const D: usize>() -> &'static Parameters {
    Format::ALL[D].parameters()
}

/// Fraction bits and bias of float format `D`.
const fn float<const D: usize>() -> (u32, i32) {
    match row::<D>().kind {
        Kind::Float { fraction, bias, .. } => (fraction, bias),
        _ => (0, 0),
    }
}

/// Random bits that `.rs` adds for format `D`.
const fn random_bits<const D: usize>() -> u32 {
    if D == Format::F16 as usize { 13 } else { 16 }
}

/// The algorithms on lanes of one float type. `lanes! { lanes32: f32, u32, i32, 23 }` expands to a module
/// with `narrow` and its kin written in terms of `type F = f32; type U = u32; const FRACTION: u32 = 23`.
macro_rules! lanes {
    ($name:ident: $float:ty, $bits:ty, $signed:ty, $fraction:literal, $bias:literal) => {
        pub(super) mod $name {
            use super::{Constants, float, mode, row};
            use crate::format::Kind;

            pub type F = $float;
            pub type U = $bits;
            const WIDTH: u32 = U::BITS;
            const FRACTION: u32 = $fraction;
            const SIGN: U = 1 << (WIDTH - 1);
            const MAGNITUDE: U = !SIGN;
            pub const INFINITY: U = MAGNITUDE >> FRACTION << FRACTION;
            const ONE: U = $bias << FRACTION;

            /// All ones where the condition holds.
            #[inline(always)]
            fn all_if(condition: bool) -> U {
                if condition { U::MAX } else { 0 }
            }

            /// `yes` where the condition holds.
            #[inline(always)]
            fn select(condition: bool, yes: U, no: U) -> U {
                if condition { yes } else { no }
            }

            /// Minus one step where the addition went above `value` and the mode goes `down`, plus one where
            /// it went below and the mode goes `up`; both are all ones or 0.
            #[inline(always)]
            fn correction<const R: u8>(back: F, value: F, down: U, up: U) -> U {
                if R == mode::RN {
                    return 0;
                }
                (all_if(back > value) & down).wrapping_sub(all_if(back < value) & up)
            }

            /// Which corrections a magnitude of that sign needs: downwards, upwards.
            #[inline(always)]
            fn directions<const R: u8>(negative: U) -> (U, U) {
                match R {
                    mode::RM => (!negative, negative),
                    mode::RP => (negative, !negative),
                    _ => (U::MAX, 0),
                }
            }

            /// Rounds to the codes of float format `D`, which has fewer exponent bits. `FINITE`: infinity
            /// needs no rule of its own, being beyond the limit.
            #[inline(always)]
            pub fn narrow<const D: usize, const R: u8, const FINITE: bool>(
                x: U,
                random: U,
                k: &Constants,
            ) -> U {
                let (fraction, bias) = const { float::<D>() };
                let (bits, signed) = const { (row::<D>().bits, crate::format::Format::ALL[D].is_signed()) };
                let drop = FRACTION - fraction;
                let least = (($bias + 1 - bias) as U) << FRACTION;

                let magnitude = x & MAGNITUDE;
                let negative = if signed { ((x as $signed) >> (WIDTH - 1)) as U } else { 0 };
                let limit = match R {
                    mode::RM | mode::RP => select(negative != 0, k.limit[1] as U, k.limit[0] as U),
                    _ => k.limit[0] as U,
                };
                let m = magnitude.min(limit);
                let code = if R == mode::RS {
                    let n = const { super::random_bits::<D>() };
                    let base = ((least >> FRACTION) - 1) << fraction;
                    let normal = ((m + (random << (drop - n))) >> drop).wrapping_sub(base);
                    // The power of two whose last place is 2^-n of the subnormals' quantum.
                    let one = least + ((drop - n) as U).wrapping_shl(FRACTION);
                    let t = F::from_bits(m) + F::from_bits(one);
                    let back = t - F::from_bits(one);
                    let cut = (t.to_bits() - one).wrapping_add(all_if(back > F::from_bits(m)));
                    select(m < least, cut.wrapping_add(random) >> n, normal)
                } else {
                    let c = (m & INFINITY).max(least);
                    let one = c + ((drop as U) << FRACTION);
                    let t = F::from_bits(m) + F::from_bits(one);
                    let back = t - F::from_bits(one);
                    let (down, up) = directions::<R>(negative);
                    let steps = t.to_bits().wrapping_sub(one);
                    let steps = steps.wrapping_add(correction::<R>(back, F::from_bits(m), down, up));
                    steps.wrapping_add((c - least) >> drop)
                };
                let sign = if signed { x >> (WIDTH - bits) & 1 << (bits - 1) } else { 0 };
                let code = if FINITE { code } else { select(magnitude == INFINITY, k.infinity as U, code) };
                // From f64 the payload of a NaN is kept as far as it fits, and sign and quiet bit with it.
                let nan = if FRACTION == 52 {
                    sign | k.nan as U | (magnitude & ((1 << FRACTION) - 1)) >> drop
                } else {
                    k.nan as U
                };
                select(magnitude > INFINITY, nan, code | sign)
            }

            /// Rounds to the integers or to fixed point: the low bits of the result. Adding 1.5 · 2^F quanta
            /// leaves the count of quanta, in two's complement, in the low bits of the sum.
            #[inline(always)]
            pub fn fixed<const R: u8>(x: U, k: &Constants) -> U {
                let value = F::from_bits(x);
                let value = if value > k.low as F { value } else { k.low as F };
                let value = if value < k.high as F { value } else { k.high as F };
                let t = value + k.magic as F;
                let back = t - k.magic as F;
                let (down, up) = match R {
                    mode::RZ => (all_if(value > 0.0), all_if(value < 0.0)),
                    mode::RM => (U::MAX, 0),
                    _ => (0, U::MAX),
                };
                let steps = t.to_bits().wrapping_add(correction::<R>(back, value, down, up));
                select(x & MAGNITUDE > INFINITY, k.nan as U, steps)
            }

            /// Rounds to an integral value of the same format, keeping the sign.
            #[inline(always)]
            pub fn integral<const R: u8>(x: U) -> U {
                if R == mode::NONE {
                    return x;
                }
                const WHOLE: U = ONE + ((FRACTION as U) << FRACTION);
                let (magnitude, sign) = (x & MAGNITUDE, x & SIGN);
                let m = magnitude.min(WHOLE);
                let t = F::from_bits(m) + F::from_bits(WHOLE);
                let back = t - F::from_bits(WHOLE);
                let (down, up) = directions::<R>(((x as $signed) >> (WIDTH - 1)) as U);
                let (lower, raise) = match R {
                    mode::RN => (0, 0),
                    _ => (all_if(back > F::from_bits(m)) & down, all_if(back < F::from_bits(m)) & up),
                };
                let rounded = back - F::from_bits(lower & ONE) + F::from_bits(raise & ONE);
                select(magnitude < WHOLE, rounded.to_bits() & MAGNITUDE, magnitude) | sign
            }

            /// What modifiers do to a number that stays in its format: flushing, a scale (`SCALED`), rounding
            /// to an integral value, `.sat`, and the rule for NaN.
            #[inline(always)]
            pub fn adjust<const R: u8, const SCALED: bool>(x: U, scale: u8, k: &Constants) -> U {
                let magnitude = x & MAGNITUDE;
                let below = select(x & SIGN != 0, k.flush_below[1] as U, k.flush_below[0] as U);
                let x = select(magnitude != 0 && magnitude < below, x & k.flush_keep as U, x);
                let x = if SCALED { scaled(x, scale, k) } else { x };
                let x = integral::<R>(x);
                let nan = x & MAGNITUDE > INFINITY;
                let unit = select(nan, 0, ((x as $signed).max(0) as U).min(ONE));
                let x = select(nan, x & k.nan_keep as U | k.nan_set as U, x);
                select(k.sat != 0, unit, x)
            }

            /// Times the power of two that the scale stands for; 0xff is NaN. What is finite stays finite.
            #[inline(always)]
            fn scaled(x: U, scale: u8, k: &Constants) -> U {
                let field = U::from(scale) ^ select(k.scale_flip != 0, 0xff, 0);
                let field = select(k.scale_flip != 0, field.wrapping_sub(1), field);
                let factor = select(field == 0, 1 << (FRACTION - 1), field << FRACTION);
                let product = (F::from_bits(x) * F::from_bits(factor)).to_bits();
                let largest = INFINITY - 1;
                let kept = (product & MAGNITUDE).min(largest) | product & SIGN;
                let y = select(x & MAGNITUDE < INFINITY, kept, x);
                select(scale == 0xff, MAGNITUDE, y)
            }

            /// To a 64-bit integer: `SIGNED` or not. NaN gives the top bit alone.
            #[inline(always)]
            pub fn integer64<const R: u8, const SIGNED: bool>(x: U) -> u64 {
                let value = F::from_bits(integral::<R>(x));
                let number = if SIGNED { value as i64 as u64 } else { value as u64 };
                if x & MAGNITUDE > INFINITY { 1 << 63 } else { number }
            }

            /// Any float format `S` with fewer exponent bits, or the same number, exactly. NaN payloads stay.
            #[inline(always)]
            pub fn widen<const S: usize>(code: U) -> U {
                let Kind::Float { signed, fraction, bias, specials, .. } = (const { row::<S>().kind }) else {
                    return 0;
                };
                let bits = const { row::<S>().bits };
                let up = FRACTION - fraction;
                let (magnitude, sign) = if signed {
                    (code & ((1 << (bits - 1)) - 1), code >> (bits - 1) << (WIDTH - 1))
                } else {
                    (code, 0)
                };
                if bias == $bias {
                    return magnitude << up | sign;
                }
                let rebias = (($bias - bias) as U) << FRACTION;
                let normal = (magnitude << up) + rebias;
                // Below the least normal number: counted in the last place of a larger power of two.
                let one = (($bias + 1 - bias) as U + up as U) << FRACTION;
                let small = F::from_bits(one + magnitude) - F::from_bits(one);
                let finite = select(magnitude < 1 << fraction, small.to_bits(), normal);
                let wide = match specials {
                    super::Specials::None => finite,
                    super::Specials::NanOnly => {
                        let all = const { super::mask(row::<S>().bits - row::<S>().is_signed()) as U };
                        select(magnitude == all, MAGNITUDE, finite)
                    }
                    super::Specials::Ieee => {
                        let all = const { super::exponent_mask::<S>() as U };
                        select(magnitude >= all, finite + rebias, finite)
                    }
                };
                wide | sign
            }
        }
    };
}

lanes! { lanes32: f32, u32, i32, 23, 127 }
lanes! { lanes64: f64, u64, i64, 52, 1023 }

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

/// A code of at most 8 bits as f16 or bf16 (`D`), which hold it exactly, by integers alone. Every NaN becomes
/// `D`'s canonical one.
#[inline(always)]
pub(super) const fn word_of<const S: usize, const D: usize>(code: u8) -> u16 {
    let ((fraction, bias), (wide, wide_bias)) = (float::<S>(), float::<D>());
    let bits = row::<S>().bits - row::<S>().is_signed();
    let code = code as u16;
    let magnitude = code & mask(bits) as u16;
    let sign = if row::<S>().is_signed() == 1 { (code >> bits & 1) << 15 } else { 0 };
    let up = wide - fraction;
    let rebias = ((wide_bias - bias) as u16) << wide;
    let normal = (magnitude << up) + rebias;
    // Subnormals of three fraction bits at most: counted, each power of two by itself.
    let unit = ((wide_bias + 1 - bias - fraction as i32) as u16) << wide;
    let small = match magnitude {
        _ if bias == wide_bias => normal,
        0 => 0,
        1 => unit,
        2..4 => unit + (1 << wide) + ((magnitude & 1) << (wide - 1)),
        _ => unit + (2 << wide) + ((magnitude & 3) << (wide - 2)),
    };
    let finite = if magnitude < 1 << fraction { small } else { normal };
    let infinity = exponent_mask::<S>() as u16;
    let nan = match row::<S>().kind {
        Kind::Float { specials: Specials::Ieee, .. } => magnitude > infinity,
        Kind::Float { specials: Specials::NanOnly, .. } => magnitude == mask(bits) as u16,
        _ => false,
    };
    let is_infinity =
        matches!(row::<S>().kind, Kind::Float { specials: Specials::Ieee, .. }) && magnitude == infinity;
    let finite = if is_infinity { exponent_mask::<D>() as u16 } else { finite };
    if nan { 0x7fff } else { finite | sign }
}

/// What the intrinsics kernels from f32 to a float of at most 8 bits with `.satfinite` work with: bits of f32
/// numbers, and what is left to subtract from the low byte of a result.
#[cfg(all(target_arch = "x86_64", rust_1_89))]
#[derive(Clone, Copy)]
pub(super) struct Small {
    pub bits: u32,
    pub fraction: u32,
    /// The largest finite number, and the number whose code NaN takes.
    pub largest: u32,
    pub nan: u32,
    /// The least normal number, and the power of two whose last place is 2^-16 of the subnormals' quantum.
    pub least: u32,
    pub one: u32,
    /// What codes under `.rs` are too large by, where the exponent was not taken off.
    pub stochastic_excess: u32,
    /// What makes c 2^(F − P) times as large and, in the last places, what makes up for the exponent of the sum in
    /// codes of `bits`: an even number of quanta, which changes no tie.
    pub quanta: u32,
    /// Both halves of a sum brought together by a product of words: the code from bit 7 − `fraction` on.
    pub join: u32,
    /// Magnitudes without what lies below the last place of a normal number, and nearly half the subnormals'
    /// quantum, which makes of rounding to nearest one towards zero.
    pub cut: u32,
    pub half: u32,
}

#[cfg(all(target_arch = "x86_64", rust_1_89))]
impl Small {
    pub const fn new<const D: usize>() -> Small {
        let (fraction, bias) = float::<D>();
        let (row, drop) = (row::<D>(), 23 - fraction);
        let least = ((128 - bias) as u32) << 23;
        // The f32 of a normal number's code: the fields move, the bias changes.
        let rebias = ((127 - bias) as u32) << 23;
        let largest = (Format::ALL[D].max_finite() as u32) << drop;
        let all = (mask(row.bits - 1) as u32) << drop;
        Small {
            bits: row.bits,
            fraction,
            largest: largest + rebias,
            nan: all + rebias,
            least,
            one: least + ((drop - 16) << 23),
            stochastic_excess: ((least >> 23) - 1) << fraction,
            quanta: (drop << 23)
                + ((((least >> 23) + drop) << fraction).wrapping_neg() & mask(row.bits - 1) as u32),
            join: 1 << 16 | 1 << (7 - fraction),
            cut: 0x7fff_ffff >> drop << drop,
            // 15/16 of 2^-1 quanta.
            half: least - ((fraction + 2) << 23) + 0x0070_0000,
        }
    }
}

/// f32 to the formats that share its exponent: bf16 (`DROP` = 16) and tf32 (13), on the bits. The result is
/// not shifted down.
#[inline(always)]
pub(super) fn shorten<const DROP: u32, const R: u8>(x: u32, random: u32, k: &Constants) -> u32 {
    let (magnitude, sign) = (x & 0x7fff_ffff, x & 0x8000_0000);
    let m = magnitude.min(k.limit[0] as u32);
    let below = (1_u32 << DROP) - 1;
    let away = if (R == mode::RM) == (sign != 0) { below } else { 0 };
    let add = match R {
        mode::RN => (below >> 1) + (m >> DROP & 1),
        mode::RM | mode::RP => away,
        mode::RS => random,
        _ => 0,
    };
    let rounded = (m + add) & !below | sign;
    if magnitude > lanes32::INFINITY { k.nan as u32 } else { rounded }
}

/// `cvt.rna.tf32.f32`: half a unit is added to the magnitude, NaN or not; see the reference.
#[inline(always)]
pub(super) fn tf32_ties_away(x: u32, k: &Constants) -> u32 {
    let rounded = (((x & 0x7fff_ffff) + 0x1000) & !0x1fff).min(0x7fff_e000);
    let lowered = if rounded >= lanes32::INFINITY { rounded - (k.infinity as u32) } else { rounded };
    lowered | x & 0x8000_0000
}

/// `.rzi` from f32 to an integer of at most 16 bits: the low bits of the result.
#[inline(always)]
pub(super) fn truncated(x: u32, k: &Constants) -> i32 {
    let value = f32::from_bits(x);
    // A NaN fails the first comparison, and becomes the lower end.
    let value = if value > k.low as f32 { value } else { k.low as f32 };
    let value = if value < k.high as f32 { value } else { k.high as f32 };
    // SAFETY: the ends of a range of 16 bits fit, and what lies between them. Constants are made by
    // `pipeline::constants` alone.
    let number = unsafe { value.to_int_unchecked::<i32>() };
    if x & 0x7fff_ffff > lanes32::INFINITY { 0 } else { number }
}

/// An integral f32 to s32, NaN becoming 0. A plain cast does the same, but is not made a vector.
#[inline(always)]
pub(super) fn single_to_s32(x: u32) -> u32 {
    let value = f32::from_bits(x);
    let low = if value > -2_147_483_648.0 { value } else { -2_147_483_648.0 };
    let inner = if low < 2_147_483_520.0 { low } else { 2_147_483_520.0 };
    // SAFETY: between -2^31 and the largest f32 below 2^31.
    let number = unsafe { inner.to_int_unchecked::<i32>() } as u32;
    let number = if value >= 2_147_483_648.0 { 0x7fff_ffff } else { number };
    if x & 0x7fff_ffff > lanes32::INFINITY { 0 } else { number }
}

/// An integral f32 to u32, NaN becoming 0, by signed conversions of what exceeds 2^31 and what does not.
#[inline(always)]
pub(super) fn single_to_u32(x: u32) -> u32 {
    let value = f32::from_bits(x);
    let low = if value > 0.0 { value } else { 0.0 };
    let inner = if low < 4_294_967_040.0 { low } else { 4_294_967_040.0 };
    let (less, top) = if inner >= 2_147_483_648.0 { (2_147_483_648.0, 1 << 31) } else { (0.0, 0) };
    // SAFETY: between 0 and the largest f32 below 2^31.
    let number = unsafe { (inner - less).to_int_unchecked::<i32>() } as u32 ^ top;
    if value >= 4_294_967_296.0 { u32::MAX } else { number }
}

/// f32 to ue8m0, the exponent alone.
#[inline(always)]
pub(super) fn power<const R: u8>(x: u32, k: &Constants) -> u32 {
    let m = x & 0x7fff_ffff;
    // Up to 2^-127, which is code 0, nothing is rounded up.
    let up = if R == mode::RP && m > 0x0040_0000 { 0x007f_ffff } else { 0 };
    let code = ((m + up) >> 23).min(k.limit[0] as u32);
    if m > lanes32::INFINITY { 0xff } else { code }
}

/// A 64-bit integer's magnitude as an f64 that rounds to 40 bits and fewer as the integer does: what lies below
/// the top 53 bits is gathered in their last one.
#[inline(always)]
pub(super) fn sticky(magnitude: u64) -> f64 {
    let short = magnitude & !0x7ff | if magnitude & 0x7ff != 0 { 0x800 } else { 0 };
    (if magnitude >> 53 != 0 { short } else { magnitude }) as f64
}

/// A 64-bit integer, sign and magnitude apart, to f64. The two halves are exact; so is what their sum loses.
#[inline(always)]
pub(super) fn integer_to_f64<const R: u8>(magnitude: u64, negative: bool) -> u64 {
    let high = (magnitude >> 32) as f64 * 4_294_967_296.0;
    let low = (magnitude & 0xffff_ffff) as f64;
    let sum = high + low;
    let lost = low - (sum - high);
    let up = match R {
        mode::RM => negative,
        mode::RP => !negative,
        _ => false,
    };
    let step = match R {
        mode::RN => 0,
        _ if up => u64::from(lost > 0.0),
        _ => u64::from(lost < 0.0).wrapping_neg(),
    };
    sum.to_bits().wrapping_add(step) | u64::from(negative) << 63
}
