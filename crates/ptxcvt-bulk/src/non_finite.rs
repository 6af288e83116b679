//! Counts NaN and infinity among the elements of an array, and finds the first of each.

use core::fmt;
use core::ops::AddAssign;

use super::lanes::match_const;
use super::stage::elements;
use ptxcvt::{Format, little_endian};

/// The numbers of NaNs and infinities in an array, and the index of the first of each.
///
/// A saturating conversion turns an infinity into the largest number, and one NaN can cost a block of a quantised array
/// all its elements. Most programs produce such elements by accident, so they are counted on the way.
///
/// Its text is `3 NaN and 1 infinity`.
///
/// ```
/// use ptxcvt::Format;
/// use ptxcvt_bulk::NonFinite;
/// let bytes: Vec<u8> = [1.0, f32::NAN, 2.0, f32::INFINITY].iter().flat_map(|x: &f32| x.to_le_bytes()).collect();
/// let found = NonFinite::count(Format::F32, &bytes, 100);
/// assert_eq!((found.nan, found.first_nan, found.first_infinite), (1, Some(101), Some(103)));
/// assert_eq!(found.to_string(), "1 NaN and 1 infinity");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NonFinite {
    /// How many elements are NaN.
    pub nan: u64,
    /// How many elements are infinite.
    pub infinite: u64,
    /// The index of the first NaN.
    pub first_nan: Option<u64>,
    /// The index of the first infinity.
    pub first_infinite: Option<u64>,
}

impl NonFinite {
    /// Counts those among the little-endian elements in `bytes`, the first of which has index `first`.
    ///
    /// For formats of up to 8 bits, a table says which codes are NaN or infinity. Packed formats have neither.
    pub fn count(format: Format, bytes: &[u8], first: u64) -> NonFinite {
        Self::count_by(format, bytes, |at| first + at)
    }

    /// Like [`count`](Self::count), for elements that are not in the order of their indices: `index(n)` is the index of
    /// the `n`th element in `bytes`.
    pub fn count_by(format: Format, bytes: &[u8], index: impl Fn(u64) -> u64) -> NonFinite {
        match exponent(format) {
            Some(exponent) if format.storage() == 16 => scan::<2>(bytes, index, exponent),
            Some(exponent) if format.storage() == 32 => scan::<4>(bytes, index, exponent),
            Some(exponent) => scan::<8>(bytes, index, exponent),
            None if format.storage() == 8 => scan_codes(format, bytes, index),
            None => NonFinite::default(),
        }
    }

    /// Counts the f32 with these bits, which has index `at`.
    pub fn add(&mut self, bits: u32, at: u64) {
        if bits & SINGLE == SINGLE {
            self.add_special(bits & !(SINGLE | 1 << 31) != 0, at);
        }
    }

    fn add_special(&mut self, is_nan: bool, at: u64) {
        let (count, first) = match is_nan {
            true => (&mut self.nan, &mut self.first_nan),
            false => (&mut self.infinite, &mut self.first_infinite),
        };
        *count += 1;
        *first = Some(first.map_or(at, |first| first.min(at)));
    }

    /// True if every number is finite.
    pub const fn is_empty(&self) -> bool {
        self.nan == 0 && self.infinite == 0
    }

    /// The index of the first number that is not finite.
    pub fn first(&self) -> Option<u64> {
        self.first_nan.into_iter().chain(self.first_infinite).min()
    }
}

/// Joins the counts of two parts of an array.
impl AddAssign for NonFinite {
    fn add_assign(&mut self, other: NonFinite) {
        let first = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        self.nan += other.nan;
        self.infinite += other.infinite;
        self.first_nan = first(self.first_nan, other.first_nan);
        self.first_infinite = first(self.first_infinite, other.first_infinite);
    }
}

impl fmt::Display for NonFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nan > 0 || self.infinite == 0 {
            write!(f, "{} NaN", self.nan)?;
        }
        let and = if self.nan > 0 { " and " } else { "" };
        match self.infinite {
            0 => Ok(()),
            1 => write!(f, "{and}1 infinity"),
            n => write!(f, "{and}{n} infinities"),
        }
    }
}

/// Elements that are tested together: almost always, all of them are finite.
const STEP: usize = 512;
/// Size of the first, coarser test; the only one of codes of a byte.
const PART: usize = 4096;

/// The exponent bits of f32.
const SINGLE: u32 = 0x7f80_0000;

/// The bits of infinity: exactly NaN and infinity have ones in all of these bits. `None` for formats without infinity
/// and for formats of up to 8 bits.
const fn exponent(format: Format) -> Option<u64> {
    if format.storage() >= 16 { format.infinity() } else { None }
}

