//! C++ `switch`: the configurations that reach the code after each label. Labels restrict targets like an `if`, because
//! the compiler removes the code of labels that a constant selector does not take.
//!
//! ISO C++, "The switch statement".

use std::collections::HashMap;

use super::branch::{self, Condition};
use super::control::Walker;
use super::guard::{Outcome, Preprocessor, Reach};
use super::reader::Reader;
use crate::identifier::names;

/// The labels of a block.
pub(super) struct Labels {
    /// True for the block of a `switch`.
    pub is_switch: bool,
    /// The configurations that jump to each label of a `switch`, by the label's place.
    taken: HashMap<usize, Reach>,
    /// The configurations that jump to no label.
    pub none: Reach,
    /// The end of each label in text order, with the configurations that reach it by a jump or from the code before.
    pub reached: Vec<(usize, Reach)>,
}

impl Labels {
    /// The labels of a block that does not belong to a `switch`.
    pub fn of_block() -> Self {
        Labels { is_switch: false, taken: HashMap::new(), none: Reach::none(), reached: Vec::new() }
    }

    /// The configurations that jump to the `switch` label at a place. `None` for other labels.
    pub fn of(&self, place: usize) -> Option<Reach> {
        self.taken.get(&place).cloned()
    }

    /// True if some configuration does not take some label.
    pub fn choose(&self) -> bool {
        self.taken.values().any(|reach| !reach.is_all())
    }
}

impl<'s> Reader<'s> {
    /// The labels of the block that begins at the walker. All are read before the first one is followed, because
    /// `default` gets the configurations that the others leave.
    pub(super) fn labels(&mut self, selector: Option<&Condition<'s>>, walker: &Walker<'s>) -> Labels {
        let before = self.preprocessor.without_flags();
        let mut walker = walker.clone();
        walker.token();
        let inside = walker.brackets;
        let (mut taken, mut rest, mut default) = (HashMap::new(), Reach::all(), None);
        while walker.brackets >= inside {
            self.advance(&mut walker);
            walker.pass_attributes_of_label();
            if walker.scanner.at_end() {
                break;
            }
            let at = walker.scanner.at;
            if walker.brackets > inside || !walker.is_label(true) {
                if walker.brackets > inside || !walker.passes_switch() {
                    walker.token();
                }
                continue;
            }
            let is_default = walker.scanner.starts_with("default");
            let value = at + "case".len();
            if walker.pass_label().is_none() {
                break;
            }
            let here = self.preprocessor.read();
            if is_default {
                default = Some((at, here));
            } else if walker.scanner.text[at..].starts_with("case") {
                let outcome =
                    self.case(selector, &before, &walker.scanner.text[value..walker.scanner.at - 1]);
                rest = rest.and(&outcome.no.or(&here.not()));
                taken.insert(at, outcome.yes);
            }
        }
        let after = std::mem::replace(&mut self.preprocessor, before);
        self.preprocessor.keep_flags(after);
        let none = default.as_ref().map_or_else(|| rest.clone(), |(_, here)| rest.and(&here.not()));
        taken.extend(default.map(|(at, _)| (at, rest)));
        Labels { is_switch: true, taken, none, reached: Vec::new() }
    }

    /// The configurations whose selector has the value of a label, and those with another value. The selector has the macros
    /// that are defined `before` the block, whatever directives in the block define.
    fn case(&mut self, selector: Option<&Condition<'s>>, before: &Preprocessor, label: &str) -> Outcome {
        let Some(selector) = selector else { return Outcome::both() };
        let (Some(text), Some(label)) = (&selector.text, branch::without_comments(label)) else {
            return Outcome::unknown_if(true);
        };
        let is_taken = match label.split_once("...") {
            Some((first, last)) => format!("({text}) >= ({first}) && ({text}) <= ({last})"),
            None => format!("({text}) == ({label})"),
        };
        let outcome = self.with_macros(before, |this| this.outcome_of(&is_taken, selector));
        // A name in the label has the meaning that it has there. Which of two different outcomes is right is not followed.
        let has_names = names(&label).any(|name| name.starts_with(|c: char| !c.is_ascii_digit()));
        if has_names && self.outcome_of(&is_taken, selector) != outcome {
            return Outcome::unknown_if(true);
        }
        outcome.unwrap_or_else(Outcome::both)
    }

    /// Calls a function with the macros of another place.
    fn with_macros<T>(&mut self, place: &Preprocessor, read: impl FnOnce(&mut Self) -> T) -> T {
        let mut there = place.without_flags();
        there.keep_flags(self.preprocessor.with_flags_taken());
        let here = std::mem::replace(&mut self.preprocessor, there);
        let result = read(self);
        let there = std::mem::replace(&mut self.preprocessor, here);
        self.preprocessor.keep_flags(there);
        result
    }

    /// Enters the code after each label of the `switch` with this selector. `None` if its statements cannot be
    /// followed.
    pub(super) fn enter_labels(&mut self, selector: &Condition<'s>) -> Option<()> {
        let mut walker = selector.after.clone();
        if walker.next_is_conditional() {
            return None;
        }
        walker.blanks();
        if walker.scanner.peek() != b'{' {
            return None;
        }
        let first = walker.scanner.at + 1;
        let before = self.preprocessor.without_flags();
        let mut labels = self.labels(Some(selector), &walker);
        let ways = self.ways_of_block(&mut walker, 0, Some(&mut labels));
        let after = std::mem::replace(&mut self.preprocessor, before);
        self.preprocessor.keep_flags(after);
        ways.filter(|_| walker.is_whole())?;
        self.labelled = first - 1;
        labels.reached.insert(0, (first, Reach::none()));
        self.enter_parts(labels.reached, walker.scanner.at - 1);
        self.scanner.at = selector.end();
        Some(())
    }
}
