//! Running a program: columns in memory, one step after the other.

use ptxcvt::bulk::{Column, ColumnMut};

use super::step::{Feed, Slot, Step};
use super::tier::{self, Run};
use super::{LANES, Program};
use crate::semantics::{compare, mask};
use crate::table::{Kind, Op};

/// Columns for a program, of [`LANES`] lanes each.
#[derive(Debug)]
pub struct Runner<'p> {
    program: &'p Program,
    columns: Vec<Vec<u8>>,
    run: Run,
}

impl<'p> Runner<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        let mut columns: Vec<Vec<u8>> = program.widths.iter().map(|width| vec![0; width * LANES]).collect();
        for (Slot(slot), value, period) in &program.constants {
            for part in columns[*slot].chunks_exact_mut(*period) {
                part.copy_from_slice(&value.to_le_bytes()[..*period]);
            }
        }
        Runner { program, columns, run: tier::run_of(program.tier) }
    }

    /// The column of an input, to be filled: little-endian, a whole number of bytes a lane. What was filled in once
    /// is overwritten by a run.
    pub fn input(&mut self, n: usize) -> &mut [u8] {
        &mut self.columns[self.program.inputs[n].0]
    }

    /// The column of an output, after a run.
    pub fn output(&self, n: usize) -> &[u8] {
        &self.columns[self.program.outputs[n].0]
    }

    /// Runs all lanes.
    pub fn run(&mut self) {
        for step in &self.program.steps {
            let Slot(to) = step.to();
            let mut target = std::mem::take(&mut self.columns[to]);
            match step {
                Step::Kernel { kernel, width, from, .. } => {
                    let source = |n: usize| from.get(n).map_or(&[][..], |slot| &self.columns[slot.0][..]);
                    (self.run)(kernel, *width, &mut target, [source(0), source(1), source(2)]);
                }
                Step::Convert { plan, from, .. } => {
                    let column = |feed: &Feed| match feed {
                        Feed::Slot(slot) => Column::Bytes(&self.columns[slot.0]),
                        Feed::Value(value) => Column::Value(*value),
                    };
                    let mut sources = [Column::Value(0); ptxcvt::inputs::MAX_OPERANDS];
                    for (place, feed) in sources.iter_mut().zip(from) {
                        *place = column(feed);
                    }
                    // The columns have the widths and lengths that the plan asks for.
                    let outcome = plan.run(&sources[..from.len()], ColumnMut::Bytes(&mut target));
                    debug_assert!(outcome.is_ok(), "{plan:?}: {outcome:?}");
                }
                Step::Each { op, second, from, .. } => {
                    let width = self.program.widths[to];
                    for lane in 0..LANES {
                        self.one(op, *second, from, lane, &mut target[lane * width..(lane + 1) * width]);
                    }
                }
                Step::Patch { op, magnitude, width, from, .. } => {
                    let sign = 1_u64 << (8 * width - 1);
                    let whole = self.program.widths[to];
                    for lane in 0..LANES {
                        let bytes = &target[lane * whole..(lane + 1) * whole];
                        let hit = bytes.chunks_exact(*width).any(|part| word(part) & !sign == *magnitude);
                        if hit {
                            self.one(op, false, from, lane, &mut target[lane * whole..(lane + 1) * whole]);
                        }
                    }
                }
            }
            self.columns[to] = target;
        }
    }

    /// One lane of an instruction by rail 1.
    fn one(&self, op: &Op, second: bool, from: &[Slot], lane: usize, to: &mut [u8]) {
        let mut sources = [0; crate::semantics::MAX_SOURCES];
        for (source, Slot(slot)) in sources.iter_mut().zip(from) {
            let width = self.program.widths[*slot];
            *source = word(&self.columns[*slot][lane * width..(lane + 1) * width]);
        }
        let sources = &sources[..from.len()];
        let packed_comparison = op.row().operands[0].kind == Kind::Predicates && op.lanes() == 2;
        let bits = match second {
            _ if packed_comparison => op.elements(sources)[usize::from(second)],
            false => op.eval(sources),
            true => op.elements_by(sources, compare::setp_complement)[0],
        };
        let width = to.len();
        to.copy_from_slice(&(bits & mask(8 * width as u32)).to_le_bytes()[..width]);
    }
}

/// Bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    let mut own = [0; 8];
    own[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(own)
}
