//! Converts one array in pieces. The threads read pieces in turn and convert them in parallel; the calling thread
//! writes the results in order.
//!
//! The thread that reads a piece also converts it, while it is in that core's cache. Buffers are reused, so that the
//! system does not clear new pages for every piece.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use ptxcvt_bulk::NonFinite;
use ptxcvt_parallel::thread_count;

use super::feed::Feed;
use super::phases::{Phases, timed};
use super::stage::{Piece, Stage, convert_columns, convert_packed};
use super::stats::{Counting, Counts};
use crate::error::FileError;
use crate::order::c_index;
use crate::progress::Progress;
use crate::writer::Writer;

/// One array's conversion.
#[derive(Clone, Debug)]
pub struct Work<'a> {
    /// One conversion after the other.
    pub stages: Vec<Stage<'a>>,
    /// One array for each data operand, or one stream of packed elements.
    pub feeds: Vec<Feed<'a>>,
    /// Whether the input is a stream of packed elements.
    pub packed: bool,
    /// Whether results of 4 bits take a byte each.
    pub spread: bool,
    /// Whether the byte of an odd last 4-bit result is padded with zero.
    pub pad: bool,
    /// Whether to count what happens to the elements.
    pub stats: bool,
    /// Whether to count NaN and infinities among the sources.
    pub specials: bool,
    /// The shape of the sources if the first axis is contiguous.
    pub fortran: Option<Vec<u64>>,
}

/// The threads and the memory of a run.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// The number of threads; 0 means one for each core.
    pub threads: usize,
    /// The most that all buffers may take in bytes.
    pub memory: usize,
}

impl Resources {
    /// How many threads run, and the size of a piece. If the memory is small, fewer threads run, and then pieces get
    /// smaller.
    fn divided(self) -> (usize, usize) {
        let threads =
            (self.memory / LEAST_PIECE).saturating_sub(WAITING).clamp(1, thread_count(self.threads));
        (threads, (self.memory / (threads + WAITING)).min(LARGEST_PIECE))
    }
}

/// Counts and times of a run.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The outcomes for the elements, if they were counted.
    pub counts: Counts,
    /// NaN and infinities among the elements of each source, if they were counted.
    pub special: Vec<NonFinite>,
    /// How long each phase took.
    pub phases: Phases,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.counts += other.counts;
        add_each(&mut self.special, &other.special);
        self.phases += other.phases;
    }
}

/// Adds the counts of a part of each source.
fn add_each(all: &mut Vec<NonFinite>, part: &[NonFinite]) {
    all.resize(all.len().max(part.len()), NonFinite::default());
    all.iter_mut().zip(part).for_each(|(all, part)| *all += *part);
}

/// The least size of a piece with several threads, sources and results together: large enough that system calls cost
/// little.
const LEAST_PIECE: usize = 1 << 16;
/// The largest size of a piece: small enough to stay in a core's second-level cache until it is written.
const LARGEST_PIECE: usize = 1 << 20;
/// The number of results that may wait to be written, in addition to one for each thread.
const WAITING: usize = 2;
/// Pieces have a multiple of this many units: whole instructions, and whole bytes of 4-bit units.
const UNITS: usize = 8;

/// The state that the reading thread holds.
struct Turn {
    /// The number of the next piece.
    number: u64,
    /// Whether the input has ended or the run has failed.
    ended: bool,
    /// Free buffers for results. A thread takes one before it reads, so that the piece for which the writer waits has
    /// one, however far the other threads are ahead.
    free: Receiver<Vec<u8>>,
    reading: Duration,
}

/// The number of a piece and its results.
type Converted = (u64, Result<Vec<u8>, FileError>);

/// A piece that a thread works on. It is sent when dropped, because the writer waits for it even if the
/// thread panics.
struct Assigned<'a> {
    number: u64,
    send: &'a Sender<Converted>,
    outcome: Option<Result<Vec<u8>, FileError>>,
}

