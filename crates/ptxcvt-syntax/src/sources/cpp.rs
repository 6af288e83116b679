//! C++ as CUDA and HIP have it: `asm volatile("…" "…\n\t" : "=h"(x) : "f"(a));`, in functions and in macros.
//!
//! The CUDA guide "Inline PTX Assembly in CUDA". Of C++ only comments, literals and directives are read.

use super::assembly::Assembly;
use super::dispatch::{Dispatch, condition};
use super::escape::{Escapes, unescape};
use super::guard::Preprocessor;
use super::scan::Scanner;
use super::statement::{self, RAW};
use super::text::{Joined, mentions};
use super::uses::{Uses, defined};

/// Every `asm` statement.
pub(super) fn assemblies(text: &str) -> Vec<Assembly> {
    source(text, 0, text.len(), 0)
}

/// Every `asm` statement of a part of a text that is a source file of its own: a kernel in a string, for NVRTC.
pub(super) fn assemblies_in(text: &str, from: usize, to: usize) -> Vec<Assembly> {
    let part = text.get(from..to).unwrap_or_default();
    let kernel = part.contains("__global__") || part.contains("__device__");
    if kernel && part.contains("asm") { source(text, from, to, 1) } else { Vec::new() }
}

/// Every string literal outside comments, with its escapes decoded.
pub(super) fn strings(text: &str) -> Vec<Joined> {
    let mut found = Vec::new();
    let mut scanner = Scanner::new(text);
    while !scanner.at_end() {
        let mut joined = Joined::default();
        match scanner.peek() {
            b'"' => {
                let start = scanner.at + 1;
                let end = scanner.skip_string(b'"');
                unescape(text, start, end, Escapes::C, &mut joined);
            }
            byte if Scanner::is_word(byte) => {
                let word = scanner.word();
                if RAW.contains(&word) && scanner.peek() == b'"' {
                    match statement::raw(&mut scanner) {
                        Some((from, to)) => joined.push(&text[from..to], from),
                        None => scanner.at += 1,
                    }
                }
            }
            _ => statement::skip(&mut scanner),
        }
        if mentions(&joined.text).next().is_some() {
            found.push(joined);
        }
    }
    found
}

fn source(text: &str, from: usize, to: usize, depth: u32) -> Vec<Assembly> {
    let Some(text) = text.get(..to) else { return Vec::new() };
    let directives = directives(text, from);
    let mut reader = Reader {
        scanner: Scanner { text, at: from },
        preprocessor: Preprocessor::new(&directives),
        dispatches: Vec::new(),
        found: Vec::new(),
        uses: Uses::new(&directives),
        body: None,
        in_bodies: Vec::new(),
        depth,
    };
    reader.run();
    // What a macro holds is compiled where the macro is used, if that is in this file.
    for (at, name) in &reader.in_bodies {
        if let Some(uses) = reader.uses.of(name) {
            let assembly = &mut reader.found[*at];
            assembly.guards = assembly.guards.restricted(&uses);
        }
    }
    reader.found
}

/// The directives, each without its `#` and with its lines joined.
fn directives(text: &str, from: usize) -> Vec<String> {
    let mut scanner = Scanner { text, at: from };
    let mut lines = Vec::new();
    while !scanner.at_end() {
        if scanner.hash() > 0 && scanner.begins_line() {
            let line = scanner.directive();
            lines.push(line.text);
            scanner.at = line.end;
        } else {
            statement::skip(&mut scanner);
        }
    }
    lines
}

struct Reader<'s> {
    scanner: Scanner<'s>,
    preprocessor: Preprocessor,
    /// The macros of `<nv/target>` whose arguments are read, the outer one first.
    dispatches: Vec<Dispatch>,
    found: Vec<Assembly>,
    uses: Uses,
    /// The macro whose definition is read last, and the end of the definition.
    body: Option<(String, usize)>,
    /// The assemblies in definitions of macros, by their numbers, with the macros' names.
    in_bodies: Vec<(usize, String)>,
    /// How many strings around this one are source files.
    depth: u32,
}

/// Strings nested deeper than this are not read as source files.
const MAX_DEPTH: u32 = 2;

