//! Counts differing inputs by kind.

use ptxcvt::Value;

use super::compare::Question;
use super::results::{Results, odd_sum};
use crate::meaning::Meaning;

/// The number of differing inputs of each kind. An input counts for the first kind that applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// An input is NaN, or exactly one of the results is NaN.
    pub nan: u64,
    /// Only signs of zeros differ.
    pub sign_of_zero: u64,
    /// An input or result is infinite, or a result is the largest finite number.
    pub overflow: u64,
    /// An input or result is subnormal.
    pub subnormal: u64,
    /// The results are neighbours, and an input is midway between them, apart from a power of two.
    pub tie: u64,
    /// The results are neighbours and no input is midway between them: the directions of rounding differ. Integer
    /// results count only if an input is a float.
    pub rounding: u64,
    /// Anything else.
    pub other: u64,
}

impl Kinds {
    /// The names and counts of the kinds that occurred.
    pub fn rows(self) -> impl Iterator<Item = (&'static str, u64)> {
        let rows = [
            ("NaN", self.nan),
            ("sign of zero", self.sign_of_zero),
            ("overflow", self.overflow),
            ("subnormal", self.subnormal),
            ("tie", self.tie),
            ("rounding", self.rounding),
            ("other", self.other),
        ];
        rows.into_iter().filter(|(_, n)| *n > 0)
    }

    pub(super) fn add(&mut self, other: Kinds) {
        self.nan += other.nan;
        self.sign_of_zero += other.sign_of_zero;
        self.overflow += other.overflow;
        self.subnormal += other.subnormal;
        self.tie += other.tie;
        self.rounding += other.rounding;
        self.other += other.other;
    }

    /// Counts one differing input with its classified results.
    pub(super) fn count(&mut self, question: &Question<'_>, inputs: &[u64], results: &Results) {
        match first(question, inputs, results) {
            First::Neighbours if results.neighbours.iter().any(|both| is_tie(question, inputs, *both)) => {
                self.tie += 1;
            }
            kind => *self.of(kind) += 1,
        }
    }

    /// Counts consecutive values of the only input that have the same results. Returns false and counts nothing if they
    /// may be of several kinds.
    pub(super) fn count_between(
        &mut self,
        question: &Question<'_>,
        ends: [u64; 2],
        results: &Results,
    ) -> bool {
        let count = ends[1] - ends[0] + 1;
        let meaning = question.inputs[0].meaning;
        let kind = first(question, &ends[..1], results);
        let ties = match (kind, meaning) {
            (First::Nan, _) if results.nan => 0,
            (_, None) => 0,
            (_, Some(meaning))
                if meaning.lanes != 1 || class(meaning, ends[0]) != class(meaning, ends[1]) =>
            {
                return false;
            }
            (First::Neighbours, Some(meaning)) => match results.ties(meaning, ends) {
                Some(ties) => ties,
                None => return false,
            },
            _ => 0,
        };
        self.tie += ties;
        *self.of(kind) += count - ties;
        true
    }

    /// The counter of a kind. `Neighbours` without a tie were rounded in different directions.
    fn of(&mut self, kind: First) -> &mut u64 {
        match kind {
            First::Nan => &mut self.nan,
            First::SignOfZero => &mut self.sign_of_zero,
            First::Overflow => &mut self.overflow,
            First::Subnormal => &mut self.subnormal,
            First::Neighbours => &mut self.rounding,
            First::Other => &mut self.other,
        }
    }
}

/// The first kind that applies to an input, apart from ties.
#[derive(Clone, Copy)]
enum First {
    Nan,
    SignOfZero,
    Overflow,
    Subnormal,
    /// Ties, and results rounded in different directions.
    Neighbours,
    Other,
}

