//! A conversion from one number format to another, without an instruction around it.
//!
//! A [`Conversion`] defines the result for one number: rounding, overflow, NaN, subnormal numbers, scale. The
//! forms of PTX name such conversions ([`Form::conversion`](crate::Form::conversion)). Casts of other
//! libraries are conversions, too, even if PTX has no form for them. The module `reference` evaluates them.

mod rules;
mod text;

pub use rules::{Clamp, Rules, Scale, Subnormals};

use crate::formats::{Format, NanCode};
use crate::outcome::NanRule;
use crate::overflow::Overflow;
use crate::round::Rounding;

/// The rules that convert a number from one format to another.
///
/// # Example: a form's conversion
///
/// ```
/// use ptxcvt::{Conversion, Form, Format, Overflow};
/// let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
/// assert_eq!(form.conversion(), Conversion::new(Format::F32, Format::E4m3).overflow(Overflow::Saturate));
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
///
/// # Example: a conversion that PTX does not have
///
/// ```
/// use ptxcvt::{Conversion, Format, Overflow, Rounding, Subnormals};
/// // Many libraries cast like this: NaN instead of 448 beyond the range, ties away from zero, no subnormal results.
/// const CAST: Conversion = Conversion::new(Format::F32, Format::E4m3)
///     .rounding(Rounding::Rna)
///     .overflow(Overflow::InfinityOrNan)
///     .result_subnormals(Subnormals::Zero);
/// let cast = |x: f32| CAST.eval(x.to_bits().into());
/// assert_eq!([cast(1000.0), cast(1.0625), cast(0.01)], [0x7f, 0x39, 0x00]);
/// assert_eq!(
///     CAST.to_string(),
///     "f32->e4m3, to nearest, ties away from zero, overflow to infinity or NaN, subnormal results to zero"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Conversion {
    pub(crate) source: Format,
    pub(crate) destination: Format,
    pub(crate) rounding: Rounding,
    /// 0 unless the rounding is `Rs`, so that conversions that do the same are equal.
    pub(crate) random_bits: u8,
    pub(crate) overflow: Overflow,
    pub(crate) nan: NanRule,
    pub(crate) source_subnormals: Subnormals,
    pub(crate) result_subnormals: Subnormals,
    pub(crate) clamp: Clamp,
    pub(crate) positive_zero: bool,
    pub(crate) scale: Scale,
}

/// The operands of a conversion in addition to its source.
///
/// ```
/// use ptxcvt::{Conversion, Extra, Format, Scale};
/// let divided = Conversion::new(Format::F32, Format::E2m1).scale(Scale::Divide);
/// let extra = Extra { scale: 0x80, ..Extra::default() }; // 2
/// assert_eq!(divided.eval_with(8_f32.to_bits().into(), extra), 0x6); // 4
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extra {
    /// The code of the scale in ue8m0; 0xff is NaN. Only for a conversion with a [`Scale`].
    pub scale: u8,
    /// The random field, in the low [`Conversion::random_bits`] bits. Only for [`Rounding::Rs`].
    pub random: u32,
}

impl Extra {
    /// The scale 1 and random bits that never round up.
    pub(crate) const NONE: Extra = Extra { scale: 127, random: 0 };

    /// The scale 1 and these random bits.
    pub(crate) const fn random(random: u32) -> Extra {
        Extra { random, ..Extra::NONE }
    }
}

impl Default for Extra {
    /// The scale 1 and random bits that never round up.
    fn default() -> Self {
        Extra::NONE
    }
}

impl Conversion {
    /// A conversion to nearest, ties to even. Overflow follows IEEE 754, and NaN becomes the destination's
    /// NaN.
    ///
    /// Between integer formats the low bits remain; other conversions to integers saturate.
    pub const fn new(source: Format, destination: Format) -> Conversion {
        let overflow = match (source.is_integer(), destination.is_integer()) {
            (true, true) => Overflow::Wrap,
            (false, true) => Overflow::Saturate,
            (_, false) => Overflow::Ieee,
        };
        Conversion {
            source,
            destination,
            rounding: Rounding::Rn,
            random_bits: 0,
            overflow,
            nan: default_nan(destination),
            source_subnormals: Subnormals::Keep,
            result_subnormals: Subnormals::Keep,
            clamp: Clamp::None,
            positive_zero: false,
            scale: Scale::None,
        }
    }

