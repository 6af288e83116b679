//! The engine: runs a plan's stages over a job, block by block, so that what passes between two stages stays
//! in the first-level cache.

use super::job::{Feed, Job, store};
use super::pipeline::{Extra, MAX_STEPS, Pipeline, Step};
use super::stage::Span;
use crate::forms::{Form, Opcode};

/// How results are written.
///
/// Ordinary stores first read the memory that they overwrite; non-temporal ones do not, and leave the cache
/// alone. They pay where the results are larger than the last-level cache, and cost several times as much
/// where they would have stayed in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stores {
    /// Non-temporal from 32 MiB of results on.
    #[default]
    Auto,
    /// Ordinary stores.
    Cached,
    /// Non-temporal stores, for runs that are parts of something large.
    Streamed,
}

/// [`Stores::Auto`] streams from here on.
const LARGE: usize = 32 << 20;

/// The elements of a block.
const BLOCK: usize = 1024;

/// What lies between two stages.
struct Scratch {
    lanes: [[u8; BLOCK * 8]; 2],
    gathered: [u8; BLOCK * 8],
    extra: [u8; BLOCK * 2],
    random: [u8; BLOCK * 4 + 32],
    result: [u8; BLOCK * 8],
}

/// Runs the reference, instruction by instruction.
pub(super) fn run_reference(form: &Form, job: Job<'_>) {
    let count = form.source_count();
    for (i, result) in job.result.chunks_exact_mut(job.width).enumerate() {
        let operands = job.operands.map(|feed| feed.get(i));
        let Ok(bits) = form.eval(&operands[..count]) else { return };
        store(result, bits, job.little_endian);
    }
}

/// Runs the stages of `form`.
pub(super) fn run(pipeline: &Pipeline, form: &Form, stores: Stores, job: Job<'_>) {
    let mut steps = [None; MAX_STEPS];
    let mut count = 0;
    for step in pipeline.steps() {
        steps[count] = Some(step);
        count += 1;
    }
    let stream = match stores {
        Stores::Auto => job.result.len() >= LARGE,
        Stores::Cached => false,
        Stores::Streamed => true,
    };
    let stream = stream && cfg!(target_arch = "x86_64");
    match (job.packed, steps[..count].as_ref(), pipeline.extra) {
        (Some(source), [], _) if !stream => job.result.copy_from_slice(source),
        (Some(source), [Some(step)], None) if !stream => {
            let span = Span { source, result: job.result, extra: &[], constants: &pipeline.constants };
            // SAFETY: a plan holds only stages of tiers that this machine has.
            unsafe { (step.run)(span) }
        }
        (_, steps, _) => run_blocks(pipeline, steps, form, stream, job),
    }
}

/// Runs block after block.
fn run_blocks(pipeline: &Pipeline, steps: &[Option<&Step>], form: &Form, stream: bool, job: Job<'_>) {
    let mut scratch = Scratch {
        lanes: [[0; BLOCK * 8]; 2],
        gathered: [0; BLOCK * 8],
        extra: [0; BLOCK * 2],
        random: [0; BLOCK * 4 + 32],
        result: [0; BLOCK * 8],
    };
    let count = job.count();
    // Where nothing lies between two stages, small blocks spread the streaming stores over time.
    let single = steps.len() == 1 && pipeline.extra.is_none();
    let block = if stream && single { BLOCK / 4 } else { BLOCK };
    let per_block = block / form.lanes() as usize;
    let source_width = job.packed.map_or(0, |bytes| bytes.len() / count.max(1));
    let misaligned = job.result.as_ptr().align_offset(64);
    // Streamed blocks end on cache lines, if the results can be aligned at all.
    let stream = stream && misaligned % job.width == 0;
    let mut at = 0;
    while at < count {
        let first = if stream && at == 0 && misaligned != 0 { misaligned / job.width } else { per_block };
        let n = first.min(per_block).min(count - at);
        let Scratch { lanes, gathered, extra, random, result } = &mut scratch;
        let source = match job.packed {
            Some(bytes) => &bytes[at * source_width..(at + n) * source_width],
            None if form.opcode() == Opcode::CvtPack => columns(&job, at, n, gathered),
            None => gather(&job, form.source().width() as usize / 8, at, n, gathered),
        };
        let extra = match &pipeline.extra {
            Some(kind) => spread(kind, pipeline, &job, at, n, form.lanes() as usize, random, extra),
            None => &[],
        };
        let target = &mut job.result[at * job.width..(at + n) * job.width];
        if stream {
            let result = &mut result[..target.len()];
            run_steps(pipeline, steps, source, extra, lanes, result, n * form.lanes() as usize);
            copy_streamed(result, target);
        } else {
            run_steps(pipeline, steps, source, extra, lanes, target, n * form.lanes() as usize);
        }
        at += n;
    }
    if stream {
        fence();
    }
}

/// One block through every stage: the last one writes to `result`, the others to the lanes in turn.
fn run_steps(
    pipeline: &Pipeline,
    steps: &[Option<&Step>],
    source: &[u8],
    extra: &[u8],
    lanes: &mut [[u8; BLOCK * 8]; 2],
    result: &mut [u8],
    elements: usize,
) {
    let constants = &pipeline.constants;
    let [mut from, mut to] = lanes.each_mut();
    let Some((last, earlier)) = steps.split_last() else { return result.copy_from_slice(source) };
    let mut length = None;
    for step in earlier.iter().flatten() {
        let bytes = elements * step.half_bytes / 2;
        let source = length.map_or(source, |length| &from[..length]);
        // SAFETY: a plan holds only stages of tiers that this machine has.
        unsafe { (step.run)(Span { source, result: &mut to[..bytes], extra, constants }) };
        length = Some(bytes);
        core::mem::swap(&mut from, &mut to);
    }
    let source = length.map_or(source, |length| &from[..length]);
    if let Some(last) = last {
        // SAFETY: as above.
        unsafe { (last.run)(Span { source, result, extra, constants }) };
    }
}

