//! Assemblies made by the file's macros: `#define CVT(T) asm("cvt.rn.satfinite." #T ".f32 %0, %1, %2;" …)`. Each use is
//! read after macro expansion.

use std::ops::Range;
use std::rc::Rc;

use super::assembly::{Assembly, Kind};
use super::blocks::Blocks;
use super::control::Walker;
use super::guard::{Expanded, Outcome, Reach};
use super::hidden::Hidden;
use super::made::Statements;
use super::reader::Reader;
use super::scan::Scanner;
use super::statement::Code;
use super::steps::{self, Step};
use super::text::HOLE;
use crate::source::Span;

/// Limit on the length of code that is expanded, in bytes.
const LONGEST: usize = 20_000;
/// Limit on the number of macro uses that are expanded.
const MAX_USES: usize = 2_000;
/// Limit on the number of macro uses that are expanded to find the ways through their statements.
const MAX_STATEMENTS: usize = 20_000;

/// True if macros may make a part of an assembly.
fn is_open(assembly: &Assembly) -> bool {
    !assembly.complete || assembly.text().contains(HOLE)
}

impl Reader<'_> {
    /// Reads a statement again after macro expansion, if macros make a part of it, for each combination of its
    /// branches; their assemblies begin at index `from`. For the body of a macro, this is done where the macro is used.
    pub(super) fn expand_statement(&mut self, start: usize, from: usize, combinations: &[Code]) {
        if let Some(body) = self.body.as_ref().filter(|body| start < body.end) {
            for assembly in self.found[from..].iter().filter(|assembly| is_open(assembly)) {
                self.expansions.add(&body.name, assembly.span().end, &self.uses);
            }
            return;
        }
        let combinations = if self.is_expanded { &[] } else { combinations };
        for (number, code) in combinations.iter().enumerate() {
            let assembly = &self.found[from + number];
            let span = assembly.span();
            // Macros that a directive between the strings defines are not expanded.
            if !is_open(assembly) || !assembly.complete || code.changes {
                continue;
            }
            if let Some(found) = self.expanded_statement(code, span) {
                self.found[from + number].judged_in_uses = true;
                self.found.extend(found);
            }
        }
    }

    /// The assemblies of a statement after macro expansion. `None` if they are unknown in some configuration.
    fn expanded_statement(&mut self, code: &Code, span: Span) -> Option<Vec<Assembly>> {
        self.expansions.uses += 1;
        let texts = self.texts(&code.parts, &code.reach)?;
        if texts.iter().all(|text| text.macros.is_empty()) {
            return None;
        }
        let found: Vec<Vec<Assembly>> = texts.iter().map(|text| self.nested(text, span)).collect();
        let are_read = |found: &Vec<Assembly>| !found.is_empty() && found.iter().all(|one| one.complete);
        found.iter().all(are_read).then(|| found.into_iter().flatten().collect())
    }

    /// Reads the macro uses at a word of the code: the word itself, or macros that are passed to it: `LIST(DEF)`.
    pub(super) fn expand_word(&mut self, word: &str, start: usize) {
        if start < self.expansions.passed_until {
            return;
        }
        if self.expansions.has(word) {
            return self.expand_use(word, start);
        }
        let mut next = self.scanner;
        next.c_blanks();
        if !self.expansions.is_function(word) || next.peek() != b'(' {
            return;
        }
        let open = next.at;
        next.skip_group();
        let names = self.expansions.passed(next.content(open));
        if !names.is_empty() {
            self.expansions.passed_until = next.at;
        }
        names.iter().for_each(|name| self.expand_use(name, start));
    }

    /// Reads a use of the macro `name`. The use begins at `start`, and the scanner is after its first word: the macro's
    /// name, or that of another macro to which it is passed.
    fn expand_use(&mut self, name: &str, start: usize) {
        self.expansions.uses += 1;
        let mut next = self.scanner;
        next.c_blanks();
        match next.peek() {
            b'(' => next.skip_group(),
            _ => next.at = self.scanner.at,
        }
        let mut is_read = false;
        let called = next.at > self.scanner.at;
        let here = self.preprocessor.read();
        let is_use = called || !self.expansions.is_function(name);
        if let Some(texts) =
            is_use.then(|| self.texts(std::slice::from_ref(&(start..next.at)), &here)).flatten()
        {
            is_read = true;
            let span = Span::new(start as u32, next.at as u32);
            for text in &texts {
                let mut found = self.nested(text, span);
                is_read &= found.iter().all(|assembly| assembly.complete);
                // Assemblies in the arguments are read at their own places.
                found.retain(|assembly| {
                    let end = assembly.expansion.as_ref().map_or(0, |expansion| expansion.end);
                    assembly.complete && self.expansions.ends.contains(&end)
                });
                // In some configurations the macro may have no statement.
                is_read &= !found.is_empty() || !text.exact.text.contains("asm");
                self.found.extend(found);
            }
        }
        if !is_read {
            self.expansions.failed.insert(name.to_owned());
        }
    }

    /// The statements and labels to which a macro of the file expands, in every variant. The macro is used at `start`,
    /// and the walker is after its name. `None` if it decides nothing, or if they are not known.
    pub(super) fn expanded_steps(
        &mut self,
        walker: &mut Walker<'_>,
        name: &str,
        start: usize,
        depth: u32,
    ) -> Option<Rc<[Step]>> {
        let mut after = walker.clone();
        after.arguments(self.hidden.decides(name)?)?;
        let (steps, is_whole) = self.steps_at(start..after.scanner.at, depth)?;
        if !is_whole {
            after.scanner.c_blanks();
            if after.scanner.peek() == b'{' {
                return None;
            }
            after.statement(0)?;
        }
        if steps.iter().any(Step::takes_else) && after.clone().takes_else() != Some(false) {
            return None;
        }
        *walker = after;
        self.jumps += 1;
        Some(steps)
    }

    /// The statements to which a use of a macro expands, and whether the last one ends there.
    fn steps_at(&mut self, part: Range<usize>, depth: u32) -> Option<(Rc<[Step]>, bool)> {
        let place = (part.start, self.reached.is_of_function());
        if let Some(known) = self.expansions.steps.get(&place) {
            self.reached.hides_jumps |= known.hides_jumps;
            return Some((known.steps.clone(), known.is_whole));
        }
        if self.is_expanded || self.expansions.steps.len() > MAX_STATEMENTS {
            return None;
        }
        let here = self.preprocessor.read();
        let texts = self.texts(std::slice::from_ref(&part), &here)?;
        let outside = std::mem::take(&mut self.reached.hides_jumps);
        let steps = texts.iter().map(|text| self.steps_of(text, depth)).collect::<Option<Rc<[Step]>>>();
        let hides_jumps = std::mem::replace(&mut self.reached.hides_jumps, outside);
        let steps = steps?;
        self.reached.hides_jumps |= hides_jumps;
        let ends = |text: &str| text.is_empty() || text.ends_with([';', '}', ':']);
        let is_whole = texts.iter().all(|text| ends(text.exact.text.trim_end()));
        self.expansions.steps.insert(place, Statements { steps: steps.clone(), is_whole, hides_jumps });
        Some((steps, is_whole))
    }

    /// The statements of an expanded text.
    fn steps_of(&mut self, text: &Expanded, depth: u32) -> Option<Step> {
        let own = &text.exact.text;
        let hidden = Hidden::default();
        let preprocessor = self.preprocessor.with_flags_taken();
        let mut reader = Reader {
            blocks: Blocks::within(self.blocks.depth()),
            is_expanded: true,
            reached: self.reached.of_expansion(),
            ..Reader::new(Scanner::new(own), own, &hidden, preprocessor, (self.depth, self.wrappers))
        };
        let steps = reader.steps(&mut Walker::new(own, 0, &hidden), depth + 1);
        self.preprocessor.keep_flags(reader.preprocessor);
        self.reached.hides_jumps |= reader.reached.hides_jumps;
        Some(Step { at: None, here: text.reach.clone(), kind: steps::Kind::Block(steps?) })
    }

    /// The code in these configurations after macro expansion, in every variant. `None` if the expansion is unknown.
    fn texts(&mut self, parts: &[Range<usize>], reach: &Reach) -> Option<Vec<Expanded>> {
        let text = self.scanner.text;
        if self.expansions.uses > MAX_USES || parts.iter().map(Range::len).sum::<usize>() > LONGEST {
            return None;
        }
        // Directives in the arguments of a macro are not followed.
        let begins = |line: &str| line.trim_start().starts_with('#') || line.trim_start().starts_with("%:");
        let lines = |part: &Range<usize>| text[part.clone()].split('\n').skip(1);
        if parts.iter().flat_map(lines).any(begins) {
            return None;
        }
        self.preprocessor.expanded_code(text, parts, reach)
    }

    /// The assemblies of an expanded text, which stands in place of the code here.
    fn nested(&mut self, text: &Expanded, span: Span) -> Vec<Assembly> {
        let mut preprocessor = self.preprocessor.with_flags_taken();
        preprocessor.enter(&Outcome { yes: text.reach.clone(), no: Reach::none() });
        let own = &text.exact.text;
        let hidden = self.hidden.of_part(own);
        let mut reader = Reader {
            blocks: Blocks::within(self.blocks.depth()),
            is_expanded: true,
            ..Reader::new(Scanner::new(own), own, &hidden, preprocessor, (self.depth, self.wrappers))
        };
        reader.run();
        let (found, preprocessor) = (reader.found, reader.preprocessor);
        self.preprocessor.keep_flags(preprocessor);
        let inline = found.into_iter().filter(|assembly| assembly.kind == Kind::Inline);
        inline.map(|assembly| assembly.expanded(text, span)).collect()
    }

    /// Sets for each assembly in the body of a macro whether its uses are judged instead of it.
    pub(super) fn settle_uses(&mut self) {
        for (at, name) in &self.in_bodies {
            if is_open(&self.found[*at]) && self.expansions.all_read(name, &self.uses) {
                self.found[*at].judged_in_uses = true;
            }
        }
    }
}
