//! The outcome for each element of a conversion, as reported by the evaluator.

use crate::conversion::Conversion;
use crate::exact::{Exact, Value};
use crate::formats::{Encoded, Format, Kind};
use crate::outcome::Outcome;
use crate::overflow::Overflow;
use crate::round::{Mode, Random, Rounding, to_quantum};

/// The outcome for one element of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Element {
    /// The source format.
    pub source_format: Format,
    /// The source bits, as wide as the format's storage.
    pub source: u64,
    /// The destination format.
    pub result_format: Format,
    /// The result bits, as wide as the format's storage.
    pub result: u64,
    /// How the result relates to the source.
    pub outcome: Outcome,
    /// If the value was rounded: the codes just below and just above it.
    pub neighbours: Option<[u64; 2]>,
    /// If the value was halfway between its neighbours, and the form rounds to nearest: what decided.
    pub tie: Option<Tie>,
    /// A subnormal became zero: by `.ftz`, or before a division by an n1 scale.
    pub flushed: bool,
    /// `.relu` turned a negative value (or −0) into +0.
    pub relu: bool,
    /// `.pzo` turned −0 into +0.
    pub pzo: bool,
    /// The sign was dropped: the destination is unsigned.
    pub sign_dropped: bool,
    /// The random field that `.rs` added.
    pub random: Option<Random>,
    /// The ue8m0 scale that applied.
    pub scale: Option<u8>,
}

impl Element {
    #[inline]
    pub(crate) const fn new(source_format: Format, source: u64, result_format: Format) -> Self {
        Element {
            source_format,
            source,
            result_format,
            result: 0,
            outcome: Outcome::Exact,
            neighbours: None,
            tie: None,
            flushed: false,
            relu: false,
            pzo: false,
            sign_dropped: false,
            random: None,
            scale: None,
        }
    }

    /// Stores the encoder's result.
    #[inline(always)]
    pub(crate) const fn take(&mut self, encoded: Encoded) {
        self.result = encoded.code;
        self.outcome = encoded.outcome;
    }

    /// Adds the codes just below and just above a value that was rounded. A value beyond the end of the range
    /// has only one neighbour; it saturated, even if rounding alone would give the end of the range.
    pub(crate) fn with_neighbours(mut self, conversion: &Conversion) -> Self {
        let up = match self.outcome {
            Outcome::RoundedUp => true,
            Outcome::RoundedDown => false,
            _ => return self,
        };
        let format = self.result_format;
        // Only a negative value is rounded up to zero: it was -0, before `.sat` or `.pzo`.
        let is_float = format.is_float();
        let result = if up && is_float && self.result == 0 { format.sign_bit() } else { self.result };
        let other = match conversion.rounding.is_integer() && is_float {
            true => Some(next_integer(format, result, !up)),
            false if up => format.next_down(result),
            false => format.next_up(result),
        };
        let infinite = other.is_some_and(|code| matches!(format.decode(code), Value::Infinity { .. }));
        match other.filter(|_| !(infinite && conversion.overflow == Overflow::Saturate)) {
            Some(other) => {
                self.neighbours = Some(if up { [other, result] } else { [result, other] });
                self.tie = Tie::of(conversion.rounding).filter(|_| {
                    let ends = [other, result].map(|code| format.decode(code).finite());
                    let value = self.scaled(conversion).finite();
                    matches!((value, ends), (Some(x), [Some(low), Some(high)]) if is_halfway(x, low, high))
                });
            }
            // Below the least power of two there is nothing to saturate to: smaller numbers are rounded up.
            None if up && matches!(format.parameters().kind, Kind::PowerOfTwo { .. }) => {}
            None => self.outcome = Outcome::Saturated,
        }
        self
    }

    /// The source's value, scaled as the conversion says.
    #[inline(always)]
    pub(crate) const fn scaled(&self, conversion: &Conversion) -> Value {
        match (self.source_value(), self.scale) {
            (Value::Finite(x), Some(code)) => Value::Finite(x.scaled(conversion.scale.log2_factor(code))),
            (value, _) => value,
        }
    }

