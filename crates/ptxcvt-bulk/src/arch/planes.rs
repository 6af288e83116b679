//! Rounding by the upper and the lower byte of a word, for the kernels from f16 and bf16 to FP8, FP6 and FP4.
//!
//! A magnitude within the range of the destination is converted to f16's layout; a bf16 within that range
//! fits exactly. Let h be its upper byte: the exponent and the first fraction bits. Between two neighbouring
//! h the rounded code changes at most twice. The code is therefore that of h · 2^8, plus one or two if the
//! lower byte is above thresholds. Normal numbers have the same thresholds everywhere. For subnormal codes
//! sixteen values of h suffice, so a shuffle looks them up by their low four bits.
//!
//! A scale is added to the exponent, with saturation at both ends of the range. With a scale, f32 is
//! converted like bf16, with the last bit set if any truncated bit is set: bf16 has enough bits for this to
//! round as f32 does. For f16 the addition also converts to the layout.

use crate::lanes::{float, match_const, match_format, match_mode};
use ptxcvt::formats::Format::{self, Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16};

/// The constants for a pair of formats.
#[derive(Clone, Copy)]
pub struct Planes {
    /// Limits of the source's magnitudes (for a scaled f16, of words in the layout). Smaller magnitudes round
    /// to 0 and are replaced by the first; larger ones are replaced by the second.
    pub least: i16,
    pub largest: i16,
    /// The source's least normal magnitude, and infinity; magnitudes above are NaN.
    pub normal_from: i16,
    pub infinity: i16,
    /// The exponent that a scale of 0 adds, and limits beyond which further scales have the same effect.
    pub scale_from: i16,
    pub scale_least: i16,
    pub scale_most: i16,
    /// Represents the scale NaN among the shifted exponents: one less than its sum would be.
    pub nan_scale: i16,
    /// The conversion to the layout: subtract `base`, then shift left. For bf16 without a scale `base` is
    /// `least`, below which the difference saturates to 0.
    pub base: i16,
    pub shift: u32,
    /// The upper byte of the least normal number; 0 if subnormal codes need no table.
    pub first_normal: u8,
    /// The number of bits by which a normal code is shifted left in the upper byte.
    pub left: i32,
    /// The difference between a shifted upper byte and the code.
    pub offset: u8,
    /// Indexed by the upper byte's low four bits: codes, and the lower bytes above which one is added.
    pub subnormal: [[u8; 16]; 2],
    /// Codes and thresholds of normal numbers, if the format's codes extend to the right of the upper byte.
    pub normal: [[u8; 16]; 2],
    /// The code of NaN.
    pub nan: u8,
}

/// A layout of words: f16's, or one with an additional exponent bit.
#[derive(Clone, Copy)]
struct Layout {
    fraction: u32,
    bias: i32,
}

impl Planes {
    /// The constants for rounding to nearest or towards zero, with or without a scale for each pair.
    pub const fn new<const S: usize, const D: usize, const R: u8, const SCALED: bool>() -> Planes {
        let ((source_fraction, source_bias), (fraction, bias)) = (float::<S>(), float::<D>());
        let is_half = match_format!(S { F16 => true, Bf16 => false });
        let layout = match_const!((Format::ALL[S], Format::ALL[D], SCALED), {
            // From half of the least subnormal number on there are 33 binades.
            (Bf16, E5m2, _) => Layout { fraction: 9, bias: bias + fraction as i32 },
            (F16, E5m2, true) => Layout { fraction: 10, bias: 16 },
            (F16, E5m2, false) | (F16 | Bf16, E4m3 | E2m3 | E3m2 | E2m1, _) => Layout { fraction: 10, bias: 15 },
        });
        let above = layout.fraction - 8;
        // The layout in which the limits are words.
        let (limits_fraction, limits_bias) =
            if is_half && SCALED { (layout.fraction, layout.bias) } else { (source_fraction, source_bias) };
        let (half, rebias) = (limits_bias - bias - fraction as i32, limits_bias - bias);
        let has_subnormal = half > 0 || SCALED;
        let least = if has_subnormal { half << limits_fraction } else { 0 };
        let up = limits_fraction - fraction;
        let shift = layout.fraction - limits_fraction;
        // Without a scale, a bf16 is counted from the largest number that rounds to 0, so that saturating
        // subtraction also limits it.
        let moved = !is_half && !SCALED;
        let layout_base = (limits_bias - layout.bias) << limits_fraction;
        let base = if moved { least } else { layout_base };
        let begin = (base - layout_base) << shift >> 8;
        let first_normal = (((layout.bias + 1 - bias) as u32) << above) - begin as u32;
        let left = fraction as i32 - above as i32;
        let nan = match_format!(D {
            E4m3 | E5m2 => 0x7f,
            E2m3 | E3m2 | E2m1 => Format::ALL[D].max_finite() as u8,
        });
        Planes {
            least: least as i16,
            largest: (((Format::ALL[D].max_finite() as i32) << up) + (rebias << limits_fraction)) as i16,
            normal_from: 1 << source_fraction,
            infinity: ((0x7fff >> source_fraction) << source_fraction) as i16,
            scale_from: 127 + if is_half { (layout.bias - source_bias) as i16 } else { 0 },
            scale_least: if is_half { -32 } else { -128 },
            scale_most: if is_half { 31 } else { 127 },
            nan_scale: (if is_half { i16::MIN } else { -128 << 7 }).wrapping_sub(1),
            base: base as i16,
            shift,
            first_normal: if has_subnormal { first_normal as u8 } else { 0 },
            left,
            offset: if left < 0 { 0 } else { ((first_normal << left) - (1 << fraction)) as u8 },
            subnormal: layout.table::<D, R>((least - layout_base) << shift >> 8, begin),
            normal: layout.table::<D, R>(first_normal as i32 + begin, begin),
            nan,
        }
    }

