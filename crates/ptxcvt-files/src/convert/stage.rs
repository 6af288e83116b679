//! One conversion of a chain, run on a piece of an array: packed elements, or columns of registers.

use std::borrow::Cow;

use ptxcvt::inputs::MAX_OPERANDS;
use ptxcvt::{Form, little_endian};
use ptxcvt_bulk::{Array, Chain, ChainArray, Column, ColumnMut, Plan, Spread, rbits, seed_of};

use super::feed::Feed;
use super::phases::timed;
use super::stats::{Counting, Trace};
use crate::error::FileError;

/// A conversion, and the source of its `rbits` or scale.
#[derive(Clone, Debug)]
pub struct Stage<'a> {
    pub plan: Plan,
    pub extra: ExtraOperand<'a>,
}

/// The source of `rbits` or of the scale of each instruction.
#[derive(Clone, Debug)]
pub enum ExtraOperand<'a> {
    None,
    /// One value for all.
    Value(u64),
    /// A value for each, from an array.
    Each(Feed<'a>),
    /// Random bits from the counter-based generator.
    Seed(u64),
}

impl<'a> ExtraOperand<'a> {
    /// The array of values, if there is one.
    pub fn feed(&self) -> Option<&Feed<'a>> {
        match self {
            ExtraOperand::Each(feed) => Some(feed),
            _ => None,
        }
    }

    /// The operand of one tensor in one stage of a chain: each has different random bits.
    pub fn of_tensor(&self, name: &str, stage: usize) -> Self {
        let ExtraOperand::Seed(seed) = *self else { return self.clone() };
        ExtraOperand::Seed(seed_of(seed, name, stage))
    }
}

impl Stage<'_> {
    /// Elements per instruction.
    pub fn lanes(&self) -> usize {
        self.plan.elements_per_instruction()
    }

    /// The column of `rbits` or scales for the `count` instructions of a piece. Random bits begin with those of
    /// instruction `first`.
    fn column<'p>(&self, count: usize, piece: &'p Piece, first: u64) -> Option<Column<'p>> {
        match &self.extra {
            ExtraOperand::None => None,
            ExtraOperand::Value(value) => Some(Column::Value(*value)),
            ExtraOperand::Each(feed) => {
                let width = feed.bits as usize / 8;
                Some(Column::Bytes(&piece.extra[..count * width]))
            }
            ExtraOperand::Seed(seed) => Some(Column::Random { seed: *seed, first }),
        }
    }

    /// The `rbits` or scale of instruction `at` of a piece that begins with instruction `first`, for the reference.
    fn extra_bits(&self, first: u64, at: usize, piece: &Piece) -> Option<u64> {
        match &self.extra {
            ExtraOperand::None => None,
            ExtraOperand::Value(value) => Some(*value),
            ExtraOperand::Each(feed) => {
                let width = feed.bits as usize / 8;
                Some(little_endian(&piece.extra[at * width..][..width]))
            }
            ExtraOperand::Seed(seed) => Some(rbits(*seed, first + at as u64).into()),
        }
    }
}

/// A piece of every operand.
#[derive(Default)]
pub struct Piece {
    /// The index of the first unit.
    pub first: u64,
    /// The number of units.
    pub count: usize,
    /// The units of each data operand.
    pub columns: Vec<Vec<u8>>,
    /// `rbits` or scales.
    pub extra: Vec<u8>,
}

/// The bytes of `units` units.
fn bytes(units: usize, bits: u32) -> usize {
    (units * bits as usize).div_ceil(8)
}

