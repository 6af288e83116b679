//! # ptxcvt-parallel: work on every core, results in order
//!
//! Does the same work for many items on every core and returns the results in the order of the items. A thread takes
//! the next item when it has finished one, so a slow item does not delay the others. A panic in the work becomes a
//! panic of the caller. [`fold`] cuts a range of numbers into chunks instead and returns one state for each thread.
//! [`each_part`] starts a thread for each part of data that the caller has split. [`thread_count`] computes the number
//! of threads from an option such as `--threads`.
//!
//! ```
//! let squares = ptxcvt_parallel::map(&[1, 2, 3], |n| n * n);
//! assert_eq!(squares, [1, 4, 9]);
//! ```

#![forbid(unsafe_code)]

mod count;
mod order;
mod split;

pub use count::{MOST_THREADS, thread_count};
pub use order::{in_order, map};
pub use split::{each_part, fold};
