//! One thread of the search: runs both blocks on the trials of a chunk, and classifies the lanes that differ.

use super::compare::Question;
use super::distinct::Distinct;
use super::domain::{Domain, Interval};
use super::kinds::Kinds;
use super::plan::{Piece, Sweep};
use super::results::Results;
use super::sample::Sampler;
use crate::lanes::{LANES, Program, Runner};
use crate::meaning::Meaning;

/// The result of a thread.
#[derive(Default)]
pub(super) struct Found {
    pub compared: u64,
    pub skipped: u64,
    pub count: u64,
    pub kinds: Kinds,
    /// The kinds of the differing inputs of a search, without duplicates.
    pub distinct: Kinds,
    pub smallest: Option<Vec<u64>>,
}

/// A thread's view of a sweep: both blocks' columns.
pub(super) struct Worker<'w> {
    question: &'w Question<'w>,
    /// Chooses the inputs if not all inputs are tried.
    sampler: Option<&'w Sampler>,
    /// The differing inputs of samples.
    distinct: Option<&'w Distinct>,
    sweep: &'w Sweep,
    runners: [Runner<'w>; 2],
    /// For each input, the places of its bits in the number of a trial.
    pieces: Vec<Vec<Piece>>,
    /// For each input with a number format, the domain of its elements.
    domains: Vec<Option<Interval>>,
    /// A lane's inputs and both results.
    inputs: Vec<u64>,
    /// The inputs of every lane of a sample.
    samples: Vec<u64>,
    results: [Vec<u64>; 2],
    /// The last differing results with their classification, because neighbouring inputs often have the same results.
    last: Option<([Vec<u64>; 2], Results)>,
}

impl<'w> Worker<'w> {
    pub fn new(
        question: &'w Question<'w>,
        programs: &'w [Program; 2],
        samples: Option<(&'w Sampler, &'w Distinct)>,
        sweep: &'w Sweep,
    ) -> Self {
        let [a, b] = programs;
        let count = question.inputs.len();
        let of = |n: usize| sweep.pieces.iter().copied().filter(|p| p.input == n).collect();
        let domain = |meaning: Meaning| Interval::new(question.domain, meaning.format);
        let results = vec![0; question.outputs.len()];
        Worker {
            question,
            sampler: samples.map(|(sampler, _)| sampler),
            distinct: samples.map(|(_, distinct)| distinct),
            sweep,
            runners: [a.runner(), b.runner()],
            pieces: (0..count).map(of).collect(),
            domains: question.inputs.iter().map(|pair| pair.meaning.map(domain)).collect(),
            inputs: vec![0; count],
            samples: vec![0; if samples.is_some() { count * LANES } else { 0 }],
            results: [results.clone(), results],
            last: None,
        }
    }

    /// Runs the trials from `first` on. With `one`, stops at the first difference.
    pub fn chunk(&mut self, first: u64, count: u64, one: bool, found: &mut Found) {
        for start in (first..first + count).step_by(LANES) {
            let lanes = (first + count - start).min(LANES as u64);
            self.fill(start);
            self.runners.iter_mut().for_each(Runner::run);
            self.compare(start, lanes as usize, one, found);
            if one && found.count > 0 {
                return;
            }
        }
    }

    /// Fills in the inputs of the trials from `start` on. Lanes after the last trial get the numbers that follow.
    fn fill(&mut self, start: u64) {
        if let Some(sampler) = self.sampler {
            let count = self.inputs.len();
            for (lane, inputs) in self.samples.chunks_exact_mut(count.max(1)).enumerate() {
                sampler.sample(start + lane as u64, inputs);
            }
            for runner in &mut self.runners {
                (0..count).for_each(|n| runner.set(n, |lane| self.samples[lane * count + n]));
            }
            return;
        }
        for runner in &mut self.runners {
            for (n, pieces) in self.pieces.iter().enumerate() {
                match pieces[..] {
                    // Usually a piece is a whole input, which is simple enough for vector code.
                    [piece] => runner.set(n, |lane| piece.of(start + lane as u64)),
                    ref pieces => runner.set(n, |lane| scatter(pieces, start + lane as u64)),
                }
            }
        }
    }

    /// Finds the lanes that differ, and classifies them.
    fn compare(&mut self, start: u64, lanes: usize, one: bool, found: &mut Found) {
        let everything = match self.run_in_domain(start, start + lanes as u64 - 1) {
            Some(false) => {
                found.skipped += lanes as u64;
                return;
            }
            known => known.is_some(),
        };
        let [a, b] = &self.runners;
        let same = |n: usize| a.output(n) == b.output(n);
        let equal = (0..self.question.outputs.len()).all(same);
        if everything && equal {
            found.compared += lanes as u64;
            return;
        }
        let mut lane = 0;
        while lane < lanes {
            let trial = start + lane as u64;
            if !everything {
                self.read_inputs(trial);
                if !self.in_domain() {
                    found.skipped += 1;
                    lane += 1;
                    continue;
                }
            }
            if equal {
                found.compared += 1;
                lane += 1;
                continue;
            }
            for (side, results) in self.results.iter_mut().enumerate() {
                for (n, bits) in results.iter_mut().enumerate() {
                    *bits = self.runners[side].get(n, lane);
                }
            }
            let [left, right] = &self.results;
            let differ = left != right;
            let alone = !everything || differ && (one || self.sampler.is_some());
            let run = if alone { 1 } else { self.run(lane, lanes, differ) };
            found.compared += run as u64;
            if differ {
                self.judge(trial, run as u64, found);
                if one && found.count > 0 {
                    return;
                }
            }
            lane += run;
        }
    }

