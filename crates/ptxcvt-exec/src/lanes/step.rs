//! The steps of a program.

use std::ops::RangeInclusive;

use ptxcvt_bulk::Plan;

use super::kernel::Kernel;
use crate::table::Op;

/// A column: all lanes of a register or of an intermediate value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Slot(pub usize);

/// An operand of a conversion.
#[derive(Clone, Copy, Debug)]
pub(super) enum Feed {
    Slot(Slot),
    Value(u64),
}

/// One operation over columns.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Lanes of `width` bytes.
    Kernel { kernel: Kernel, width: usize, to: Slot, from: Vec<Slot> },
    /// A conversion.
    Convert { plan: Box<Plan>, to: Slot, from: Vec<Feed> },
    /// An instruction that the reference computes lane by lane; `second` selects the second result: of `p|q`, or the carry.
    Each { op: Op, second: bool, to: Slot, from: Vec<Slot> },
    /// The reference computes again the lanes of the result whose magnitude is among `magnitudes`. A lane has `width` bytes,
    /// 4 or 8.
    Patch { op: Op, magnitudes: RangeInclusive<u64>, width: usize, to: Slot, from: Vec<Slot> },
}

impl Step {
    pub fn to(&self) -> Slot {
        match self {
            Step::Kernel { to, .. }
            | Step::Convert { to, .. }
            | Step::Each { to, .. }
            | Step::Patch { to, .. } => *to,
        }
    }

    pub fn from(&self) -> Vec<Slot> {
        match self {
            Step::Kernel { from, .. } | Step::Each { from, .. } => from.clone(),
            // A patched column is also read.
            Step::Patch { from, to, .. } => from.iter().copied().chain([*to]).collect(),
            Step::Convert { from, .. } => from
                .iter()
                .filter_map(|feed| match feed {
                    Feed::Slot(slot) => Some(*slot),
                    Feed::Value(_) => None,
                })
                .collect(),
        }
    }

    /// Renames every slot.
    pub fn rename(&mut self, name: impl Fn(Slot) -> Slot) {
        let (to, from) = match self {
            Step::Kernel { to, from, .. } | Step::Each { to, from, .. } | Step::Patch { to, from, .. } => {
                (to, from)
            }
            Step::Convert { to, from, .. } => {
                *to = name(*to);
                for feed in from {
                    if let Feed::Slot(slot) = feed {
                        *slot = name(*slot);
                    }
                }
                return;
            }
        };
        *to = name(*to);
        from.iter_mut().for_each(|slot| *slot = name(*slot));
    }
}
