//! Where the block or the expression around a place of C++ ends, and the labels on the way.

use super::control::{Conditional, Walker};
use super::scan::Scanner;

impl Walker<'_> {
    /// Skips to the bracket that closes what is around this place; `None` if the branches of the preprocessor have different
    /// ends.
    /// With `labels`, also stops before a label of the block, from which the code after it may be reached.
    pub fn rest_of_block(&mut self, labels: bool) -> Option<()> {
        /// Conditionals around the place that may end in the block.
        const AROUND: usize = 32;
        self.brackets += 1;
        let inside = self.brackets;
        self.conditionals = vec![Conditional { before: inside, after: None, has_else: false }; AROUND];
        self.crossed = false;
        while !self.scanner.at_end() && !self.crossed {
            if self.closes() && self.brackets <= inside || (labels && self.is_label(self.brackets <= inside))
            {
                return (self.conditionals.len() <= AROUND).then_some(());
            }
            if !(labels && self.passes_switch()) {
                self.token();
            }
        }
        (!self.crossed).then_some(())
    }

    /// Skips `switch (x)`, and a label that is its statement: `switch (x) default: …` is a statement of the block, and its label is
    /// not. False if another word is here.
    pub fn passes_switch(&mut self) -> bool {
        let before = self.scanner.text.as_bytes().get(self.scanner.at.wrapping_sub(1));
        let mut after = self.clone();
        if before.is_some_and(|byte| Scanner::is_word(*byte)) || after.scanner.word() != "switch" {
            return false;
        }
        if after.condition().is_some() {
            after.blanks();
            if after.is_label(true) && after.pass_label().is_none() {
                return false;
            }
        }
        *self = after;
        true
    }

    /// Skips to the end of the expression or declaration around this place.
    pub fn rest_of_expression(&mut self) {
        let inside = self.brackets + 1;
        self.brackets = inside;
        while !self.scanner.at_end() {
            let is_end = self.closes() || self.scanner.peek() == b';';
            if is_end && self.brackets <= inside {
                return;
            }
            self.token();
        }
    }

    /// True if a label begins here that other code may jump to: any one for `goto`, and one of `switch` in this block.
    pub fn is_label(&self, in_block: bool) -> bool {
        let before = self.scanner.text[..self.scanner.at].bytes().next_back();
        if before.is_some_and(Scanner::is_word) || !Scanner::is_word(self.scanner.peek()) {
            return false;
        }
        let mut next = self.scanner;
        let word = next.word();
        next.c_blanks();
        let has_colon = next.peek() == b':' && !next.starts_with("::");
        match word {
            "case" => in_block,
            "default" => in_block && has_colon,
            _ => has_colon && self.hidden.labels().is_entered(word, &self.part),
        }
    }
}
