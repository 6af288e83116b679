//! # ptxcvt-parallel: work on every core, results in order
//!
//! Does the same work for many items on every core and returns the results in the order of the items. A thread takes
//! the next item when it has finished one, so a slow item holds up no other. A panic of the work is a panic of the
//! caller. [`fold`] cuts a range of numbers into chunks instead and returns one state for each thread. [`each_part`] starts a
//! thread for each part of something that the caller has cut. [`thread_count`] is what an option such as `--threads` means.
//!
//! ```
//! let squares = ptxcvt_parallel::map(&[1, 2, 3], |n| n * n);
//! assert_eq!(squares, [1, 4, 9]);
//! ```

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::mem;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock};
use std::thread::{self, ScopedJoinHandle};

/// How many results for each core may wait for an earlier one, which bounds the memory that they take.
const AHEAD: usize = 16;

/// The largest number of threads that a user may ask for.
pub const MOST_THREADS: usize = u16::MAX as usize;

/// The number of threads that an option means: one for each core if it is 0.
pub fn thread_count(threads: usize) -> usize {
    // The operating system takes longer to answer than some work takes.
    static CORES: OnceLock<usize> = OnceLock::new();
    match threads {
        0 => *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from)),
        n => n,
    }
}

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

/// Does `work` for each item on every core, and passes the results to `each` in the order of the items, on this thread.
///
/// # Errors
///
/// Returns the first error of `each`. No further work is begun then.
///
/// # Panics
///
/// Panics if `work` does.
pub fn in_order<I: Sync, T: Send, E>(
    items: &[I],
    work: impl Fn(&I) -> T + Sync,
    mut each: impl FnMut(&I, T) -> Result<(), E>,
) -> Result<(), E> {
    let cores = thread_count(0).min(items.len());
    // One thread is this one, which also serves platforms without threads.
    if cores < 2 {
        return items.iter().try_for_each(|item| each(item, work(item)));
    }
    let queue = Queue { state: Mutex::default(), changed: Condvar::new(), most: cores * AHEAD };
    thread::scope(|scope| {
        let _stop = Stop(&queue);
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(number) = queue.next(items.len()) {
                    // The result of a panic is passed on, too.
                    queue.put(number, catch_unwind(AssertUnwindSafe(|| work(&items[number]))));
                }
            });
        }
        for item in items {
            each(item, queue.take().unwrap_or_else(|panic| resume_unwind(panic)))?;
        }
        Ok(())
    })
}

/// Does `work` for each item on every core, and returns the results in the order of the items.
///
/// # Panics
///
/// Panics if `work` does.
pub fn map<I: Sync, T: Send>(items: &[I], work: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let mut all = Vec::with_capacity(items.len());
    let Ok(()) = in_order(items, work, |_, result| {
        all.push(result);
        Ok::<(), Infallible>(())
    });
    all
}

/// The items in work, by number, and the results that were not taken yet.
struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    /// How many items may be begun before the first of them is taken.
    most: usize,
}

struct State<T> {
    /// How many items were begun.
    begun: usize,
    /// How many results were taken.
    taken: usize,
    results: BTreeMap<usize, thread::Result<T>>,
    /// No result is wanted any more.
    stopped: bool,
}

impl<T> Default for State<T> {
    fn default() -> Self {
        State { begun: 0, taken: 0, results: BTreeMap::new(), stopped: false }
    }
}

impl<T> Queue<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().expect("no thread panics while it holds the lock")
    }

    /// Waits until something changes.
    fn wait<'q>(&self, state: MutexGuard<'q, State<T>>) -> MutexGuard<'q, State<T>> {
        self.changed.wait(state).expect("no thread panics while it holds the lock")
    }

    /// The number of the next of `count` items, when few enough results are waiting; `None` if there is no work left.
    fn next(&self, count: usize) -> Option<usize> {
        let mut state = self.state();
        loop {
            if state.stopped || state.begun == count {
                return None;
            }
            if state.begun < state.taken + self.most {
                state.begun += 1;
                return Some(state.begun - 1);
            }
            state = self.wait(state);
        }
    }

    fn put(&self, number: usize, result: thread::Result<T>) {
        self.state().results.insert(number, result);
        self.changed.notify_all();
    }

    /// The next result in the order of the items.
    fn take(&self) -> thread::Result<T> {
        let mut state = self.state();
        loop {
            let number = state.taken;
            if let Some(result) = state.results.remove(&number) {
                state.taken += 1;
                self.changed.notify_all();
                return result;
            }
            state = self.wait(state);
        }
    }
}

/// Stops the threads when the one that takes the results leaves, also by an error or a panic.
struct Stop<'q, T>(&'q Queue<T>);

impl<T> Drop for Stop<'_, T> {
    fn drop(&mut self) {
        self.0.state().stopped = true;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_are_in_order_whatever_takes_longest() {
        let items: Vec<u64> = (0..500).collect();
        let slow_first = |n: &u64| {
            thread::sleep(Duration::from_micros(if n % 50 == 0 { 2000 } else { 1 }));
            n * 2
        };
        assert_eq!(map(&items, slow_first), items.iter().map(|n| n * 2).collect::<Vec<_>>());
        assert_eq!(map(&[] as &[u64], slow_first), []);
        assert_eq!(map(&[7], slow_first), [14]);
    }

    #[test]
    fn an_error_ends_the_work() {
        let (items, begun) = ([(); 10_000], AtomicUsize::new(0));
        let mut taken = 0;
        let outcome = in_order(
            &items,
            |()| begun.fetch_add(1, Ordering::Relaxed),
            |(), _| {
                taken += 1;
                if taken == 3 { Err("enough") } else { Ok(()) }
            },
        );
        assert_eq!((outcome, taken), (Err("enough"), 3));
        let cores = thread_count(0);
        assert!(begun.into_inner() <= 3 + cores * AHEAD);
    }

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
    fn a_panic_is_passed_on() {
        let items: Vec<u32> = (0..1000).collect();
        let outcome = catch_unwind(|| map(&items, |n| assert!(*n != 300, "no item {n}")));
        let panic = outcome.expect_err("item 300 panics");
        assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("no item 300"));
        assert!(catch_unwind(|| each_part(0..3, |n| assert!(n != 1))).is_err());
        // So is one of the closure that takes the results.
        assert!(
            catch_unwind(|| in_order(&items, |n| *n, |_, _| -> Result<(), ()> { panic!("none") })).is_err()
        );
    }
}
