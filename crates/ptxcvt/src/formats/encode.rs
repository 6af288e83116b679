//! Values to bits: one number of a format, without an instruction around it.

use super::rows::Format;
use crate::exact::Value;
use crate::overflow::Overflow;
use crate::round::{Random, Rounding};

/// The options of [`Format::encode`]: rounding, overflow and random bits.
///
/// A [`Rounding`] converts to an `Encoding` with defaults for the rest.
///
/// ```
/// use ptxcvt::{Format, Rounding};
/// use ptxcvt::formats::Encoding;
/// let e5m2 = Format::E5m2;
/// assert_eq!(e5m2.encode(1e6, Rounding::Rn), 0x7c); // infinity
/// assert_eq!(e5m2.encode(1e6, Encoding::new(Rounding::Rn).satfinite()), 0x7b); // 57344
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encoding {
    rounding: Rounding,
    overflow: Overflow,
    random: Option<Random>,
}

impl Encoding {
    /// Rounds to the given direction. Values out of range become infinity, or NaN in a format without
    /// infinity, or the largest number in a format without both ([`Overflow::Ieee`]).
    pub const fn new(rounding: Rounding) -> Self {
        Encoding { rounding, overflow: Overflow::Ieee, random: None }
    }

    /// Rounds numbers of a text to the nearest one of a format; see [`Format::nearest_overflow`].
    pub(crate) const fn nearest(format: Format) -> Self {
        let rounding = if format.is_integer() { Rounding::Rni } else { Rounding::Rn };
        Encoding::new(rounding).overflow(format.nearest_overflow())
    }

    /// Encodes every value out of range as the largest number, infinity too.
    #[must_use]
    pub const fn satfinite(self) -> Self {
        self.overflow(Overflow::Saturate)
    }

    /// Sets the treatment of values out of range.
    #[must_use]
    pub const fn overflow(self, overflow: Overflow) -> Self {
        Encoding { overflow, ..self }
    }

    /// Sets the random bits of [`Rounding::Rs`]. Without them it truncates like [`Rounding::Rz`].
    ///
    /// ```
    /// use ptxcvt::{Format, Random, Rounding};
    /// use ptxcvt::formats::Encoding;
    /// let round = |value| {
    ///     let random = Random { value, bits: 16 };
    ///     Format::Bf16.encode(1.00390625, Encoding::new(Rounding::Rs).random(random)) // 1 + 2^-8
    /// };
    /// assert_eq!((round(0x0000), round(0xffff)), (0x3f80, 0x3f81));
    /// ```
    #[must_use]
    pub const fn random(self, random: Random) -> Self {
        Encoding { random: Some(random), ..self }
    }
}

impl From<Rounding> for Encoding {
    fn from(rounding: Rounding) -> Self {
        Encoding::new(rounding)
    }
}

impl Format {
    /// The code of a value, rounded once from the exact number.
    ///
    /// Like PTX's conversions to the format, integers and fixed-point formats clamp, and unsigned formats drop the
    /// sign. NaN becomes the canonical NaN, or the largest number if the format has no NaN. [`Rounding::Rni`], `Rzi`,
    /// `Rmi` and `Rpi` round to an integer, and that into the format: a large number of a more precise format can be
    /// rounded twice.
    ///
    /// A signalling NaN is preserved only as bits: pass `Format::F32.decode(bits)`.
    ///
    /// # Example: e4m3, the format of FP8 weights
    ///
    /// ```
    /// use ptxcvt::{Format, Rounding};
    /// let e4m3 = |x: f32| Format::E4m3.encode(x, Rounding::Rn);
    /// assert_eq!(e4m3(1.55), 0x3c); // 1.5
    /// assert_eq!(e4m3(-0.0), 0x80);
    /// assert_eq!(e4m3(f32::NAN), 0x7f);
    /// ```
    ///
    /// # Example: from one format to another
    ///
    /// ```
    /// use ptxcvt::{Format, Rounding};
    /// let half = Format::F16.decode(0x3e66); // 1.599609375
    /// assert_eq!(Format::E2m1.encode(half, Rounding::Rz), 0x3); // 1.5
    /// assert_eq!(Format::S8.encode(half, Rounding::Rni), 2);
    /// ```
    pub fn encode(self, value: impl Into<Value>, how: impl Into<Encoding>) -> u64 {
        self.encode_value(value.into(), how.into())
    }

    /// The treatment of numbers of a text that are out of range: infinity if the format has one, otherwise the largest
    /// number.
    pub(crate) const fn nearest_overflow(self) -> Overflow {
        if self.infinity().is_some() { Overflow::Ieee } else { Overflow::Saturate }
    }

