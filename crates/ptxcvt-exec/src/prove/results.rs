//! Classification of two differing results, independent of the input.

use ptxcvt::{Format, Value};

use super::compare::Question;
use crate::meaning::Meaning;

/// The properties of two differing results.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Results {
    /// Exactly one of two elements is NaN.
    pub nan: bool,
    /// Two elements of a format differ.
    pub any: bool,
    /// All differing elements are zeros.
    pub all_signs: bool,
    /// A result is infinite or the largest finite number.
    pub overflow: bool,
    /// A result is subnormal.
    pub subnormal: bool,
    /// Two results are neighbours.
    pub rounding: bool,
    /// The differing elements that are neighbours.
    pub neighbours: Vec<[Value; 2]>,
}

impl Results {
    /// Compares the bits of the results that the masks `of` select.
    pub fn new(question: &Question<'_>, a: &[u64], b: &[u64], of: &[u64]) -> Results {
        let mut found = Results { all_signs: true, ..Results::default() };
        let rounds = question.inputs.iter().any(|pair| pair.meaning.is_some_and(Meaning::is_float));
        for (((pair, a), b), of) in question.outputs.iter().zip(a).zip(b).zip(of) {
            let (a, b) = (a & of, b & of);
            let Some(meaning) = pair.meaning else {
                found.all_signs &= a == b;
                continue;
            };
            for (x, y) in meaning.elements(a).zip(meaning.elements(b)).filter(|(x, y)| x != y) {
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
                }
                // Integer results are rounded only if an input is a float.
                if (rounds || !format.is_integer()) && are_neighbours(format, both) {
                    found.rounding = true;
                    found.neighbours.push(both.map(|e| format.decode(e)));
                }
            }
        }
        found
    }
}

/// True if no other number of the format is between two codes. Both zeros have the same neighbours.
pub(super) fn are_neighbours(format: Format, [x, y]: [u64; 2]) -> bool {
    let next_to = |code: u64, other| [format.next_up(code), format.next_down(code)].contains(&Some(other));
    next_to(x, y) || next_to(y, x)
}

/// The sum of two neighbours without its factors of two. `None` if the sum is 0 or not finite.
pub(super) fn odd_sum([x, y]: [Value; 2]) -> Option<u128> {
    let (Value::Finite(x), Value::Finite(y)) = (x, y) else { return None };
    let low = x.exponent.min(y.exponent);
    // The exponents of neighbours differ by at most one, except that of a zero.
    let [x, y] =
        [x, y].map(|v| if v.is_zero() { 0 } else { u128::from(v.significand) << (v.exponent - low) });
    let sum = x + y;
    (sum != 0).then(|| sum >> sum.trailing_zeros())
}
