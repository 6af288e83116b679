//! Counts the differing inputs of a search. Each input counts once, although a search may try it several times.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::answer::Difference;

/// The number of independently locked parts, so that threads rarely wait for each other.
const SHARDS: usize = 64;

/// The differing inputs found so far, up to [`Difference::MOST_COUNTED`].
pub(super) struct Distinct {
    shards: Vec<Mutex<HashSet<Box<[u64]>>>>,
    state: RandomState,
    count: AtomicU64,
    full: AtomicBool,
}

impl Distinct {
    pub fn new() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Distinct { shards, state: RandomState::new(), count: AtomicU64::new(0), full: AtomicBool::new(false) }
    }

    /// Adds an input. Returns false if it is a duplicate, or if there are too many inputs.
    pub fn add(&self, inputs: &[u64]) -> bool {
        if self.full.load(Ordering::Relaxed) {
            return false;
        }
        let shard = &self.shards[self.state.hash_one(inputs) as usize % SHARDS];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if shard.contains(inputs) {
            return false;
        }
        if self.count.fetch_add(1, Ordering::Relaxed) >= Difference::MOST_COUNTED {
            self.full.store(true, Ordering::Relaxed);
            return false;
        }
        shard.insert(inputs.into())
    }

    /// The number of inputs. `None` if there are too many.
    pub fn count(&self) -> Option<u64> {
        // Whether there are too many inputs does not depend on the order of the threads.
        (!self.full.load(Ordering::Relaxed)).then(|| self.count.load(Ordering::Relaxed))
    }
}
