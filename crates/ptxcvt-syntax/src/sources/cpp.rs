//! C++ as CUDA and HIP write it: `asm volatile("…" "…\n\t" : "=h"(x) : "f"(a));`, in functions and in macros.
//!
//! The CUDA guide "Inline PTX Assembly in CUDA"; of C++ only comments, literals and directives are understood.

use super::Assembly;
use super::constraint::Constraints;
use super::guard::Preprocessor;
use super::scan::Scanner;
use super::text::{HOLE, Joined};
use crate::source::Span;

/// Every `asm` statement.
pub(super) fn assemblies(text: &str) -> Vec<Assembly> {
    source(text, 0, text.len(), 0)
}

/// Every `asm` statement of a part that is a source of its own: a kernel in a string, for NVRTC.
pub(super) fn assemblies_in(text: &str, from: usize, to: usize) -> Vec<Assembly> {
    source(text, from, to, 1)
}

fn source(text: &str, from: usize, to: usize, depth: u32) -> Vec<Assembly> {
    let part = text.get(from..to).unwrap_or_default();
    let Some(text) = text.get(..to).filter(|_| holds_assembly(part, depth > 0)) else { return Vec::new() };
    let scanner = Scanner { text, at: from };
    let mut reader = Reader { scanner, preprocessor: Preprocessor::default(), found: Vec::new(), depth };
    reader.run();
    reader.found
}

/// True of a text with these letters, without which there is nothing to be found; in a string it has to be a kernel, too.
fn holds_assembly(text: &str, string: bool) -> bool {
    let kernel = !string || text.contains("__global__") || text.contains("__device__");
    kernel && text.contains("asm") && text.contains("cvt")
}

struct Reader<'s> {
    scanner: Scanner<'s>,
    preprocessor: Preprocessor,
    found: Vec<Assembly>,
    /// How many strings around it are sources.
    depth: u32,
}

/// A source in a string of a source in a string is not looked for.
const MAX_DEPTH: u32 = 2;

/// What stands before the quote of a raw string.
const RAW: [&str; 5] = ["R", "LR", "u8R", "uR", "UR"];

