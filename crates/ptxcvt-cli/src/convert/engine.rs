//! Converts one array in pieces: while one is read and another written, all threads compute a third.

use std::ops::Range;
use std::sync::mpsc::sync_channel;
use std::thread;

use super::feed::Feed;
use super::sink::Sink;
use super::stage::{Piece, Stage, convert_columns, convert_packed};
use super::stats::Counts;
use crate::failure::Failure;
use crate::progress::Progress;

/// One array's conversion.
#[derive(Clone)]
pub struct Work<'a> {
    /// One conversion after the other.
    pub stages: Vec<Stage<'a>>,
    /// One array per data operand, or the one packed stream.
    pub feeds: Vec<Feed<'a>>,
    /// Whether it is a stream of elements.
    pub packed: bool,
    /// Results of 4 bits take a byte each.
    pub spread: bool,
    /// An odd last result of 4 bits is filled up.
    pub pad: bool,
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
/// Pieces that are held at a time: read, waiting, computed; the same of the results.
const PIECES: usize = 3;
/// Units between two places where an array may be cut: whole instructions, and whole bytes of 4-bit units.
const UNITS: usize = 8;

impl Work<'_> {
    /// Bits of a unit in the output.
    fn result_bits(&self) -> usize {
        let Some(last) = self.stages.last() else { return 8 };
        match (self.packed, self.spread) {
            (true, true) => 8,
            (true, false) => last.plan.form().destination().format().storage() as usize,
            (false, _) => last.plan.result_bytes() * 8,
        }
    }

    /// How many bytes it reads, where that is known.
    pub fn read(&self) -> Option<u64> {
        self.feeds.iter().map(|feed| Some(feed.units? * u64::from(feed.bits) / 8)).sum()
    }

    /// Runs everything into `sink`.
    pub fn run(&self, sink: &mut Sink, resources: Resources, progress: &Progress) -> Result<Counts, Failure> {
        let source_bits: usize = self.feeds.iter().map(|feed| feed.bits as usize).sum();
        let unit_bits = source_bits + self.result_bits();
        let bytes = (resources.memory / PIECES).clamp(LEAST_PIECE, LARGEST_PIECE);
        let piece = (bytes * 8 / unit_bits).next_multiple_of(UNITS);
        let mut counts = Counts::default();
        thread::scope(|scope| {
            let (send_piece, pieces) = sync_channel::<Result<Piece, Failure>>(1);
            scope.spawn(move || {
                let mut first = 0;
                loop {
                    let read = self.read_piece(first, piece);
                    let end = read.as_ref().map_or(true, |read| read.count < piece);
                    first += piece as u64;
                    // A closed channel means that the run has failed elsewhere.
                    if send_piece.send(read).is_err() || end {
                        break;
                    }
                }
            });
            let (send, results) = sync_channel::<Vec<u8>>(1);
            let (give_back, reuse) = sync_channel::<Vec<u8>>(PIECES);
            let sink = &mut *sink;
            let writer = scope.spawn(move || -> Result<(), Failure> {
                for buffer in results {
                    sink.write(&buffer)?;
                    progress.advance(buffer.len() as u64);
                    let _ = give_back.try_send(buffer);
                }
                Ok(())
            });
            let mut failure = None;
            for piece in pieces {
                let mut buffer = reuse.try_recv().unwrap_or_default();
                match piece.and_then(|piece| self.piece(&piece, &mut buffer, resources.threads)) {
                    Ok(more) => counts += more,
                    Err(error) => failure = Some(error),
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

    /// Reads `count` units of every operand, fewer at the end.
    fn read_piece(&self, first: u64, count: usize) -> Result<Piece, Failure> {
        let mut piece = Piece { first, count, columns: Vec::new(), extra: Vec::new() };
        for (i, feed) in self.feeds.iter().enumerate() {
            let mut column = Vec::new();
            let read = feed.read(first, count, &mut column)?;
            if i > 0 && read != piece.count {
                return Err(Failure::new(format!(
                    "{}: has another length than {}",
                    feed.name, self.feeds[0].name
                )));
            }
            piece.count = read;
            piece.columns.push(column);
        }
        for stage in &self.stages {
            if let Some(feed) = stage.extra.feed() {
                let lanes = if self.packed { stage.lanes() } else { 1 };
                let wanted = piece.count.div_ceil(lanes);
                let read = feed.read(first / lanes as u64, wanted, &mut piece.extra)?;
                if read < wanted {
                    let end = first / lanes as u64 + read as u64;
                    return Err(Failure::new(format!(
                        "{}: has {end} values; every instruction needs one",
                        feed.name
                    )));
                }
            }
        }
        Ok(piece)
    }

    /// Converts a piece, split among the threads.
    fn piece(&self, piece: &Piece, result: &mut Vec<u8>, threads: usize) -> Result<Counts, Failure> {
        let bits = self.result_bits();
        if !self.pad && piece.count * bits % 8 != 0 {
            let (count, name) = (piece.first + piece.count as u64, &self.feeds[0].name);
            let message =
                format!("{name}: {count} elements: two are packed in a byte, so their number must be even");
            return Err(Failure::new(message).help("--pad fills the last byte up with a zero"));
        }
        result.clear();
        result.resize((piece.count * bits).div_ceil(8), 0);
        let least = (LEAST_PIECE * 8 / bits).next_multiple_of(UNITS);
        let share = piece.count.div_ceil(threads.max(1)).next_multiple_of(UNITS).max(least);
        let parts = result.chunks_mut(share * bits / 8).enumerate().map(|(i, part)| {
            let start = i * share;
            (start..piece.count.min(start + share), part)
        });
        thread::scope(|scope| {
            let handles: Vec<_> =
                parts.map(|(range, part)| scope.spawn(move || self.convert(piece, range, part))).collect();
            let mut counts = Counts::default();
            for handle in handles {
                counts += handle.join().unwrap_or_else(|_| Err(Failure::new("a thread failed")))?;
            }
            Ok(counts)
        })
    }

    /// Converts some units of a piece.
    fn convert(&self, piece: &Piece, range: Range<usize>, result: &mut [u8]) -> Result<Counts, Failure> {
        let mut counts = Counts::default();
        let counting = self.stats.then_some(&mut counts);
        if self.packed {
            convert_packed(&self.stages, &self.feeds[0], piece, range, result, self.spread, counting)?;
        } else {
            convert_columns(&self.stages[0], &self.feeds, piece, range, result, counting)?;
        }
        Ok(counts)
    }
}