/// Counts elements of `N` bytes whose exponent bits are all ones.
fn scan<const N: usize>(bytes: &[u8], index: impl Fn(u64) -> u64, exponent: u64) -> NonFinite {
    let mut found = NonFinite::default();
    // Larger parts are tested first, because most of them have neither NaN nor infinity.
    let parts = bytes.chunks(PART * N).enumerate().filter(|(_, part)| any::<N>(part, exponent));
    let steps = parts.flat_map(|(number, part)| {
        part.chunks(STEP * N).enumerate().map(move |(step, chunk)| (number * (PART / STEP) + step, chunk))
    });
    for (number, chunk) in steps {
        if !any::<N>(chunk, exponent) {
            continue;
        }
        for (i, element) in chunk.chunks_exact(N).enumerate() {
            let bits = little_endian(element);
            if bits & exponent == exponent {
                let fraction = bits & (u64::MAX >> (65 - 8 * N)) & !exponent;
                found.add_special(fraction != 0, index((number * STEP + i) as u64));
            }
        }
    }
    found
}

/// The least magnitude of a code of a byte that is NaN or infinite. All codes from there on are. `None` if a format has
/// none.
const fn least_special(format: Format) -> Option<u8> {
    match (format.infinity(), format.nan()) {
        (Some(code), _) | (None, Some(code)) => Some((code & !format.sign_bit()) as u8),
        (None, None) => None,
    }
}

/// Counts codes of a byte each.
fn scan_codes(format: Format, bytes: &[u8], index: impl Fn(u64) -> u64) -> NonFinite {
    let mut found = NonFinite::default();
    let Some(least) = least_special(format) else { return found };
    let magnitude = !format.sign_bit() as u8;
    for (number, part) in bytes.chunks(PART).enumerate() {
        let mut any = false;
        any_of_1(part, magnitude, least, &mut any);
        if !any {
            continue;
        }
        for (i, code) in part.iter().enumerate().filter(|(_, code)| *code & magnitude >= least) {
            let is_nan = format.decode(u64::from(*code)).is_nan();
            found.add_special(is_nan, index((number * PART + i) as u64));
        }
    }
    found
}

/// True if one of the elements may be not finite; false only if all are finite.
fn any<const N: usize>(bytes: &[u8], exponent: u64) -> bool {
    let mut found = false;
    match_const!(N, {
        2 => any_of_2(bytes, exponent, &mut found),
        4 => any_of_4(bytes, &mut found),
        8 => any_of_8(bytes, &mut found),
    });
    found
}

/// `sums_of!(f32, bytes)` is true if a sum of elements is not finite. Large finite numbers can overflow, which is rare
/// and only costs a second look. The sum takes one operation for a vector of elements.
macro_rules! sums_of {
    ($float:ident, $bytes:ident) => {{
        /// The bytes of four vectors. Each vector has its own sum, so that no addition waits for the previous one.
        const GROUP: usize = 256;
        const WIDTH: usize = size_of::<$float>();
        let groups = elements::<GROUP>($bytes);
        let mut sums = [0.0; GROUP / WIDTH];
        for group in groups {
            for (sum, element) in sums.iter_mut().zip(elements::<WIDTH>(group)) {
                *sum += $float::from_le_bytes(*element);
            }
        }
        let rest = elements::<WIDTH>(&$bytes[groups.len() * GROUP..]).iter();
        let rest = rest.map(|element| $float::from_le_bytes(*element));
        sums.into_iter().chain(rest).fold(false, |found, sum| found | !sum.is_finite())
    }};
}

