//! Reports the progress of a comparison, and remembers whether the caller broke it off.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// The caller's function: takes the completed share, from 0 to 1, and breaks off the comparison with `Break`.
pub(super) type Progress<'p> = dyn Fn(f64) -> ControlFlow<()> + Sync + 'p;

/// One for each comparison. A comparison that was broken off has no answer, whatever its parts returned.
pub(super) struct Watch<'p> {
    progress: &'p Progress<'p>,
    is_stopped: AtomicBool,
}

impl<'p> Watch<'p> {
    /// Watches a comparison that begins.
    pub fn new(progress: &'p Progress<'p>) -> Self {
        Watch { progress, is_stopped: AtomicBool::new(false) }
    }

    /// Reports `done` of `total`. Every thread of the comparison ends when this returns `Break`.
    pub fn report(&self, done: u64, total: u64) -> ControlFlow<()> {
        if self.is_stopped() || (self.progress)(done as f64 / total as f64).is_break() {
            self.is_stopped.store(true, Ordering::Relaxed);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// True if the caller broke off the comparison.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}
