//! `--stats`: counts the outcomes for the elements with the reference evaluator, and measures the errors of
//! the results.

use std::ops::AddAssign;
use std::time::Duration;

use ptxcvt::{Element, Form, Outcome, Scale};
use ptxcvt_blocks::Losses;

use super::phases::timed;

/// The number of elements with each outcome, and their errors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// All elements, and their errors.
    pub losses: Losses,
    /// Results equal to the source.
    pub exact: u64,
    /// Results that were rounded.
    pub rounded: u64,
    /// Results that are NaN.
    pub nan: u64,
    /// Numbers beyond the range, limited to its end.
    pub saturated: u64,
    /// Results beyond the largest number.
    pub overflowed: u64,
    /// Subnormal numbers that `.ftz` or a scale flushed to zero; not those that rounding made 0.
    pub flushed: u64,
    /// Integers cut to their low bits.
    pub wrapped: u64,
}

impl Counts {
    /// Adds the traced elements. Each counts once, by the greatest loss in any stage.
    pub fn add(&mut self, trace: &Trace) {
        for way in trace.elements.iter().flatten() {
            self.losses.add(way.source, way.result);
            self.flushed += u64::from(way.flushed);
            *match way.outcome {
                Outcome::Exact => &mut self.exact,
                Outcome::RoundedUp | Outcome::RoundedDown => &mut self.rounded,
                Outcome::Saturated => &mut self.saturated,
                Outcome::Overflowed => &mut self.overflowed,
                Outcome::Wrapped => &mut self.wrapped,
                Outcome::Nan(_) => &mut self.nan,
                other => unreachable!("no element is counted as {other:?}"),
            } += 1;
        }
    }

