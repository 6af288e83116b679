//! One thread of the search: runs both blocks on the trials of a chunk, and classifies the lanes that differ.

use ptxcvt::mask;

use super::columns::Columns;
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

/// A run of both blocks.
struct Run {
    /// The first trial.
    start: u64,
    lanes: usize,
    /// True if no lane is outside the domain.
    everything: bool,
    /// True if no lane differs.
    equal: bool,
    /// True if the first difference is enough.
    one: bool,
}

/// A thread's view of a sweep: both blocks' columns.
pub(super) struct Worker<'w> {
    question: &'w Question<'w>,
    /// Chooses the inputs if not all inputs are tried.
    sampler: Option<&'w Sampler>,
    /// The differing inputs of samples.
    distinct: Option<&'w Distinct>,
    sweep: &'w Sweep,
    /// Runs both blocks. The outputs of the first come first.
    runner: Runner<'w>,
    /// For each input, the places of its bits in the number of a trial.
    pieces: Vec<Vec<Piece>>,
    /// For each input with a number format, the domain of its elements.
    domains: Vec<Option<Interval>>,
    /// A lane's inputs and both results.
    inputs: Vec<u64>,
    /// The inputs of every lane of a sample.
    samples: Vec<u64>,
    results: [Vec<u64>; 2],
    /// Classifies all lanes together. `None` if they are judged one by one.
    columns: Option<Columns>,
}

impl<'w> Worker<'w> {
    pub fn new(
        question: &'w Question<'w>,
        program: &'w Program,
        samples: Option<(&'w Sampler, &'w Distinct)>,
        sweep: &'w Sweep,
    ) -> Self {
        let count = question.inputs.len();
        let of = |n: usize| sweep.pieces.iter().copied().filter(|p| p.input == n).collect();
        let domain = |meaning: Meaning| Interval::new(question.domain, meaning.format);
        let results = vec![0; question.outputs.len()];
        let runner = program.runner();
        let columns = Columns::new(question, &runner, &sweep.compared, &sweep.varying);
        Worker {
            question,
            sampler: samples.map(|(sampler, _)| sampler),
            distinct: samples.map(|(_, distinct)| distinct),
            sweep,
            runner,
            pieces: (0..count).map(of).collect(),
            domains: question.inputs.iter().map(|pair| pair.meaning.map(domain)).collect(),
            inputs: vec![0; count],
            samples: vec![0; if samples.is_some() { count * LANES } else { 0 }],
            results: [results.clone(), results],
            columns,
        }
    }

