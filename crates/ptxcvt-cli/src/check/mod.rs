//! What `check` is made of: which files, what is done with each, and what is said at the end.

pub mod baseline;
pub mod fixes;
pub mod judge;
pub mod policy;
pub mod stats;
pub mod totals;
mod writer;

pub use totals::{Totals, plural};
pub use writer::Patient;
