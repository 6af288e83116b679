//! Converts one array in pieces, each piece on all threads, and writes while the next one is computed.

use std::ops::Range;
use std::sync::mpsc::sync_channel;
use std::thread;

use ptxcvt::bulk::{Column, ColumnMut, Plan, rbits};
use ptxcvt::inputs::MAX_OPERANDS;

use super::sink::Sink;
use super::stats::Counts;
use crate::failure::Failure;
use crate::progress::Progress;

/// `rbits` or the scale of each instruction.
#[derive(Clone, Copy)]
pub enum ExtraOperand<'a> {
    None,
    /// The same for all.
    Value(u64),
    /// One each, little-endian, of so many bytes.
    Each(&'a [u8], usize),
    /// From the counter-based generator.
    Seed(u64),
}

/// One array's conversion.
#[derive(Clone)]
pub struct Work<'a> {
    pub plan: Plan,
    /// One slice per data operand, or the one packed stream.
    pub sources: Vec<&'a [u8]>,
    /// Bytes of one instruction in each source.
    pub source_bytes: usize,
    pub packed: bool,
    pub extra: ExtraOperand<'a>,
    pub stats: bool,
}

/// How to run.
#[derive(Clone, Copy)]
pub struct Resources {
    pub threads: usize,
    /// Bytes that the buffers may take.
    pub memory: usize,
}

/// Pieces are no smaller than this, so that starting threads costs nothing.
const LEAST_PIECE: usize = 1 << 16;
/// Nor larger than this, so that the progress bar moves.
const LARGEST_PIECE: usize = 1 << 25;

impl Work<'_> {
    /// How many instructions the sources take; the last one of a packed stream may lack its upper elements.
    fn instructions(&self) -> usize {
        self.sources[0].len().div_ceil(self.source_bytes)
    }

    /// Runs everything into `sink`: `result_bytes` in all, where the last instruction may be cut short
    /// because its upper elements are padding.
    pub fn run(
        &self,
        result_bytes: u64,
        sink: &mut Sink,
        resources: Resources,
        progress: &Progress,
    ) -> Result<Counts, Failure> {
        let width = self.plan.result_bytes();
        // Three buffers are in flight: one computed, one queued, one written.
        let piece = (resources.memory / 3).clamp(LEAST_PIECE, LARGEST_PIECE) / width;
        let total = self.instructions();
        let mut counts = Counts::default();
        thread::scope(|scope| {
            let (send, receive) = sync_channel::<Vec<u8>>(1);
            let (give_back, reuse) = sync_channel::<Vec<u8>>(3);
            let sink = &mut *sink;
            let writer = scope.spawn(move || -> Result<(), Failure> {
                for buffer in receive {
                    sink.write(&buffer)?;
                    progress.advance(buffer.len() as u64);
                    let _ = give_back.try_send(buffer);
                }
                Ok(())
            });
            let mut failure = None;
            for start in (0..total).step_by(piece) {
                let instructions = start..total.min(start + piece);
                let mut buffer = reuse.try_recv().unwrap_or_default();
                let rest = result_bytes - (start * width) as u64;
                buffer.resize(rest.min((instructions.len() * width) as u64) as usize, 0);
                match self.piece(instructions, &mut buffer, resources.threads) {
                    Ok(more) => counts += more,
                    Err(e) => failure = Some(e),
                }
                // A closed channel means that writing failed; the writer says why.
                if failure.is_some() || send.send(buffer).is_err() {
                    break;
                }
            }
            drop(send);
            let written = writer.join().unwrap_or_else(|_| Err(Failure::new("the writing thread failed")));
            failure.map_or(written, Err)
        })?;
        Ok(counts)
    }

    /// Converts a range of instructions, split among the threads.
    fn piece(&self, all: Range<usize>, result: &mut [u8], threads: usize) -> Result<Counts, Failure> {
        let width = self.plan.result_bytes();
        let share = all.len().div_ceil(threads.max(1)).max(LEAST_PIECE / width);
        let parts = result.chunks_mut(share * width).enumerate().map(|(i, part)| {
            let start = all.start + i * share;
            (start..start + part.len().div_ceil(width), part)
        });
        thread::scope(|scope| {
            let handles: Vec<_> =
                parts.map(|(range, part)| scope.spawn(move || self.convert(range, part))).collect();
            let mut counts = Counts::default();
            for handle in handles {
                counts += handle.join().unwrap_or_else(|_| Err(Failure::new("a thread failed")))?;
            }
            Ok(counts)
        })
    }

    /// Converts a range of instructions.
    fn convert(&self, range: Range<usize>, result: &mut [u8]) -> Result<Counts, Failure> {
        let part = |data: &'_ [u8], width: usize| range.start * width..(range.end * width).min(data.len());
        let extra = match self.extra {
            ExtraOperand::None => None,
            ExtraOperand::Value(value) => Some(Column::Value(value)),
            ExtraOperand::Each(data, width) => Some(Column::Bytes(&data[part(data, width)])),
            ExtraOperand::Seed(seed) => Some(Column::Random { seed, first: range.start as u64 }),
        };
        let mut columns = [Column::Value(0); MAX_OPERANDS];
        let mut used = 0;
        for source in &self.sources {
            columns[used] = Column::Bytes(&source[part(source, self.source_bytes)]);
            used += 1;
        }
        let outcome = if self.packed {
            self.plan.run_padded(columns[0], extra, ColumnMut::Bytes(result))
        } else {
            if let Some(column) = extra {
                columns[used] = column;
                used += 1;
            }
            self.plan.run(&columns[..used], ColumnMut::Bytes(result))
        };
        outcome.map_err(|e| Failure::new(e.to_string()))?;
        Ok(if self.stats { self.count(range) } else { Counts::default() })
    }

    /// What the reference says of the elements of a range of instructions.
    fn count(&self, range: Range<usize>) -> Counts {
        let form = self.plan.form();
        let lanes = self.plan.elements_per_instruction();
        let elements = self.sources[0].len() * lanes / self.source_bytes;
        let mut counts = Counts::default();
        for i in range {
            let operands = self.operands(i);
            if let Ok(explanation) = form.explain(&operands[..form.source_count()]) {
                counts.add(&explanation, elements - i * lanes);
            }
        }
        counts
    }

    /// The operands of instruction `i`, in PTX order.
    fn operands(&self, i: usize) -> [u64; MAX_OPERANDS] {
        let little_endian = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
        let extra_at =
            self.plan.form().source_count() - usize::from(!matches!(self.extra, ExtraOperand::None));
        let mut operands = [0; MAX_OPERANDS];
        if self.packed {
            operands = self.plan.packed_operands(self.sources[0], i);
        } else {
            for (operand, source) in operands.iter_mut().zip(&self.sources) {
                *operand = little_endian(&source[i * self.source_bytes..][..self.source_bytes]);
            }
        }
        match self.extra {
            ExtraOperand::None => {}
            ExtraOperand::Value(value) => operands[extra_at] = value,
            ExtraOperand::Each(data, width) => {
                operands[extra_at] = little_endian(&data[i * width..][..width]);
            }
            ExtraOperand::Seed(seed) => operands[extra_at] = rbits(seed, i as u64).into(),
        }
        operands
    }
}
