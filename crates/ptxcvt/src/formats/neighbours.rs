//! The numbers next to a number, as `next_up` and `next_down` of the standard library and of apfloat.

use super::parameters::Kind;
use super::rows::Format;
use crate::bits::mask;

impl Format {
    /// The code of the least number greater than `code`, or of infinity above the largest number.
    ///
    /// `None` for NaN, for infinity, and for the largest number of a format without infinity. Both zeros have the
    /// smallest positive number above them.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::E4m3.next_up(0x38), Some(0x39)); // 1.125 after 1
    /// assert_eq!(Format::E4m3.next_up(0x80), Some(0x01)); // after -0
    /// assert_eq!(Format::E4m3.next_up(0x7e), None); // 448 is the last
    /// assert_eq!(Format::F16.next_up(0x7bff), Format::F16.infinity());
    /// assert_eq!(Format::S8.next_up(0xff), Some(0)); // 0 after -1
    /// ```
    #[inline]
    pub const fn next_up(self, code: u64) -> Option<u64> {
        self.next(code, true)
    }

    /// The code of the greatest number less than `code`, or of negative infinity below the least number.
    ///
    /// `None` for NaN, for negative infinity, and for the least number of a format without infinity. Both zeros
    /// have the negative number nearest to zero below them, if the format is signed.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::F32.next_down(0), Some(0x8000_0001));
    /// assert_eq!(Format::F32.next_down(0x7f80_0000), Some(0x7f7f_ffff)); // below infinity
    /// assert_eq!(Format::U8.next_down(0), None);
    /// ```
    #[inline]
    pub const fn next_down(self, code: u64) -> Option<u64> {
        self.next(code, false)
    }

    const fn next(self, code: u64, up: bool) -> Option<u64> {
        let last = if up { self.max_finite() } else { self.min_finite() };
        match self.parameters().kind {
            Kind::Integer { .. } | Kind::Fixed { .. } => {
                let code = code & mask(self.bits());
                let next = if up { code.wrapping_add(1) } else { code.wrapping_sub(1) };
                if code == last { None } else { Some(next & mask(self.bits())) }
            }
            Kind::PowerOfTwo { .. } => {
                // The codes rise with the numbers; NaN is above all.
                let code = code & mask(self.bits());
                if code > self.max_finite() || code == last {
                    None
                } else {
                    Some(if up { code + 1 } else { code - 1 })
                }
            }
            Kind::Float { .. } => {
                let unit = 1 << self.low_padding();
                let sign = code & self.sign_bit();
                // Padding is ignored: tf32 has low bits, FP6 high ones.
                let magnitude =
                    code & mask(self.low_padding() + self.bits()) & !self.sign_bit() & !(unit - 1);
                let end = match self.infinity() {
                    Some(infinity) => infinity,
                    None => self.max_finite(),
                };
                if magnitude > end {
                    return None; // NaN
                }
                let away_from_zero = up == (sign == 0);
                if away_from_zero {
                    if magnitude == end { None } else { Some(sign | (magnitude + unit)) }
                } else if magnitude != 0 {
                    Some(sign | (magnitude - unit))
                } else if up {
                    Some(unit)
                } else if self.is_signed() {
                    Some(self.sign_bit() | unit)
                } else {
                    None
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    /// Going up meets every number of a format in order, and going down comes back.
    #[test]
    fn every_small_format_in_order() {
        for format in Format::ALL.iter().copied().filter(|format| format.bits() <= 16) {
            let codes = (0..1_u64 << format.bits()).map(|code| code << format.low_padding());
            let mut numbers: Vec<(f64, u64)> = codes
                .filter(|code| !format.decode(*code).is_nan())
                .map(|code| (format.decode(code).to_f64(), code))
                .filter(|(value, code)| *value != 0.0 || code & format.sign_bit() == 0)
                .collect();
            numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
            let value = |code: Option<u64>| code.map(|code| format.decode(code).to_f64());
            for pair in numbers.windows(2) {
                assert_eq!(value(format.next_up(pair[0].1)), Some(pair[1].0), "{format}");
                assert_eq!(value(format.next_down(pair[1].1)), Some(pair[0].0), "{format}");
            }
            let (first, last) = (numbers[0].1, numbers[numbers.len() - 1].1);
            assert_eq!((format.next_down(first), format.next_up(last)), (None, None), "{format}");
        }
    }

    /// The bits around a code in its storage are ignored.
    #[test]
    fn padding_is_ignored() {
        for format in Format::ALL.iter().copied().filter(|format| format.storage() <= 8) {
            for code in 0..=mask(format.storage()) {
                let bare = code & (mask(format.bits()) << format.low_padding());
                assert_eq!(format.next_up(code), format.next_up(bare), "{format} {code:#x}");
                assert_eq!(format.next_down(code), format.next_down(bare), "{format} {code:#x}");
            }
        }
    }

    /// f32 has the neighbours that LLVM's apfloat gives it.
    #[test]
    fn apfloat_agrees() {
        use rustc_apfloat::{Float, ieee::Single};
        // Every exponent, with fractions at and next to its ends.
        let codes = (0..512_u64)
            .flat_map(|top| [0, 1, 2, 0x3f_ffff, 0x40_0000, 0x7f_fffe, 0x7f_ffff].map(|low| top << 23 | low));
        for code in codes {
            let x = f32::from_bits(code as u32);
            // apfloat returns infinity unchanged.
            let number = Single::from_bits(code.into());
            let expected = |next: Single| (next.to_bits() != code.into()).then_some(next.to_bits() as u64);
            let same_zero = |code: Option<u64>| code.map(|c| if c == 0x8000_0000 { 0 } else { c });
            if !x.is_nan() {
                assert_eq!(
                    same_zero(Format::F32.next_up(code)),
                    same_zero(expected(number.next_up().value)),
                    "{code:#x}"
                );
                assert_eq!(
                    same_zero(Format::F32.next_down(code)),
                    same_zero(expected(number.next_down().value)),
                    "{code:#x}"
                );
            } else {
                assert_eq!((Format::F32.next_up(code), Format::F32.next_down(code)), (None, None));
            }
        }
    }
}
