//! Work that is cut before: ranges of numbers, and parts of arrays.

use std::mem;
use std::ops::{ControlFlow, Range};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};

use super::count::thread_count;

/// Cuts the numbers below `count` into chunks of `step`, which up to `threads` threads (0 means one for each core) take in
/// order. Each thread has a state, made by `init`, to which `work` adds a chunk. Returns the states.
///
/// Which chunks a thread takes is chance, so the order in which the caller merges the states must not matter. If `work`
/// breaks, no further chunk is begun; all chunks before it are finished.
///
/// ```
/// use std::ops::ControlFlow;
/// let sum = |sum: &mut u64, chunk: std::ops::Range<u64>| {
///     *sum += chunk.sum::<u64>();
///     ControlFlow::Continue(())
/// };
/// let sums = ptxcvt_parallel::fold(1001, 64, 0, || 0, sum);
/// assert_eq!(sums.iter().sum::<u64>(), 500_500);
/// ```
///
/// # Panics
///
/// Panics if `work` or `init` does.
pub fn fold<S: Send>(
    count: u64,
    step: u64,
    threads: usize,
    init: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, Range<u64>) -> ControlFlow<()> + Sync,
) -> Vec<S> {
    let chunks = count.div_ceil(step);
    let next = AtomicU64::new(0);
    let run = || {
        let mut state = init();
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks {
                return state;
            }
            let first = chunk * step;
            if work(&mut state, first..first.saturating_add(step).min(count)).is_break() {
                next.fetch_max(chunks, Ordering::Relaxed);
                return state;
            }
        }
    };
    // Without chunks, there is still one state.
    let threads = chunks.clamp(1, thread_count(threads) as u64);
    each_part(0..threads, |_| run())
}

/// Does `work` for each part on a thread of its own, and returns the results in the order of the parts. The calling thread
/// takes the last part, so that a single part starts no thread.
///
/// ```
/// let (mut numbers, add) = ([1, 2, 3, 4], |part: &mut [u32]| part.iter_mut().for_each(|n| *n += 1));
/// ptxcvt_parallel::each_part(numbers.chunks_mut(2), add);
/// assert_eq!(numbers, [2, 3, 4, 5]);
/// ```
///
/// # Panics
///
/// Panics if `work` does.
pub fn each_part<P: Send, T: Send>(
    parts: impl IntoIterator<Item = P>,
    work: impl Fn(P) -> T + Sync,
) -> Vec<T> {
    let (mut parts, work) = (parts.into_iter(), &work);
    let Some(mut last) = parts.next() else { return Vec::new() };
    thread::scope(|scope| {
        let mut others = Vec::new();
        for part in parts {
            let before = mem::replace(&mut last, part);
            others.push(scope.spawn(move || work(before)));
        }
        let last = work(last);
        let join = |other: ScopedJoinHandle<'_, T>| other.join().unwrap_or_else(|panic| resume_unwind(panic));
        others.into_iter().map(join).chain([last]).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;
    use std::time::Duration;

    use super::*;

    #[test]
    fn chunks_are_folded_once() {
        for (count, step, threads) in
            [(0, 1, 0), (1, 7, 4), (1000, 1, 3), (1000, 300, 0), (u64::MAX, u64::MAX / 3, 2)]
        {
            let note = |seen: &mut Vec<Range<u64>>, chunk| {
                seen.push(chunk);
                ControlFlow::Continue(())
            };
            let mut seen = fold(count, step, threads, Vec::new, note).concat();
            seen.sort_by_key(|chunk| chunk.start);
            assert!(seen.iter().all(|chunk| !chunk.is_empty()), "{seen:?}");
            let ends: Vec<u64> = [0].into_iter().chain(seen.iter().map(|chunk| chunk.end)).collect();
            assert!(seen.iter().zip(&ends).all(|(chunk, end)| chunk.start == *end), "{seen:?}");
            assert_eq!(ends.last(), Some(&count));
        }
    }

    #[test]
    fn chunks_before_a_break_are_finished() {
        let note = |seen: &mut Vec<u64>, chunk: Range<u64>| {
            thread::sleep(Duration::from_micros(chunk.start % 3 * 100));
            seen.push(chunk.start);
            if chunk.start == 500 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let seen = fold(1 << 40, 1, 4, Vec::new, note).concat();
        assert!((0..=500).all(|n| seen.contains(&n)));
        assert!(seen.len() < 1000, "{}", seen.len());
    }

    #[test]
    fn parts_are_in_order_and_the_last_is_the_callers() {
        let caller = thread::current().id();
        let work = |n: u64| {
            thread::sleep(Duration::from_micros(300 - n * 100));
            (n, thread::current().id() == caller)
        };
        assert_eq!(each_part(0..3, work), [(0, false), (1, false), (2, true)]);
        assert_eq!(each_part([1], work), [(1, true)]);
        assert_eq!(each_part([], work), []);
    }

    #[test]
    fn a_panic_of_a_part_is_passed_on() {
        assert!(catch_unwind(|| each_part(0..3, |n| assert!(n != 1))).is_err());
    }
}
