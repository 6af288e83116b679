//! Assemblies made by the file's macros: `#define CVT(T) asm("cvt.rn.satfinite." #T ".f32 %0, %1, %2;" …)`. Each use is
//! read after macro expansion.

use std::ops::Range;
use std::rc::Rc;

use super::assembly::{Assembly, Kind};
use super::blocks::Blocks;
use super::control::Walker;
use super::dispatch::Dispatch;
use super::guard::{Expanded, Guards, Outcome, Reach};
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
        if self.body.as_ref().is_some_and(|body| start < body.end) {
            for assembly in &self.found[from..] {
                self.expansions.add(assembly.span().end, is_open(assembly));
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

    /// Expands the use of a macro at a word of the code: one that may expand to an assembly, or that has such a macro
    /// among its arguments. The use begins at `start`, and the scanner is after the word.
    pub(super) fn expand_word(&mut self, word: &str, start: usize) {
        if self.is_expanded || start < self.expansions.expanded_until {
            return;
        }
        let (mut next, text) = (self.scanner, self.scanner.text);
        next.c_blanks();
        let is_called = next.peek() == b'(';
        let mut names = Vec::new();
        if self.uses.is_made(word) {
            names.push(word);
        }
        if !is_called {
            // Only as an argument of an unknown macro may the name alone be a use.
            let before = text[..start].trim_end().bytes().next_back();
            if !names.is_empty() && !self.expansions.needs_arguments(word) {
                self.expand_use(&names, start..self.scanner.at);
            } else if !names.is_empty() && matches!(before, Some(b'(' | b',')) {
                self.expansions.failed.insert(word.to_owned());
            }
            return;
        }
        let open = next.at;
        next.skip_group();
        if self.expansions.is_function(word) {
            names.extend(self.expansions.passed(&text[open..next.at], &self.uses));
        }
        if names.is_empty() {
            return;
        }
        // `CAT(CVT_, fp8)(d, a)`
        let mut end = next.at;
        next.c_blanks();
        while next.peek() == b'(' {
            next.skip_group();
            end = next.at;
            next.c_blanks();
        }
        self.expand_use(&names, start..end);
    }

    /// Reads the expansion of a macro use, which may use the macros `names`.
    fn expand_use(&mut self, names: &[&str], place: Range<usize>) {
        self.expansions.uses += 1;
        let here = self.preprocessor.read();
        let texts = self.texts(std::slice::from_ref(&place), &here);
        let mut is_read = texts.is_some();
        if is_read {
            let mut passed = names.iter();
            self.expansions.expanded(place.clone(), passed.any(|name| self.uses.is_keyword(name)));
        }
        let span = Span::new(place.start as u32, place.end as u32);
        for text in texts.unwrap_or_default() {
            let mut found = self.nested(&text, span);
            is_read &= found.iter().all(|assembly| assembly.complete);
            // In some configurations the macro may have no statement.
            is_read &= !found.is_empty() || !text.exact.text.contains("asm");
            let end = |assembly: &Assembly| assembly.expansion.as_ref().map_or(0, |expansion| expansion.end);
            for assembly in &found {
                self.expansions.place(end(assembly), &assembly.guards);
            }
            // Assemblies in the arguments are read at their own places.
            found.retain(|assembly| assembly.complete && self.expansions.ends.contains(&end(assembly)));
            self.found.extend(found);
        }
        if !is_read {
            self.expansions.failed.extend(names.iter().map(|name| (*name).to_owned()));
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
        asserts: bool,
    ) -> Option<Rc<[Step]>> {
        let is_called = walker.scanner.rest().trim_ascii_start().starts_with(b"(");
        let has_exits = || self.hidden.jumping().has_parameters(name) == Some(true) && walker.passes_exits();
        let arguments = self
            .hidden
            .decides(name)
            .or_else(|| has_exits().then_some(true))
            .or(asserts.then_some(is_called))?;
        let mut after = walker.clone();
        after.arguments(arguments)?;
        let (steps, is_whole) = self.steps_at(start..after.scanner.at, depth)?;
        if !is_whole {
            after.scanner.c_blanks();
            if after.scanner.peek() == b'{' {
                return None;
            }
            after.statement(0)?;
        }
        // An empty statement.
        let mut next = after.scanner;
        next.c_blanks();
        if is_whole && next.take(b';') {
            after.scanner = next;
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
        let ends = |text: &str| text.is_empty() || text.ends_with([';', '}', ':']) || Dispatch::ends(text);
        let is_whole = texts.iter().all(|text| ends(text.exact.text.trim_end()));
        self.expansions.steps.insert(place, Statements { steps: steps.clone(), is_whole, hides_jumps });
        Some((steps, is_whole))
    }

    /// The statements of an expanded text.
    fn steps_of(&mut self, text: &Expanded, depth: u32) -> Option<Step> {
        let own = &text.exact.text;
        let hidden = self.hidden.without_macros();
        let preprocessor = self.preprocessor.with_flags_taken();
        let mut reader = Reader {
            blocks: Blocks::within(self.blocks.depth()),
            is_expanded: true,
            has_places: false,
            reached: self.reached.of_expansion(),
            ..Reader::new(Scanner::new(own), own, &hidden, preprocessor, (self.depth, self.wrappers))
        };
        let steps = reader.steps(&mut Walker::new(own, 0, &hidden), depth + 1);
        self.preprocessor.keep_flags(reader.preprocessor);
        self.reached.hides_jumps |= reader.reached.hides_jumps;
        Some(Step { at: None, here: text.reach.clone(), kind: steps::Kind::Block(steps?) })
    }

    /// The code in these configurations after macro expansion, in every variant. `None` if the expansion is unknown.
    pub(super) fn texts(&mut self, parts: &[Range<usize>], reach: &Reach) -> Option<Vec<Expanded>> {
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

    /// Sets for each assembly in the body of a macro whether its uses are judged instead of it, and otherwise its guards:
    /// it is compiled where the macro is used, if it is used in this file.
    pub(super) fn settle_uses(&mut self) {
        for (at, name) in &self.in_bodies {
            let assembly = &mut self.found[*at];
            if is_open(assembly) && self.expansions.all_read(name, &self.uses) {
                assembly.judged_in_uses = true;
            }
            let uses = self.uses.of(name);
            match self.expansions.places(name, assembly.span().end, &self.uses) {
                Some(places) if !places.is_empty() => assembly.guards = Guards::at_all(places),
                // Another definition of the name may be the one that is used.
                Some(_) if uses.as_ref().is_some_and(|uses| !uses.iter().all(Reach::is_none)) => {}
                _ => {
                    if let Some(uses) = uses {
                        assembly.guards = assembly.guards.used(&uses);
                    }
                }
            }
        }
        for assembly in self.found.iter_mut().filter(|assembly| assembly.kind == Kind::Inline) {
            let end = assembly.expansion.as_ref().map_or(assembly.span().end, |expansion| expansion.end);
            match self.expansions.places_of_argument(end) {
                Some([]) => assembly.guards = Guards::dead(),
                Some(places) => assembly.guards = Guards::at_all(places),
                None => {}
            }
        }
    }
}