/// Converts the elements of a piece with every stage. If the last instruction is incomplete, its upper
/// elements are zero and their results are dropped.
pub fn convert_packed(
    stages: &[Stage<'_>],
    feed: &Feed<'_>,
    piece: &Piece,
    result: &mut [u8],
    spread: bool,
    mut counting: Option<&mut Counting>,
) -> Result<(), FileError> {
    let count = piece.count;
    let source = &piece.columns[0][..bytes(count, feed.bits)];
    if counting.is_none() && count % 2 == 0 {
        return in_one_pass(stages, source, piece, result, spread);
    }
    // Counting looks at the results between two stages. An odd last element may end within a byte.
    let mut trace = counting.is_some().then(|| Trace::new(count));
    let mut current = Cow::Borrowed(source);
    for (number, stage) in stages.iter().enumerate() {
        let form = stage.plan.form();
        let lanes = stage.lanes();
        let (from, to) = (form.source().format().storage(), form.destination().format().storage());
        let last = number + 1 == stages.len();
        let spread = spread && last;
        // Units of half a byte come in pairs, unless each result occupies a byte.
        let pairs = from < 8 || to < 8 && !spread;
        let padded = if pairs { count.next_multiple_of(2) } else { count };
        if current.len() < bytes(padded, from) {
            current.to_mut().resize(bytes(padded, from), 0);
        }
        let begin = piece.first / lanes as u64;
        let instructions = count.div_ceil(lanes);
        let extra = stage.column(padded.div_ceil(lanes), piece, 0);
        let length = if spread { padded } else { bytes(padded, to) };
        let run = |result: &mut [u8]| {
            let array = Array { elements: &current, extra, result, spread, first: piece.first };
            stage.plan.run_array(array).map_err(|e| FileError::new(e.to_string()))
        };
        if last && length == result.len() && trace.is_none() {
            return run(result);
        }
        let mut next = vec![0; length];
        run(&mut next)?;
        if let (Some(trace), Some(counting)) = (&mut trace, &mut counting) {
            timed(&mut counting.time, || {
                for i in 0..instructions {
                    let mut operands = stage.plan.packed_operands(&current, i);
                    if let Some(extra) = stage.extra_bits(begin, i, piece) {
                        operands[form.source_count() - 1] = extra;
                    }
                    trace.note(&form, number, &operands[..form.source_count()], i * lanes);
                }
            });
        }
        next.truncate(if spread { count } else { bytes(count, to) });
        current = Cow::Owned(next);
    }
    result.copy_from_slice(&current);
    if let (Some(counting), Some(trace)) = (counting, trace) {
        counting.add(&trace);
    }
    Ok(())
}

/// Converts an even number of elements with all stages, a few thousand at a time.
fn in_one_pass(
    stages: &[Stage<'_>],
    elements: &[u8],
    piece: &Piece,
    result: &mut [u8],
    spread: bool,
) -> Result<(), FileError> {
    let forms: Vec<Form> = stages.iter().map(|stage| stage.plan.form()).collect();
    let extra = |stage: &Stage<'_>| stage.column(piece.count.div_ceil(stage.lanes()), piece, 0);
    let extras: Vec<_> = stages.iter().map(extra).collect();
    let spread = Spread { source: false, result: spread };
    let array = ChainArray { elements, extras: &extras, result, spread, first: piece.first };
    Chain::new(&forms).run(array).map_err(|e| FileError::new(e.to_string()))
}

/// Converts one register of each operand to one of the result.
pub fn convert_columns(
    stage: &Stage<'_>,
    feeds: &[Feed<'_>],
    piece: &Piece,
    result: &mut [u8],
    counting: Option<&mut Counting>,
) -> Result<(), FileError> {
    let mut columns = [Column::Value(0); MAX_OPERANDS];
    let mut used = 0;
    for (column, feed) in piece.columns.iter().zip(feeds) {
        columns[used] = Column::Bytes(&column[..bytes(piece.count, feed.bits)]);
        used += 1;
    }
    if let Some(column) = stage.column(piece.count, piece, piece.first) {
        columns[used] = column;
        used += 1;
    }
    let outcome = stage.plan.run(&columns[..used], ColumnMut::Bytes(result));
    outcome.map_err(|e| FileError::new(e.to_string()))?;
    if let Some(counting) = counting {
        let form = stage.plan.form();
        let lanes = stage.lanes();
        let mut trace = Trace::new(piece.count * lanes);
        timed(&mut counting.time, || {
            for i in 0..piece.count {
                let mut operands = [0; MAX_OPERANDS];
                for (k, (column, feed)) in piece.columns.iter().zip(feeds).enumerate() {
                    let width = feed.bits as usize / 8;
                    operands[k] = little_endian(&column[i * width..][..width]);
                }
                if let Some(extra) = stage.extra_bits(piece.first, i, piece) {
                    operands[feeds.len()] = extra;
                }
                trace.note(&form, 0, &operands[..form.source_count()], i * lanes);
            }
        });
        counting.add(&trace);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_bits_belong_to_a_tensor_and_a_stage() {
        let seed = |name: &str, stage| match ExtraOperand::Seed(7).of_tensor(name, stage) {
            ExtraOperand::Seed(seed) => seed,
            _ => unreachable!("a seed is not an array"),
        };
        assert_eq!(seed("", 0), 7);
        let all = [seed("", 0), seed("", 1), seed("a", 0), seed("b", 0), seed("ab", 0), seed("ba", 0)];
        for (i, one) in all.iter().enumerate() {
            assert!(!all[i + 1..].contains(one));
        }
    }
}
