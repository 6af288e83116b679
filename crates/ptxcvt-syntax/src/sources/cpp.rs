//! C++ for CUDA and HIP: `asm volatile("…" "…\n\t" : "=h"(x) : "f"(a));`, in functions and in macros.
//!
//! The CUDA guide "Inline PTX Assembly in CUDA". Only comments, literals, directives and the statements around assembly
//! are parsed.

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use super::asm_label;
use super::assembly::{Assembly, Kind};
use super::constraint::{Constraint, ConstraintKind, Operands};
use super::dead::without_dead;
use super::declared::{Declarations, declarations};
use super::definitions::begins_number;
use super::dispatch::Dispatch;
use super::facts::Facts;
use super::guard::{Declared, Guards, Preprocessor, Refused, split};
use super::hidden::Hidden;
use super::keywords::{ASSERTIONS, CONTROLS, EXITS};
use super::literal::{self, RAW};
use super::mention::{continues, unfinished};
use super::reader::{Body, Reader, parameters};
use super::reading::{Literal, Reading, Wrappers};
use super::scan::Scanner;
use super::statement;
use super::text::HOLE;
use super::uses::{Uses, defined};
use super::written::begins_module;
use crate::source::Span;

/// The assemblies and strings of a C++ or CUDA source.
pub(super) fn read(text: &str, wrappers: &Wrappers) -> Reading {
    read_with_facts(text, wrappers).0
}

/// Like [`read`], but also returns the facts that the whole file states about its parts.
pub(super) fn read_with_facts(text: &str, wrappers: &Wrappers) -> (Reading, Facts) {
    let (assemblies, facts) = source(text, 0..text.len(), (0, wrappers), None);
    (Reading { assemblies, strings: strings(text), ..Reading::default() }, facts)
}

/// The assemblies of a part of a file with the declared names `names`, and the facts that this part states.
pub(super) fn read_within(text: &str, names: Rc<Declared>) -> (Vec<Assembly>, Facts) {
    source(text, 0..text.len(), (0, &Wrappers::default()), Some(names))
}

/// True for a string that contains a kernel, for NVRTC.
pub(super) fn is_kernel(text: &str) -> bool {
    let device = text.contains("__global__") || text.contains("__device__");
    device && text.contains("asm")
}

/// Every string literal outside comments that contains a conversion or the beginning of one, with escapes decoded.
fn strings(text: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut scanner = Scanner::new(text);
    while !scanner.at_end() {
        let joined = literal::piece(&mut scanner);
        let continued = unfinished(&joined.text).is_some() && continued(&scanner);
        found.extend(Literal::new(joined, continued));
    }
    found
}

/// True if the next literals or macros begin with the modifiers of a conversion.
fn continued(scanner: &Scanner<'_>) -> bool {
    let mut next = Scanner { text: scanner.text, at: scanner.at };
    loop {
        next.c_blanks();
        if !literal::begins(&next) {
            // A macro may expand to the modifiers; a word directly after the quote is a suffix.
            return next.at > scanner.at && Scanner::is_word(next.peek()) && !next.peek().is_ascii_digit();
        }
        if let Some(continues) = continues(&literal::piece(&mut next).text) {
            return continues;
        }
    }
}

/// Reads a part of a text. `names` are the declared names of the file, if the part is not the whole file.
fn source(
    text: &str,
    Range { start: from, end: to }: Range<usize>,
    (depth, wrappers): (u32, &Wrappers),
    names: Option<Rc<Declared>>,
) -> (Vec<Assembly>, Facts) {
    let Some(text) = text.get(..to) else { return Default::default() };
    let (directives, has_code_outside) = directives(text, from);
    let (walked, after, regions) = without_dead(text, from, Preprocessor::new(&directives, has_code_outside));
    let hidden = Hidden::new(&directives, &walked, from);
    let mut declarations = if names.is_some() {
        Declarations::default()
    } else {
        declarations(Scanner { text: &walked, at: from }, &after, &regions, HashSet::new())
    };
    let names = names.unwrap_or_else(|| Rc::new(std::mem::take(&mut declarations.names)));
    let scanner = Scanner { text, at: from };
    let read = |late: HashSet<usize>| {
        let preprocessor = Preprocessor::new(&directives, has_code_outside);
        let preprocessor = preprocessor.with_names(names.clone()).with_late(late);
        let preprocessor = preprocessor.with_refused(&after.refused());
        let mut reader = Reader {
            uses: Uses::new(&directives),
            ..Reader::new(scanner, &walked, &hidden, preprocessor, (depth, wrappers))
        };
        reader.run();
        reader
    };
    let (mut reader, mut late) = (read(HashSet::new()), HashSet::new());
    for _ in 0..MAX_READINGS {
        if reader.preprocessor.late().is_subset(&late) {
            break;
        }
        late.extend(reader.preprocessor.late());
        reader = read(late.clone());
    }
    reader.settle_uses();
    // A failed assertion stops the compiler like an `#error`.
    let refused = Refused::of(&after.refused().or(&reader.preprocessor.refused()));
    for assembly in &mut reader.found {
        assembly.guards.refuse(&refused);
        assembly.template |= depth > 0;
    }
    let Reader { found, uses, preprocessor, mut restricted, .. } = reader;
    restricted.sort_unstable();
    for number in 1..restricted.len() {
        restricted[number].1 = restricted[number].1.max(restricted[number - 1].1);
    }
    let dependent =
        preprocessor.dependent_names().chain(std::mem::take(&mut declarations.dependent)).collect();
    let Declarations { followed, .. } = declarations;
    (found, Facts { names, followed, dependent, after, hidden, uses, restricted })
}