    /// The destination's bits so far: `result` with this element below it.
    #[inline]
    pub(crate) fn below(&self, result: u64) -> u64 {
        let storage = self.result_format.storage();
        if storage < 64 { result << storage | self.result } else { self.result }
    }

    /// The source as a value.
    #[inline]
    pub const fn source_value(&self) -> Value {
        self.source_format.decode(self.source)
    }

    /// The result as a value.
    pub const fn result_value(&self) -> Value {
        self.result_format.decode(self.result)
    }
}

/// A conversion's result, and what happened to each element, the upper one first.
///
/// ```
/// use ptxcvt::{Form, Outcome};
/// let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
/// let e = form.explain(&[0x3fc0_0000, 0x4479_c000])?; // 1.5 and 999
/// assert_eq!(e.result, 0x3c7e);
/// assert_eq!(e.elements()[0].outcome, Outcome::Exact);
/// assert_eq!(e.elements()[1].outcome, Outcome::Saturated);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The destination's bits.
    pub result: u64,
    elements: [Element; 4],
    count: usize,
}

impl Explanation {
    pub(crate) fn new() -> Self {
        let unused = Element::new(Format::U8, 0, Format::U8);
        Explanation { result: 0, elements: [unused; 4], count: 0 }
    }

    /// Adds `element` below the earlier ones. The first one ends up uppermost.
    pub(crate) fn push(&mut self, element: Element) {
        self.result = element.below(self.result);
        self.elements[self.count] = element;
        self.count += 1;
    }

    /// The elements, the upper one first.
    pub fn elements(&self) -> &[Element] {
        &self.elements[..self.count]
    }
}

/// The rule for a value halfway between two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tie {
    /// The even one of the two is the result: its last bit is 0.
    Even,
    /// The one farther from zero is the result.
    Away,
}

impl Tie {
    /// The rule of a rounding; `None` if it is not to nearest.
    const fn of(rounding: Rounding) -> Option<Tie> {
        match rounding.mode(None) {
            Mode::NearestEven => Some(Tie::Even),
            Mode::NearestAway => Some(Tie::Away),
            Mode::TowardZero | Mode::Down | Mode::Up | Mode::Stochastic(_) => None,
        }
    }
}

/// True if a number is in the middle between two neighbours.
fn is_halfway(x: Exact, one: Exact, other: Exact) -> bool {
    let near = if one.to_f64().abs() < other.to_f64().abs() { one } else { other };
    let far = if near == one { other } else { one };
    // In units of the lower of the two exponents the farther one is at most twice the nearer one, or the nearer one is
    // zero.
    let unit = if near.is_zero() { far.exponent } else { near.exponent.min(far.exponent) };
    let units =
        |end: Exact| if end.is_zero() { 0 } else { u128::from(end.significand) << (end.exponent - unit) };
    let gap = units(far).abs_diff(units(near));
    let half = unit + gap.trailing_zeros() as i32 - 1;
    let rounded = to_quantum(x, half, Mode::TowardZero);
    !rounded.inexact && rounded.steps % 2 == 1
}

/// The code of the next integer above or below an integer, with its sign.
fn next_integer(format: Format, code: u64, up: bool) -> u64 {
    let value = format.decode(code);
    let next = Value::from(value.to_f64() + if up { 1.0 } else { -1.0 });
    format.encode(next.with_sign(value.is_negative()), Rounding::Rn)
}

#[cfg(test)]
mod tests {
    use super::Tie;
    use crate::forms::Form;

