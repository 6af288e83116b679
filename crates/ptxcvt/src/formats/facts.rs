//! The facts of a format: its largest and smallest numbers, its step at 1, NaN and infinity.
//!
//! They are codes as a register holds them; [`Format::decode`] converts them to numbers. `numpy.finfo` and
//! `ml_dtypes.finfo` list the same facts.

use super::parameters::{Kind, NanCode, Specials};
use super::rows::Format;
use crate::bits::mask;
use crate::exact::Value;

/// The largest finite number of each format, in the order of the table, computed once because every conversion needs it.
const LARGEST: [u64; Format::ALL.len()] = {
    let mut largest = [0; Format::ALL.len()];
    let mut at = 0;
    while at < largest.len() {
        largest[at] = Format::ALL[at].largest();
        at += 1;
    }
    largest
};

impl Format {
    /// True if `code` is a subnormal number: the exponent field is zero and the fraction is not.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert!(Format::F16.is_subnormal(0x83ff) && !Format::F16.is_subnormal(0x0400));
    /// assert!(!Format::F16.is_subnormal(0) && !Format::S8.is_subnormal(1));
    /// ```
    #[inline]
    pub const fn is_subnormal(self, code: u64) -> bool {
        let Kind::Float { signed, fraction, .. } = self.parameters().kind else { return false };
        let magnitude = code >> self.low_padding() & mask(self.bits() - signed as u32);
        magnitude != 0 && magnitude >> fraction == 0
    }

