//! The loop of the kernels that work on registers. All steps have the same number of bytes, including the
//! last one.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::memory::{AHEAD, GRAIN, LINE, before_line, fetch_cold, fetch_step, stream_line};
use super::stage::Span;

/// How a processor copies less than a step to a buffer. The stores must be as wide as the loads that follow,
/// which otherwise wait until narrower stores have reached the cache.
pub(crate) trait Fill {
    /// Writes `bytes` to the beginning of `pad`; the bytes after them are arbitrary.
    ///
    /// # Safety
    ///
    /// The processor has the tier's features.
    unsafe fn fill<'a, const N: usize>(pad: &'a mut MaybeUninit<[u8; N]>, bytes: &[u8]) -> &'a [u8; N];
}

/// Uses ordinary copies.
pub(crate) struct Copied;

impl Fill for Copied {
    #[inline(always)]
    unsafe fn fill<'a, const N: usize>(pad: &'a mut MaybeUninit<[u8; N]>, bytes: &[u8]) -> &'a [u8; N] {
        let pad = pad.write([0; N]);
        pad[..bytes.len()].copy_from_slice(bytes);
        pad
    }
}

/// Buffers for a run shorter than a step, and for results before they are written with non-temporal stores.
pub(crate) struct Pad<F, const FROM: usize, const WITH: usize, const TO: usize> {
    source: MaybeUninit<[u8; FROM]>,
    extra: MaybeUninit<[u8; WITH]>,
    result: MaybeUninit<[u8; TO]>,
    lines: Lines,
    fill: PhantomData<F>,
}

/// Some cache lines: the unit of writing with non-temporal stores.
#[repr(align(64))]
struct Lines(MaybeUninit<[u8; LINES]>);

const LINES: usize = 8 * LINE;

/// Steps that read `FROM` bytes of elements and `WITH` bytes of random fields or scales, and write `TO` bytes
/// of results.
///
/// A tail is converted by a whole step, together with elements before it, or padded with zeros if the run is
/// shorter than a step. So there is one loop, and no second kernel for tails. In a long run, the steps after the first
/// ones start at a cache line and convert some elements again, because a store across two lines takes longer.
pub(crate) struct Steps<'a, F, const FROM: usize, const WITH: usize, const TO: usize> {
    span: Span<'a>,
    pad: &'a mut Pad<F, FROM, WITH, TO>,
    source: *const u8,
    extra: *const u8,
    result: *mut u8,
    /// The number of steps before the tail.
    left: usize,
    /// The number of result bytes before the first cache line, if the steps after the first ones start there.
    head: usize,
    /// The number of result bytes that no step has written yet.
    rest: usize,
    /// The number of result bytes to copy from the padding.
    padded: usize,
    /// The destination of results with non-temporal stores. They go through `pad.lines`; the other fields are
    /// the number of bytes there, and how often they will be filled again.
    streamed: *mut u8,
    filled: usize,
    batches: usize,
    /// The distance of prefetches; 0, which is a line that is there, in batches, which prefetch themselves, and for
    /// elements in a cache.
    ahead: usize,
}

impl<F: Fill, const FROM: usize, const WITH: usize, const TO: usize> Pad<F, FROM, WITH, TO> {
    #[inline(always)]
    pub fn new() -> Self {
        Pad {
            source: MaybeUninit::uninit(),
            extra: MaybeUninit::uninit(),
            result: MaybeUninit::uninit(),
            lines: Lines(MaybeUninit::uninit()),
            fill: PhantomData,
        }
    }

    /// The steps of a run.
    #[inline(always)]
    pub fn steps<'a>(&'a mut self, span: Span<'a>) -> Steps<'a, F, FROM, WITH, TO> {
        const { assert!(GRAIN * FROM % TO == 0 && GRAIN * WITH % TO == 0) };
        let bytes = span.result.len();
        assert!(span.source.len() >= bytes * FROM / TO && span.extra.len() >= bytes * WITH / TO);
        let (source, extra, result) = (span.source.as_ptr(), span.extra.as_ptr(), span.result.as_mut_ptr());
        // Whole lines, if the result starts at one.
        let batch = if span.streamed && result.align_offset(LINE) == 0 {
            Steps::<F, FROM, WITH, TO>::BATCH * TO
        } else {
            0
        };
        let batches = bytes.checked_div(batch).unwrap_or(0);
        let head = if batches == 0 { before_line(result, bytes) } else { 0 };
        let (left, rest) = match (batches, head) {
            (0, 0) => (bytes / TO, bytes % TO),
            (0, head) => (head.div_ceil(TO), bytes),
            _ => (0, bytes % batch),
        };
        let (padded, streamed, filled) = (0, result, 0);
        let ahead = if span.cold && batches == 0 { AHEAD } else { 0 };
        let pad = self;
        Steps { span, pad, source, extra, result, left, head, rest, padded, streamed, filled, batches, ahead }
    }
}

