//! Items in work at the same time, with their results in order.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread;

use super::count::thread_count;

/// How many results for each core may wait for an earlier one, which bounds the memory that they take.
const AHEAD: usize = 16;

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
    fn a_panic_is_passed_on() {
        let items: Vec<u32> = (0..1000).collect();
        let outcome = catch_unwind(|| map(&items, |n| assert!(*n != 300, "no item {n}")));
        let panic = outcome.expect_err("item 300 panics");
        assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("no item 300"));
        // So is one of the closure that takes the results.
        assert!(
            catch_unwind(|| in_order(&items, |n| *n, |_, _| -> Result<(), ()> { panic!("none") })).is_err()
        );
    }
}
