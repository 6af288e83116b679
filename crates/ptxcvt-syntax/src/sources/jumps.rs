//! Follows blocks of C++ with labels and `goto`, and each `switch`: enters every part of them with the configurations
//! that reach it.
//!
//! ISO C++, "The goto statement".

use std::collections::HashSet;
use std::ops::Range;

use super::branch::Condition;
use super::control::Walker;
use super::guard::Reach;
use super::reached::Reached;
use super::reader::Reader;
use super::scan::Scanner;
use super::steps::Unread;
use crate::identifier::names;

impl<'s> Reader<'s> {
    /// Reads statements that are followed, in a part of the text, with the state of the preprocessor here. `part` is
    /// `None` for a whole function.
    pub(super) fn reading<T>(
        &mut self,
        part: Option<Range<usize>>,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<(T, Reached)> {
        let outer = std::mem::replace(&mut self.reached, Reached { part, ..Reached::default() });
        let before = self.preprocessor.without_flags();
        let tested = self.preprocessor.begin_tests();
        let found = read(self);
        let after = std::mem::replace(&mut self.preprocessor, before);
        self.preprocessor.keep_flags(after);
        self.preprocessor.end_tests(tested);
        let reached = std::mem::replace(&mut self.reached, outer);
        found.map(|found| (found, reached))
    }

    /// Records that an expression, which is not followed, may jump to a label: in a statement of GNU's `({ … })`, or in a
    /// macro.
    pub(super) fn jump_in(&mut self, expression: &str) {
        let whole = 0..expression.len();
        self.reached.hides_jumps |=
            expression.contains("goto") || uses(self.hidden.jumping().jumps(), expression, &whole);
    }

    /// True if code that is not followed may jump to the label with this name.
    pub(super) fn is_entered(&self, name: &str) -> bool {
        let part = self.reached.part.as_ref();
        part.is_some_and(|part| self.is_expanded || self.hidden.labels().is_entered(name, part))
    }

    /// True if a part of the text has a label, or a macro of the file that may hide one.
    pub(super) fn has_label(&self, text: &str, part: &Range<usize>) -> bool {
        let hidden = self.hidden.jumping().labels();
        self.hidden.labels().placed(part).next().is_some() || uses(hidden, text, part)
    }

    /// True if a part of the text jumps to a label, perhaps in a macro of the file.
    fn has_jump(&self, text: &str, part: &Range<usize>) -> bool {
        self.hidden.labels().has_goto(part) || uses(self.hidden.jumping().jumps(), text, part)
    }

    /// The configurations that jump into a part of the text from outside.
    pub(super) fn entry(&self, text: &str, part: Range<usize>) -> Reach {
        let labels = self.hidden.labels();
        let is_entered = |at| labels.is_entered(Scanner { text, at }.word(), &part);
        let hides_label = || uses(self.hidden.jumping().labels(), text, &part);
        match !labels.is_empty() && (labels.placed(&part).any(is_entered) || hides_label()) {
            true => self.unknown.clone(),
            false => Reach::none(),
        }
    }

    /// Follows the block that begins here, if it has labels or jumps to them.
    pub(super) fn enter_block(&mut self) {
        let first = self.scanner.at;
        let has_statements = self.blocks.has_statements() == Some(true);
        if self.hidden.labels().is_empty()
            || self.is_lost()
            || !has_statements
            || self.blocks.depth() > 64
            || self.followed.contains(&first)
        {
            return;
        }
        let walker = Walker::new(self.code(first), first, self.hidden);
        let mut end = walker.clone();
        end.group();
        let (text, part) = (walker.scanner.text, first..end.scanner.at);
        if self.has_jump(text, &part) || self.has_label(text, &part) {
            let is_function = self.hidden.labels().is_function(&part);
            self.follow(walker, (!is_function).then_some(part));
        }
    }

    /// Follows the `switch` that begins at `start` and has this selector. `None` if its statements are not read.
    pub(super) fn enter_switch(&mut self, start: usize, selector: &Condition<'s>) -> Option<()> {
        let mut end = selector.after.clone();
        end.statement(0)?;
        self.follow(Walker::new(self.code(start), start, self.hidden), Some(start..end.scanner.at))
    }

    /// Enters each part of the statement that begins here. `part` is its text, or `None` for a whole function.
    fn follow(&mut self, mut walker: Walker<'s>, part: Option<Range<usize>>) -> Option<()> {
        let is_function = part.is_none();
        let (step, reached) =
            self.reading(part, |this| this.step(&mut walker, 0).filter(|_| walker.is_whole()))?;
        let unread = match reached.hides_jumps {
            true => Unread::ToLabels,
            false if is_function => Unread::None,
            false => Unread::Around,
        };
        let ways = step.ways(&self.unknown, unread);
        self.followed.extend(reached.statements);
        let mut end = walker.scanner.at;
        self.restricted.push((self.scanner.at, end));
        // The first part is entered first, so it is the last one of the stack.
        for (from, reach) in ways.places.into_iter().rev() {
            if from < end && !reach.is_all() {
                self.leaving.push((from, end, reach));
            }
            end = end.min(from);
        }
        Some(())
    }

    /// Reads a statement that is not followed further than its end. Returns the configurations that reach the code after
    /// it.
    pub(super) fn falls(&mut self, walker: &mut Walker<'s>) -> Option<Reach> {
        let start = walker.scanner.at;
        let mut end = walker.clone();
        if !self.hidden.labels().is_empty() && end.statement(0).is_none() {
            return None;
        }
        let part = Some(start..end.scanner.at);
        let (step, reached) =
            self.reading(part, |this| this.step(walker, 0).filter(|_| walker.is_whole()))?;
        self.expanded.extend(reached.macros);
        let unread = if reached.hides_jumps { Unread::ToLabels } else { Unread::Around };
        Some(step.ways(&self.unknown, unread).falls)
    }
}

/// True if a part of the text has one of these words.
fn uses(words: &HashSet<String>, text: &str, part: &Range<usize>) -> bool {
    !words.is_empty() && names(text.get(part.clone()).unwrap_or_default()).any(|word| words.contains(word))
}