    #[test]
    fn neighbours_lie_on_both_sides() {
        let f32 = |x: f32| u64::from(x.to_bits());
        let tiny = f32(-1e-9);
        for (opcode, source, neighbours) in [
            ("cvt.rn.satfinite.e4m3x2.f32", f32(1.01), Some([0x38, 0x39])),
            ("cvt.rz.satfinite.e4m3x2.f32", f32(-1.01), Some([0xb9, 0xb8])),
            ("cvt.rn.satfinite.e4m3x2.f32", tiny, Some([0x81, 0x80])),
            ("cvt.rn.satfinite.pzo.e4m3x2.f32", tiny, Some([0x81, 0x80])),
            ("cvt.rn.satfinite.e4m3x2.f32", f32(450.0), None),
            ("cvt.rni.s8.f32", f32(-128.5), None),
            ("cvt.rn.satfinite.e4m3x2.f32", f32(999.0), None),
            ("cvt.rn.f16x2.f32", f32(65510.0), Some([0x7bff, 0x7c00])),
            ("cvt.rna.tf32.f32", 0x3f80_1000, Some([0x3f80_0000, 0x3f80_2000])),
            ("cvt.rn.sat.f16.f32", tiny, Some([0x8001, 0x8000])),
            ("cvt.rn.sat.f16.f32", f32(2.0), None),
            ("cvt.rmi.f32.f32", f32(-0.3), Some([f32(-1.0), f32(-0.0)])),
            ("cvt.rmi.f32.f32", f32(6.5), Some([f32(6.0), f32(7.0)])),
            ("cvt.rni.s32.f32", f32(-0.3), Some([0xffff_ffff, 0])),
            ("cvt.rni.u8.f32", f32(254.7), Some([254, 255])),
            ("cvt.rn.satfinite.s2f6x2.f32", f32(-1.99), Some([0x80, 0x81])),
            ("cvt.rp.ue8m0x2.f32", f32(3.0), Some([128, 129])),
            ("cvt.rp.ue8m0x2.f32", 0, None),
        ] {
            let form: Form = opcode.parse().unwrap();
            let operands = [source; 2];
            let explanation = form.explain(&operands[..form.source_count()]).unwrap();
            assert_eq!(explanation.elements()[0].neighbours, neighbours, "{opcode} {source:#x}");
        }
    }

    #[test]
    fn ties() {
        let f32 = |x: f32| u64::from(x.to_bits());
        for (opcode, source, tie) in [
            ("cvt.rn.satfinite.e2m1x2.f32", f32(2.5), Some(Tie::Even)),
            ("cvt.rn.satfinite.e2m1x2.f32", f32(-0.25), Some(Tie::Even)),
            ("cvt.rn.satfinite.e2m1x2.f32", f32(2.500_000_2), None),
            ("cvt.rn.satfinite.e2m1x2.f32", f32(2.25), None),
            // Between two powers of two, and above the greater of them.
            ("cvt.rn.satfinite.e2m1x2.f32", f32(1.75), Some(Tie::Even)),
            ("cvt.rz.satfinite.bf16x2.f32", 0x3f80_8000, None),
            ("cvt.rna.tf32.f32", 0x3f80_1000, Some(Tie::Away)),
            ("cvt.rna.tf32.f32", 0x3f80_1001, None),
            ("cvt.rna.tf32.f32", 0x0000_1000, Some(Tie::Away)),
            ("cvt.rni.s32.f32", f32(2.5), Some(Tie::Even)),
            ("cvt.rni.s32.f32", f32(-0.5), Some(Tie::Even)),
            ("cvt.rni.s32.f32", f32(2.25), None),
            ("cvt.rni.f32.f32", f32(6.5), Some(Tie::Even)),
            ("cvt.rni.f32.f32", f32(6.25), None),
            ("cvt.rn.f16.f32", f32(2.0_f32.powi(-25)), Some(Tie::Even)),
            ("cvt.rn.f64.u64", (1 << 53) + 1, Some(Tie::Even)),
            ("cvt.rn.f64.u64", (1 << 54) + 1, None),
            ("cvt.rn.f16.f32", f32(65519.0), None),
        ] {
            let form: Form = opcode.parse().unwrap();
            let operands = [source; 2];
            let explanation = form.explain(&operands[..form.source_count()]).unwrap();
            assert_eq!(explanation.elements()[0].tie, tie, "{opcode} {source:#x}");
        }
    }
}
