//! Python: `tl.inline_asm_elementwise(…)` of Triton, PyTorch's of the same name, `llvm.inline_asm(…)` of the CuTe DSL,
//! `elementwise_inline_asm` of Pallas: every call whose name says so. Its first string is the assembly and its second
//! the constraints, if no keyword says otherwise.

use std::collections::HashMap;

use super::Assembly;
use super::constraint::Constraints;
use super::cpp;
use super::scan::{Scanner, unescape};
use super::text::{HOLE, Joined};
use crate::source::Span;

/// Every call.
pub(super) fn assemblies(text: &str) -> Vec<Assembly> {
    let mut reader = Reader { scanner: Scanner::new(text), strings: HashMap::new(), found: Vec::new() };
    reader.run();
    reader.found
}

struct Reader<'s> {
    scanner: Scanner<'s>,
    /// Where the strings begin that names stand for.
    strings: HashMap<&'s str, usize>,
    found: Vec<Assembly>,
}

/// Some string literals side by side.
#[derive(Default)]
struct Literals {
    joined: Joined,
    /// Where the only one begins in the source, if it is only one.
    from: usize,
    number: usize,
}

impl<'s> Reader<'s> {
    fn run(&mut self) {
        while !self.scanner.at_end() {
            let start = self.scanner.at;
            let byte = self.scanner.peek();
            if byte == b'#' {
                self.comment();
            } else if self.quote().is_some() {
                let mut string = Literals::default();
                self.literal(&mut string, false);
                // CUDA C++ for NVRTC, as `cupy.RawKernel` takes it, where it stands without Python's escapes.
                if let Some(span) = string.joined.verbatim() {
                    let (from, to) = (span.start as usize, span.end as usize);
                    self.found.extend(cpp::assemblies_in(self.scanner.text, from, to));
                }
            } else if byte.is_ascii_digit() {
                self.scanner.number();
            } else if Scanner::is_word(byte) {
                let word = self.scanner.word();
                let end = self.scanner.at;
                self.blanks(false);
                if word.contains("inline_asm") && self.scanner.peek() == b'(' {
                    self.call(start);
                } else if self.scanner.peek() == b'=' && !self.scanner.starts_with("==") {
                    self.scanner.at += 1;
                    self.blanks(false);
                    let value = self.scanner.at;
                    self.scanner.take(b'(');
                    self.blanks(true);
                    if self.quote().is_some() {
                        self.strings.insert(word, value);
                    }
                    self.scanner.at = value;
                } else {
                    self.scanner.at = end;
                }
            } else {
                self.scanner.at += 1;
            }
        }
    }

    fn comment(&mut self) {
        while !self.scanner.at_end() && self.scanner.peek() != b'\n' {
            self.scanner.at += 1;
        }
    }

    /// Passes blanks and comments; ends of lines only where they do not end a statement.
    fn blanks(&mut self, lines: bool) {
        loop {
            match self.scanner.peek() {
                b' ' | b'\t' | b'\r' | b'\\' => self.scanner.at += 1,
                b'\n' if lines || self.scanner.text[..self.scanner.at].ends_with('\\') => {
                    self.scanner.at += 1
                }
                b'#' if lines => self.comment(),
                _ => return,
            }
        }
    }

    /// How long the prefix of a string is that begins here; `None` where none does.
    fn quote(&self) -> Option<usize> {
        let rest = self.scanner.rest();
        let prefix = rest.iter().take(2).take_while(|b| b"rRbBuUfF".contains(b)).count();
        // A word that only ends like a prefix is no prefix.
        let word_before = self.scanner.at > 0
            && prefix > 0
            && Scanner::is_word(self.scanner.text.as_bytes()[self.scanner.at - 1]);
        matches!(rest.get(prefix), Some(b'"' | b'\'')).then_some(prefix).filter(|_| !word_before)
    }

