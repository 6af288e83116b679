//! The picture of an element as data: places on a number line.

use ptxcvt::formats::Encoding;
use ptxcvt::{Element, Format, Outcome, Rounding, Value};

/// A value of the destination on the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// Its code.
    pub code: u64,
    /// Its value.
    pub value: f64,
    /// Its distance from the result.
    pub distance: f64,
    /// Its place, from 0 at the left end to 1 at the right.
    pub place: f64,
    /// It is the result.
    pub result: bool,
}

/// An element's number line: the values of the destination next to the source.
///
/// ```
/// use ptxcvt::Form;
/// use ptxcvt_picture::Picture;
/// let form: Form = "cvt.rn.satfinite.e2m1x2.f32".parse()?;
/// let explanation = form.explain(&[0x3f8c_cccd, 0])?; // 1.1
/// let picture = Picture::new(&explanation.elements()[0]).unwrap();
/// let values: Vec<f64> = picture.ticks.iter().map(|tick| tick.value).collect();
/// assert_eq!(values, [0.5, 1.0, 1.5, 2.0]);
/// assert!(picture.ticks[1].result);
/// assert_eq!(picture.midpoint, Some(0.5)); // 1.25 is in the middle
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The source's value.
    pub source: f64,
    /// The place of the source; below 0 or above 1 it is beyond the line.
    pub place: f64,
    /// The number that is rounded: the source, unless that is scaled, flushed, clamped or loses its sign first.
    pub rounded: f64,
    /// The place of the rounded number.
    pub rounded_place: f64,
    /// The values of the destination, from left to right.
    pub ticks: Vec<Tick>,
    /// The place at which rounding to nearest changes from the neighbour below to the one above, if the source is between
    /// two.
    pub midpoint: Option<f64>,
    /// The code to which each rounding would round the source, stochastic rounding excepted; empty if the source is
    /// exact.
    pub modes: Vec<(Rounding, u64)>,
    /// The part of the line, from 0 to 1, on which numbers are subnormal.
    pub subnormal: Option<[f64; 2]>,
    /// The part of the line beyond the largest number.
    pub beyond: Option<[f64; 2]>,
    /// How random bits decided, for stochastic rounding.
    pub stochastic: Option<Stochastic>,
}

/// Stochastic rounding: the discarded bits and the random field are added, and a carry takes the magnitude up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stochastic {
    /// How many bits are added.
    pub bits: u32,
    /// The bits just below the last place; lower bits are discarded.
    pub discarded: u64,
    /// The number that is added: the random field, with its bits reversed where PTX reverses them.
    pub random: u64,
    /// The sum carried.
    pub carry: bool,
    /// How many of the 2^bits random fields cause a carry.
    pub carrying: u64,
}

impl Stochastic {
    /// The chance of going up, in magnitude.
    pub fn chance(&self) -> f64 {
        self.carrying as f64 / (self.bits as f64).exp2()
    }
}

/// The roundings whose outcome does not depend on random bits.
const MODES: [Rounding; 5] = [Rounding::Rn, Rounding::Rna, Rounding::Rz, Rounding::Rm, Rounding::Rp];

