//! The engine runs the stages of a plan over a job, block by block, so that the lanes between two stages stay in the
//! first-level cache.

mod feed;
mod scratch;

#[cfg(feature = "std")]
use core::cell::Cell;

pub(super) use feed::{Feed, Job, Source};
#[cfg(feature = "alloc")]
pub(super) use scratch::Buffer;

use self::scratch::{BLOCK, Block, GROUP, SHORT, Scratch};
use super::choose::{Pipeline, Step};
use super::memory::{LINE, copy_streamed, fence, fill_caches};
use super::stage::Span;
use ptxcvt::forms::Form;

/// How results are written.
///
/// Ordinary stores first read the memory that they overwrite. Non-temporal stores do not, and leave the cache
/// unchanged. They are faster if the results are larger than the last-level cache, and several times slower
/// if the results would have stayed in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stores {
    /// Non-temporal stores if input and output would fill three quarters of a core's share of the last-level
    /// cache.
    #[default]
    Auto,
    /// Ordinary stores.
    Cached,
    /// Non-temporal stores, for runs that are parts of a large array.
    Streamed,
}

impl Stores {
    /// Whether a run that reads and writes `bytes` bytes in total uses non-temporal stores.
    ///
    /// ```
    /// use ptxcvt_bulk::Stores;
    /// assert!(!Stores::Auto.are_streamed(4096));
    /// assert!(!Stores::Cached.are_streamed(1 << 40));
    /// ```
    pub fn are_streamed(self, bytes: usize) -> bool {
        let wanted = match self {
            Stores::Auto => fill_caches(bytes),
            Stores::Cached => false,
            Stores::Streamed => true,
        };
        wanted && cfg!(target_arch = "x86_64")
    }
}

/// Runs the reference, instruction by instruction.
pub(super) fn run_reference(form: &Form, job: Job<'_>) {
    let (count, feeds) = (form.source_count(), job.feeds());
    for (i, result) in job.result.chunks_exact_mut(job.width).enumerate() {
        let operands = feeds.map(|feed| feed.get(i));
        let bits = form.eval(&operands[..count]).expect("as many operands as the form has");
        feed::store(result, bits, job.little_endian);
    }
}

/// Runs the stages of a form.
pub(super) fn run(pipeline: &Pipeline, stores: Stores, job: Job<'_>) {
    let packed = job.source.packed();
    let bytes = job.result.len() + packed.map_or(job.result.len(), <[u8]>::len);
    let stream = stores.are_streamed(bytes);
    match (packed, pipeline.steps(), job.ready_extra(pipeline.extra.as_ref())) {
        (Some(source), [], _) if !stream => job.result.copy_from_slice(source),
        (Some(source), [Some(step)], Some(extra)) if !stream => {
            let constants = &pipeline.constants;
            run_step(
                step,
                Span {
                    source,
                    result: job.result,
                    extra,
                    constants,
                    streamed: false,
                    cold: fill_caches(bytes),
                    doubt: None,
                },
            );
        }
        _ if job.count() * pipeline.shape.elements <= SHORT => run_blocks::<SHORT>(pipeline, stream, job),
        _ => run_blocks::<BLOCK>(pipeline, stream, job),
    }
}

/// Runs the only stage of a form with ordinary stores, if it reports whether elements may be NaN or infinite: then returns
/// that. `None` if it does not, or there are others.
#[cfg(feature = "std")]
pub(super) fn run_reporting(
    pipeline: &Pipeline,
    source: &[u8],
    result: &mut [u8],
    cold: bool,
) -> Option<bool> {
    let [Some(step)] = pipeline.steps() else { return None };
    if !step.run.reports {
        return None;
    }
    let (doubt, constants) = (Cell::new(false), &pipeline.constants);
    run_step(
        step,
        Span { source, result, extra: &[], constants, streamed: false, cold, doubt: Some(&doubt) },
    );
    Some(doubt.get())
}

