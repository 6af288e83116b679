//! Compares results with every policy, or with one conversion, and draws the conclusion.

use ptxcvt::{Conversion, Form};

use super::choice::CHOICES;
use super::inputs::{Inputs, bytes};
use super::mistakes;
use super::place::{Places, Situation};
use super::policy::{Decided, Policy};
use super::question::Judge;
use super::tally::{Cell, MOST_CONVERSIONS, Seen, Tally, Yardstick};
use super::verdict::{Class, Difference, Example, Verdict};

/// Inputs that are converted and judged at a time.
pub const BLOCK: usize = 1 << 18;

/// A comparison whose results come in parts: from a process, or from a function of arrays.
#[derive(Debug)]
pub struct Comparison {
    right: Option<String>,
    inputs: Inputs,
    yardstick: Yardstick,
    /// The opcodes that name each conversion of the yardstick.
    opcodes: Vec<Vec<String>>,
    policies: Vec<Policy>,
    wanted: u128,
}

impl Comparison {
    /// The comparison that a judge makes.
    pub fn new(judge: &Judge) -> Comparison {
        let (source, destination) = judge.formats();
        let mut conversions: Vec<Conversion> =
            judge.right.iter().map(|(conversion, _)| *conversion).collect();
        let mut opcodes = vec![Vec::new(); conversions.len()];
        for form in Form::all() {
            let formats = (form.source().format(), form.destination().format());
            if formats != (source, destination) || form.extra().is_some() {
                continue;
            }
            let known = conversions.iter().position(|known| *known == form.conversion());
            let at = known.unwrap_or_else(|| {
                conversions.push(form.conversion());
                opcodes.push(Vec::new());
                conversions.len() - 1
            });
            opcodes[at].push(form.to_string());
        }
        assert!(conversions.len() <= MOST_CONVERSIONS, "a set of conversions is a u128");
        let places = Places::new(source, destination);
        Comparison {
            right: judge.right.as_ref().map(|(_, name)| name.clone()),
            inputs: Inputs::new(source, destination, judge.widest, judge.random, judge.seed),
            yardstick: Yardstick { source, destination, places, conversions },
            opcodes,
            policies: Policy::all(source, destination),
            wanted: u128::from(judge.right.is_some()),
        }
    }

    /// The inputs, in the order in which a codec receives them.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Writes the bytes of the inputs from number `first` on, little-endian, into a buffer of whole inputs.
    pub fn fill(&self, first: u64, buffer: &mut [u8]) {
        let width = self.source_bytes();
        let mut index = first;
        let mut put = |chunk: &mut [u8]| {
            chunk.copy_from_slice(&self.inputs.at(index).to_le_bytes()[..width]);
            index += 1;
        };
        match width {
            4 => buffer.chunks_exact_mut(4).for_each(&mut put),
            _ => buffer.chunks_exact_mut(width).for_each(&mut put),
        }
    }

    /// The bytes of an input.
    pub fn source_bytes(&self) -> usize {
        bytes(self.yardstick.source)
    }

    /// The bytes of a result.
    pub fn result_bytes(&self) -> usize {
        bytes(self.yardstick.destination)
    }

    /// A tally without results.
    pub fn tally(&self) -> Tally {
        Tally::new(&self.yardstick, self.wanted)
    }

    /// Counts the results of the inputs from number `first` on, little-endian.
    ///
    /// # Panics
    ///
    /// Panics if the results are not whole or more than the remaining inputs.
    pub fn take(&self, tally: &mut Tally, first: u64, results: &[u8]) {
        let width = self.result_bytes();
        assert!(results.len() % width == 0, "whole results");
        assert!(first + (results.len() / width) as u64 <= self.inputs.count(), "a result for each input");
        match width {
            1 => tally.take(&self.yardstick, &self.inputs, first, arrays::<1>(results)),
            2 => tally.take(&self.yardstick, &self.inputs, first, arrays::<2>(results)),
            4 => tally.take(&self.yardstick, &self.inputs, first, arrays::<4>(results)),
            _ => tally.take(&self.yardstick, &self.inputs, first, arrays::<8>(results)),
        }
    }

    /// Adds the results of another part.
    pub fn add(&self, tally: &mut Tally, other: Tally) {
        tally.add(self.yardstick.source, other);
    }

