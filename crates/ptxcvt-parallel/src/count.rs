//! The number of threads.

use std::sync::OnceLock;
use std::thread;

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
