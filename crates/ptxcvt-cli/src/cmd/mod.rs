//! The subcommands, one file each.

pub mod check;
pub mod completions;
pub mod conform;
pub mod convert;
pub mod dequantize;
pub mod diff;
pub mod eval;
pub mod explain;
pub mod explorer;
pub mod format;
pub mod forms;
pub mod lower;
pub mod lsp;
pub mod man;
pub mod prove;
pub mod quantize;
pub mod recipes;
pub mod run;
pub mod r#where;
