//! Assemblies that macros of the file make: `#define CVT(T) asm("cvt.rn.satfinite." #T ".f32 %0, %1, %2;" …)`. Each use is
//! read after its macros are replaced.

use super::assembly::{Assembly, Kind};
use super::blocks::Blocks;
use super::guard::{Expanded, Outcome, Reach};
use super::reader::Reader;
use super::scan::Scanner;
use super::text::HOLE;
use crate::source::Span;

/// Code that is longer than this is not read again.
const LONGEST: usize = 20_000;
/// More uses of macros than this are not read.
const MAX_USES: usize = 2_000;

/// True if macros may make a part of an assembly.
fn is_open(assembly: &Assembly) -> bool {
    !assembly.complete || assembly.text().contains(HOLE)
}

impl Reader<'_> {
    /// Reads a statement again after its macros are replaced, if they make a part of it. Its assemblies are those from `from` on. In
    /// the body of a macro, this happens where the macro is used.
    pub(super) fn expand_statement(&mut self, start: usize, from: usize, has_one_way: bool) {
        if !self.found[from..].iter().any(is_open) {
            return;
        }
        if let Some(body) = self.body.as_ref().filter(|body| start < body.end) {
            for assembly in &self.found[from..] {
                self.expansions.add(&body.name, assembly.span().end, &self.uses);
            }
            return;
        }
        let end = self.found[from].span().end as usize;
        if !has_one_way || !self.found[from].complete {
            return;
        }
        let Some(texts) = self.texts(start, end) else { return };
        if texts.iter().all(|text| text.macros.is_empty()) {
            return;
        }
        let found = texts.iter().map(|text| self.nested(text, Span::new(start as u32, end as u32)));
        let found: Vec<Vec<Assembly>> = found.collect();
        let are_read = |found: &Vec<Assembly>| !found.is_empty() && found.iter().all(|one| one.complete);
        if found.iter().all(are_read) {
            self.found[from..].iter_mut().for_each(|assembly| assembly.judged_in_uses = true);
            self.found.extend(found.into_iter().flatten());
        }
    }

    /// Reads the uses of macros that a word of the code makes: its own, or those of the names that it is given: `LIST(DEF)`.
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

    /// Reads the use of a macro, whose name begins at `start` and ends at the scanner; or that of another one, to which its name is
    /// passed.
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
        if (called || !self.expansions.is_function(name)) && self.expansions.uses <= MAX_USES {
            if let Some(texts) = self.texts(start, next.at) {
                is_read = true;
                let span = Span::new(start as u32, next.at as u32);
                for text in &texts {
                    let mut found = self.nested(text, span);
                    is_read &= found.iter().all(|assembly| assembly.complete);
                    // What the arguments have is read where they are.
                    found.retain(|assembly| {
                        let end = assembly.expansion.as_ref().map_or(0, |expansion| expansion.end);
                        assembly.complete && self.expansions.ends.contains(&end)
                    });
                    // In some configurations the macro may have no statement.
                    is_read &= !found.is_empty() || !text.exact.text.contains("asm");
                    self.found.extend(found);
                }
            }
        }
        if !is_read {
            self.expansions.failed.insert(name.to_owned());
        }
    }

    /// A part of the source after its macros are replaced, in every way; `None` if that is not known.
    fn texts(&mut self, start: usize, end: usize) -> Option<Vec<Expanded>> {
        let text = self.scanner.text;
        let code = text.get(start..end).filter(|code| code.len() <= LONGEST)?;
        let mut lines = code.match_indices('\n').map(|(at, _)| code[at + 1..].trim_start());
        // Directives between the parts of a use are not followed.
        if lines.any(|line| line.starts_with('#') || line.starts_with("%:")) {
            return None;
        }
        self.preprocessor.expanded_code(text, start..end)
    }

    /// The assemblies of an expanded text, which is a part of the statements here.
    fn nested(&mut self, text: &Expanded, span: Span) -> Vec<Assembly> {
        let mut preprocessor = self.preprocessor.with_flags_taken();
        preprocessor.enter(&Outcome { yes: text.reach.clone(), no: Reach::none() });
        let own = &text.exact.text;
        let hidden = self.hidden.of_part(own);
        let mut reader = Reader {
            blocks: Blocks::within(self.blocks.depth()),
            ..Reader::new(Scanner::new(own), own, &hidden, preprocessor, (self.depth, self.wrappers))
        };
        reader.run();
        let (found, preprocessor) = (reader.found, reader.preprocessor);
        self.preprocessor.keep_flags(preprocessor);
        let inline = found.into_iter().filter(|assembly| assembly.kind == Kind::Inline);
        inline.map(|assembly| assembly.expanded(text, span)).collect()
    }

    /// Says of each assembly in the body of a macro whether its uses are judged in its place.
    pub(super) fn settle_uses(&mut self) {
        for (at, name) in &self.in_bodies {
            if is_open(&self.found[*at]) && self.expansions.all_read(name, &self.uses) {
                self.found[*at].judged_in_uses = true;
            }
        }
    }
}