fn first(question: &Question<'_>, inputs: &[u64], results: &Results) -> First {
    let Results { nan, any, all_signs, mut overflow, mut subnormal, rounding, .. } = *results;
    if nan {
        // NaN comes first, so the inputs do not matter.
        return First::Nan;
    }
    let mut nan = false;
    for (pair, bits) in question.inputs.iter().zip(inputs) {
        let Some(meaning) = pair.meaning.filter(|m| m.is_float()) else { continue };
        for element in meaning.elements(*bits) {
            nan |= meaning.is_nan(element);
            overflow |= matches!(meaning.format.decode(element), Value::Infinity { .. });
            subnormal |= meaning.format.is_subnormal(element);
        }
    }
    match () {
        () if nan => First::Nan,
        () if any && all_signs => First::SignOfZero,
        () if overflow => First::Overflow,
        () if subnormal => First::Subnormal,
        () if rounding => First::Neighbours,
        () => First::Other,
    }
}

/// The sign of a number, and whether it is zero, subnormal, normal, infinite or NaN. Codes between two codes of one
/// class belong to that class.
fn class(meaning: Meaning, code: u64) -> Option<(bool, u8)> {
    let format = meaning.format;
    let kind = match format.decode(code) {
        Value::Finite(x) if x.is_zero() => 0,
        Value::Finite(_) if format.is_subnormal(code) => 1,
        Value::Finite(_) => 2,
        Value::Infinity { .. } => 3,
        Value::Nan { .. } => 4,
    };
    meaning.is_float().then_some((code & format.sign_bit() != 0, kind))
}

/// True if an input is the mean of the two values, apart from a power of two.
fn is_tie(question: &Question<'_>, inputs: &[u64], both: [Value; 2]) -> bool {
    let Some(sum) = odd_sum(both) else { return false };
    let odd = |n: u128| if n == 0 { 0 } else { n >> n.trailing_zeros() };
    let mut elements =
        question.inputs.iter().zip(inputs).filter_map(|(pair, bits)| Some((pair.meaning?, *bits)));
    elements.any(|(meaning, bits)| {
        let mut numbers = meaning.elements(bits).map(|e| meaning.format.decode(e));
        numbers.any(|v| matches!(v, Value::Finite(v) if odd(v.significand.into()) == sum))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::options::Options;
    use crate::read::{self, Interface};

    /// Counting a range of inputs gives the same counts as counting each of them.
    #[test]
    fn consecutive_inputs() {
        for (constraints, a, b) in [
            ("=h,f", "cvt.rn.f16.f32 %0, %1;", "cvt.rz.f16.f32 %0, %1;"),
            ("=h,h", "cvt.rn.bf16.f16 %0, %1;", "cvt.rz.bf16.f16 %0, %1;"),
            ("=f,r", "cvt.rn.f32.s32 %0, %1;", "cvt.rz.f32.s32 %0, %1;"),
        ] {
            let interface = Interface::constraints(constraints).expect("valid constraints");
            let [a, b] = [a, b].map(|text| read::block(text, &interface).expect("a valid block"));
            let question = Question::new(&a, &b, &Options::default()).expect("the same operands");
            let top = 1_u64 << question.inputs[0].width;
            let edges = [0, 1, 0x400, 0x3f80, 0x7c00, 0x80_0000, 0x3f80_1000, 0x47ff_f000, 0x7f80_0000];
            let firsts =
                edges.iter().flat_map(|edge| (0..9).map(move |n| edge + n * n)).chain([top / 2, top - 70]);
            let pairs = [
                (0, 0x8000),
                (1, 2),
                (0x3c00, 0x3c01),
                (0x3f80, 0x3f7f),
                (0x7bff, 0x7c00),
                (0x7fff, 0),
                (5, 500),
            ];
            let (mut whole, mut single) = (0, 0);
            for first in firsts.filter(|first| first + 64 < top) {
                for (x, y) in pairs {
                    let results = Results::new(&question, &[x], &[y], &[u64::MAX]);
                    for last in [first + 1, first + 3, first + 20, first + 63] {
                        let [mut together, mut one_by_one] = [Kinds::default(); 2];
                        (first..=last).for_each(|input| one_by_one.count(&question, &[input], &results));
                        if together.count_between(&question, [first, last], &results) {
                            assert_eq!(together, one_by_one, "{x:#x} {y:#x} {first:#x} to {last:#x}");
                            whole += 1;
                        } else {
                            single += 1;
                        }
                    }
                }
            }
            assert!(whole > 5 * single, "{whole} together, {single} one by one");
        }
    }
}