    /// The largest finite number (`max` of finfo).
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::F16.max_finite(), 0x7bff);
    /// assert_eq!(Format::Tf32.max_finite(), 0x7f7f_e000);
    /// assert_eq!(Format::S8.max_finite(), 0x7f);
    /// ```
    #[inline]
    pub const fn max_finite(self) -> u64 {
        LARGEST[self as usize]
    }

    const fn largest(self) -> u64 {
        let magnitude = match self.parameters().kind {
            Kind::Integer { signed } => mask(self.bits() - signed as u32),
            Kind::Fixed { .. } => mask(self.bits() - 1),
            Kind::PowerOfTwo { .. } => mask(self.bits()) - 1,
            Kind::Float { signed, fraction, specials, .. } => {
                let all = mask(self.bits() - signed as u32);
                match specials {
                    Specials::Ieee => all - (1 << fraction),
                    Specials::NanOnly => all - 1,
                    Specials::None => all,
                }
            }
        };
        magnitude << self.low_padding()
    }

    /// The least finite number (`min` of finfo): the most negative one, or the smallest of an unsigned format.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::E4m3.min_finite(), 0xfe); // -448
    /// assert_eq!(Format::S8.min_finite(), 0x80); // -128
    /// assert_eq!(Format::Ue8m0.min_finite(), 0); // 2^-127
    /// ```
    #[inline]
    pub const fn min_finite(self) -> u64 {
        match self.parameters().kind {
            Kind::Float { signed: true, .. } => self.sign_bit() | self.max_finite(),
            _ => self.sign_bit(),
        }
    }

    /// The smallest positive number (`smallest_subnormal` of finfo). Rust's `f32::MIN_POSITIVE` is
    /// [`min_normal`](Self::min_normal) instead.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::E4m3.decode(Format::E4m3.min_positive()).to_f64(), 0.001953125); // 2^-9
    /// assert_eq!(Format::Ue8m0.min_positive(), 0); // 2^-127
    /// assert_eq!(Format::U8.min_positive(), 1);
    /// ```
    #[inline]
    pub const fn min_positive(self) -> u64 {
        match self.parameters().kind {
            Kind::PowerOfTwo { .. } => 0,
            _ => 1 << self.low_padding(),
        }
    }

    /// The smallest positive number with full precision (`smallest_normal` of finfo); integers and fixed-point
    /// formats have full precision everywhere.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::F32.min_normal(), f32::MIN_POSITIVE.to_bits().into());
    /// assert_eq!(Format::E2m1.decode(Format::E2m1.min_normal()).to_f64(), 1.0);
    /// ```
    #[inline]
    pub const fn min_normal(self) -> u64 {
        match self.parameters().kind {
            Kind::Float { fraction, .. } => 1 << fraction << self.low_padding(),
            _ => self.min_positive(),
        }
    }

    /// The number 1.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::F32.one(), 0x3f80_0000);
    /// assert_eq!(Format::S2f6.one(), 0x40);
    /// ```
    #[inline]
    pub const fn one(self) -> u64 {
        match self.parameters().kind {
            Kind::Integer { .. } => 1,
            Kind::Fixed { fraction } => 1 << fraction,
            Kind::PowerOfTwo { bias } => bias as u64,
            Kind::Float { fraction, bias, .. } => (bias as u64) << fraction << self.low_padding(),
        }
    }

    /// The distance from 1 to the next larger number, as a number of the format (`eps` of finfo); `None` for
    /// integers.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// let epsilon = |f: Format| f.epsilon().map(|code| f.decode(code).to_f64());
    /// assert_eq!(epsilon(Format::F32), Some(f32::EPSILON.into()));
    /// assert_eq!(epsilon(Format::E4m3), Some(0.125));
    /// assert_eq!(epsilon(Format::U8), None);
    /// ```
    #[inline]
    pub const fn epsilon(self) -> Option<u64> {
        Some(match self.parameters().kind {
            Kind::Integer { .. } => return None,
            Kind::Fixed { .. } => 1,
            Kind::PowerOfTwo { bias } => bias as u64,
            Kind::Float { fraction, bias, .. } => {
                // 2^-fraction: a normal number if its exponent field is at least 1, else a subnormal one.
                let field = bias - fraction as i32;
                let code = if field >= 1 { (field as u64) << fraction } else { 1 << (bias - 1) };
                code << self.low_padding()
            }
        })
    }

    /// The canonical NaN, which conversions to the format produce, if the format has NaN.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::F32.nan(), Some(0x7fff_ffff)); // not 0x7fc00000
    /// assert_eq!(Format::E4m3.nan(), Some(0x7f));
    /// assert_eq!(Format::E2m1.nan(), None);
    /// ```
    #[inline]
    pub const fn nan(self) -> Option<u64> {
        match self.parameters().nan {
            NanCode::Canonical => Some(self.nan_code()),
            NanCode::Largest | NanCode::Zero | NanCode::TopBit => None,
        }
    }

    /// The code that NaN becomes in this format; see [`NanCode`].
    #[inline]
    pub(crate) const fn nan_code(self) -> u64 {
        match self.parameters().nan {
            NanCode::Canonical => mask(self.bits() - self.is_signed() as u32) << self.low_padding(),
            NanCode::Largest => self.max_finite(),
            NanCode::Zero => 0,
            NanCode::TopBit => 1 << (self.bits() - 1),
        }
    }

    /// Positive infinity, if the format has one.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::E5m2.infinity(), Some(0x7c));
    /// assert_eq!(Format::E4m3.infinity(), None);
    /// ```
    #[inline]
    pub const fn infinity(self) -> Option<u64> {
        match self.parameters().kind {
            Kind::Float { specials: Specials::Ieee, .. } => {
                Some(self.max_finite() + (1 << self.low_padding()))
            }
            _ => None,
        }
    }

    /// The exponent of the least power of two above the range (`maxexp` of finfo, `FLT_MAX_EXP` in C).
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::E4m3.max_exponent(), 9); // 448 is below 2^9
    /// assert_eq!(Format::F32.max_exponent(), f32::MAX_EXP);
    /// ```
    pub const fn max_exponent(self) -> i32 {
        1 + self.exponent_of(self.max_finite())
    }

    /// The exponent of [`min_normal`](Self::min_normal), a power of two (`minexp` of finfo); one less than C's
    /// `FLT_MIN_EXP` and Rust's `MIN_EXP`.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::E4m3.min_exponent(), -6);
    /// assert_eq!(Format::F32.min_exponent(), f32::MIN_EXP - 1);
    /// ```
    pub const fn min_exponent(self) -> i32 {
        self.exponent_of(self.min_normal())
    }

    /// The exponent of the highest bit of a positive number.
    const fn exponent_of(self, code: u64) -> i32 {
        match self.decode(code) {
            Value::Finite(x) => x.magnitude_exponent(),
            Value::Infinity { .. } | Value::Nan { .. } => 0,
        }
    }

    /// The width of the exponent field in bits (`nexp` of finfo), 0 if there is none.
    #[inline]
    pub const fn exponent_bits(self) -> u32 {
        match self.parameters().kind {
            Kind::Float { exponent, .. } => exponent,
            Kind::PowerOfTwo { .. } => self.bits(),
            Kind::Integer { .. } | Kind::Fixed { .. } => 0,
        }
    }

    /// The width of the fraction in bits, without the hidden bit (`nmant` of finfo).
    #[inline]
    pub const fn fraction_bits(self) -> u32 {
        match self.parameters().kind {
            Kind::Float { fraction, .. } | Kind::Fixed { fraction } => fraction,
            Kind::PowerOfTwo { .. } | Kind::Integer { .. } => 0,
        }
    }

    /// True if this format has every finite value of `narrow`.
    pub(crate) fn holds(self, narrow: Format) -> bool {
        if self.is_integer() {
            return false;
        }
        if narrow.is_integer() {
            return self.fraction_bits() + 1 >= narrow.bits();
        }
        let least = |f: Format| f.min_exponent() - f.fraction_bits() as i32;
        self.fraction_bits() >= narrow.fraction_bits()
            && self.max_exponent() >= narrow.max_exponent()
            && least(self) <= least(narrow)
    }
}
