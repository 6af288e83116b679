//! The words of templates that narrow a pair of f16 or bf16 by arithmetic on both halves at once.
//!
//! PTX ISA sections 5.2.3 (alternate floating-point formats) and 9.7.9.21.
//!
//! m is a magnitude, and p is the power of two of its binade, at least that of the smallest normal number
//! (`FLOOR_HALVES`). The sum r = p·`ADD_HALVES` + m is rounded at the result's last place. Its fraction is the number of
//! places plus a constant, and its exponent is that of p plus a constant. So r·`STEP` + p·`BINADE` has the code at the top
//! of each half: `STEP` lifts the places, and `BINADE` replaces the exponent of r by that of the code. What the lower
//! half carries into the upper one stays below the upper code.
//!
//! NaN is 0x7fff in r, and in p either 0x7fff as well or infinity. The constants are chosen so that NaN becomes 0x7f in the
//! seven bits below the sign, and so that the place of the sign has another value for NaN than for numbers.

use ptxcvt::Rounding;

use super::words::{Half, Small, Word, twice};

/// The value of p for NaN.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nan {
    /// NaN, by a multiplication and addition.
    Nan,
    /// Infinity, which is the exponent field of NaN.
    Infinity,
}

/// The constants of a template.
struct Constants {
    add: u64,
    step: u32,
    binade: u32,
}

/// A magnitude on its way: the bits of p and r, and its code.
struct Magnitude {
    p: i64,
    r: i64,
    code: i64,
}

/// 0, -1, 1, -2, 2 and so on up to `last`.
fn outward(last: i64) -> impl Iterator<Item = i64> {
    (0..=last).flat_map(|n| [-n, n]).skip(1)
}

impl Half {
    /// The words for conversions of pairs of this format to a small format, those that take a search only if the template
    /// has them.
    pub(super) fn narrowing(self, small: &Small, text: &str) -> Vec<Word> {
        let encode = |code| self.format.encode(small.format.decode(code), Rounding::Rn);
        let max = small.format.max_finite();
        let sign = 1 << (self.format.bits() - 1);
        let mut words = vec![
            ("PAIR", format!("{}x2", self.format.name())),
            ("EXPONENTS", twice(self.infinity())),
            ("MAX_HALVES", twice(encode(max))),
            ("MIN_HALVES", twice(encode(max) | sign)),
            ("FLOOR_HALVES", twice(encode(small.format.min_normal()))),
        ];
        let mut add = |names: [&'static str; 3], nan| {
            if !text.contains(&format!("${}", names[0])) {
                return;
            }
            // Without such constants the words stay unknown, and no sequence that needs them can be read.
            if let Some(found) = self.constants(small, nan) {
                words.push((names[0], twice(found.add)));
                words.push((names[1], format!("{:#x}", found.step)));
                words.push((names[2], format!("{:#x}", found.binade)));
            }
        };
        add(["ADD_HALVES", "STEP", "BINADE"], Nan::Nan);
        add(["ADD_INF_HALVES", "STEP_INF", "BINADE_INF"], Nan::Infinity);
        words
    }

    /// The bits of infinity, which are the exponent field.
    fn infinity(self) -> u64 {
        u64::from(2 * self.bias as u32 + 1) << self.fraction
    }

    /// The constants for a format, if there are any.
    fn constants(self, small: &Small, nan: Nan) -> Option<Constants> {
        // An FP4 code and its sign are the uppermost four bits, another code is the uppermost byte.
        let place = 16 - small.format.bits().next_power_of_two();
        let up = self.fraction - small.fraction;
        let first = i64::from(self.bias + 1 - small.bias);
        let magnitude = |code: i64| {
            let binade = (code >> small.fraction).max(1) - 1;
            let exponent = first + binade;
            Magnitude {
                p: exponent << self.fraction,
                r: ((exponent + i64::from(up)) << self.fraction) + code - (binade << small.fraction),
                code,
            }
        };
        let numbers: Vec<Magnitude> = (0..=small.format.max_finite() as i64).map(magnitude).collect();
        let nan = small.format.nan().map(|code| Magnitude {
            p: if nan == Nan::Nan { 0x7fff } else { self.infinity() as i64 },
            r: 0x7fff,
            code: code as i64,
        });
        // `binade` moves the exponent of p to the code's place; its multiples of 2^16 / 2^fraction change nothing there.
        let modulus = 1 << (16 - self.fraction);
        let exponent = (1_i64 << (place + small.fraction)) >> self.fraction;
        for step in outward(40).map(|n| (1_i64 << place) + n) {
            for binade in outward(4).map(|n| (exponent - step).rem_euclid(modulus) + n * modulus) {
                // Even, so that ties go to even.
                for k in (0..(1_i64 << self.fraction) - (2 << small.fraction)).step_by(2) {
                    let numbers = numbers.iter().map(|m| ((m.r + k) * step + m.p * binade, m.code));
                    let nan = nan.iter().map(|m| (m.r * step + m.p * binade, m.code));
                    if is_right(place, numbers, nan) {
                        let places = ((1_i64 << self.fraction) + k) as f64;
                        let add = places / f64::from(1_u32 << small.fraction);
                        let add = self.format.encode(add, Rounding::Rn);
                        return Some(Constants { add, step: step as u32, binade: binade as u32 });
                    }
                }
            }
        }
        None
    }
}

/// True if each result has its code in the bits from `place` on of both halves, whatever the other half is. The bit of the
/// sign is the same for all numbers, and the other way around for NaN. A format without NaN has 0 there.
fn is_right(
    place: u32,
    numbers: impl Iterator<Item = (i64, i64)> + Clone,
    nan: impl Iterator<Item = (i64, i64)> + Clone,
) -> bool {
    let top = |result: i64| (result & 0xffff) >> place;
    let sign = 0x8000 >> place;
    // The code of the first number is 0.
    let mark = numbers.clone().next().map_or(0, |(result, _)| top(result));
    let has_nan = nan.clone().next().is_some();
    if mark != 0 && !(has_nan && mark == sign) {
        return false;
    }
    if !numbers.clone().all(|(result, code)| top(result) == code | mark)
        || !nan.clone().all(|(result, code)| top(result) == code | (mark ^ sign))
    {
        return false;
    }
    // What the lower half adds to the upper one changes the bits below the code only.
    let carries = || numbers.clone().chain(nan.clone()).map(|(result, _)| result >> 16);
    let (Some(least), Some(most)) = (carries().min(), carries().max()) else { return false };
    let below = |result: i64| result & ((1 << place) - 1);
    numbers.chain(nan).all(|(result, _)| below(result) + least >= 0 && below(result) + most < 1 << place)
}
