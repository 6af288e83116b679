//! The names of instructions in the records.

use ptxcvt_exec::Op;

/// An instruction and its number of operands: `max.f32 4` is not `max.f32 3`.
pub(super) fn key(op: Op) -> String {
    format!("{op} {}", op.operand_count())
}

/// The names of the instructions that are tried again; the records keep the lines of others.
#[derive(Clone, Debug, Default)]
pub struct Names(Vec<String>);

impl Names {
    /// These names, or every name if there are none.
    pub fn new(names: Vec<String>) -> Self {
        Names(names)
    }

    /// True if this spelling, which begins with its name, is tried again.
    pub(super) fn has(&self, spelling: &str) -> bool {
        let name = spelling.split(['.', ' ']).next().unwrap_or(spelling);
        self.0.is_empty() || self.0.iter().any(|known| known == name)
    }
}
