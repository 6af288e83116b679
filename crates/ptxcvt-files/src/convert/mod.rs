//! Arrays through a chain of conversions.
//!
//! [`Opened`] has the input files, [`Opened::plan`] decides how each array is converted, and [`Planned::run`]
//! converts them in pieces, on all cores, and writes the pieces in order.

mod engine;
mod extra;
mod feed;
mod phases;
mod run;
mod stage;
mod stats;
mod task;

pub use engine::{Resources, Tally};
pub use extra::ExtraSource;
pub use phases::Phases;
pub use run::{Done, Opened, Planned};
pub use stats::Counts;
pub use task::{Options, Task};
