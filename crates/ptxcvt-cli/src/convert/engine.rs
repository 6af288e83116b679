//! Converts one array in pieces: threads take turns at reading one and convert them side by side, and the calling thread
//! writes them in order.
//!
//! A piece is converted where it was read, so that it still lies in that core's cache, and buffers are used again, so that
//! the system need not clear new pages for every piece.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::feed::Feed;
use super::phases::{Phases, timed};
use super::sink::Sink;
use super::stage::{Piece, Stage, convert_columns, convert_packed};
use super::stats::{Counting, Counts};
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

/// What a run tells of itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// What became of the elements, if they were counted.
    pub counts: Counts,
    pub phases: Phases,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.counts += other.counts;
        self.phases += other.phases;
    }
}

/// Pieces, sources and results together, are no smaller than this, so that calls of the system cost nothing beside them.
const LEAST_PIECE: usize = 1 << 16;
/// Nor larger than this, so that a piece stays in a core's second-level cache from its reading to its writing.
const LARGEST_PIECE: usize = 1 << 20;
/// Results that wait to be written, beside those that each thread works on.
const WAITING: usize = 2;
/// Units between two places where an array may be cut: whole instructions, and whole bytes of 4-bit units.
const UNITS: usize = 8;

/// What the threads take turns at.
struct Turn {
    /// The next piece's number.
    number: u64,
    /// Nothing is left, or the run has failed.
    ended: bool,
    /// Buffers for results. One is taken before the next piece is read: so the piece that the writer waits for always
    /// has one, however far the others are ahead.
    free: Receiver<Vec<u8>>,
    reading: Duration,
}

/// A converted piece, by its number.
type Converted = (u64, Result<Vec<u8>, Failure>);

/// A piece that a thread works on, sent off when it is dropped: the writer waits for it, whatever happens to the thread.
struct Assigned<'a> {
    number: u64,
    send: &'a Sender<Converted>,
    outcome: Option<Result<Vec<u8>, Failure>>,
}

impl Drop for Assigned<'_> {
    fn drop(&mut self) {
        let failed = || Err(Failure::new("a converting thread failed"));
        // Nobody receives it where the run has failed elsewhere.
        let _ = self.send.send((self.number, self.outcome.take().unwrap_or_else(failed)));
    }
}

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
    pub fn run(&self, sink: &mut Sink, resources: Resources, progress: &Progress) -> Result<Tally, Failure> {
        let threads = resources.threads.max(1);
        let source_bits: usize = self.feeds.iter().map(|feed| feed.bits as usize).sum();
        let bytes = (resources.memory / (threads + WAITING)).clamp(LEAST_PIECE, LARGEST_PIECE);
        let units = (bytes * 8 / (source_bits + self.result_bits())).next_multiple_of(UNITS);
        // No more threads than pieces.
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
            // Threads that wait for a buffer learn from a closed channel that the run has failed.
            drop((converted, give_back));
            for worker in workers {
                let more = worker.join().map_err(|_| Failure::new("a converting thread failed"))?;
                tally += more;
            }
            written
        })?;
        // The threads converted and counted side by side.
        tally.phases.converting /= threads as u32;
        tally.phases.counting /= threads as u32;
        tally.phases.reading = turn.into_inner().unwrap_or_else(PoisonError::into_inner).reading;
        Ok(tally)
    }

    /// One thread's part: reads the next piece when it is its turn, converts it and sends it off, until none is left.
    fn work(&self, units: usize, turn: &Mutex<Turn>, send: &Sender<Converted>) -> Tally {
        let mut piece = Piece::default();
        let mut tally = Tally::default();
        loop {
            let mut turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            if turn.ended {
                return tally;
            }
            // A closed channel means that the run has failed elsewhere.
            let Ok(mut result) = turn.free.recv() else { return tally };
            let mut assigned = Assigned { number: turn.number, send, outcome: None };
            turn.number += 1;
            let first = assigned.number * units as u64;
            let read = timed(&mut turn.reading, || self.read_piece(first, units, &mut piece));
            turn.ended = read.is_err() || piece.count < units;
            drop(turn);
            let mut counting = Counting::default();
            let converted = timed(&mut tally.phases.converting, || {
                read.and_then(|()| self.convert(&piece, &mut result, &mut counting))
            });
            assigned.outcome = Some(converted.map(|()| result));
            tally.counts += counting.counts;
            tally.phases.counting += counting.time;
            tally.phases.converting -= counting.time;
        }
    }

    /// Reads `count` units of every operand into `piece`, fewer at the end.
    fn read_piece(&self, first: u64, count: usize, piece: &mut Piece) -> Result<(), Failure> {
        (piece.first, piece.count) = (first, count);
        piece.columns.resize_with(self.feeds.len(), Vec::new);
        for (i, (feed, column)) in self.feeds.iter().zip(&mut piece.columns).enumerate() {
            let read = feed.read(first, count, column)?;
            if i > 0 && read != piece.count {
                return Err(Failure::new(format!(
                    "{}: has another length than {}",
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
                    return Err(Failure::new(format!(
                        "{}: has {end} values; every instruction needs one",
                        feed.name
                    )));
                }
            }
        }
        Ok(())
    }

    /// Converts a piece.
    fn convert(&self, piece: &Piece, result: &mut Vec<u8>, counting: &mut Counting) -> Result<(), Failure> {
        let bits = self.result_bits();
        if !self.pad && piece.count * bits % 8 != 0 {
            let (count, name) = (piece.first + piece.count as u64, &self.feeds[0].name);
            let message =
                format!("{name}: {count} elements: two are packed in a byte, so their number must be even");
            return Err(Failure::new(message).help("--pad fills the last byte up with a zero"));
        }
        // What was there before is written over.
        result.resize((piece.count * bits).div_ceil(8), 0);
        let counting = self.stats.then_some(counting);
        if self.packed {
            convert_packed(&self.stages, &self.feeds[0], piece, result, self.spread, counting)
        } else {
            convert_columns(&self.stages[0], &self.feeds, piece, result, counting)
        }
    }
}

/// Writes the pieces in their order, as far as there are any without a gap, and gives their buffers back.
fn write_in_order(
    converted: &Receiver<Converted>,
    give_back: &Sender<Vec<u8>>,
    sink: &mut Sink,
    progress: &Progress,
    writing: &mut Duration,
) -> Result<(), Failure> {
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