impl Picture {
    /// The picture of an element; `None` if source or result is not a finite number.
    pub fn new(element: &Element) -> Option<Picture> {
        let format = element.result_format;
        let scale = element.scale.map_or(1.0, |code| Format::Ue8m0.decode(code.into()).to_f64());
        let Value::Finite(exact) = element.source_value() else { return None };
        let Value::Finite(_) = element.result_value() else { return None };
        // The number that was rounded: divided by the scale for narrow results, multiplied for wide ones, and zero or
        // positive if the operand was flushed, clamped or lost its sign.
        let scaled = match element.scale {
            Some(_) if format.bits() < element.source_format.bits() => exact.to_f64() / scale,
            Some(_) => exact.to_f64() * scale,
            None => exact.to_f64(),
        };
        let rounded = match element {
            e if e.flushed || e.relu => 0.0,
            e if e.sign_dropped => scaled.abs(),
            _ => scaled,
        };
        // A wrapped integer has no place near its source.
        if !rounded.is_finite() || element.outcome == Outcome::Wrapped {
            return None;
        }
        let source = match element.source_format.is_integer() {
            true => Number::of(element.source_format, element.source),
            false => Number::real(exact.to_f64()),
        };
        let drawn = if rounded == source.real { source } else { Number::real(rounded) };
        let mut codes = match element.neighbours {
            Some([below, above]) => vec![below, above],
            None => vec![element.result],
        };
        // Between two integers, as under `.rni`, the format may have more numbers: its next ones would be too close.
        let adjacent = element
            .neighbours
            .is_none_or(|[below, above]| next(format, below, true).is_none_or(|code| code == above));
        if adjacent {
            let before = codes.first().and_then(|code| next(format, *code, false));
            let after = codes.last().and_then(|code| next(format, *code, true));
            codes = before.into_iter().chain(codes).chain(after).collect();
        }
        let value = |code: u64| format.decode(code).to_f64();
        codes.retain(|code| value(*code).is_finite());
        let number = |code: u64| Number::of(format, code);
        let (first, last) = (number(*codes.first()?), number(*codes.last()?));
        let width = last.minus(first);
        let span = if width > 0.0 { width } else { 1.0 };
        let place = |x: Number| x.minus(first) / span;
        let result = number(element.result);
        let tick = |code: u64| Tick {
            code,
            value: value(code),
            distance: number(code).minus(result),
            place: place(number(code)),
            result: number(code).minus(result) == 0.0,
        };
        // Halfway between places, because the number there may not be an f64.
        let midpoint = element
            .neighbours
            .map(|pair| pair.map(|code| place(number(code))))
            .map(|[a, b]| f64::midpoint(a, b));
        let ticks: Vec<Tick> = codes.into_iter().map(tick).collect();
        let saturates = element.outcome == Outcome::Saturated;
        let encode = |rounding| {
            let how = Encoding::new(rounding);
            format.encode(rounded, if saturates { how.satfinite() } else { how })
        };
        // The source as an f64 is exact, except for integers beyond 2^53.
        let exact = !element.source_format.is_integer() || element.source_format.bits() <= 32;
        let rounds = exact && (element.neighbours.is_some() || saturates);
        let modes = MODES.iter().filter(|_| rounds).map(|mode| (*mode, encode(*mode))).collect();
        Some(Picture {
            source: source.real,
            place: place(source),
            rounded,
            rounded_place: place(drawn),
            ticks,
            midpoint: midpoint.filter(|m| m.is_finite() && element.neighbours.is_some_and(|[a, b]| a != b)),
            modes,
            subnormal: subnormal(format, &|x| place(Number::real(x))),
            beyond: beyond(format, place(drawn), &|x| place(Number::real(x))),
            stochastic: stochastic(element, rounded),
        })
    }
}

/// A number that may be an integer beyond 2^53, which no f64 distinguishes from its neighbours.
#[derive(Clone, Copy)]
struct Number {
    real: f64,
    integer: Option<i128>,
}

impl Number {
    fn real(real: f64) -> Number {
        let is_integer = real.fract() == 0.0 && real.abs() < 1e30;
        Number { real, integer: is_integer.then_some(real as i128) }
    }

    fn of(format: Format, code: u64) -> Number {
        let real = format.decode(code).to_f64();
        if !format.is_integer() {
            return Number::real(real);
        }
        let unused = 64 - format.bits();
        let integer = match format.is_signed() {
            true => i128::from((code << unused) as i64 >> unused),
            false => i128::from(code),
        };
        Number { real, integer: Some(integer) }
    }

    fn minus(self, other: Number) -> f64 {
        match (self.integer, other.integer) {
            (Some(a), Some(b)) => (a - b) as f64,
            _ => self.real - other.real,
        }
    }
}