    /// One string literal, appended; with `formatted` as the left side of `.format(…)`.
    fn literal(&mut self, into: &mut Literals, formatted: bool) {
        let Some(prefix) = self.quote() else { return };
        let letters = self.scanner.text[self.scanner.at..self.scanner.at + prefix].to_ascii_lowercase();
        self.scanner.at += prefix;
        let quote = self.scanner.peek();
        let triple = [quote; 3];
        let (start, end);
        if self.scanner.rest().starts_with(&triple) {
            start = self.scanner.at + 3;
            let mut at = start;
            let bytes = self.scanner.text.as_bytes();
            while at < bytes.len() && !bytes[at..].starts_with(&triple) {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            end = at.min(bytes.len());
            self.scanner.at = (end + 3).min(bytes.len());
        } else {
            start = self.scanner.at + 1;
            end = self.scanner.skip_string(quote);
        }
        into.from = start;
        into.number += 1;
        let (raw, braces) = (letters.contains('r'), letters.contains('f') || formatted);
        let mut from = start;
        // Pieces between holes.
        let text = self.scanner.text;
        while let Some((at, to, stands_for)) = if braces { hole(text, from, end) } else { None } {
            piece(text, from, at, raw, &mut into.joined);
            into.joined.push_as(stands_for, Span::new(at as u32, to as u32));
            from = to;
        }
        piece(text, from, end, raw, &mut into.joined);
    }

    /// String literals side by side, perhaps in parentheses; `None` where something else stands here.
    fn literals(&mut self) -> Option<Literals> {
        let start = self.scanner.at;
        let read = |reader: &mut Self, formatted: bool| {
            reader.scanner.at = start;
            let parenthesis = reader.scanner.take(b'(');
            reader.blanks(true);
            let mut literals = Literals::default();
            while reader.quote().is_some() {
                reader.literal(&mut literals, formatted);
                let end = reader.scanner.at;
                reader.blanks(true);
                if reader.quote().is_none() && !parenthesis {
                    reader.scanner.at = end;
                }
            }
            if parenthesis && !reader.scanner.take(b')') {
                return None;
            }
            (literals.number > 0).then_some(literals)
        };
        let literals = read(self, false)?;
        self.blanks(true);
        let formatted = self.scanner.starts_with(".format(");
        if !formatted {
            return Some(literals);
        }
        let literals = read(self, true)?;
        self.blanks(true);
        Some(literals)
    }

    /// The arguments of a call whose name is passed already.
    fn call(&mut self, start: usize) {
        self.scanner.at += 1;
        let (mut assembly, mut constraints) = (None, None);
        let mut unreadable = false;
        loop {
            self.blanks(true);
            if self.scanner.at_end() || self.scanner.take(b')') {
                break;
            }
            let argument = self.scanner.at;
            let word = self.scanner.word();
            self.blanks(true);
            let keyword = self.scanner.peek() == b'=' && !self.scanner.starts_with("==");
            if keyword {
                self.scanner.at += 1;
                self.blanks(true);
            } else {
                self.scanner.at = argument;
            }
            let slot = match (keyword, word) {
                (true, "asm" | "asm_str" | "asm_string") => Some(&mut assembly),
                (true, "constraints") => Some(&mut constraints),
                (true, _) => None,
                _ if assembly.is_none() => Some(&mut assembly),
                _ if constraints.is_none() => Some(&mut constraints),
                _ => None,
            };
            let value = self.value(keyword);
            match (slot, value) {
                (Some(slot), Some(value)) => *slot = Some(value),
                (Some(_), None) if keyword => unreadable = true,
                _ => {}
            }
            // What follows the value: an operator, a call.
            while !self.scanner.at_end() && !matches!(self.scanner.peek(), b',' | b')') {
                self.pass();
            }
            self.scanner.take(b',');
        }
        let span = Span::new(start as u32, self.scanner.at as u32);
        let Some(assembly) = assembly else {
            // The definition of such a function, or an assembly that is made elsewhere.
            if unreadable {
                self.found.push(Assembly::new(
                    Joined::default(),
                    Constraints::default(),
                    Vec::new(),
                    span,
                    false,
                ));
            }
            return;
        };
        let mut joined = assembly.joined;
        let mut operands = Constraints::default();
        match constraints {
            Some(list) if list.number == 1 && !list.joined.text.contains(HOLE) => {
                operands.push_list(&list.joined.text, list.from, &mut joined);
            }
            _ => operands.unknown = true,
        }
        self.found.push(Assembly::new(joined, operands, Vec::new(), span, true).llvm());
    }

    /// A string, or a name that stands for one.
    fn value(&mut self, keyword: bool) -> Option<Literals> {
        let start = self.scanner.at;
        if self.quote().is_some() || self.scanner.peek() == b'(' {
            let literals = self.literals();
            if literals.is_none() {
                self.scanner.at = start;
            }
            return literals;
        }
        let word = self.scanner.word();
        let end = self.scanner.at;
        self.blanks(true);
        let whole = matches!(self.scanner.peek(), b',' | b')');
        // A positional name is an operand more often than the assembly.
        let from = self.strings.get(word).copied().filter(|_| whole && (keyword || !word.is_empty()))?;
        self.scanner.at = from;
        let literals = self.literals();
        self.scanner.at = end;
        literals
    }

    fn pass(&mut self) {
        if self.quote().is_some() {
            return self.literal(&mut Literals::default(), false);
        }
        match self.scanner.peek() {
            b'#' => self.comment(),
            b'(' | b'[' | b'{' => {
                let mut open = 0_u32;
                while !self.scanner.at_end() {
                    match self.scanner.peek() {
                        b'(' | b'[' | b'{' => open += 1,
                        b')' | b']' | b'}' => open -= 1,
                        b'#' => {
                            self.comment();
                            continue;
                        }
                        _ if self.quote().is_some() => {
                            self.literal(&mut Literals::default(), false);
                            continue;
                        }
                        _ => {}
                    }
                    self.scanner.at += 1;
                    if open == 0 {
                        return;
                    }
                }
            }
            byte if Scanner::is_word(byte) => drop(self.scanner.word()),
            _ => self.scanner.at += 1,
        }
    }
}

/// A part of a literal, raw or with escapes.
fn piece(text: &str, from: usize, to: usize, raw: bool, joined: &mut Joined) {
    if raw {
        joined.push(&text[from..to.max(from)], from);
    } else {
        unescape(text, from, to, joined);
    }
}

/// The next `{…}` of a formatted string, or a doubled brace: where it begins and ends, and what it stands for.
fn hole(text: &str, from: usize, end: usize) -> Option<(usize, usize, &'static str)> {
    let at = text[from..end].find(['{', '}']).map(|n| from + n)?;
    let bytes = text.as_bytes();
    if bytes.get(at + 1) == Some(&bytes[at]) && at + 1 < end {
        return Some((at, at + 2, if bytes[at] == b'{' { "{" } else { "}" }));
    }
    if bytes[at] == b'}' {
        return Some((at, at + 1, "}"));
    }
    let mut open = 0_u32;
    for (n, byte) in bytes[at..end].iter().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some((at, at + n + 1, HOLE));
        }
    }
    None
}