impl<'s> Reader<'s> {
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
                b'#' if line_begins => self.directive(),
                b'/' if self.scanner.c_comment() => continue,
                b'"' => drop(self.scanner.skip_string(b'"')),
                b'\'' => drop(self.scanner.skip_string(b'\'')),
                b'0'..=b'9' => self.scanner.number(),
                _ if Scanner::is_word(byte) => {
                    let start = self.scanner.at;
                    let word = self.scanner.word();
                    if matches!(word, "asm" | "__asm" | "__asm__") {
                        self.statement(start);
                    } else if RAW.contains(&word) && self.scanner.peek() == b'"' {
                        // A kernel for NVRTC, whose guards are its own.
                        let within = self.raw().filter(|_| self.depth < MAX_DEPTH);
                        if let Some((from, to)) = within {
                            let found = source(self.scanner.text, from, to, self.depth + 1);
                            self.found.extend(found);
                        }
                    }
                }
                _ => self.scanner.at += 1,
            }
            line_begins = false;
        }
    }

    /// A directive; the body of a macro is read like everything else.
    fn directive(&mut self) {
        let start = self.scanner.at + 1;
        let line = self.scanner.logical_line(start);
        self.preprocessor.directive(&line.text);
        self.scanner.at = if line.text.trim_start().starts_with("define") { start } else { line.end };
    }

    /// Passes `R"x(…)x"`, the scanner being at the quote: where what is in it begins and ends.
    fn raw(&mut self) -> Option<(usize, usize)> {
        let text = self.scanner.text;
        let open = text[self.scanner.at..].find('(').map(|n| self.scanner.at + n)?;
        let close = format!("){}\"", &text[self.scanner.at + 1..open]);
        let end = text[open..].find(&close).map(|n| open + n);
        self.scanner.at = end.map_or(text.len(), |end| end + close.len());
        Some((open + 1, end.unwrap_or(text.len())))
    }

    /// A statement whose `asm` is passed already. What is no statement is left alone.
    fn statement(&mut self, start: usize) {
        let scanner = &mut self.scanner;
        loop {
            scanner.c_blanks();
            match scanner.word() {
                "volatile" | "__volatile__" | "__volatile" | "inline" | "goto" => {}
                _ => break,
            }
        }
        if !scanner.take(b'(') {
            return;
        }
        let (mut joined, mut constraints) = (Joined::default(), Constraints::default());
        let complete = self.template(&mut joined) && self.lists(&mut joined, &mut constraints);
        let span = Span::new(start as u32, self.scanner.at as u32);
        let guards = self.preprocessor.guards();
        self.found.push(Assembly::new(joined, constraints, guards, span, complete));
    }

    /// The strings of a template, and holes for what stands between them; false where it does not end.
    fn template(&mut self, joined: &mut Joined) -> bool {
        loop {
            self.scanner.c_blanks();
            let start = self.scanner.at;
            match self.scanner.peek() {
                b'"' => self.string(joined),
                b':' | b')' => return true,
                b'#' => {
                    while self.scanner.peek() == b'#' {
                        self.scanner.at += 1;
                    }
                    self.scanner.word();
                    joined.push_as(HOLE, self.from(start));
                }
                byte if Scanner::is_word(byte) => {
                    let word = self.scanner.word();
                    if self.scanner.peek() == b'"' && RAW.contains(&word) {
                        if let Some((from, to)) = self.raw() {
                            joined.push(&self.scanner.text[from..to], from);
                        }
                    } else if self.scanner.peek() != b'"' {
                        // A macro, perhaps with arguments.
                        let end = self.scanner.at;
                        self.scanner.c_blanks();
                        if self.scanner.peek() == b'(' {
                            self.scanner.skip_group();
                        } else {
                            self.scanner.at = end;
                        }
                        joined.push_as(HOLE, self.from(start));
                    }
                }
                _ => return false,
            }
        }
    }

    fn from(&self, start: usize) -> Span {
        Span::new(start as u32, self.scanner.at as u32)
    }

    /// `"…"`, escapes resolved.
    fn string(&mut self, joined: &mut Joined) {
        let start = self.scanner.at + 1;
        let end = self.scanner.skip_string(b'"');
        super::scan::unescape(self.scanner.text, start, end, joined);
    }

    /// Outputs, inputs, clobbers and labels, between colons, up to the `)`.
    fn lists(&mut self, joined: &mut Joined, constraints: &mut Constraints) -> bool {
        for list in -1.. {
            self.scanner.c_blanks();
            if self.scanner.at_end() {
                return false;
            }
            match self.scanner.peek() {
                b')' => {
                    self.scanner.at += 1;
                    return true;
                }
                b':' => self.scanner.at += 1,
                _ if list < 0 => return false,
                // What is no operand: a macro that stands for some.
                _ => {
                    constraints.unknown = true;
                    while !matches!(self.scanner.peek(), b':' | b')') && !self.scanner.at_end() {
                        self.scanner.pass();
                    }
                    continue;
                }
            }
            while list + 1 < 2 && self.operand(joined, constraints) {
                self.scanner.c_blanks();
                if !self.scanner.take(b',') {
                    break;
                }
            }
        }
        false
    }

    /// `"=r"(x)`, `[name] "r"(x)`
    fn operand(&mut self, joined: &mut Joined, constraints: &mut Constraints) -> bool {
        self.scanner.c_blanks();
        let mut name = None;
        if self.scanner.take(b'[') {
            name = Some(self.scanner.word());
            self.scanner.take(b']');
            self.scanner.c_blanks();
        }
        if self.scanner.peek() != b'"' {
            return false;
        }
        let start = self.scanner.at + 1;
        let end = self.scanner.skip_string(b'"');
        let letters = &self.scanner.text[start..end];
        constraints.push(letters, name, Span::new(start as u32, end as u32), joined);
        self.scanner.c_blanks();
        match self.scanner.peek() {
            b'(' => self.scanner.skip_group(),
            // `"r" MACRO(x)`, or another string: nothing that can be read.
            _ => constraints.unknown = true,
        }
        true
    }
}