    /// Runs the trials from `first` on. With `one`, stops at the first difference.
    pub fn chunk(&mut self, first: u64, count: u64, one: bool, found: &mut Found) {
        for start in (first..first + count).step_by(LANES) {
            let lanes = (first + count - start).min(LANES as u64);
            self.fill(start);
            self.runner.run();
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
            (0..count).for_each(|n| self.runner.set(n, |lane| self.samples[lane * count + n]));
            return;
        }
        for (n, pieces) in self.pieces.iter().enumerate() {
            match pieces[..] {
                // Usually a piece is a whole input, which is simple enough for vector code.
                [Piece { at, width, from, .. }] => {
                    self.runner.count(n, start as u32, from, mask(width) as u32, at);
                }
                ref pieces => self.runner.set(n, |lane| scatter(pieces, start + lane as u64)),
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
        let count = self.question.outputs.len();
        let equal = (0..count).all(|n| self.runner.output(n) == self.runner.output(count + n));
        if everything && equal {
            found.compared += lanes as u64;
            return;
        }
        if let Some(mut columns) = self.columns.take() {
            self.compare_together(&mut columns, Run { start, lanes, everything, equal, one }, found);
            self.columns = Some(columns);
            return;
        }
        for lane in 0..lanes {
            let trial = start + lane as u64;
            if !everything {
                self.read_inputs(trial);
                if !self.in_domain() {
                    found.skipped += 1;
                    continue;
                }
            }
            found.compared += 1;
            for (side, results) in self.results.iter_mut().enumerate() {
                for (n, bits) in results.iter_mut().enumerate() {
                    *bits = self.runner.get(side * count + n, lane);
                }
            }
            let [left, right] = &self.results;
            if left != right {
                self.judge(trial, found);
                if one && found.count > 0 {
                    return;
                }
            }
        }
    }

    /// Classifies all lanes of a run.
    fn compare_together(&mut self, columns: &mut Columns, run: Run, found: &mut Found) {
        let Run { start, lanes, everything, equal, one } = run;
        let count = self.inputs.len();
        for (n, pieces) in self.pieces.iter().enumerate() {
            let Some(column) = columns.input(n) else { continue };
            let lanes = column.iter_mut().zip(start..);
            match (self.sampler, &pieces[..]) {
                (Some(_), _) => lanes.for_each(|(code, trial)| {
                    *code = self.samples[(trial - start) as usize * count + n] as u32
                }),
                (None, [piece]) => columns.count(n, start as u32, *piece),
                (None, pieces) => lanes.for_each(|(code, trial)| *code = scatter(pieces, trial) as u32),
            }
        }
        for completion in &self.sweep.completions {
            let column = columns.input(completion.input).into_iter().flatten();
            column.for_each(|code| *code = completion.of((*code).into()) as u32);
        }
        if !equal {
            columns.mark(&self.runner);
        }
        let mut end = lanes;
        if !everything {
            columns.restrict();
        }
        if one && !equal {
            end = columns.first(0..lanes).map_or(lanes, |first| first + 1);
        }
        let skipped = if everything { 0 } else { columns.skipped(end) };
        found.skipped += skipped;
        found.compared += end as u64 - skipped;
        let kinds = if equal { Kinds::default() } else { columns.kinds(0..end) };
        if kinds.total() == 0 {
            return;
        }
        found.count += kinds.total();
        found.kinds.add(kinds);
        let mut next = columns.first(0..end);
        while let Some(lane) = next {
            self.read_inputs(start + lane as u64);
            if found.smallest.as_ref().is_none_or(|known| self.inputs < *known) {
                found.smallest = Some(self.inputs.clone());
            }
            // A sweep tries inputs in ascending order, unless it completes them, so a thread finds its smallest
            // difference first.
            if self.distinct.is_none() && self.sweep.completions.is_empty() {
                return;
            }
            if self.distinct.is_some_and(|distinct| distinct.add(&self.inputs)) {
                found.distinct.add(columns.kinds(lane..lane + 1));
            }
            next = columns.first(lane + 1..end);
        }
    }

    /// Whether the inputs in this range of trials are all in the domain, or all outside. `None` if they differ, or if
    /// this is unknown.
    fn run_in_domain(&self, first: u64, last: u64) -> Option<bool> {
        if self.question.domain == Domain::All {
            return Some(true);
        }
        let ([pair], [pieces]) = (&self.question.inputs[..], &self.pieces[..]) else { return None };
        // Only for a single input that grows with the trial.
        let grows = self.sampler.is_none() && self.sweep.completions.is_empty();
        if !grows || pieces.len() != 1 || pair.meaning.is_some_and(|m| m.lanes != 1) {
            return None;
        }
        match self.domains[0] {
            Some(domain) => domain.holds_between(scatter(pieces, first), scatter(pieces, last)),
            None => Some(true),
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
                for completion in &self.sweep.completions {
                    let input = &mut self.inputs[completion.input];
                    *input = completion.of(*input);
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

    /// Counts a difference of the compared bits in a trial, unless the results are equal up to NaN.
    fn judge(&mut self, trial: u64, found: &mut Found) {
        let [a, b] = &self.results;
        let mut results = a.iter().zip(b).zip(&self.sweep.compared).enumerate();
        if results.all(|(at, ((a, b), of))| self.question.agree(at, *a, *b, *of)) {
            return;
        }
        let results = Results::new(self.question, a, b, &self.sweep.compared);
        self.read_inputs(trial);
        let kinds = Kinds::of(self.question, &self.inputs, &results);
        found.count += 1;
        found.kinds.add(kinds);
        if found.smallest.as_ref().is_none_or(|known| self.inputs < *known) {
            found.smallest = Some(self.inputs.clone());
        }
        if self.distinct.is_some_and(|distinct| distinct.add(&self.inputs)) {
            found.distinct.add(kinds);
        }
    }
}

/// The bits of a trial's number, each shifted to its place in an input.
fn scatter(pieces: &[Piece], number: u64) -> u64 {
    pieces.iter().fold(0, |bits, piece| bits | piece.of(number))
}
