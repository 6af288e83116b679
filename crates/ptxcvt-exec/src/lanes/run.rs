//! Runs a program over columns in memory, one step after the other.

use std::ops::RangeInclusive;

use ptxcvt::mask;
use ptxcvt_bulk::environment::Standard;
use ptxcvt_bulk::{self as bulk, ColumnMut};

use super::lane::Lane;
use super::memory::Column;
use super::program::{LANES, Program};
use super::step::{Feed, Slot, Step};
use super::tier::{self, Run};
use crate::table::{Kind, Op};

/// How many lanes are searched together.
const PIECE: usize = 64;

/// Columns for a program, of [`LANES`] lanes each.
#[derive(Debug)]
pub struct Runner<'p> {
    pub(super) program: &'p Program,
    pub(super) columns: Vec<Column>,
    pub(super) run: Run,
}

impl Program {
    /// Allocates columns to run the program in.
    pub fn runner(&self) -> Runner<'_> {
        Runner::new(self)
    }
}

impl<'p> Runner<'p> {
    fn new(program: &'p Program) -> Self {
        let size = |(n, width): (usize, &usize)| match program.is_repeated(Slot(n)) {
            true => Column::repeated(n),
            false => Column::new(n, width * LANES),
        };
        let mut columns: Vec<Column> = program.widths.iter().enumerate().map(size).collect();
        for (Slot(slot), value, period) in &program.constants {
            for part in columns[*slot].chunks_exact_mut(*period) {
                part.copy_from_slice(&value.to_le_bytes()[..*period]);
            }
        }
        Runner { program, columns, run: tier::run_of(program.tier) }
    }

    /// The column of an input, for the caller to fill: little-endian, with a whole number of bytes for each lane. A run may
    /// overwrite it.
    pub fn input(&mut self, n: usize) -> &mut [u8] {
        &mut self.columns[self.program.inputs[n].0]
    }

    /// The column of an output, after a run.
    pub fn output(&self, n: usize) -> &[u8] {
        &self.columns[self.program.outputs[n].0]
    }

    /// Runs all lanes. The thread's rounding and flushing modes do not matter.
    pub fn run(&mut self) {
        let _standard = Standard::new();
        for step in &self.program.steps {
            if let Step::Kernel { kernel, width, to: Slot(to), from } = step {
                // A kernel does not read the column that it writes.
                let (before, rest) = self.columns.split_at_mut(*to);
                let (target, after) = rest.split_first_mut().expect("a slot has a column");
                let column = |n: usize| if n < *to { &before[n] } else { &after[n - *to - 1] };
                // A kernel ignores the sources that it does not have.
                let source = |n: usize| column(from[n.min(from.len() - 1)].0).source();
                (self.run)(kernel, *width, target, &[source(0), source(1), source(2), source(3)]);
                continue;
            }
            let Slot(to) = step.to();
            let mut target = std::mem::take(&mut self.columns[to]);
            match step {
                Step::Kernel { .. } => unreachable!("kernels have been run"),
                Step::Convert { plan, from, .. } => {
                    let column = |feed: &Feed| match feed {
                        Feed::Slot(slot) => bulk::Column::Bytes(&self.columns[slot.0]),
                        Feed::Value(value) => bulk::Column::Value(*value),
                    };
                    let mut sources = [bulk::Column::Value(0); ptxcvt::inputs::MAX_OPERANDS];
                    for (place, feed) in sources.iter_mut().zip(from) {
                        *place = column(feed);
                    }
                    plan.run(&sources[..from.len()], ColumnMut::Bytes(&mut target))
                        .expect("columns have the widths and lengths of the plan");
                }
                Step::Each { op, second, from, .. } => {
                    let width = self.program.widths[to];
                    for lane in 0..LANES {
                        self.one(op, *second, from, lane, &mut target[lane * width..(lane + 1) * width]);
                    }
                }
                Step::Patch { op, magnitudes, width, from, .. } => {
                    let sign = 1_u64 << (8 * width - 1);
                    let whole = self.program.widths[to];
                    // Such lanes are rare, so whole pieces are searched at once.
                    for first in (0..LANES).step_by(PIECE) {
                        let piece = &mut target[first * whole..(first + PIECE) * whole];
                        if !any_within(piece, *width, magnitudes) {
                            continue;
                        }
                        for (n, bytes) in piece.chunks_exact_mut(whole).enumerate() {
                            let hit = |part: &[u8]| magnitudes.contains(&(word(part) & !sign));
                            if bytes.chunks_exact(*width).any(hit) {
                                self.one(op, false, from, first + n, bytes);
                            }
                        }
                    }
                }
            }
            self.columns[to] = target;
        }
    }

    /// Computes one lane of an instruction by the reference.
    fn one(&self, op: &Op, second: bool, from: &[Slot], lane: usize, to: &mut [u8]) {
        let mut sources = [0; crate::semantics::MAX_SOURCES];
        for (source, Slot(slot)) in sources.iter_mut().zip(from) {
            let width = self.program.widths[*slot];
            *source = word(&self.columns[*slot][lane * width..(lane + 1) * width]);
        }
        let sources = &sources[..from.len()];
        let packed_comparison = op.row().operands[0].kind == Kind::Predicates && op.lanes() == 2;
        let bits = match second {
            true => op.second(sources),
            false if packed_comparison => op.elements(sources)[0],
            false => op.eval(sources),
        };
        let width = to.len();
        to.copy_from_slice(&(bits & mask(8 * width as u32)).to_le_bytes()[..width]);
    }
}

/// True if the magnitude of a lane is among these.
fn any_within(bytes: &[u8], width: usize, magnitudes: &RangeInclusive<u64>) -> bool {
    let (low, span) = (*magnitudes.start(), magnitudes.end() - magnitudes.start());
    match width {
        4 => bytes.chunks_exact(4).fold(false, |any, part| {
            any | ((u32::load(part) & !u32::SIGN).wrapping_sub(low as u32) <= span as u32)
        }),
        8 => bytes
            .chunks_exact(8)
            .fold(false, |any, part| any | ((u64::load(part) & !u64::SIGN).wrapping_sub(low) <= span)),
        other => unreachable!("a lane of width {other} has no magnitude"),
    }
}

/// At most eight bytes as a number.
pub(super) fn word(bytes: &[u8]) -> u64 {
    // Loads of constant widths need no call.
    match *bytes {
        [a] => a.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        _ => {
            let mut own = [0; 8];
            own[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(own)
        }
    }
}
