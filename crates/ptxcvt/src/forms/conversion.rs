//! The conversion of a form: the meaning of its modifiers for one element.
//!
//! PTX ISA section 9.7.9.21, "Integer Notes", "Floating Point Notes" and the notes on `scale-factor` and
//! `rbits`. The NaN rules were measured.

use super::form::Form;
use super::modifier::Modifier;
use super::random::random_bits;
use crate::conversion::{Clamp, Conversion, Scale, Subnormals, default_nan};
use crate::formats::Format;
use crate::outcome::NanRule;
use crate::overflow::Overflow;
use crate::round::Rounding;

impl Form {
    /// The conversion that the form applies to each element.
    ///
    /// ```
    /// use ptxcvt::Form;
    /// let form: Form = "cvt.rn.relu.f16x2.e4m3x2".parse()?;
    /// assert_eq!(
    ///     form.conversion().to_string(),
    ///     "e4m3->f16, to nearest, overflow as IEEE 754, negative numbers to +0"
    /// );
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    #[inline]
    pub fn conversion(&self) -> Conversion {
        let (source, destination) = (self.source().format(), self.destination().format());
        let to_integer = destination.is_integer();
        let flush = |format: Format| match self.has(Modifier::Ftz) && format == Format::F32 {
            true => Subnormals::Zero,
            false => Subnormals::Keep,
        };
        // A form without a rounding is exact.
        let rounding = self.rounding().unwrap_or(Rounding::Rn);
        let field = || random_bits(destination).expect("`Row::check` demands a field for `.rs`");
        Conversion {
            source,
            destination,
            rounding,
            random_bits: if rounding == Rounding::Rs { field() as u8 } else { 0 },
            overflow: match to_integer {
                true if source.is_integer() && !self.has(Modifier::Sat) => Overflow::Wrap,
                true => Overflow::Saturate,
                false if self.has(Modifier::Satfinite) => Overflow::Saturate,
                false => Overflow::Ieee,
            },
            nan: self.nan_rule(source, destination),
            // Before the division by an n1 scale, a subnormal source becomes +0, without its sign: stated, not measured.
            source_subnormals: match self.has(Modifier::ScaledN1) {
                true => Subnormals::PositiveZero,
                false => flush(source),
            },
            result_subnormals: flush(destination),
            clamp: match (self.has(Modifier::Relu), self.has(Modifier::Sat) && !to_integer) {
                (true, _) => Clamp::NonNegative,
                (false, true) => Clamp::UnitInterval,
                (false, false) => Clamp::None,
            },
            positive_zero: self.has(Modifier::Pzo),
            scale: match self.modifiers().iter().any(Modifier::is_scale) {
                false => Scale::None,
                // A conversion to a wider format applies the scale, one to a narrower format removes it. `Row::check`
                // refuses formats of one width.
                true if source.bits() < destination.bits() => Scale::Multiply,
                true => Scale::Divide,
            },
        }
    }

    /// NaN results, as measured. Most formats have one canonical NaN. Payloads are preserved only from and to
    /// f64, from bf16 to f32, and in moves.
    #[inline]
    fn nan_rule(&self, source: Format, destination: Format) -> NanRule {
        let flushing = self.has(Modifier::Ftz);
        match (source, destination) {
            (_, d) if d.is_integer() && source == Format::F64 => NanRule::IntegerTopBit,
            (_, d) if d.is_integer() => default_nan(d),
            // "NaN results are flushed to positive zero."
            _ if self.has(Modifier::Sat) => NanRule::SaturatedToZero,
            (Format::F32, Format::Tf32) if self.rounding() == Some(Rounding::Rna) => NanRule::RoundedAsBits,
            // `cvt.f32.f32` and `cvt.f64.f64` without modifiers move the bits; `.f16.f16` and `.bf16.bf16` compute.
            (Format::F32, Format::F32) | (Format::F64, Format::F64)
                if self.rounding().is_none() && self.modifiers().is_empty() =>
            {
                NanRule::Moved
            }
            (Format::F32, Format::F64) if flushing => NanRule::Widened,
            (Format::F64, Format::F32 | Format::F16 | Format::Bf16) | (_, Format::F64) => NanRule::Quieted,
            (Format::Bf16, Format::F32) if !flushing => NanRule::Moved,
            _ => default_nan(destination),
        }
    }
}
