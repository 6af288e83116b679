//! Counts differing inputs by kind.

use ptxcvt::Value;

use super::compare::Question;
use super::results::{Results, odd_sum};

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

    /// The kind of one differing input with its classified results: one counter is 1.
    pub(super) fn of(question: &Question<'_>, inputs: &[u64], results: &Results) -> Kinds {
        let Results { mut nan, any, all_signs, mut overflow, mut subnormal, rounding, .. } = *results;
        for (pair, bits) in question.inputs.iter().zip(inputs) {
            let Some(meaning) = pair.meaning.filter(|m| m.is_float()) else { continue };
            for element in meaning.elements(*bits) {
                nan |= meaning.is_nan(element);
                overflow |= matches!(meaning.format.decode(element), Value::Infinity { .. });
                subnormal |= meaning.format.is_subnormal(element);
            }
        }
        let is_tie = || results.neighbours.iter().any(|both| is_tie(question, inputs, *both));
        let mut kinds = Kinds::default();
        let counter = match () {
            () if nan => &mut kinds.nan,
            () if any && all_signs => &mut kinds.sign_of_zero,
            () if overflow => &mut kinds.overflow,
            () if subnormal => &mut kinds.subnormal,
            () if rounding && is_tie() => &mut kinds.tie,
            () if rounding => &mut kinds.rounding,
            () => &mut kinds.other,
        };
        *counter = 1;
        kinds
    }

    /// How many kinds there are.
    pub(super) const COUNT: usize = 7;

    /// From the counts in the order of the kinds.
    pub(super) fn from_counts(counts: [u64; Self::COUNT]) -> Kinds {
        let [nan, sign_of_zero, overflow, subnormal, tie, rounding, other] = counts;
        Kinds { nan, sign_of_zero, overflow, subnormal, tie, rounding, other }
    }

    /// The number of inputs of all kinds.
    pub(super) fn total(self) -> u64 {
        let Kinds { nan, sign_of_zero, overflow, subnormal, tie, rounding, other } = self;
        nan + sign_of_zero + overflow + subnormal + tie + rounding + other
    }
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