/// The elements of several operands, `width` bytes each, in memory order: the last operand is the lowest.
fn gather<'s>(job: &Job<'_>, width: usize, at: usize, n: usize, out: &'s mut [u8]) -> &'s [u8] {
    let sources = job.sources;
    for (k, feed) in job.operands[..sources].iter().enumerate() {
        let place = (sources - 1 - k) * width;
        let groups = out.chunks_exact_mut(width * sources);
        match *feed {
            // Several operands are always f32.
            Feed::Slice { bytes, width: 4, stride: 4, .. } => {
                for (group, element) in groups.zip(bytes[at * 4..(at + n) * 4].chunks_exact(4)) {
                    group[place..place + 4].copy_from_slice(element);
                }
            }
            feed => {
                for (i, group) in groups.take(n).enumerate() {
                    store(&mut group[place..place + width], feed.get(at + i), true);
                }
            }
        }
    }
    &out[..n * width * sources]
}

/// The columns of `a`, `b` and `c` of `cvt.pack`, one after the other; 0 stands for a `c` that is not there.
fn columns<'s>(job: &Job<'_>, at: usize, n: usize, out: &'s mut [u8]) -> &'s [u8] {
    for (feed, column) in job.operands[..3].iter().zip(out.chunks_exact_mut(4 * n)) {
        words(feed, at, column);
    }
    &out[..12 * n]
}

/// A 32-bit operand of some instructions.
fn words(feed: &Feed<'_>, at: usize, out: &mut [u8]) {
    match *feed {
        Feed::Slice { bytes, .. } => out.copy_from_slice(&bytes[at * 4..at * 4 + out.len()]),
        Feed::Value(value) => {
            for word in out.chunks_exact_mut(4) {
                word.copy_from_slice(&(value as u32).to_le_bytes());
            }
        }
        Feed::Random { .. } => {}
    }
}

/// The random fields or scales of a block's elements, in memory order.
#[allow(clippy::too_many_arguments)] // the parts of one block
fn spread<'s>(
    kind: &Extra,
    pipeline: &Pipeline,
    job: &Job<'_>,
    at: usize,
    n: usize,
    lanes: usize,
    random: &'s mut [u8],
    out: &'s mut [u8],
) -> &'s [u8] {
    let constants = &pipeline.constants;
    let width = kind.operand;
    let operand: &[u8] = match job.operands[job.sources] {
        Feed::Slice { bytes, .. } => &bytes[at * width..(at + n) * width],
        Feed::Value(value) => {
            for element in random[..n * width].chunks_exact_mut(width) {
                element.copy_from_slice(&value.to_le_bytes()[..width]);
            }
            &random[..n * width]
        }
        Feed::Random { seed, first } => {
            let index = first.wrapping_add(at as u64);
            let skip = (index % 4) as usize;
            let mut source = [0; 16];
            source[..8].copy_from_slice(&seed.to_le_bytes());
            source[8..].copy_from_slice(&(index / 4).to_le_bytes());
            let blocks = (skip + n).div_ceil(4);
            let span = Span { source: &source, result: &mut random[..16 * blocks], extra: &[], constants };
            // SAFETY: a plan holds only stages of tiers that this machine has.
            unsafe { (kind.philox)(span) };
            &random[4 * skip..4 * (skip + n)]
        }
    };
    let Some(stage) = kind.spread else {
        out[..operand.len()].copy_from_slice(operand);
        return &out[..operand.len()];
    };
    let result = &mut out[..n * lanes * kind.element];
    // SAFETY: as above.
    unsafe { stage(Span { source: operand, result, extra: &[], constants }) };
    result
}

/// Copies with non-temporal stores; both are aligned to cache lines but for the first and last block.
#[cfg(target_arch = "x86_64")]
fn copy_streamed(source: &[u8], target: &mut [u8]) {
    use core::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    // Whole cache lines in one step: a line that is written in parts goes to memory twice.
    const LINE: usize = 64;
    let head = target.as_ptr().align_offset(LINE).min(target.len());
    target[..head].copy_from_slice(&source[..head]);
    let (source, target) = (&source[head..], &mut target[head..]);
    let whole = target.len() / LINE * LINE;
    for (from, to) in source[..whole].chunks_exact(LINE).zip(target[..whole].chunks_exact_mut(LINE)) {
        let (from, to) = (from.as_ptr().cast::<__m128i>(), to.as_mut_ptr().cast::<__m128i>());
        // SAFETY: both hold 64 bytes, `to` is aligned to 64, and SSE2 is part of x86-64.
        unsafe {
            let line = [0, 1, 2, 3].map(|i| _mm_loadu_si128(from.add(i)));
            for (i, part) in line.into_iter().enumerate() {
                _mm_stream_si128(to.add(i), part);
            }
        }
    }
    target[whole..].copy_from_slice(&source[whole..]);
}

#[cfg(not(target_arch = "x86_64"))]
fn copy_streamed(source: &[u8], target: &mut [u8]) {
    target.copy_from_slice(source);
}

/// Orders the non-temporal stores before whatever comes next.
fn fence() {
    // SAFETY: SSE is part of x86-64.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
}