    /// Sets the rounding. [`Rounding::Rni`], `Rzi`, `Rmi` and `Rpi` round to an integral number of the format.
    /// [`Rounding::Rs`] has a random field of 16 bits, unless [`stochastic`](Self::stochastic) has set another width.
    #[must_use]
    pub const fn rounding(self, rounding: Rounding) -> Self {
        let random_bits = match (rounding, self.random_bits) {
            (Rounding::Rs, 0) => 16,
            (Rounding::Rs, bits) => bits,
            _ => 0,
        };
        Conversion { rounding, random_bits, ..self }
    }

    /// Rounds stochastically with a random field of that many bits: 1 to 32.
    ///
    /// # Panics
    ///
    /// Panics if `bits` is 0 or more than 32.
    #[must_use]
    pub const fn stochastic(self, bits: u32) -> Self {
        assert!(bits >= 1 && bits <= 32, "a random field has 1 to 32 bits");
        Conversion { rounding: Rounding::Rs, random_bits: bits as u8, ..self }
    }

    /// Sets the treatment of numbers out of range.
    #[must_use]
    pub const fn overflow(self, overflow: Overflow) -> Self {
        Conversion { overflow, ..self }
    }

    /// Sets the treatment of NaN.
    ///
    /// # Panics
    ///
    /// Panics for [`NanRule::RoundedAsBits`] unless the conversion is from f32 to tf32.
    #[must_use]
    pub const fn nan(self, nan: NanRule) -> Self {
        let as_bits = matches!(nan, NanRule::RoundedAsBits);
        let between = matches!((self.source, self.destination), (Format::F32, Format::Tf32));
        assert!(!as_bits || between, "only from f32 to tf32 NaN is rounded as bits");
        Conversion { nan, ..self }
    }

    /// Sets the treatment of subnormal sources.
    #[must_use]
    pub const fn source_subnormals(self, subnormals: Subnormals) -> Self {
        Conversion { source_subnormals: subnormals, ..self }
    }

    /// Sets the treatment of tiny results: below the least normal number after rounding to the format's precision with
    /// unbounded exponent.
    #[must_use]
    pub const fn result_subnormals(self, subnormals: Subnormals) -> Self {
        Conversion { result_subnormals: subnormals, ..self }
    }

    /// Limits the results. Integers have no such limits other than their range.
    #[must_use]
    pub const fn clamp(self, clamp: Clamp) -> Self {
        Conversion { clamp, ..self }
    }

    /// Makes −0 results +0 (PTX's `.pzo`).
    #[must_use]
    pub const fn positive_zero(self) -> Self {
        Conversion { positive_zero: true, ..self }
    }

    /// Sets the effect of a scale. Integers are not scaled.
    #[must_use]
    pub const fn scale(self, scale: Scale) -> Self {
        Conversion { scale, ..self }
    }

    /// The source format.
    #[inline]
    pub const fn source(&self) -> Format {
        self.source
    }

    /// The destination format.
    #[inline]
    pub const fn destination(&self) -> Format {
        self.destination
    }

    /// Everything that was set.
    pub const fn rules(&self) -> Rules {
        let &Conversion { rounding, overflow, nan, clamp, positive_zero, scale, .. } = self;
        let &Conversion { source_subnormals, result_subnormals, .. } = self;
        Rules { rounding, overflow, nan, source_subnormals, result_subnormals, clamp, positive_zero, scale }
    }

    /// The width of the random field of [`Rounding::Rs`], in bits; 0 for every other rounding.
    pub const fn random_bits(&self) -> u32 {
        self.random_bits as u32
    }
}

/// The default treatment of NaN for a destination.
pub(crate) const fn default_nan(destination: Format) -> NanRule {
    match destination.parameters().nan {
        NanCode::Canonical => NanRule::Canonical,
        NanCode::Largest => NanRule::MaxNorm,
        NanCode::Zero => NanRule::IntegerZero,
        NanCode::TopBit => NanRule::IntegerTopBit,
    }
}