impl Drop for Assigned<'_> {
    fn drop(&mut self) {
        let failed = || Err(FileError::new("a converting thread failed"));
        // The receiver is gone if the run has failed elsewhere.
        let _ = self.send.send((self.number, self.outcome.take().unwrap_or_else(failed)));
    }
}

impl Work<'_> {
    /// The bits of a unit in the output.
    fn result_bits(&self) -> usize {
        let Some(last) = self.stages.last() else { return 8 };
        match (self.packed, self.spread) {
            (true, true) => 8,
            (true, false) => last.plan.form().destination().format().storage() as usize,
            (false, _) => last.plan.result_bytes() * 8,
        }
    }

    /// How many bytes are read, if known.
    pub fn read(&self) -> Option<u64> {
        self.feeds.iter().map(|feed| Some(feed.units? * u64::from(feed.bits) / 8)).sum()
    }

    /// Converts the whole array and writes it to `sink`.
    pub fn run(
        &self,
        sink: &mut Writer,
        resources: Resources,
        progress: &dyn Progress,
    ) -> Result<Tally, FileError> {
        let (threads, bytes) = resources.divided();
        let source_bits: usize = self.feeds.iter().map(|feed| feed.bits as usize).sum();
        // A buffer of less than the least multiple is not possible.
        let units = (bytes * 8 / (source_bits + self.result_bits()) / UNITS).max(1) * UNITS;
        // At most one thread for each piece.
        let pieces = self.feeds[0].units.map_or(u64::MAX, |all| all.div_ceil(units as u64).max(1));
        let threads = usize::try_from(pieces).map_or(threads, |pieces| threads.min(pieces));

        let (give_back, free) = channel();
        for _ in 0..threads + WAITING {
            let _ = give_back.send(Vec::new());
        }
        let turn = Mutex::new(Turn { number: 0, ended: false, free, reading: Duration::ZERO });
        let (send, converted) = channel();
        let mut tally = Tally::default();
        thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|_| {
                    let (turn, send) = (&turn, send.clone());
                    scope.spawn(move || self.work(units, turn, &send))
                })
                .collect();
            drop(send);
            let written = write_in_order(&converted, &give_back, sink, progress, &mut tally.phases.writing);
            // The closed channel ends threads that wait for a buffer.
            drop((converted, give_back));
            for worker in workers {
                let more = worker.join().map_err(|_| FileError::new("a converting thread failed"))?;
                tally += more;
            }
            written
        })?;
        // The threads converted and counted in parallel.
        tally.phases.converting /= threads as u32;
        tally.phases.counting /= threads as u32;
        tally.phases.reading = turn.into_inner().unwrap_or_else(PoisonError::into_inner).reading;
        Ok(tally)
    }

    /// Reads, converts and sends pieces until there are no more. Runs in every thread.
    fn work(&self, units: usize, turn: &Mutex<Turn>, send: &Sender<Converted>) -> Tally {
        let mut piece = Piece::default();
        let mut tally = Tally::default();
        loop {
            let mut turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            if turn.ended {
                return tally;
            }
            // The channel is closed if the run has failed elsewhere.
            let Ok(mut result) = turn.free.recv() else { return tally };
            let mut assigned = Assigned { number: turn.number, send, outcome: None };
            turn.number += 1;
            let first = assigned.number * units as u64;
            let read = timed(&mut turn.reading, || self.read_piece(first, units, &mut piece));
            turn.ended = read.is_err() || piece.count < units;
            drop(turn);
            let mut counting = Counting::default();
            let converted = timed(&mut tally.phases.converting, || {
                read.and_then(|()| {
                    if self.specials {
                        add_each(&mut tally.special, &self.special(&piece));
                    }
                    self.convert(&piece, &mut result, &mut counting)
                })
            });
            assigned.outcome = Some(converted.map(|()| result));
            tally.counts += counting.counts;
            tally.phases.counting += counting.time;
            tally.phases.converting -= counting.time;
        }
    }

    /// Reads `count` units of every operand into `piece`, or fewer at the end.
    fn read_piece(&self, first: u64, count: usize, piece: &mut Piece) -> Result<(), FileError> {
        (piece.first, piece.count) = (first, count);
        piece.columns.resize_with(self.feeds.len(), Vec::new);
        for (i, (feed, column)) in self.feeds.iter().zip(&mut piece.columns).enumerate() {
            let read = feed.read(first, count, column)?;
            if i > 0 && read != piece.count {
                return Err(FileError::new(format!(
                    "{}: has a different length than {}",
                    feed.name, self.feeds[0].name
                )));
            }
            piece.count = read;
        }
        for stage in &self.stages {
            if let Some(feed) = stage.extra.feed() {
                let lanes = if self.packed { stage.lanes() } else { 1 };
                let wanted = piece.count.div_ceil(lanes);
                let read = feed.read(first / lanes as u64, wanted, &mut piece.extra)?;
                if read < wanted {
                    let end = first / lanes as u64 + read as u64;
                    return Err(FileError::new(format!(
                        "{}: has {}; every instruction needs one",
                        feed.name,
                        ptxcvt::counted(end, "value")
                    )));
                }
            }
        }
        Ok(())
    }

    /// The NaN and infinities of a piece of each source.
    fn special(&self, piece: &Piece) -> Vec<NonFinite> {
        let format = self.stages[0].plan.form().source().format();
        let each = self.feeds.iter().zip(&piece.columns).map(|(feed, column)| {
            let bytes = (piece.count * feed.bits as usize).div_ceil(8);
            // A register of several elements has as many indices.
            let elements = u64::from((feed.bits / format.storage()).max(1));
            NonFinite::count_by(format, &column[..bytes], |at| {
                let index = feed.index(piece.first * elements + at);
                match &self.fortran {
                    Some(shape) => c_index(shape, index / elements) * elements + index % elements,
                    None => index,
                }
            })
        });
        each.collect()
    }

    /// Converts a piece.
    fn convert(&self, piece: &Piece, result: &mut Vec<u8>, counting: &mut Counting) -> Result<(), FileError> {
        let bits = self.result_bits();
        if !self.pad && piece.count * bits % 8 != 0 {
            let (count, name) = (piece.first + piece.count as u64, &self.feeds[0].name);
            let message = format!(
                "{name}: {}: two are packed in a byte, so their number must be even",
                ptxcvt::counted(count, "element")
            );
            return Err(FileError::new(message).with_help("--pad fills the last byte with a zero"));
        }
        // Old contents are overwritten.
        result.resize((piece.count * bits).div_ceil(8), 0);
        let counting = self.stats.then_some(counting);
        if self.packed {
            convert_packed(&self.stages, &self.feeds[0], piece, result, self.spread, counting)
        } else {
            convert_columns(&self.stages[0], &self.feeds, piece, result, counting)
        }
    }
}

/// Writes the pieces in order and returns their buffers. Early pieces wait.
fn write_in_order(
    converted: &Receiver<Converted>,
    give_back: &Sender<Vec<u8>>,
    sink: &mut Writer,
    progress: &dyn Progress,
    writing: &mut Duration,
) -> Result<(), FileError> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (number, result) in converted {
        early.insert(number, result);
        while let Some(result) = early.remove(&next) {
            let result = result?;
            timed(writing, || sink.write(&result))?;
            progress.advance(result.len() as u64);
            let _ = give_back.send(result);
            next += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_stay_within_the_memory() {
        for threads in [0, 1, 3, 64] {
            let most = thread_count(threads);
            for memory in [1, 1 << 10, 3 * LEAST_PIECE, 1 << 20, 1 << 28, usize::MAX] {
                let (running, piece) = Resources { threads, memory }.divided();
                assert!((1..=most).contains(&running), "{threads} {memory}");
                assert!((running + WAITING) * piece <= memory, "{threads} {memory}");
                assert!(running == 1 || piece >= LEAST_PIECE, "{threads} {memory}");
            }
            assert_eq!(Resources { threads, memory: 1 << 28 }.divided(), (most, LARGEST_PIECE));
        }
    }
}
