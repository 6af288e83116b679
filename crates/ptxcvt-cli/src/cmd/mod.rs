//! The subcommands, one file each.

pub mod batch;
pub mod check;
pub mod conform;
pub mod convert;
pub mod eval;
pub mod explain;
pub mod format;
pub mod forms;
pub mod locate;
pub mod prove;
pub mod run;