crate::tiered! {
    fn any_of_1(bytes: &[u8], magnitude: u8, least: u8, found: &mut bool) {
        *found = bytes.iter().fold(0, |most: u8, code| most.max(code & magnitude)) >= least;
    }
    fn any_of_2(bytes: &[u8], exponent: u64, found: &mut bool) {
        // Adding the lowest bit of the exponent carries into the place of the sign.
        let lowest = (exponent & exponent.wrapping_neg()) as u16;
        let carry = |bits: u16| (bits & (u16::MAX >> 1)).wrapping_add(lowest);
        let elements = elements::<2>(bytes).iter();
        *found = elements.fold(0, |found, e| found | carry(u16::from_le_bytes(*e))) >> 15 != 0;
    }
    fn any_of_4(bytes: &[u8], found: &mut bool) {
        *found = sums_of!(f32, bytes);
    }
    fn any_of_8(bytes: &[u8], found: &mut bool) {
        *found = sums_of!(f64, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptxcvt::{Value, mask};
    use std::string::ToString;
    use std::vec::Vec;

    #[test]
    fn every_width_and_place() {
        for (format, nan, infinity, one) in [
            (Format::F16, 0x7e01_u64, 0xfc00_u64, 0x7bff_u64),
            (Format::Bf16, 0xffff, 0x7f80, 0x7f7f),
            (Format::F32, 0x7f80_0001, 0xff80_0000, 0x7f7f_ffff),
            (Format::Tf32, 0xff80_0001, 0x7f80_0000, 0xff7f_ffff),
            (Format::F64, 0x7ff0_0000_0000_0001, 0xfff0 << 48, 0x7fef_ffff_ffff_ffff),
        ] {
            let width = format.storage() as usize / 8;
            let bytes = |bits: u64| bits.to_le_bytes()[..width].to_vec();
            let mut data: Vec<u8> = (0..2000).flat_map(|_| bytes(one)).collect();
            assert!(NonFinite::count(format, &data, 0).is_empty(), "{format}");
            for (at, bits) in [(1999, nan), (777, infinity), (1500, nan)] {
                data[at * width..(at + 1) * width].copy_from_slice(&bytes(bits));
            }
            let found = NonFinite::count(format, &data, 10);
            let expected =
                NonFinite { nan: 2, infinite: 1, first_nan: Some(1510), first_infinite: Some(787) };
            assert_eq!((found, found.first()), (expected, Some(787)), "{format}");
        }
    }

    /// Sums of finite numbers may be infinite, and those of infinities NaN.
    #[test]
    fn sums_that_overflow_are_no_infinities() {
        let mut singles: Vec<u8> = [f32::MAX; 9000].iter().flat_map(|x| x.to_le_bytes()).collect();
        let doubles: Vec<u8> = [f64::MIN; 9000].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert!(NonFinite::count(Format::F32, &singles, 0).is_empty());
        assert!(NonFinite::count(Format::F64, &doubles, 0).is_empty());
        for (at, x) in [(8000, f32::INFINITY), (8064, f32::NEG_INFINITY), (8999, f32::NAN), (10, -f32::NAN)] {
            singles[4 * at..4 * at + 4].copy_from_slice(&x.to_le_bytes());
        }
        let expected = NonFinite { nan: 2, infinite: 2, first_nan: Some(10), first_infinite: Some(8000) };
        assert_eq!(NonFinite::count(Format::F32, &singles, 0), expected);
    }

    #[test]
    fn every_format_with_nan_or_infinity_is_counted() {
        for format in Format::ALL.iter().copied() {
            let bytes = |code: u64| code.to_le_bytes()[..(format.storage() as usize).div_ceil(8)].to_vec();
            let (nan, infinity) = (format.nan(), format.infinity());
            assert!(format.storage() >= 8 || nan.is_none() && infinity.is_none(), "{format}");
            for (code, expected) in [(nan, "1 NaN"), (infinity, "1 infinity")] {
                let Some(code) = code else { continue };
                let found = NonFinite::count(format, &bytes(code), 7);
                assert_eq!((found.to_string().as_str(), found.first()), (expected, Some(7)), "{format}");
            }
        }
        let codes = [0x38, 0x7c, 0x38, 0x7e, 0xfc, 0xff];
        let found = NonFinite::count_by(Format::E5m2, &codes, |at| 10 - at);
        let expected = NonFinite { nan: 2, infinite: 2, first_nan: Some(5), first_infinite: Some(6) };
        assert_eq!(found, expected);
    }

    /// No other codes are NaN or infinite than those that the search looks for.
    #[test]
    fn special_codes_have_the_greatest_magnitudes() {
        for format in Format::ALL.iter().copied().filter(|format| format.storage() == 8) {
            let least = least_special(format);
            for code in 0..=mask(format.bits()) {
                let is_special =
                    format.decode(code).is_nan() || matches!(format.decode(code), Value::Infinity { .. });
                let magnitude = code & !format.sign_bit();
                assert_eq!(
                    least.is_some_and(|least| magnitude >= least.into()),
                    is_special,
                    "{format} {code:#x}"
                );
            }
        }
    }

    #[test]
    fn plurals() {
        let text = |nan, infinite| NonFinite { nan, infinite, ..NonFinite::default() }.to_string();
        assert_eq!([text(0, 0), text(0, 1), text(2, 2)], ["0 NaN", "1 infinity", "2 NaN and 2 infinities"]);
    }
}
