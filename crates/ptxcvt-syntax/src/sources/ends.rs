//! Finds the end of the C++ block or expression around a place, and the labels before it.

use super::control::{Conditional, Walker};
use super::scan::Scanner;

impl Walker<'_> {
    /// Skips to the closing bracket of the block around this place. `None` if preprocessor branches have different
    /// ends. With `labels`, also stops before a statement of the block that contains, at any depth, a label to which
    /// other code may jump.
    pub fn rest_of_block(&mut self, labels: bool) -> Option<()> {
        /// Conditionals around the place that may end in the block.
        const AROUND: usize = 32;
        self.brackets += 1;
        let inside = self.brackets;
        self.conditionals = vec![Conditional { before: inside, after: None, has_else: false }; AROUND];
        self.crossed = false;
        let mut switches = Switches::default();
        // The beginning of the block's last statement, and the number of conditionals open there.
        let (mut begins, mut statement) = (true, (self.scanner.at, AROUND));
        while !self.scanner.at_end() && !self.crossed {
            if self.closes() && self.brackets <= inside {
                return (self.conditionals.len() <= AROUND).then_some(());
            }
            if begins && self.begins_statement() {
                (begins, statement) = (false, (self.scanner.at, self.conditionals.len()));
            }
            if labels && self.is_label(switches.is_outside()) {
                self.scanner.at = statement.0;
                return (statement.1 <= AROUND).then_some(());
            }
            if labels && switches.enter(self) {
                continue;
            }
            let ends = matches!(self.scanner.peek(), b';' | b'}');
            self.token();
            begins |= ends && self.brackets <= inside;
            switches.leave(self);
        }
        (!self.crossed).then_some(())
    }

    /// True before the first word of a statement, after another statement.
    fn begins_statement(&self) -> bool {
        let mut next = self.scanner;
        next.c_blanks();
        let word = Scanner { ..next }.word();
        next.at == self.scanner.at && next.hash() == 0 && !matches!(word, "else" | "catch")
    }

    /// True if the code up to `end` contains a label of the `switch` around this place.
    pub fn has_case(&self, end: usize) -> bool {
        let (mut walker, mut switches) = (self.clone(), Switches::default());
        while walker.scanner.at < end {
            let word = Scanner { ..walker.scanner }.word();
            if matches!(word, "case" | "default") && walker.is_label(switches.is_outside()) {
                return true;
            }
            if !switches.enter(&mut walker) {
                walker.token();
                switches.leave(&walker);
            }
        }
        false
    }

    /// Skips `switch (x)`, and a label directly after it: in `switch (x) default: …`, the label does not belong to the
    /// block. False if the next word is not `switch`.
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

    /// Skips attributes such as `[[likely]]` if a label follows, to which they belong.
    pub fn pass_attributes_of_label(&mut self) {
        let mut after = self.clone();
        while after.scanner.starts_with("[[") {
            after.group();
            after.scanner.c_blanks();
        }
        if after.scanner.at > self.scanner.at && after.is_label(true) {
            *self = after;
        }
    }

    /// True if a label begins here to which other code may jump: a label that a `goto` names, or a label of a `switch`
    /// in this block.
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
            _ if has_colon => self.hidden.labels().is_entered(word, &self.part),
            // A macro may have the label.
            _ => !self.hidden.labels().is_empty() && self.hidden.jumping().labels().contains(word),
        }
    }
}

/// The `switch` blocks around a place in the code being read, as numbers of open brackets.
#[derive(Default)]
struct Switches(Vec<u32>);

impl Switches {
    /// True if labels here belong to a `switch` around the whole code.
    fn is_outside(&self) -> bool {
        self.0.is_empty()
    }

    /// Skips `switch (x)` and enters its block. False if the next word is not `switch`.
    fn enter(&mut self, walker: &mut Walker<'_>) -> bool {
        let enters = walker.passes_switch();
        if enters && walker.scanner.peek() == b'{' {
            self.0.push(walker.brackets + 1);
        }
        enters
    }

    /// Leaves the blocks that the last token closed.
    fn leave(&mut self, walker: &Walker<'_>) {
        self.0.retain(|inside| walker.brackets >= *inside);
    }
}