    /// [`encode`](Self::encode) in constants, too, which cannot convert their arguments.
    pub(crate) const fn encode_value(self, value: Value, how: Encoding) -> u64 {
        let Encoding { rounding, overflow, random } = how;
        let signed = self.is_signed() || self.is_integer();
        let value = if signed { value } else { value.with_sign(false) };
        let mode = rounding.mode(random);
        match value {
            Value::Nan { .. } => self.nan_code(),
            Value::Infinity { negative } => self.encode_infinity(negative, overflow).code,
            Value::Finite(x) if rounding.is_integer() => self.encode_integral(x, mode, overflow).code,
            Value::Finite(x) => self.encode_finite(x, mode, overflow).code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every code of up to 16 bits encodes its own value, under every rounding, with and without saturation.
    #[test]
    fn decode_and_back() {
        for format in Format::ALL.iter().copied().filter(|f| f.bits() <= 19) {
            for code in (0..1_u64 << format.bits()).map(|code| code << format.low_padding()) {
                let value = format.decode(code);
                for rounding in Rounding::ALL.iter().copied().filter(|r| !r.is_integer()) {
                    let expected = match value {
                        Value::Nan { .. } => format.nan_code(),
                        _ => code,
                    };
                    assert_eq!(format.encode(value, rounding), expected, "{format} {code:#x}");
                    if let Value::Finite(_) = value {
                        let saturated = Encoding::new(rounding).satfinite();
                        assert_eq!(format.encode(value, saturated), expected, "{format} {code:#x}");
                    }
                }
            }
        }
    }

    /// Between two neighbours the directed roundings choose an end, and rounding to nearest chooses the
    /// nearer one.
    #[test]
    fn between_neighbours() {
        for format in [Format::E4m3, Format::E5m2, Format::E2m3, Format::E3m2, Format::E2m1, Format::F16] {
            for code in 0..format.max_finite() {
                let [below, above] = [code, code + 1].map(|c| format.decode(c).to_f64());
                let (quarter, middle) = (below + (above - below) / 4.0, (below + above) / 2.0);
                let encode = |x: f64, rounding| format.encode(x, rounding);
                for x in [quarter, middle] {
                    assert_eq!(encode(x, Rounding::Rz), code);
                    assert_eq!(encode(x, Rounding::Rm), code);
                    assert_eq!(encode(x, Rounding::Rp), code + 1);
                    assert_eq!(encode(-x, Rounding::Rm), format.sign_bit() | (code + 1));
                }
                assert_eq!(encode(quarter, Rounding::Rn), code);
                assert_eq!(encode(middle, Rounding::Rn), code + code % 2);
                assert_eq!(encode(middle, Rounding::Rna), code + 1);
            }
        }
    }

    #[test]
    fn beyond_the_range() {
        let both = |format: Format, x: f64| {
            [format.encode(x, Rounding::Rn), format.encode(x, Encoding::new(Rounding::Rn).satfinite())]
        };
        assert_eq!(both(Format::F16, -1e9), [0xfc00, 0xfbff]);
        assert_eq!(both(Format::E4m3, -1e9), [0x7f, 0xfe]);
        assert_eq!(both(Format::E2m1, -1e9), [0xf, 0xf]);
        assert_eq!(both(Format::Ue8m0, -1e60), [0xff, 0xfe]);
        assert_eq!(both(Format::S8, -1e60), [0x80, 0x80]);
        assert_eq!(both(Format::U8, -1.0), [0, 0]);
        assert_eq!(both(Format::U8, -1e60), [0, 0]);
        assert_eq!(both(Format::U32, f64::NEG_INFINITY), [0, 0]);
        assert_eq!(both(Format::U64, f64::INFINITY), [u64::MAX; 2]);
        assert_eq!(both(Format::Tf32, f64::INFINITY), [0x7f80_0000, 0x7f7f_e000]);
        // Rounding towards zero never leaves the range. Half a step above the largest number still rounds
        // down.
        assert_eq!(Format::F16.encode(1e9, Rounding::Rz), 0x7bff);
        assert_eq!(Format::E4m3.encode(463.9, Rounding::Rn), 0x7e);
        assert_eq!(Format::E4m3.encode(464.0, Rounding::Rn), 0x7e);
        assert_eq!(Format::E4m3.encode(464.1, Rounding::Rn), 0x7f);
    }

    /// A result that has to be integral is the number of the format nearest to the integer, not nearest to the source.
    #[test]
    fn integers_are_rounded_into_the_format() {
        let encode = |x: f64, rounding| Format::F16.decode(Format::F16.encode(x, rounding)).to_f64();
        assert_eq!([Rounding::Rn, Rounding::Rni].map(|rounding| encode(2593.1, rounding)), [2594.0, 2592.0]);
        assert_eq!(
            [Rounding::Rzi, Rounding::Rmi, Rounding::Rpi].map(|r| encode(-2593.1, r)),
            [-2592.0, -2594.0, -2592.0]
        );
        assert_eq!([1.5, 2.5, 2047.5].map(|x| encode(x, Rounding::Rni)), [2.0, 2.0, 2048.0]);
    }

    #[test]
    fn powers_of_two() {
        let encode = |x: f64, rounding| Format::Ue8m0.encode(x, rounding);
        assert_eq!(encode(3.0, Rounding::Rz), 128);
        assert_eq!(encode(3.0, Rounding::Rp), 129);
        assert_eq!([2.9, 3.0, 3.1].map(|x| encode(x, Rounding::Rn)), [128, 129, 129]);
        assert_eq!([0.0, 1e-300, -2.0].map(|x| encode(x, Rounding::Rn)), [0, 0, 128]);
    }
}