    /// Names and counts, for printing.
    pub fn rows(&self) -> [(&'static str, u64); 8] {
        [
            ("elements", self.losses.elements()),
            ("exact", self.exact),
            ("rounded", self.rounded),
            ("nan", self.nan),
            ("saturated", self.saturated),
            ("overflowed", self.overflowed),
            ("flushed", self.flushed),
            ("wrapped", self.wrapped),
        ]
    }

    /// The largest error, the mean of the squares, and the ratio of signal to noise in decibels, for printing. `None`
    /// if they are [undefined](Losses::errors).
    pub fn errors(&self) -> [(&'static str, Option<f64>); 3] {
        let errors = self.losses.errors();
        [
            ("max error", errors.map(|errors| errors.largest)),
            ("mean sq.", errors.map(|errors| errors.mean_square)),
            ("SNR dB", errors.map(|errors| errors.snr_db)),
        ]
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.losses += other.losses;
        self.exact += other.exact;
        self.rounded += other.rounded;
        self.nan += other.nan;
        self.saturated += other.saturated;
        self.overflowed += other.overflowed;
        self.flushed += other.flushed;
        self.wrapped += other.wrapped;
    }
}

/// Counts, and how long counting took.
#[derive(Default)]
pub struct Counting {
    pub counts: Counts,
    pub time: Duration,
}

impl Counting {
    /// Adds the traced elements.
    pub fn add(&mut self, trace: &Trace) {
        timed(&mut self.time, || self.counts.add(trace));
    }
}

/// The outcomes for the elements of a piece in the stages of a chain.
#[derive(Debug)]
pub struct Trace {
    elements: Vec<Option<Way>>,
}

#[derive(Clone, Copy, Debug)]
struct Way {
    outcome: Outcome,
    flushed: bool,
    /// The element's first value.
    source: f64,
    /// Its present value in the units of the first.
    result: f64,
    /// The binary logarithm of the scales by which it was divided.
    power: i32,
}

impl Trace {
    /// A trace of `count` elements.
    pub fn new(count: usize) -> Trace {
        Trace { elements: vec![None; count] }
    }

    /// Records an instruction with its operands in PTX order. Its first element in memory is element `at`.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer or more operands than the form has.
    pub fn note(&mut self, form: &Form, stage: usize, operands: &[u64], at: usize) {
        let explanation = form.explain(operands).expect("an instruction has as many operands as its form");
        let scale = form.conversion().rules().scale;
        // The lowest element is first in memory and last in the explanation; padding is not recorded.
        let elements = explanation.elements().iter().rev();
        for (way, element) in self.elements.iter_mut().skip(at).zip(elements) {
            let before = (stage > 0).then_some(*way).flatten();
            *way = Some(Way::after(scale, before, element));
        }
    }
}

impl Way {
    fn after(scale: Scale, before: Option<Way>, element: &Element) -> Way {
        let factor = element.scale.map_or(0, |code| scale.log2_factor(code));
        let power = before.map_or(0, |way| way.power) - factor;
        let source = match before {
            Some(way) => way.source,
            None => element.source_value().to_f64(),
        };
        let outcome = match before {
            Some(way) if rank(way.outcome) > rank(element.outcome) => way.outcome,
            _ => element.outcome,
        };
        let flushed = element.flushed || before.is_some_and(|way| way.flushed);
        let result = element.result_value().to_f64() * f64::from(power).exp2();
        Way { outcome, flushed, source, result, power }
    }
}

/// Ranks outcomes by how much is lost.
fn rank(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Exact => 0,
        Outcome::RoundedUp | Outcome::RoundedDown => 1,
        Outcome::Wrapped => 2,
        Outcome::Saturated => 3,
        Outcome::Overflowed => 4,
        // NaN loses the number.
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_those_of_numbers() {
        let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse().unwrap();
        let mut trace = Trace::new(3);
        let operands = |upper: f32, lower: f32| [u64::from(upper.to_bits()), u64::from(lower.to_bits())];
        trace.note(&form, 0, &operands(f32::NAN, 500.0), 0);
        trace.note(&form, 0, &operands(9.0, 1.0625), 2);
        let mut counts = Counts::default();
        counts.add(&trace);
        let (elements, finite) = (counts.losses.elements(), counts.losses.finite());
        assert_eq!((elements, finite, counts.nan, counts.saturated), (3, 2, 1, 1));
        assert_eq!(counts.errors()[0], ("max error", None));
        let mut numbers = Trace::new(2);
        numbers.note(&form, 0, &operands(1.0625, 500.0), 0);
        let mut counts = Counts::default();
        counts.add(&numbers);
        let errors = counts.errors().map(|(_, error)| error.unwrap());
        assert_eq!(errors[..2], [52.0, (52.0 * 52.0 + 0.0625 * 0.0625) / 2.0]);
    }

    /// The error is not finite if a number became an infinity, and undefined without numbers.
    #[test]
    fn errors_of_overflows_and_of_nothing_are_undefined() {
        let mut counts = Counts::default();
        assert_eq!(counts.errors().map(|(_, error)| error), [None; 3]);
        let mut trace = Trace::new(1);
        trace.note(&"cvt.rn.f16.f32".parse().unwrap(), 0, &[u64::from(1e6_f32.to_bits())], 0);
        counts.add(&trace);
        assert_eq!((counts.overflowed, counts.errors().map(|(_, error)| error)), (1, [None; 3]));
    }

    /// Whether a scale divides or multiplies is the conversion's to say.
    #[test]
    fn a_scale_is_no_error_in_both_directions() {
        let up: Form = "cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2".parse().unwrap();
        let mut trace = Trace::new(2);
        trace.note(&up, 0, &[0x3840, 0x8180], 0);
        let mut counts = Counts::default();
        counts.add(&trace);
        assert_eq!((counts.losses.finite(), counts.errors()[0].1), (2, Some(0.0)));
        let form: Form = "cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32".parse().unwrap();
        let mut trace = Trace::new(2);
        // Scales of 4 and 2.
        let operands = [4_f32, 2.0].map(|x| u64::from(x.to_bits()));
        trace.note(&form, 0, &[operands[0], operands[1], 0x8180], 0);
        let mut counts = Counts::default();
        counts.add(&trace);
        assert_eq!((counts.losses.finite(), counts.errors()[0].1), (2, Some(0.0)));
        assert_eq!(counts.errors()[2], ("SNR dB", Some(f64::INFINITY)));
    }
}