    /// The number of lanes, from this one on, with the same two results; or, unless `differ`, with two equal results.
    fn run(&self, lane: usize, end: usize, differ: bool) -> usize {
        let [a, b] = &self.runners;
        let mut run = 1;
        // The range grows by a factor of four, so that few lanes are compared twice.
        while lane + run < end {
            let next = end.min(lane + 4 * run);
            let of = |n: usize| match differ {
                true => a.same_from(n, lane, next).min(b.same_from(n, lane, next)),
                false => a.agrees_from(b, n, lane, next),
            };
            run = (0..self.question.outputs.len()).map(of).min().unwrap_or(next - lane);
            if lane + run < next {
                break;
            }
        }
        run
    }

    /// Whether the inputs in this range of trials are all in the domain, or all outside. `None` if they differ, or if
    /// this is unknown.
    fn run_in_domain(&self, first: u64, last: u64) -> Option<bool> {
        if self.question.domain == Domain::All {
            return Some(true);
        }
        let ([pair], [pieces]) = (&self.question.inputs[..], &self.pieces[..]) else { return None };
        // Only for a single input that grows with the trial.
        if self.sampler.is_some() || pieces.len() != 1 || pair.meaning.is_some_and(|m| m.lanes != 1) {
            return None;
        }
        match self.domains[0] {
            Some(domain) => domain.holds_between(scatter(pieces, first), scatter(pieces, last)),
            None => Some(true),
        }
    }

    /// The first and the last input of consecutive trials, if there is one input that grows with the trial.
    fn ends(&self, first: u64, count: u64) -> Option<[u64; 2]> {
        match (self.sampler, &self.pieces[..]) {
            (None, [pieces]) if matches!(pieces[..], [Piece { at: 0, .. }]) => {
                Some([first, first + count - 1].map(|trial| scatter(pieces, trial)))
            }
            _ => None,
        }
    }

    /// The inputs of a trial.
    fn read_inputs(&mut self, number: u64) {
        match self.sampler {
            Some(sampler) => sampler.sample(number, &mut self.inputs),
            None => {
                for (input, pieces) in self.inputs.iter_mut().zip(&self.pieces) {
                    *input = scatter(pieces, number);
                }
            }
        }
    }

    /// True if every number that varies is in the domain.
    fn in_domain(&self) -> bool {
        let pairs = self.question.inputs.iter().zip(&self.inputs).zip(&self.sweep.varying).zip(&self.domains);
        pairs.into_iter().all(|(((pair, bits), varying), domain)| {
            let (Some(meaning), Some(domain)) = (pair.meaning, domain) else { return true };
            let mut elements = meaning.elements(*bits).zip(meaning.elements(*varying));
            elements.all(|(code, varying)| varying == 0 || domain.holds(code))
        })
    }

    /// Counts differences of the compared bits in trials with the same results, unless the results are equal up to NaN.
    fn judge(&mut self, trial: u64, run: u64, found: &mut Found) {
        let [a, b] = &self.results;
        let mut results = a.iter().zip(b).zip(&self.sweep.compared).enumerate();
        if results.all(|(at, ((a, b), of))| self.question.agree(at, *a, *b, *of)) {
            return;
        }
        found.count += run;
        if self.last.as_ref().is_none_or(|(known, _)| *known != self.results) {
            let kinds = Results::new(self.question, a, b, &self.sweep.compared);
            let known = self.last.take().map(|(known, _)| known);
            let mut known = known.unwrap_or_else(|| self.results.clone());
            known.iter_mut().zip(&self.results).for_each(|(known, bits)| known.copy_from_slice(bits));
            self.last = Some((known, kinds));
        }
        // A sweep tries inputs in ascending order, so a thread finds its smallest difference first.
        let first = found.smallest.is_none();
        if first {
            self.read_inputs(trial);
            found.smallest = Some(self.inputs.clone());
        }
        let ends = if run > 1 { self.ends(trial, run) } else { None };
        if let (Some(ends), Some((_, kinds))) = (ends, &self.last) {
            if found.kinds.count_between(self.question, ends, kinds) {
                return;
            }
        }
        for trial in trial..trial + run {
            self.count(trial, found);
        }
    }

    /// Counts the kind of a differing trial.
    fn count(&mut self, trial: u64, found: &mut Found) {
        let Some((_, kinds)) = &self.last else { unreachable!("the results were judged") };
        // If a result is NaN, the kind is NaN for any input, so the inputs are not needed.
        if self.sampler.is_some() || !kinds.nan {
            self.read_inputs(trial);
        }
        let Some((_, kinds)) = &self.last else { unreachable!("the results were judged") };
        found.kinds.count(self.question, &self.inputs, kinds);
        if self.distinct.is_some_and(|distinct| distinct.add(&self.inputs)) {
            found.distinct.count(self.question, &self.inputs, kinds);
        }
        if self.sampler.is_some() && found.smallest.as_ref().is_some_and(|known| self.inputs < *known) {
            found.smallest = Some(self.inputs.clone());
        }
    }
}

/// The bits of a trial's number, each shifted to its place in an input.
fn scatter(pieces: &[Piece], number: u64) -> u64 {
    pieces.iter().fold(0, |bits, piece| bits | piece.of(number))
}
