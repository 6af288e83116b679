//! The search: sweeps are cut into chunks, threads take one chunk after another, and the smallest difference is kept.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};

use super::answer::{Answer, Difference};
use super::compare::Question;
use super::distinct::Distinct;
use super::options::Options;
use super::plan::{Method, Plan};
use super::sample::Sampler;
use super::watch::Watch;
use super::worker::{Found, Worker};
use crate::lanes::Program;

/// The number of trials in a chunk.
const CHUNK: u64 = 1 << 16;

/// Runs the plan.
pub(super) fn run(question: &Question<'_>, plan: &Plan, options: &Options, watch: &Watch<'_>) -> Answer {
    let total: u64 = plan.sweeps.iter().map(|s| s.trials).sum();
    let done = AtomicU64::new(0);
    let [a, b] = question.blocks;
    let program = Program::of_both(a, b);
    let sampler = (!plan.is_complete()).then(|| Sampler::new(question, options.samples));
    let distinct = sampler.as_ref().map(|_| Distinct::new());
    let mut all = Found::default();
    for sweep in &plan.sweeps {
        let init = || {
            let samples = sampler.as_ref().zip(distinct.as_ref());
            (Worker::new(question, &program, samples, sweep), Found::default())
        };
        let work = |(worker, mine): &mut (Worker<'_>, Found), chunk: Range<u64>| {
            let count = chunk.end - chunk.start;
            worker.chunk(chunk.start, count, options.first, mine);
            let done = done.fetch_add(count, Ordering::Relaxed) + count;
            let progress = watch.report(done, total);
            if options.first && mine.count > 0 { ControlFlow::Break(()) } else { progress }
        };
        for (_, mine) in ptxcvt_parallel::fold(sweep.trials, CHUNK, options.threads, init, work) {
            all.compared += mine.compared;
            all.skipped += mine.skipped;
            all.count += mine.count;
            all.kinds.add(mine.kinds);
            all.distinct.add(mine.distinct);
            all.smallest = match (all.smallest.take(), mine.smallest) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        if options.first && all.count > 0 || watch.is_stopped() {
            break;
        }
    }
    let difference = all.smallest.map(|inputs| {
        let [a, b] = question.blocks.map(|block| block.eval(&inputs).expect("one value for each input"));
        let (count, kinds) = match &distinct {
            // An input differs in several parts, and a part is tried for many inputs at once.
            None if matches!(plan.method, Method::ByParts { .. }) => (None, all.kinds),
            None => (Some(all.count), all.kinds),
            Some(distinct) => match distinct.count() {
                Some(count) => (Some(count), all.distinct),
                None => (None, all.kinds),
            },
        };
        let (inputs_of_b, stopped, trials) = (inputs.clone(), options.first, all.count);
        Difference { inputs, inputs_of_b, a, b, count, trials, kinds, stopped }
    });
    Answer {
        method: plan.method.clone(),
        compared: all.compared,
        skipped: all.skipped,
        difference,
        obstacle: None,
    }
}
