//! Finds inputs that meet several conditions, bit by bit.
//!
//! [`super::dependence`] says which input bits a bit of a register may depend on. The search tries these bits and gives
//! up an attempt at the first wrong bit of the register. In sums, products and bitwise operations, each step adds only
//! one new bit of each input. Conditions are tried in pairs, alone, and in groups that are consistent.

use std::collections::HashSet;

use ptxcvt::inputs::SplitMix64;
use ptxcvt::mask;

use super::compare::Question;
use super::conditions::Condition;
use super::dependence::Bits;

/// Limit on the conditions in a group.
const MOST_TOGETHER: usize = 8;
/// Limit on the new input bits that are tried for one bit of a register.
const MOST_NEW_BITS: usize = 8;
/// Limit on the attempts for a group of conditions.
const MOST_ATTEMPTS: u32 = 1 << 12;
/// Limit on the instructions that are run for all attempts of a question.
const MOST_INSTRUCTIONS: usize = 1 << 22;
/// Number of solutions sought for each set of conditions; free bits differ between them.
const SOLUTIONS: u64 = 3;

/// The number of a condition, and the value that it must have.
type Goal = (usize, u64);

/// A bit of a register, which is checked once the input bits on which it depends are chosen.
struct Step {
    condition: usize,
    bit: usize,
    right: bool,
    /// The input bits that no earlier step has chosen: input and position.
    new: Vec<(usize, u32)>,
}

/// Inputs that meet these conditions, without duplicates, the likeliest first.
pub(super) fn all(question: &Question<'_>, conditions: &[Condition]) -> Vec<Vec<u64>> {
    let inputs = question.inputs.iter().enumerate().rev();
    let mut search = Search {
        question,
        places: inputs.flat_map(|(n, pair)| (0..pair.width).map(move |at| (n, at))).collect(),
        conditions,
        inputs: Vec::new(),
        rest: MOST_INSTRUCTIONS,
        found: Vec::new(),
        seen: HashSet::new(),
    };
    search.all();
    search.found
}

struct Search<'c> {
    question: &'c Question<'c>,
    conditions: &'c [Condition],
    /// The input and the position of each bit in [`Bits`].
    places: Vec<(usize, u32)>,
    /// The inputs so far. Bits that are not chosen yet have any value: nothing checked so far depends on them.
    inputs: Vec<u64>,
    /// The number of instructions that may still be run.
    rest: usize,
    found: Vec<Vec<u64>>,
    seen: HashSet<Vec<u64>>,
}

impl Search<'_> {
    /// Tries pairs of the likeliest values, single conditions with each value, groups of consistent conditions, and
    /// pairs of all values.
    fn all(&mut self) {
        let count = self.conditions.len();
        let pairs = || (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        let conditions = self.conditions;
        for (a, b) in pairs() {
            self.meet(&[(a, conditions[a].values[0]), (b, conditions[b].values[0])]);
        }
        for (at, condition) in conditions.iter().enumerate() {
            for value in &condition.values {
                self.meet(&[(at, *value)]);
            }
        }
        for first in 0..count {
            let mut goals = vec![(first, conditions[first].values[0])];
            for next in (0..count).filter(|next| *next != first) {
                goals.push((next, conditions[next].values[0]));
                if goals.len() > MOST_TOGETHER || !self.meet(&goals) {
                    goals.pop();
                }
            }
        }
        for (a, b) in pairs() {
            for x in &conditions[a].values {
                for y in &conditions[b].values {
                    self.meet(&[(a, *x), (b, *y)]);
                }
            }
        }
    }

    /// Looks for inputs that meet all of these conditions. Returns true if every attempt finds some.
    fn meet(&mut self, goals: &[Goal]) -> bool {
        if self.rest == 0 {
            return false;
        }
        let Some(steps) = self.steps(goals) else { return false };
        (0..SOLUTIONS).all(|seed| {
            // Bits on which no condition depends are zero, one or random.
            let mut random = SplitMix64::new(seed);
            let mut any = || match seed {
                0 => 0,
                1 => u64::MAX,
                _ => random.next_u64(),
            };
            let widths = self.question.inputs.iter().map(|pair| pair.width);
            self.inputs = widths.map(|width| any() & mask(width)).collect();
            let mut attempts = MOST_ATTEMPTS;
            let met = self.choose(&steps, &mut attempts);
            if met && self.seen.insert(self.inputs.clone()) {
                self.found.push(self.inputs.clone());
            }
            met
        })
    }

    /// The bits of the conditions in search order: next is always the bit that needs the fewest new input bits. `None`
    /// if a bit needs too many.
    fn steps(&self, goals: &[Goal]) -> Option<Vec<Step>> {
        let bits = |(condition, value): &Goal| {
            let (condition, value) = (*condition, *value);
            let needs = self.conditions[condition].needs.iter().enumerate();
            needs.map(move |(bit, needs)| (condition, bit, value >> bit & 1 != 0, *needs)).collect::<Vec<_>>()
        };
        let mut rest: Vec<(usize, usize, bool, Bits)> = goals.iter().flat_map(bits).collect();
        let mut chosen = Bits::default();
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let cost = |(_, bit, _, needs): &(usize, usize, bool, Bits)| (needs.without(chosen).len(), *bit);
            let next = (0..rest.len()).min_by_key(|at| cost(&rest[*at])).expect("not empty");
            let (condition, bit, right, needs) = rest.swap_remove(next);
            let new: Vec<_> = needs.without(chosen).iter().map(|bit| self.places[bit as usize]).collect();
            if new.len() > MOST_NEW_BITS {
                return None;
            }
            chosen = chosen.or(needs);
            steps.push(Step { condition, bit, right, new });
        }
        Some(steps)
    }

    /// Chooses the new bits of these steps in order, beginning with the current inputs. Returns true if every bit is
    /// right.
    fn choose(&mut self, steps: &[Step], attempts: &mut u32) -> bool {
        let [Step { condition, bit, right, new }, later @ ..] = steps else { return true };
        let block = &self.conditions[*condition].block;
        for setting in 0..1_u32 << new.len() {
            // In Gray code order, consecutive settings differ in one bit.
            if setting > 0 {
                let (input, at) = new[setting.trailing_zeros() as usize];
                self.inputs[input] ^= 1 << at;
            }
            if *attempts == 0 || self.rest == 0 {
                return false;
            }
            *attempts -= 1;
            self.rest = self.rest.saturating_sub(block.code().len() + 1);
            let result = block.eval(&self.inputs).expect("one value for each input")[0];
            if (result >> bit & 1 != 0) == *right && self.choose(later, attempts) {
                return true;
            }
        }
        false
    }
}
