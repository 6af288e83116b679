//! Counts differing inputs by kind.

use ptxcvt::Value;
use ptxcvt::formats::Kind;

use super::compare::Question;
use crate::meaning::Meaning;

/// The number of differing inputs of each kind. An input counts for the first kind that applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// An input is NaN, or exactly one of the results.
    pub nan: u64,
    /// Only signs of zeros differ.
    pub sign_of_zero: u64,
    /// An input or result is infinite, or a result is the largest finite number.
    pub overflow: u64,
    /// An input or result is subnormal.
    pub subnormal: u64,
    /// An input, up to a power of two, is midway between the results, which are neighbours.
    pub tie: u64,
    /// The results are neighbours, and the input is not a tie: the directions of rounding differ. Integers are rounded only
    /// from floats.
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

    /// Counts what was counted since `before` `times` times in all.
    pub(super) fn repeat(&mut self, before: Kinds, times: u64) {
        let repeat = |own: &mut u64, before: u64| *own = before + (*own - before) * times;
        repeat(&mut self.nan, before.nan);
        repeat(&mut self.sign_of_zero, before.sign_of_zero);
        repeat(&mut self.overflow, before.overflow);
        repeat(&mut self.subnormal, before.subnormal);
        repeat(&mut self.tie, before.tie);
        repeat(&mut self.rounding, before.rounding);
        repeat(&mut self.other, before.other);
    }

    /// Counts one differing input, with what is known of its results.
    pub(super) fn count(&mut self, question: &Question<'_>, inputs: &[u64], results: &Results) {
        let Results { nan, any, all_signs, mut overflow, mut subnormal, rounding, .. } = *results;
        if nan {
            // NaN comes first, so the inputs do not matter.
            self.nan += 1;
            return;
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
        let tie = || results.neighbours.iter().any(|both| is_tie(question, inputs, *both));
        match () {
            () if nan => self.nan += 1,
            () if any && all_signs => self.sign_of_zero += 1,
            () if overflow => self.overflow += 1,
            () if subnormal => self.subnormal += 1,
            () if rounding && tie() => self.tie += 1,
            () if rounding => self.rounding += 1,
            () => self.other += 1,
        }
    }
}

/// What two differing results show by themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Results {
    /// Exactly one of two elements is NaN.
    pub nan: bool,
    any: bool,
    all_signs: bool,
    pub overflow: bool,
    subnormal: bool,
    rounding: bool,
    /// Differing elements from the first that are neighbours.
    neighbours: Vec<[Value; 2]>,
}

impl Results {
    pub fn new(question: &Question<'_>, a: &[u64], b: &[u64]) -> Results {
        let mut found = Results { all_signs: true, ..Results::default() };
        let rounds = question.inputs.iter().any(|pair| pair.meaning.is_some_and(Meaning::is_float));
        for ((pair, a), b) in question.outputs.iter().zip(a).zip(b) {
            let Some(meaning) = pair.meaning else {
                found.all_signs &= a == b;
                continue;
            };
            for (x, y) in meaning.elements(*a).zip(meaning.elements(*b)).filter(|(x, y)| x != y) {
                let format = meaning.format;
                let both = [x, y];
                found.any = true;
                found.nan |= meaning.is_nan(x) != meaning.is_nan(y);
                let zero = |e: &u64| matches!(format.decode(*e), Value::Finite(v) if v.is_zero());
                found.all_signs &= both.iter().all(zero);
                if format.is_float() {
                    let magnitude = |e: u64| e & !format.sign_bit();
                    found.overflow |= both.iter().any(|e| magnitude(*e) >= format.max_finite());
                    found.subnormal |= both.iter().any(|e| format.is_subnormal(*e));
                    let step = 1 << format.low_padding();
                    found.rounding |= (x ^ y) & format.sign_bit() == 0 && x.abs_diff(y) == step;
                } else {
                    // Only a float is rounded to an integer.
                    let signed = matches!(format.parameters().kind, Kind::Integer { signed: true });
                    let shift = 64 - format.storage();
                    let [m, n] = both.map(|e| (e << shift) as i64 >> shift);
                    let distance = if signed { m.abs_diff(n) } else { x.abs_diff(y) };
                    found.rounding |= distance == 1 && (rounds || !format.is_integer());
                }
                if found.rounding {
                    found.neighbours.push(both.map(|e| format.decode(e)));
                }
            }
        }
        found
    }
}

/// True if an input, up to a power of two, is the mean of the two.
fn is_tie(question: &Question<'_>, inputs: &[u64], [x, y]: [Value; 2]) -> bool {
    let (Value::Finite(x), Value::Finite(y)) = (x, y) else { return false };
    let low = x.exponent.min(y.exponent);
    // The exponents of neighbours differ by at most one.
    let [x, y] = [x, y].map(|v| u128::from(v.significand) << (v.exponent - low).min(63));
    let sum = x + y;
    let odd = |n: u128| if n == 0 { 0 } else { n >> n.trailing_zeros() };
    let mut elements =
        question.inputs.iter().zip(inputs).filter_map(|(pair, bits)| Some((pair.meaning?, *bits)));
    elements.any(|(meaning, bits)| {
        let mut numbers = meaning.elements(bits).map(|e| meaning.format.decode(e));
        numbers.any(|v| matches!(v, Value::Finite(v) if sum != 0 && odd(v.significand.into()) == odd(sum)))
    })
}