impl Reader<'_> {
    fn run(&mut self) {
        let mut line_begins = true;
        while !self.scanner.at_end() {
            let byte = self.scanner.peek();
            match byte {
                b'\n' => {
                    line_begins = true;
                    self.scanner.at += 1;
                    continue;
                }
                b' ' | b'\t' | b'\r' => {
                    self.scanner.at += 1;
                    continue;
                }
                b'#' | b'%' if line_begins && self.scanner.hash() > 0 => self.directive(),
                b'/' => {
                    if self.scanner.c_comment() {
                        continue;
                    }
                }
                b'"' => drop(self.scanner.skip_string(b'"')),
                b'\'' => drop(self.scanner.skip_string(b'\'')),
                b'0'..=b'9' => self.scanner.number(),
                b'(' | b')' | b',' if !self.dispatches.is_empty() => {
                    self.scanner.at += 1;
                    self.in_dispatch(byte);
                }
                _ if Scanner::is_word(byte) => {
                    let start = self.scanner.at;
                    let word = self.scanner.word();
                    let body_of =
                        self.body.as_ref().filter(|(_, end)| start < *end).map(|(name, _)| name.as_str());
                    self.uses.word(word, body_of, || self.preprocessor.here());
                    if matches!(word, "asm" | "__asm" | "__asm__") {
                        self.statement(start);
                    } else if let Some(dispatch) = Dispatch::of(word) {
                        self.dispatch(dispatch);
                    } else if RAW.contains(&word) && self.scanner.peek() == b'"' {
                        // A kernel for NVRTC, whose guards are its own.
                        match statement::raw(&mut self.scanner) {
                            Some((from, to)) if self.depth < MAX_DEPTH => self.kernel(from, to),
                            Some(_) => {}
                            None => self.scanner.at += 1,
                        }
                    }
                }
                _ => self.scanner.at += 1,
            }
            line_begins = false;
        }
    }

    fn kernel(&mut self, from: usize, to: usize) {
        let part = &self.scanner.text[from..to];
        let kernel = part.contains("__global__") || part.contains("__device__");
        if kernel && part.contains("asm") {
            self.found.extend(source(self.scanner.text, from, to, self.depth + 1));
        }
    }

    /// Reads the first condition of a macro that chooses by target.
    fn dispatch(&mut self, dispatch: Dispatch) {
        if !self.opens() {
            return;
        }
        if let Some(text) = self.condition() {
            self.preprocessor.directive(&format!("if {text}"));
            self.dispatches.push(dispatch);
        }
    }

    /// True if the definition of a macro with `start` in it ends before the scanner.
    fn leaves_body(&self, start: usize) -> bool {
        self.body.as_ref().is_some_and(|(_, end)| start < *end && self.scanner.at >= *end)
    }

    /// Goes to after the `(` that is next, if one is; it must be in the same definition of a macro.
    fn opens(&mut self) -> bool {
        let start = self.scanner.at;
        self.scanner.c_blanks();
        if self.leaves_body(start) || !self.scanner.take(b'(') {
            self.scanner.at = start;
            return false;
        }
        true
    }

    /// The condition before the next comma, as the preprocessor has it; `None` if there is no condition.
    fn condition(&mut self) -> Option<String> {
        let rest = &self.scanner.text[self.scanner.at..];
        let end = rest.find([',', '(', ')', ';']).filter(|end| rest[*end..].starts_with(','))?;
        self.scanner.at += end + 1;
        Some(condition(&rest[..end].replace('\n', " ")))
    }

    /// Follows a parenthesis or a comma among the arguments of a macro that chooses by target.
    fn in_dispatch(&mut self, byte: u8) {
        let Some(dispatch) = self.dispatches.last_mut() else { return };
        match (byte, dispatch.depth) {
            (b'(', _) => dispatch.depth += 1,
            (b')', 0) => {
                self.dispatches.pop();
                self.preprocessor.directive("endif");
            }
            (b')', _) => dispatch.depth -= 1,
            (_, 0) if dispatch.alternates => {
                if let Some(text) = self.condition() {
                    self.preprocessor.directive(&format!("elif {text}"));
                }
            }
            (_, 0) => self.preprocessor.directive("else"),
            _ => {}
        }
    }

    /// Reads a directive. The body of a macro is read like other code.
    fn directive(&mut self) {
        let line = self.scanner.directive();
        self.preprocessor.directive(&line.text);
        if let Some((name, _)) = defined(&line.text) {
            self.body = Some((name.to_owned(), line.end));
            // The name is no use of the macro.
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
        // `volatile`, `goto`, or a macro that stands for them.
        let keyword = self.scanner.at;
        while !self.opens() {
            self.scanner.c_blanks();
            if self.leaves_body(start) || self.scanner.word().is_empty() {
                self.scanner.at = keyword;
                return;
            }
        }
        let read = statement::read(self.scanner.text, start, self.scanner.at, &self.preprocessor);
        if let Some((name, _)) = self.body.as_ref().filter(|(_, end)| start < *end) {
            let numbers = self.found.len()..self.found.len() + read.found.len();
            self.in_bodies.extend(numbers.map(|number| (number, name.clone())));
        }
        self.found.extend(read.found);
        // Directives between the strings count for what follows.
        for at in read.directives {
            let line = Scanner { text: self.scanner.text, at }.directive();
            self.preprocessor.directive(&line.text);
        }
        self.scanner.at = read.end;
    }
}