/// The directives, each without its `#` and with its lines joined. Also returns whether there is code outside of all
/// conditionals.
fn directives(text: &str, from: usize) -> (Vec<String>, bool) {
    let mut scanner = Scanner { text, at: from };
    let (mut lines, mut depth, mut has_code_outside) = (Vec::new(), 0_u32, false);
    loop {
        scanner.c_blanks();
        if scanner.at_end() {
            return (lines, has_code_outside);
        }
        if scanner.hash() > 0 && scanner.begins_line() {
            let line = scanner.directive();
            match split(&line.text).0 {
                name if name.starts_with("if") => depth += 1,
                "endif" => depth = depth.saturating_sub(1),
                _ => {}
            }
            lines.push(line.text);
            scanner.at = line.end;
        } else {
            has_code_outside |= depth == 0;
            literal::skip(&mut scanner);
        }
    }
}

/// Limit on the readings of a text. Another one follows if a variable is read, as in a loop, before code that gives it
/// another value in some targets.
const MAX_READINGS: u32 = 4;

/// Limit on the nesting of source files in strings.
const MAX_DEPTH: u32 = 2;

impl Reader<'_> {
    pub(super) fn run(&mut self) {
        let (mut line_begins, mut outside) = (true, None);
        while !self.scanner.at_end() {
            self.end_branches();
            self.end_leaving();
            self.end_body();
            self.end_macro();
            let byte = self.scanner.peek();
            // The statement around code that no device compiler reads continues after it.
            if !self.is_compiled() {
                outside.get_or_insert((self.begins_statement, self.statement, self.after_block));
            } else if !byte.is_ascii_whitespace() {
                if let Some(before) = outside.take() {
                    (self.begins_statement, self.statement, self.after_block) = before;
                }
            }
            let begins = self.begins_statement;
            if begins && (Scanner::is_word(byte) || b"{[(!*&~+-:".contains(&byte)) && self.is_compiled() {
                self.leave();
            }
            let mut begins_block = false;
            match byte {
                b'\n' => {
                    line_begins = true;
                    self.scanner.step();
                    continue;
                }
                b' ' | b'\t' | b'\r' => {
                    self.scanner.step();
                    continue;
                }
                b'#' | b'%' if line_begins && self.scanner.hash() > 0 => {
                    self.directive();
                    line_begins = false;
                    continue;
                }
                b'/' => {
                    if self.scanner.c_comment() {
                        continue;
                    }
                }
                b'{' | b'}' | b';' => {
                    if self.is_compiled() && !self.is_in_body() {
                        if byte == b'{' {
                            self.enter_constrained();
                        }
                        if byte != b';' {
                            self.block(byte == b'{');
                        }
                        if byte == b'{' {
                            self.enter_block();
                        }
                        self.head = self.scanner.at + 1;
                    }
                    self.scanner.step();
                }
                b'[' => {
                    let at = self.scanner.at;
                    self.lambda();
                    if self.scanner.at == at {
                        self.scanner.step();
                    }
                }
                b'?' => {
                    self.operator(1);
                    self.scanner.step();
                }
                b'&' | b'|' if self.scanner.rest().get(1) == Some(&byte) => {
                    self.operator(2);
                    self.scanner.at += 2;
                }
                b'"' => self.string(),
                b'\'' => drop(self.scanner.skip_string(b'\'')),
                b'0'..=b'9' => self.scanner.number(),
                b'(' | b')' | b',' if !self.dispatches.is_empty() => {
                    self.scanner.step();
                    begins_block = self.in_dispatch(byte);
                }
                _ if Scanner::is_word(byte) => self.word(begins),
                _ => self.scanner.step(),
            }
            line_begins = false;
            let ends_label = byte == b':' && self.ends_label();
            let begins_argument = matches!(byte, b'(' | b',') && self.statement_follows();
            let begins = ends_label || begins_block || begins_argument;
            self.begins_statement = matches!(byte, b';' | b'{' | b'}') || begins;
            self.after_block = byte == b'}';
        }
    }

    /// True before a keyword that only a statement has. After a parenthesis or a comma, it is an argument of a macro.
    fn statement_follows(&self) -> bool {
        let mut next = self.scanner;
        next.c_blanks();
        let word = next.word();
        let is_exit = EXITS.contains(&word) && word != "throw";
        is_exit || CONTROLS.contains(&word) || ASSERTIONS.contains(&word) || Dispatch::of(word).is_some()
    }

    /// Reads a word and the construct that it begins, such as an assembly. `begins`: the word begins a statement.
    fn word(&mut self, begins: bool) {
        let (start, is_compiled) = (self.scanner.at, self.is_compiled());
        let word = self.scanner.word();
        if begins {
            self.statement = start;
        }
        // `if (x) CHECK(y)` has no semicolon, either.
        if begins || self.hidden.jumping().has_parameters(word).is_some() {
            self.whole_statement(word);
        }
        let body = self.body.as_ref().filter(|body| start < body.end);
        let body_of = body.map(|body| body.name.as_str());
        self.uses.word(word, body_of, || self.preprocessor.here());
        let is_outside = body_of.is_none();
        if is_outside {
            self.expand_word(word, start);
        }
        if is_compiled && is_outside {
            self.assigned(word, self.scanner);
        }
        if self.uses.is_keyword(word) {
            match asm_label::end(self.scanner.text, self.statement, start) {
                Some(end) => self.scanner.at = end,
                None => self.statement(start),
            }
        } else if self.wrappers.contains(word) {
            self.wrapper(start);
        } else if let Some(dispatch) = Dispatch::of(word) {
            self.dispatch(dispatch);
        } else if is_compiled && matches!(word, "if" | "for" | "while" | "switch") {
            self.branch(word, start);
        } else if is_compiled
            && (matches!(word, "const" | "constexpr" | "enum") || (begins && begins_number(word)))
        {
            self.constants(word);
        } else if is_compiled && self.hidden.get(word).is_some() {
            self.macro_use(word, start);
        } else if is_compiled && begins && self.hidden.jumping().has_parameters(word).is_none() {
            self.strange_use(word, start);
        } else if RAW.contains(&word) && self.scanner.peek() == b'"' {
            self.raw_string(start);
        }
    }

    /// Reads a raw string at its quote, whose prefix is at `start`.
    fn raw_string(&mut self, start: usize) {
        match literal::raw(&mut self.scanner) {
            // A kernel for NVRTC, whose guards are its own.
            Some((from, to)) if is_kernel(&self.scanner.text[from..to]) => {
                if self.depth < MAX_DEPTH {
                    let (text, depth) = (self.scanner.text, self.depth + 1);
                    self.found.extend(source(text, from..to, (depth, self.wrappers), None).0);
                }
            }
            Some(_) => {
                self.scanner.at = start;
                self.string();
            }
            None => self.scanner.step(),
        }
    }

    /// Reads adjacent strings outside `asm`. The text after them decides whether they are inline assembly of a wrapper
    /// or PTX that the program writes.
    fn string(&mut self) {
        let start = self.scanner.at;
        // Text after the definition of a macro is not part of the definition.
        let body = self.body.as_ref().filter(|body| start < body.end);
        let text = body.map_or(self.scanner.text, |body| &self.scanner.text[..body.end]);
        let mut strings = Scanner { text, at: start };
        let read = literal::adjacent(&mut strings);
        let end = strings.at;
        if end == start {
            // A raw string that the end of a macro cuts off.
            return literal::skip(&mut self.scanner);
        }
        self.scanner.at = end;
        let statement = text.get(self.statement..start).unwrap_or_default();
        let is_message = ["static_assert", "_Static_assert"].iter().any(|word| statement.starts_with(word));
        if (is_message && !statement.contains(';')) || read.joined.mentions().next().is_none() {
            return;
        }
        let before = text[..start].trim_end().bytes().next_back().unwrap_or(b';');
        let mut next = Scanner { text, at: end };
        next.c_blanks();
        if matches!(before, b'(' | b',') && next.take(b':') {
            next.c_blanks();
            // Lists of operands as in `asm`.
            if matches!(next.peek(), b'"' | b'[' | b':' | b')') {
                return self.rest(start, start, false);
            }
        }
        let guards = Guards::of(&self.preprocessor.here());
        let span = Span::new(start as u32, end as u32);
        let mut operands = Operands { unknown: true, ..Operands::default() };
        let mut joined = read.joined;
        if next.take(b',') {
            next.c_blanks();
            let from = next.at + 1;
            if next.peek() == b'"' {
                let to = next.skip_string(b'"');
                if is_list(&text[from..to]) {
                    operands.unknown = false;
                    operands.push_list(&text[from..to], from, &mut joined);
                }
            }
        }
        // An operand of `+` is only a part of the text.
        let mut whole = read.whole && before != b'+' && next.peek() != b'+';
        if read.whole && !whole && begins_module(&joined.text) {
            // The beginning of a module, or the part after its version and target. The rest is unknown.
            whole = true;
            if next.peek() == b'+' {
                joined.push_as(HOLE, Span::new(end as u32, end as u32));
            }
        }
        if whole {
            let written = Assembly::new(joined, operands, guards, span, true).llvm();
            self.found.push(written.of_kind(Kind::Written));
        }
    }

    /// Reads a call of a wrapper: its first string is the assembly.
    fn wrapper(&mut self, start: usize) {
        let after = self.scanner.at;
        self.scanner.c_blanks();
        let open = self.scanner.at;
        if self.scanner.peek() != b'(' {
            self.scanner.at = after;
            return;
        }
        let mut group = Scanner { text: self.scanner.text, at: open };
        group.skip_group();
        let end = group.at;
        self.scanner.at = open + 1;
        while self.scanner.at < end && self.scanner.peek() != b'"' {
            let word = self.scanner.word();
            if word.is_empty() {
                self.scanner.step();
            } else if RAW.contains(&word) && self.scanner.peek() == b'"' {
                self.scanner.at -= word.len();
                break;
            }
        }
        match self.scanner.at < end {
            true => self.rest(start, self.scanner.at, true),
            false => self.scanner.at = after,
        }
    }

    /// Reads a directive. The body of a macro is read like other code.
    fn directive(&mut self) {
        let line = self.scanner.directive();
        self.preprocessor.line(&line);
        if !self.blocks.directive(split(&line.text).0) {
            self.preprocessor.forget_constants();
        }
        self.preprocessor.leave_scopes(self.blocks.depth());
        if let Some((name, rest)) = defined(&line.text) {
            self.expansions.define(name, rest.starts_with('('));
            let outside = Some((self.begins_statement, self.statement));
            self.body =
                Some(Body { name: name.to_owned(), parameters: parameters(rest), end: line.end, outside });
            self.begins_statement = true;
            // The name in the definition is not a use of the macro.
            self.scanner.at += self.scanner.hash();
            for _ in 0..2 {
                self.scanner.c_blanks();
                self.scanner.word();
            }
        } else {
            self.scanner.at = line.end;
        }
    }

    /// Reads a statement after its `asm`, or skips the word if no statement follows.
    fn statement(&mut self, start: usize) {
        // `volatile`, `goto`, or a macro that expands to them.
        let keyword = self.scanner.at;
        while !self.opens() {
            self.scanner.c_blanks();
            if self.leaves_body(start) || self.scanner.word().is_empty() {
                self.scanner.at = keyword;
                return;
            }
        }
        self.rest(start, self.scanner.at, false);
        // The parenthesis of the statement.
        self.scanner.take(b')');
    }

    /// Reads a statement from its first string up to its last parenthesis, which is not skipped.
    fn rest(&mut self, start: usize, body: usize, wrapper: bool) {
        let read = statement::read(self.scanner.text, start, body, &self.preprocessor, wrapper);
        if let Some(body) = self.body.as_ref().filter(|body| start < body.end) {
            let numbers = self.found.len()..self.found.len() + read.found.len();
            self.in_bodies.extend(numbers.map(|number| (number, body.name.clone())));
        }
        let from = self.found.len();
        self.found.extend(read.found);
        self.expand_statement(start, from, &read.code);
        // Directives between the strings also affect the code that follows.
        for at in read.directives {
            let line = Scanner { text: self.scanner.text, at }.directive();
            self.preprocessor.line(&line);
        }
        let closed = self.scanner.text.as_bytes().get(read.end.wrapping_sub(1)) == Some(&b')');
        self.scanner.at = if closed { read.end - 1 } else { read.end };
    }
}

/// True for a list of constraints that begins with an output: `=r,f`.
pub(super) fn is_list(text: &str) -> bool {
    let known = |item: &str| {
        let item = item.trim();
        item.starts_with("~{") || !matches!(Constraint::of(item).kind, ConstraintKind::Unknown)
    };
    text.trim_start().starts_with('=') && text.split(',').all(known)
}
