//! The outcome for each element of a conversion, as reported by the evaluator.

use crate::conversion::Conversion;
use crate::exact::Value;
use crate::formats::{Encoded, Format, Kind};
use crate::outcome::Outcome;
use crate::overflow::Overflow;
use crate::round::{Random, Rounding};

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
            flushed: false,
            relu: false,
            pzo: false,
            sign_dropped: false,
            random: None,
            scale: None,
        }
    }

    /// Stores what the encoder returned.
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
            Some(other) => self.neighbours = Some(if up { [other, result] } else { [result, other] }),
            // Below the least power of two there is nothing to saturate to: smaller numbers are rounded up.
            None if up && matches!(format.parameters().kind, Kind::PowerOfTwo { .. }) => {}
            None => self.outcome = Outcome::Saturated,
        }
        self
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

/// The code of the next integer above or below an integer, with its sign.
fn next_integer(format: Format, code: u64, up: bool) -> u64 {
    let value = format.decode(code);
    let next = Value::from(value.to_f64() + if up { 1.0 } else { -1.0 });
    format.encode(next.with_sign(value.is_negative()), Rounding::Rn)
}

#[cfg(test)]
mod tests {
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
}
