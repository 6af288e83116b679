//! NaN results for each destination.
//!
//! PTX ISA section 9.7.9.21, "Floating Point Notes" and "Integer Notes". If the text is silent, results were
//! measured.

use crate::conversion::Conversion;
use crate::explain::Element;
use crate::formats::Format;
use crate::outcome::{NanRule, Outcome};
use crate::overflow::Overflow;

/// Converts a NaN with this sign and payload by the rule of the conversion.
#[inline(always)]
pub(super) const fn convert(conversion: &Conversion, element: &mut Element, negative: bool, payload: u64) {
    let destination = element.result_format;
    element.result = match conversion.nan {
        NanRule::Canonical => destination.nan_code(),
        NanRule::MaxNorm => destination.max_finite(),
        // The source's canonical NaN determines how many fraction bits are set.
        NanRule::Widened => {
            let fraction = element.source_format.fraction_bits();
            kept(destination, false, u64::MAX << (64 - fraction))
        }
        NanRule::Quieted => kept(destination, negative, payload | 1 << 63),
        NanRule::Moved => kept(destination, negative, payload),
        NanRule::SaturatedToZero | NanRule::IntegerZero => 0,
        NanRule::IntegerTopBit => 1 << (destination.bits() - 1),
        NanRule::RoundedAsBits => {
            ties_away(element.source, matches!(conversion.overflow, Overflow::Saturate))
        }
    };
    element.outcome = Outcome::Nan(conversion.nan);
}

/// Keeps the sign, and as much of the payload as fits the format. A format whose NaN has no payload returns
/// its canonical NaN.
const fn kept(format: Format, negative: bool, payload: u64) -> u64 {
    let Some(infinity) = format.infinity() else { return format.nan_code() };
    let fraction = payload >> (64 - format.fraction_bits());
    // Without any fraction bit the code would be infinity.
    let fraction = if fraction == 0 { 1 << (format.fraction_bits() - 1) } else { fraction };
    infinity | fraction << format.low_padding() | if negative { format.sign_bit() } else { 0 }
}

/// `cvt.rna{.satfinite}.tf32.f32` rounds the bits of NaN like those of a number: it adds half a unit to the
/// magnitude and truncates. `.satfinite` then lowers an all-ones exponent by one unit.
const fn ties_away(source: u64, satfinite: bool) -> u64 {
    const UNIT: u64 = 1 << 13;
    const LARGEST: u64 = 0x7fff_e000;
    let (sign, magnitude) = (source & 0x8000_0000, source & 0x7fff_ffff);
    let rounded = (magnitude + UNIT / 2) & !(UNIT - 1);
    let result = if rounded < LARGEST { rounded } else { LARGEST };
    sign | if satfinite { result - UNIT } else { result }
}