    /// The verdict on all results.
    pub fn verdict(&self, mut tally: Tally) -> Verdict {
        self.add(&mut tally, self.tally());
        let alive: Vec<usize> = (0..self.opcodes.len()).filter(|n| tally.alive >> n & 1 != 0).collect();
        let mut equal: Vec<String> = alive.iter().flat_map(|n| self.opcodes[*n].clone()).collect();
        let best = self.best_policy(&tally);
        if let (true, Some((policy, 0))) = (equal.is_empty(), best) {
            equal.push(self.name(&policy, &tally));
        }
        let (nearest, differences) = match (&self.right, best) {
            (Some(name), _) => {
                let wrong = |_, set: u128| set >> CHOICES & 1 == 0;
                let expected = |input| self.yardstick.conversions[0].eval(input);
                (name.clone(), self.differences(&tally, &wrong, &expected))
            }
            (None, _) if !equal.is_empty() => (equal[0].clone(), Vec::new()),
            (None, Some((policy, _))) => {
                let wrong = |situation, set: u128| set >> (policy.choose(situation) as u32) & 1 == 0;
                let expected = |input| {
                    let place = self.yardstick.places.place(input);
                    let code = self.yardstick.places.code(&place, policy.choose(place.situation));
                    code.expect("a policy chooses what the format has")
                };
                (self.name(&policy, &tally), self.differences(&tally, &wrong, &expected))
            }
            (None, None) => unreachable!("there are policies between any two formats"),
        };
        let (equal, otherwise) = match &self.right {
            Some(name) if differences.is_empty() => (vec![name.clone()], Vec::new()),
            Some(_) => (Vec::new(), equal),
            None => (equal, Vec::new()),
        };
        Verdict {
            formats: (self.yardstick.source, self.yardstick.destination),
            inputs: tally.inputs,
            exhaustive: self.inputs.are_consecutive(),
            equal,
            nearest,
            otherwise,
            differences,
        }
    }

    /// The policy with the fewest differences and how many they are; of several, one that a form follows.
    fn best_policy(&self, tally: &Tally) -> Option<(Policy, u64)> {
        let cells: Vec<_> = tally.cells().collect();
        let count = |policy: &Policy| -> u64 {
            let wrong =
                cells.iter().filter(|(situation, set, _)| set >> (policy.choose(*situation) as u32) & 1 == 0);
            wrong.map(|(_, _, cell)| cell.count).sum()
        };
        let key = |policy: &Policy| (count(policy), self.opcode(policy).is_none());
        self.policies
            .iter()
            .map(|policy| (key(policy), *policy))
            .min_by_key(|(key, _)| *key)
            .map(|((count, _), policy)| (policy, count))
    }

    /// The first opcode that follows a policy.
    fn opcode(&self, policy: &Policy) -> Option<&String> {
        let conversion = policy.conversion(self.yardstick.source, self.yardstick.destination)?;
        let at = self.yardstick.conversions.iter().position(|known| *known == conversion)?;
        self.opcodes[at].first()
    }

    /// The opcode of a policy, or a description of what it decides about the inputs.
    fn name(&self, policy: &Policy, tally: &Tally) -> String {
        let Yardstick { source, destination, .. } = self.yardstick;
        let described = || {
            let decided = Decided::about(tally.cells().map(|(situation, ..)| situation));
            format!("{source}->{destination}, {}", policy.describe(decided))
        };
        self.opcode(policy).cloned().unwrap_or_else(described)
    }

    fn differences(
        &self,
        tally: &Tally,
        wrong: &dyn Fn(Situation, u128) -> bool,
        expected: &dyn Fn(u64) -> u64,
    ) -> Vec<Difference> {
        let Yardstick { source, destination, .. } = self.yardstick;
        let formats = (source, destination);
        // A nonzero result. The class of a correct result is computed as if this wrong one were in its place.
        let other = destination.max_finite();
        let all: Vec<_> = tally.cells().map(|result| (wrong(result.0, result.1), result)).collect();
        let mut found = Vec::new();
        for class in Class::ALL.iter().copied() {
            let (mut wrongs, mut rights) = (Vec::new(), Vec::new());
            for (is_wrong, (situation, set, cell)) in all.iter().copied() {
                let Seen { input, got } = cell.smallest;
                let got = if is_wrong { got } else { other };
                if Class::of(situation, destination, expected(input), got) == class {
                    if is_wrong { &mut wrongs } else { &mut rights }.push((situation, set, cell));
                }
            }
            let Some((_, _, first)) = wrongs.first() else { continue };
            let mut sum: Cell = **first;
            wrongs[1..].iter().for_each(|(_, _, cell)| sum.add(source, cell));
            let evidence = mistakes::Evidence {
                class,
                formats,
                wrong: wrongs,
                right: rights,
                all: &all,
                tails: &tally.tails,
            };
            let mistake = evidence.sentence();
            let example = |seen: Seen| Example::new(formats, seen, expected(seen.input));
            let (example, smallest) = (example(sum.simplest), example(sum.smallest));
            found.push(Difference { class, count: sum.count, example, smallest, mistake });
        }
        found
    }
}

/// Bytes as whole results.
fn arrays<const N: usize>(bytes: &[u8]) -> &[[u8; N]] {
    // `as_chunks` is not in Rust 1.85 yet.
    bytemuck::cast_slice(bytes)
}
