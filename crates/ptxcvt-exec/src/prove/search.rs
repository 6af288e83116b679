//! The search: sweeps cut into chunks, chunks shared out to threads, the smallest difference kept.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::compare::Question;
use super::domain::Domain;
use super::kinds::Kinds;
use super::plan::{Plan, Sweep};
use super::{Answer, Difference, Options};
use crate::semantics::mask;

/// Trials of a chunk.
const CHUNK: u64 = 1 << 16;

/// What a thread found.
#[derive(Default)]
struct Found {
    compared: u64,
    skipped: u64,
    count: u64,
    kinds: Kinds,
    smallest: Option<Vec<u64>>,
}

/// Runs the plan.
pub(super) fn run(
    question: &Question<'_>,
    plan: &Plan,
    options: &Options,
    progress: &(dyn Fn(f64) + Sync),
) -> Answer {
    let total: u64 = plan.sweeps.iter().map(|s| s.trials).sum();
    let done = AtomicU64::new(0);
    let threads = match options.threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    };
    let mut all = Found::default();
    for sweep in &plan.sweeps {
        let next = AtomicU64::new(0);
        let found = Mutex::new(Vec::new());
        let work = || {
            let mut mine = Found::default();
            let mut worker = Worker::new(question, plan, sweep);
            loop {
                let first = next.fetch_add(CHUNK, Ordering::Relaxed);
                if first >= sweep.trials {
                    break;
                }
                let count = CHUNK.min(sweep.trials - first);
                worker.chunk(first, count, &mut mine);
                let done = done.fetch_add(count, Ordering::Relaxed) + count;
                progress(done as f64 / total as f64);
            }
            if let Ok(mut found) = found.lock() {
                found.push(mine);
            }
        };
        std::thread::scope(|scope| {
            let useful = sweep.trials.div_ceil(CHUNK).min(threads as u64);
            (1..useful).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        for mine in found.into_inner().unwrap_or_default() {
            all.compared += mine.compared;
            all.skipped += mine.skipped;
            all.count += mine.count;
            all.kinds.add(mine.kinds);
            all.smallest = match (all.smallest.take(), mine.smallest) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
    }
    let difference = all.smallest.map(|inputs| {
        let [a, b] = question.blocks.map(|block| block.eval(&inputs).unwrap_or_default());
        Difference { inputs, a, b, count: all.count, kinds: all.kinds }
    });
    Answer { method: plan.method.clone(), compared: all.compared, skipped: all.skipped, difference }
}

/// A thread's view of a sweep.
struct Worker<'w> {
    question: &'w Question<'w>,
    plan: &'w Plan,
    sweep: &'w Sweep,
}

impl<'w> Worker<'w> {
    fn new(question: &'w Question<'w>, plan: &'w Plan, sweep: &'w Sweep) -> Self {
        Worker { question, plan, sweep }
    }

    fn chunk(&mut self, first: u64, count: u64, found: &mut Found) {
        let mut inputs = vec![0; self.question.inputs.len()];
        for n in first..first + count {
            match &self.plan.samples {
                Some(sampler) => sampler.sample(n, &mut inputs),
                None => self.scatter(n, &mut inputs),
            }
            if !self.in_domain(&inputs) {
                found.skipped += 1;
                continue;
            }
            found.compared += 1;
            let [a, b] = self.question.blocks.map(|block| block.eval(&inputs).unwrap_or_default());
            self.judge(&inputs, &a, &b, found);
        }
    }

    /// The bits of a trial's number to where they belong.
    fn scatter(&self, n: u64, inputs: &mut [u64]) {
        inputs.fill(0);
        for piece in &self.sweep.pieces {
            inputs[piece.input] |= (n >> piece.from & mask(piece.width)) << piece.at;
        }
    }

    /// True where every number that varies lies in the domain.
    fn in_domain(&self, inputs: &[u64]) -> bool {
        let domain = self.question.domain;
        if domain == Domain::All {
            return true;
        }
        let pairs = self.question.inputs.iter().zip(inputs).zip(&self.sweep.varying);
        pairs.into_iter().all(|((pair, bits), varying)| {
            let Some(meaning) = pair.meaning else { return true };
            let mut elements = meaning.elements(*bits).zip(meaning.elements(*varying));
            elements.all(|(code, varying)| varying == 0 || domain.holds(meaning.format, code))
        })
    }

    fn judge(&self, inputs: &[u64], a: &[u64], b: &[u64], found: &mut Found) {
        let mut results = a.iter().zip(b).zip(&self.sweep.compared).enumerate();
        if results.all(|(at, ((a, b), of))| self.question.agree(at, *a, *b, *of)) {
            return;
        }
        found.count += 1;
        let compared = |results: &[u64]| -> Vec<u64> {
            results.iter().zip(&self.sweep.compared).map(|(bits, of)| bits & of).collect()
        };
        found.kinds.count(self.question, inputs, &compared(a), &compared(b));
        if found.smallest.as_ref().is_none_or(|known| inputs < &known[..]) {
            found.smallest = Some(inputs.to_vec());
        }
    }
}
