//! The names of instructions in the records.

use ptxcvt_exec::{Block, Op};

/// An instruction and its number of operands: `max.f32 4` is not `max.f32 3`.
pub(super) fn key(op: Op) -> String {
    format!("{op} {}", Block::of_op(op, 0).code()[0].operands.len())
}