impl<F: Fill, const FROM: usize, const WITH: usize, const TO: usize> Steps<'_, F, FROM, WITH, TO> {
    /// The next step: its input and its output.
    #[inline(always)]
    pub fn next(&mut self) -> Option<(&[u8; FROM], &mut [u8; TO])> {
        self.next_with_extra().map(|(from, _, to)| (from, to))
    }

    /// The next step, with its random fields or scales.
    #[inline(always)]
    pub fn next_with_extra(&mut self) -> Option<(&[u8; FROM], &[u8; WITH], &mut [u8; TO])> {
        if self.left == 0 && !self.turn() {
            return None;
        }
        // SAFETY: there are `left` steps from these pointers on, in the span or in the padding; arrays of
        // bytes need no alignment. The borrows end before the next call.
        unsafe {
            let step = (&*self.source.cast(), &*self.extra.cast(), &mut *self.result.cast());
            fetch_step(self.left, step.0, self.ahead);
            self.left -= 1;
            self.source = self.source.wrapping_add(FROM);
            self.extra = self.extra.wrapping_add(WITH);
            self.result = self.result.wrapping_add(TO);
            Some(step)
        }
    }

    /// The number of steps that fill whole cache lines and read whole ones.
    const BATCH: usize = {
        let (read, written) = (LINE.div_ceil(FROM), LINE.div_ceil(TO));
        if read > written { read } else { written }
    };

    /// Writes filled lines to memory, and starts the next ones; false if no lines are left. The loop treats a batch of
    /// them like a whole run.
    #[inline(always)]
    fn next_streamed(&mut self) -> bool {
        const { assert!(Self::BATCH * TO <= LINES && (TO % LINE == 0 || LINE % TO == 0)) };
        let lines = self.pad.lines.0.as_mut_ptr().cast::<u8>();
        for at in (0..self.filled).step_by(LINE) {
            // SAFETY: the steps have written these lines. The span starts at a cache line and has room for them.
            unsafe { stream_line(lines.add(at), self.streamed.add(at)) };
        }
        fetch_cold(self.source, Self::BATCH * FROM);
        self.streamed = self.streamed.wrapping_add(self.filled);
        let batch = self.batches != 0;
        self.filled = if batch { Self::BATCH * TO } else { 0 };
        self.left = if batch { Self::BATCH } else { self.rest / TO };
        self.result = if batch { lines } else { self.streamed };
        self.batches -= usize::from(batch);
        batch
    }

    /// The next step begins after `before` bytes of results.
    ///
    /// # Safety
    ///
    /// The result has at least that many bytes, and they are the results of a whole number of elements.
    #[inline(always)]
    unsafe fn start(&mut self, before: usize) {
        // SAFETY: `steps` has checked that the slices have the lengths that the results need.
        unsafe {
            self.source = self.span.source.as_ptr().add(before * FROM / TO);
            self.extra = self.span.extra.as_ptr().add(before * WITH / TO);
            self.result = self.span.result.as_mut_ptr().add(before);
        }
    }

    /// Starts the steps from a cache line on, or the tail after the whole steps; false if nothing is left.
    #[inline(always)]
    fn turn(&mut self) -> bool {
        if self.filled != 0 || self.batches != 0 {
            if self.next_streamed() {
                return true;
            }
            // After the batches there are whole steps, and then less than one.
            self.rest %= TO;
            if self.left != 0 {
                return true;
            }
        }
        if self.padded != 0 {
            // SAFETY: it was written when the padding began.
            let made = unsafe { self.pad.result.assume_init_ref() };
            self.span.result.copy_from_slice(&made[..self.padded]);
            self.padded = 0;
        }
        if self.head != 0 {
            let head = core::mem::take(&mut self.head);
            // SAFETY: `before_line` returns less than the results have.
            unsafe { self.start(head) };
            (self.left, self.rest) = ((self.rest - head) / TO, (self.rest - head) % TO);
            return true;
        }
        let (rest, bytes) = (core::mem::take(&mut self.rest), self.span.result.len());
        if rest == 0 {
            return false;
        }
        self.left = 1;
        if bytes >= TO {
            // SAFETY: the step ends at the end of the results.
            unsafe { self.start(bytes - TO) };
        } else {
            let (source, extra) =
                (&self.span.source[..rest * FROM / TO], &self.span.extra[..rest * WITH / TO]);
            // SAFETY: a tier's kernels run only where the tier was detected.
            let (source, extra) =
                unsafe { (F::fill(&mut self.pad.source, source), F::fill(&mut self.pad.extra, extra)) };
            let result = self.pad.result.write([0; TO]);
            (self.source, self.extra, self.result) = (source.as_ptr(), extra.as_ptr(), result.as_mut_ptr());
            self.padded = rest;
        }
        true
    }
}