    /// These planes with the sign bits of all thresholds flipped, for processors that compare signed bytes.
    pub const fn with_signed_thresholds(mut self) -> Planes {
        let mut i = 0;
        while i < 16 {
            self.subnormal[1][i] ^= 0x80;
            self.normal[1][i] ^= 0x80;
            i += 1;
        }
        self
    }
}

/// The codes of f16 by upper bytes from `first` on, and the lower bytes above which one is added, and one more. There
/// are entries for 64 upper bytes, which are enough for all numbers of FP6 and FP4; the codes of the first and the
/// `last` one are those of all smaller and all larger numbers.
#[cfg(hand_written)]
#[cfg(target_arch = "x86_64")]
pub struct Window {
    pub first: u8,
    pub last: u8,
    pub codes: [u8; 64],
    pub once: [u8; 64],
    pub twice: [u8; 64],
}

#[cfg(hand_written)]
#[cfg(target_arch = "x86_64")]
impl Window {
    /// The codes of all numbers of FP6 and FP4.
    pub const fn new<const D: usize, const R: u8>() -> Window {
        let least = Planes::new::<{ F16 as usize }, D, R, false>().least;
        Window::from::<D, R>(if least == 0 { 0 } else { (least >> 8) as i32 - 1 })
    }

    /// The codes of the numbers below 2.
    pub const fn from_zero<const D: usize, const R: u8>() -> Window {
        Window::from::<D, R>(0)
    }

    const fn from<const D: usize, const R: u8>(first: i32) -> Window {
        let layout = Layout { fraction: 10, bias: 15 };
        let largest = Planes::new::<{ F16 as usize }, D, R, false>().largest as i32;
        let mut window = Window {
            first: first as u8,
            last: ((largest >> 8) + 1 - first) as u8,
            codes: [0; 64],
            once: [0; 64],
            twice: [0; 64],
        };
        let mut i = 0;
        while i < 64 {
            let word = (first + i as i32) << 8;
            let code = layout.limited::<D, R>(word, largest);
            window.codes[i] = code as u8;
            window.once[i] = layout.last_below::<D, R>(word, largest, code);
            window.twice[i] = layout.last_below::<D, R>(word, largest, code + 1);
            i += 1;
        }
        window
    }
}

#[cfg(hand_written)]
#[cfg(target_arch = "x86_64")]
impl Layout {
    /// The code to which a word rounds that may exceed the largest number.
    const fn limited<const D: usize, const R: u8>(self, word: i32, largest: i32) -> u32 {
        self.rounded::<D, R>(if word < largest { word } else { largest })
    }

    /// The last lower byte whose code is at most `code`.
    const fn last_below<const D: usize, const R: u8>(self, word: i32, largest: i32, code: u32) -> u8 {
        let mut lower = 0;
        let mut step = 0x80;
        while step != 0 {
            if self.limited::<D, R>(word | (lower + step), largest) <= code {
                lower += step;
            }
            step /= 2;
        }
        lower as u8
    }
}

impl Layout {
    /// The code to which a word rounds.
    const fn rounded<const D: usize, const R: u8>(self, word: i32) -> u32 {
        let (fraction, bias) = float::<D>();
        let exponent = word >> self.fraction;
        let (least, drop) = (self.bias + 1 - bias, self.fraction - fraction);
        let (significand, drop, offset) = if exponent >= least {
            (word as u32, drop, ((least - 1) as u32) << fraction)
        } else {
            let significand = word as u32 & ((1 << self.fraction) - 1) | 1 << self.fraction;
            (significand, drop + (least - exponent) as u32, 0)
        };
        let add = match_mode!(R {
            RZ => 0,
            RN => (1 << (drop - 1)) - 1 + (significand >> drop & 1),
        });
        ((significand + add) >> drop) - offset
    }

    /// The codes of sixteen upper bytes from `first` on, and their thresholds; upper bytes are counted from
    /// `begin`.
    const fn table<const D: usize, const R: u8>(self, first: i32, begin: i32) -> [[u8; 16]; 2] {
        let mut table = [[0; 16]; 2];
        let mut upper = first;
        while upper < first + 16 {
            let code = self.rounded::<D, R>(upper << 8);
            // The last lower byte with this code, by bisection: codes do not decrease, and a loop over all bytes would take
            // the compiler seconds.
            let mut lower = 0;
            let mut step = 0x80;
            while step != 0 {
                if self.rounded::<D, R>(upper << 8 | (lower + step)) == code {
                    lower += step;
                }
                step /= 2;
            }
            let place = ((upper - begin) & 15) as usize;
            table[0][place] = code as u8;
            table[1][place] = lower as u8;
            upper += 1;
        }
        table
    }
}