/// The part of the line below the least normal number.
fn subnormal(format: Format, place: &impl Fn(f64) -> f64) -> Option<[f64; 2]> {
    if format.min_normal() == format.min_positive() {
        return None;
    }
    let normal = format.decode(format.min_normal()).to_f64();
    let least = if format.sign_bit() == 0 { 0.0 } else { -normal };
    let part = [place(least).max(0.0), place(normal).min(1.0)];
    (part[0] < part[1]).then_some(part)
}

/// The part of the line beyond the range, on the side of the rounded number.
fn beyond(format: Format, rounded: f64, place: &impl Fn(f64) -> f64) -> Option<[f64; 2]> {
    let [least, largest] =
        [format.min_finite(), format.max_finite()].map(|code| place(format.decode(code).to_f64()));
    match () {
        () if rounded > largest => Some([largest, f64::INFINITY]),
        () if rounded < least => Some([f64::NEG_INFINITY, least]),
        () => None,
    }
}

/// The random field and the bits to which it was added, if the source is between two numbers.
fn stochastic(element: &Element, rounded: f64) -> Option<Stochastic> {
    let random = element.random?;
    let [below, above] = element.neighbours?.map(|code| element.result_format.decode(code).to_f64().abs());
    let (floor, ceiling) = (below.min(above), below.max(above));
    // Beyond the last finite number there is nothing to add.
    if !ceiling.is_finite() || floor == ceiling {
        return None;
    }
    // Differences and quotients of neighbouring binary numbers: exact.
    let all = f64::from(random.bits).exp2();
    let discarded = ((rounded.abs() - floor) / (ceiling - floor) * all).floor() as u64;
    let value = u64::from(random.value);
    let carry = discarded + value >= 1 << random.bits;
    Some(Stochastic { bits: random.bits, discarded, random: value, carry, carrying: discarded })
}

