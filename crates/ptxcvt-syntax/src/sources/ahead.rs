//! What follows lambdas: where names are used, where blocks end, and where code depends on the target. The rest of the
//! text is read once for all its lambdas.

use std::collections::HashMap;

use super::control::Walker;
use super::guard::Preprocessor;
use super::hidden::Hidden;
use super::scan::Scanner;

/// Limit on how often the words of a text are looked up because macros or constants have changed.
const MOST_CHANGES: usize = 64;

/// The code from one place on.
pub(super) struct Ahead<'s> {
    start: usize,
    end: usize,
    /// The places of each word, in order.
    words: HashMap<&'s str, Vec<usize>>,
    /// The places of conditionals of the preprocessor.
    conditionals: Vec<usize>,
    /// From each place on, the number of the innermost block.
    blocks: Vec<(usize, usize)>,
    /// Where each block ends.
    ends: Vec<usize>,
    /// Where the code depends on the target, in order, for the macros and constants of this revision.
    dependent: Vec<usize>,
    revision: Option<(u32, usize)>,
    changes: usize,
}

impl<'s> Ahead<'s> {
    pub fn new(code: &'s str, start: usize, hidden: &'s Hidden) -> Ahead<'s> {
        let mut walker = Walker::new(code, start, hidden);
        // The code may close brackets that it does not open.
        walker.brackets = u32::MAX / 2;
        let (mut words, mut conditionals) = (HashMap::<&str, Vec<usize>>::new(), Vec::new());
        let (mut blocks, mut ends) = (vec![(start, 0)], vec![usize::MAX]);
        // The open blocks after the first one, with the number of brackets in them.
        let (mut around, mut open) = (0, Vec::new());
        while !walker.scanner.at_end() {
            let (at, byte) = (walker.scanner.at, walker.scanner.peek());
            match byte {
                b'{' => {
                    open.push((ends.len(), walker.brackets + 1));
                    blocks.push((at + 1, ends.len()));
                    ends.push(usize::MAX);
                }
                b'}' => {
                    let first = open.partition_point(|(_, brackets)| *brackets < walker.brackets);
                    for (block, _) in open.split_off(first) {
                        ends[block] = ends[block].min(at);
                    }
                    if first == open.len() && blocks.last().is_some_and(|(_, block)| *block == around) {
                        ends[around] = at;
                        around = ends.len();
                        ends.push(usize::MAX);
                    }
                    blocks.push((at + 1, open.last().map_or(around, |(block, _)| *block)));
                }
                _ if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                    words.entry(Scanner { ..walker.scanner }.word()).or_default().push(at);
                }
                _ if walker.scanner.hash() > 0
                    && walker.scanner.begins_line()
                    && walker.next_is_conditional() =>
                {
                    conditionals.push(at);
                }
                _ => {}
            }
            walker.token();
        }
        let (dependent, revision, changes) = (Vec::new(), None, 0);
        let end = code.len();
        Ahead { start, end, words, conditionals, blocks, ends, dependent, revision, changes }
    }

    /// True if the code from a place on was read.
    pub fn has(&self, code: &str, from: usize) -> bool {
        self.start <= from && self.end == code.len()
    }

    /// The first use of a name after a place, in the same block.
    pub fn first_use(&self, name: &str, from: usize) -> Option<usize> {
        let before = self.blocks.partition_point(|(at, _)| *at <= from);
        let (_, block) = *self.blocks.get(before.checked_sub(1)?)?;
        next(self.words.get(name)?, from).filter(|at| *at < self.ends[block])
    }

    /// True if the code between two places depends on the target. Also true if that is too much work.
    pub fn depends(&mut self, from: usize, to: usize, preprocessor: &mut Preprocessor) -> bool {
        let revision = Some(preprocessor.revision());
        if self.revision != revision {
            if self.changes == MOST_CHANGES {
                return true;
            }
            self.changes += 1;
            self.revision = revision;
            self.dependent = self.conditionals.clone();
            for (word, places) in &self.words {
                if preprocessor.depends_on_target(word) {
                    self.dependent.extend(places);
                }
            }
            self.dependent.sort_unstable();
        }
        next(&self.dependent, from).is_some_and(|at| at < to)
    }
}

/// The first of these places that is not before `from`.
fn next(places: &[usize], from: usize) -> Option<usize> {
    places.get(places.partition_point(|at| *at < from)).copied()
}
