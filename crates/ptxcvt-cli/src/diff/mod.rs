//! The two ways in which `ptxcvt diff` compares: modules function by function, sources and folders file by file.

pub mod modules;
pub mod trees;

use serde::Serialize;

/// How often a conversion was added or removed.
#[derive(Serialize)]
struct Count {
    opcode: String,
    count: u64,
}