/// The code of the next finite value above or below.
fn next(format: Format, code: u64, up: bool) -> Option<u64> {
    let next = if up { format.next_up(code) } else { format.next_down(code) };
    next.filter(|code| matches!(format.decode(*code), Value::Finite(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptxcvt::Form;

    fn of(opcode: &str, operands: &[u64], lane: usize) -> Option<Picture> {
        let form: Form = opcode.parse().unwrap();
        Picture::new(&form.explain(operands).unwrap().elements()[lane])
    }

    fn values(picture: &Picture) -> Vec<f64> {
        picture.ticks.iter().map(|tick| tick.value).collect()
    }

    #[test]
    fn what_has_no_place_has_no_picture() {
        assert_eq!(of("cvt.rn.f16.f32", &[0x7fc0_0000], 0), None);
        assert_eq!(of("cvt.rn.f16.f32", &[0x7f80_0000], 0), None);
        assert_eq!(of("cvt.u8.u32", &[300], 0), None);
    }

    #[test]
    fn ends_of_the_range() {
        let saturated = of("cvt.rn.satfinite.e4m3x2.f32", &[999_f32.to_bits().into(), 0], 0).unwrap();
        assert_eq!(values(&saturated), [416.0, 448.0]);
        assert!(saturated.place > 1.0 && saturated.ticks[1].result);
        let zero = of("cvt.rn.satfinite.e4m3x2.f32", &[0, 0x8000_0000], 1).unwrap();
        assert_eq!(values(&zero), [-0.001953125, 0.0, 0.001953125]);
    }

    /// The number that is rounded is between its neighbours, and the source is what the operand has.
    #[test]
    fn rounded_numbers_lie_between_their_neighbours() {
        let mut seen = 0;
        for form in Form::all().filter(|form| form.rounding().is_some_and(|r| !r.is_integer())) {
            for bits in [0x3fc6_6666, 0xbf81_2345, 0x4123_4567, 0x3c3d, 0x3c45, 0x7b, 0x3ff3_3333_3333_3333] {
                let mut operands = vec![bits; form.source_count()];
                if form.modifiers().iter().any(ptxcvt::Modifier::is_scale) {
                    operands[form.source_count() - 1] = 0x8080; // 2
                }
                for element in form.explain(&operands).unwrap().elements() {
                    let (Some([below, above]), Some(picture)) = (element.neighbours, Picture::new(element))
                    else {
                        continue;
                    };
                    let [below, above] = [below, above].map(|c| element.result_format.decode(c).to_f64());
                    if above.is_finite() && below.is_finite() {
                        seen += 1;
                        assert_eq!(picture.source, element.source_value().to_f64(), "{form} {bits:#x}");
                        assert!(
                            below <= picture.rounded && picture.rounded <= above,
                            "{form} {bits:#x}: {picture:?}"
                        );
                    }
                }
            }
        }
        assert!(seen > 1000, "{seen}");
    }

    /// The picture's result for each mode equals that of the instruction, and the carry of `.rs` is the
    /// direction that its element took.
    #[test]
    fn modes_are_those_of_the_instructions() {
        let (mut seen, mut carries) = (0, [0, 0]);
        for form in Form::all().filter(|form| form.lanes() <= 2 && form.rounding().is_some()) {
            for bits in [0x3fc6_6666, 0xbf81_2345, 0x4123_4567, 0x3f81_8001, 0x8000_0001] {
                let operands = vec![bits; form.source_count()];
                for element in form.explain(&operands).unwrap().elements() {
                    let Some(picture) = Picture::new(element) else { continue };
                    if let Some(stochastic) = picture.stochastic {
                        let away = element.result_value().to_f64().abs() > picture.rounded.abs();
                        assert_eq!(stochastic.carry, away, "{form} {bits:#x} {stochastic:?}");
                        carries[usize::from(away)] += 1;
                    }
                    let rounded = matches!(element.outcome, Outcome::RoundedUp | Outcome::RoundedDown);
                    let mode = picture.modes.iter().find(|(mode, _)| Some(*mode) == form.rounding());
                    if let Some((_, code)) = mode.filter(|_| rounded) {
                        let value = |code| element.result_format.decode(code).to_f64();
                        assert_eq!(value(*code), value(element.result), "{form} {bits:#x}: {picture:?}");
                        seen += 1;
                    }
                }
            }
        }
        assert!(seen > 500 && carries[0] > 5 && carries[1] > 5, "{seen} {carries:?}");
    }

    /// Beyond the largest number there are no two neighbours between which random bits could decide.
    #[test]
    fn nothing_is_added_beyond_the_range() {
        let bits = 7.25_f32.to_bits().into();
        let picture = of("cvt.rs.satfinite.e2m1x4.f32", &[bits, bits, bits, bits, 0x9e37_79b9], 3).unwrap();
        assert_eq!((picture.stochastic, picture.midpoint), (None, None));
        assert!(picture.beyond.is_some());
    }

    #[test]
    fn ranges_are_shaded() {
        let small = of("cvt.rn.satfinite.e4m3x2.f32", &[0.013_f32.to_bits().into(), 0], 0).unwrap();
        assert!(small.subnormal.is_some() && small.beyond.is_none());
        let large = of("cvt.rn.satfinite.e4m3x2.f32", &[999_f32.to_bits().into(), 0], 0).unwrap();
        assert_eq!((large.subnormal, large.beyond), (None, Some([1.0, f64::INFINITY])));
    }

    #[test]
    fn every_small_code_has_its_neighbours() {
        for format in Format::ALL.iter().copied().filter(|f| f.bits() <= 8) {
            let mut all: Vec<f64> = (0..1_u64 << format.bits()).map(|c| format.decode(c).to_f64()).collect();
            all.retain(|x| x.is_finite());
            all.sort_by(f64::total_cmp);
            all.dedup_by(|a, b| a == b);
            for code in 0..1_u64 << format.bits() {
                let value = format.decode(code).to_f64();
                let Some(at) = all.iter().position(|x| *x == value) else { continue };
                let found = |up| next(format, code, up).map(|c| format.decode(c).to_f64());
                assert_eq!(found(true), all.get(at + 1).copied(), "{format} {code:#x}");
                assert_eq!(found(false), at.checked_sub(1).map(|b| all[b]), "{format} {code:#x}");
            }
        }
    }
}
