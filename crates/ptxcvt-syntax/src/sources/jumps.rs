//! The configurations that reach the labels of a block through `goto`.
//!
//! ISO C++, "The goto statement".

use std::collections::BTreeMap;
use std::ops::Range;

use super::control::Walker;
use super::guard::Reach;
use super::reader::Reader;
use super::switch::Labels;
use super::ways::Ways;

/// Limit on the rounds for one block, which repeat until its backward jumps are known.
const MOST_ROUNDS: u32 = 4;
/// Limit on the repeated rounds for all blocks of a text.
const MOST_REPEATS: u32 = 8;

/// The labels of a block, and the backward jumps to them.
pub(super) struct Jumps {
    /// The places of labels, with the configurations that reach each.
    pub entered: Vec<(usize, Reach)>,
    /// The configurations that reach each `goto`, from the previous round.
    back: Option<BTreeMap<usize, Reach>>,
    rounds: u32,
}

impl Jumps {
    /// The state before a block is followed. After too many repeats, backward jumps count as unknown.
    pub fn new(repeats: u32) -> Self {
        match repeats > MOST_REPEATS {
            true => Jumps { entered: Vec::new(), back: Some(BTreeMap::new()), rounds: MOST_ROUNDS },
            false => Jumps { entered: Vec::new(), back: None, rounds: 0 },
        }
    }
}

impl<'s> Reader<'s> {
    /// The places of the `goto` statements that name the label at a place, except those that no device compiler reads.
    fn named(&self, at: usize) -> Vec<usize> {
        let is_compiled = |goto: &usize| self.walked.get(*goto..).is_none_or(|text| text.starts_with("goto"));
        self.hidden.labels().named(self.walked, at).filter(is_compiled).collect()
    }

    /// The configurations that jump to a label of a block. `before` has the ways up to the label.
    pub(super) fn jumped(&self, at: usize, before: &Ways, jumps: &Jumps) -> Reach {
        let mut reach = Reach::none();
        for goto in self.named(at) {
            let back = jumps.back.as_ref();
            match before.gotos.get(&goto).or_else(|| back?.get(&goto)) {
                Some(known) => reach = reach.or(known),
                None if back.is_none() && goto > at => {}
                // The `goto` is outside of the block, or in an expression or a macro.
                None => reach = reach.or(&self.outside(goto)),
            }
        }
        reach
    }

    /// True if this round has confirmed the backward jumps to the block's labels. Otherwise prepares the next round.
    pub(super) fn is_settled(&mut self, jumps: &mut Jumps, ways: &Ways) -> bool {
        let mut all = jumps.entered.iter().flat_map(|(at, reach)| {
            self.named(*at)
                .into_iter()
                .filter(|goto| goto > at)
                .map(|goto| (ways.gotos.get(&goto), reach.not()))
        });
        let is_first = jumps.back.is_none();
        let settled = jumps.rounds >= MOST_ROUNDS
            || all.all(|(goto, others)| goto.map_or(!is_first, |goto| goto.and(&others).is_none()));
        jumps.entered.clear();
        jumps.rounds += 1;
        self.repeats += u32::from(!settled);
        let is_last = jumps.rounds == MOST_ROUNDS || self.repeats > MOST_REPEATS;
        if is_last {
            jumps.rounds = MOST_ROUNDS;
        }
        jumps.back = Some(if is_last { BTreeMap::new() } else { ways.gotos.clone() });
        settled
    }

    /// The configurations that reach a `goto` of the function; unknown until the function has been followed.
    fn outside(&self, goto: usize) -> Reach {
        self.gotos.get(&goto).unwrap_or(&self.unknown).clone()
    }

    /// The configurations that jump into a statement from outside.
    pub(super) fn entry(&self, statement: Range<usize>) -> Reach {
        let labels = self.hidden.labels().placed(&statement);
        let all = labels.flat_map(|at| self.named(at)).filter(|goto| !statement.contains(goto));
        all.fold(
            Reach::none(),
            |reach, goto| if reach.is_all() { reach } else { reach.or(&self.outside(goto)) },
        )
    }

    /// Enters the code after each label of the block that begins here, if its statements can be followed.
    pub(super) fn enter_block(&mut self) {
        let first = self.scanner.at;
        if self.hidden.labels().is_empty() || self.is_lost() || self.labelled == first {
            return;
        }
        let walker = Walker::new(self.code(first), first, self.hidden);
        let mut end = walker.clone();
        end.group();
        if self.blocks.depth() > 64 || self.hidden.labels().placed(&(first..end.scanner.at)).next().is_none()
        {
            return;
        }
        loop {
            let (mut walker, mut labels) = (walker.clone(), Labels::of_block());
            let before = self.preprocessor.without_flags();
            let ways = self.ways_of_block(&mut walker, 0, Some(&mut labels));
            let after = std::mem::replace(&mut self.preprocessor, before);
            self.preprocessor.keep_flags(after);
            let Some(ways) = ways.filter(|_| walker.is_whole()) else { return };
            // Repeats with the jumps into statements that are now known.
            let known = self.gotos.len();
            self.gotos.extend(ways.gotos);
            if self.gotos.len() == known {
                return self.enter_parts(labels.reached, walker.scanner.at - 1);
            }
        }
    }

    /// Enters parts of a block, each with the configurations that reach it. The last part ends at `end`.
    pub(super) fn enter_parts(&mut self, parts: Vec<(usize, Reach)>, mut end: usize) {
        // The first part is entered first, so it is the last one of the stack.
        for (from, reach) in parts.into_iter().rev() {
            if from < end {
                self.leaving.push((from, end, reach));
            }
            end = from;
        }
    }
}