fn run_step(step: &Step, span: Span<'_>) {
    // SAFETY: a plan has only stages of tiers that this machine has.
    unsafe { (step.run.run)(span) }
}

/// Runs block after block, of `N` elements each.
fn run_blocks<const N: usize>(pipeline: &Pipeline, stream: bool, job: Job<'_>) {
    let mut scratch = Scratch::<N>::new();
    let single = pipeline.steps().len() == 1 && job.ready_extra(pipeline.extra.as_ref()).is_some();
    // Whether the last stage uses non-temporal stores itself.
    let by_stage = pipeline.steps().last().copied().flatten().is_some_and(|last| last.run.streams);
    let elements = match (stream && single, by_stage) {
        // With only one stage, small blocks distribute the non-temporal stores over time.
        (true, false) => N / 4,
        (true, true) if job.source.packed().is_some() => job.count() * pipeline.shape.elements,
        _ => N,
    };
    let per_block = elements / pipeline.shape.elements;
    let misaligned = job.result.as_ptr().align_offset(LINE);
    // Streamed blocks end on cache lines, if the results can be aligned.
    let stream = stream && misaligned % job.width == 0;
    let (all, width) = (job.count(), job.width);
    let Job { source, sources, extra, result, .. } = job;
    let inputs = feed::Inputs { source, sources, extra };
    let mut first = 0;
    while first < all {
        let most = if stream && first == 0 && misaligned != 0 { misaligned / width } else { per_block };
        let block = Block { first, count: most.min(per_block).min(all - first) };
        let target = &mut result[first * width..(first + block.count) * width];
        let source = inputs.elements(&pipeline.shape, block, &mut scratch.gathered);
        let extra = match &pipeline.extra {
            Some(extra) => {
                let made = (&mut scratch.random, &mut scratch.extra);
                inputs.extra(extra, pipeline, block, made)
            }
            None => &[],
        };
        let elements = block.count * pipeline.shape.elements;
        let lanes = &mut scratch.lanes;
        if stream && !by_stage {
            let result = scratch.result.first(target.len());
            run_steps(pipeline, (source, extra), lanes, result, elements, (false, true));
            copy_streamed(result, target);
        } else {
            run_steps(pipeline, (source, extra), lanes, target, elements, (stream, stream));
        }
        first += block.count;
    }
    if stream {
        fence();
    }
}

/// Runs every stage over one block. The first stage reads elements that may be `cold`. The last one writes to
/// `result`, `streamed` or not. The others write to the two lane buffers in turn.
fn run_steps<const N: usize>(
    pipeline: &Pipeline,
    (source, extra): (&[u8], &[u8]),
    lanes: &mut scratch::Lanes<N>,
    result: &mut [u8],
    elements: usize,
    (streamed, cold): (bool, bool),
) {
    let constants = &pipeline.constants;
    let Some((last, earlier)) = pipeline.steps().split_last() else { return result.copy_from_slice(source) };
    let [from, to] = lanes;
    let (mut from, mut to) = (from, to);
    let mut source = source;
    // The first stage must not read beyond the elements, and no stage beyond the caller's random fields or
    // scales.
    let is_made = pipeline.extra.is_none_or(|extra| extra.spread.is_some());
    for (i, step) in earlier.iter().flatten().enumerate() {
        let bytes = |elements: usize| elements * step.half_bytes / 2;
        let all = to.first(bytes(elements.next_multiple_of(GROUP)));
        let result = if i != 0 && is_made { all } else { &mut all[..bytes(elements)] };
        run_step(
            step,
            Span { source, result, extra, constants, streamed: false, cold: cold && i == 0, doubt: None },
        );
        core::mem::swap(&mut from, &mut to);
        source = from.lent();
    }
    if let Some(last) = last {
        run_step(
            last,
            Span {
                source,
                result,
                extra,
                constants,
                streamed,
                cold: cold && earlier.is_empty(),
                doubt: None,
            },
        );
    }
}
