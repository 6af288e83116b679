//! Reads inline assembly in Python: every call of a function whose name contains `inline_asm`, such as
//! `inline_asm_elementwise` of Triton and PyTorch, `llvm.inline_asm` of the CuTe DSL and `elementwise_inline_asm` of
//! Pallas. The call's first string is the assembly and its second one the constraints, unless keywords say otherwise.
//!
//! The Python Language Reference, "Lexical analysis".

mod aliases;
mod attributes;
mod bindings;
mod call;
mod callers;
mod classes;
mod comparisons;
mod complete;
mod conditions;
mod constants;
mod doubt;
mod evaluate;
mod exits;
mod expression;
mod flow;
mod format;
mod grammar;
mod items;
mod leaving;
mod literals;
mod names;
mod outside;
mod pending;
mod place;
mod quoted;
mod reaching;
mod replace;
mod trim;
mod tuple;
mod unpack;
mod world;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use self::aliases::Aliases;
#[cfg(test)]
pub(super) use self::call::KNOWN;
use self::call::{Call, is_known};
use self::callers::Callers;
pub(super) use self::complete::is_complete;
use self::expression::Expression;
use self::leaving::Leaving;
use self::literals::Tokens;
use self::names::Names;
use self::pending::{Pending, Written};
use super::cpp;
use super::reading::{Literal, Reading, Wrappers};
use super::scan::Scanner;
use super::text::Joined;
use crate::identifier::last_name;
use crate::source::Span;

/// Limit on passes over a file, which resolve the lists that loops name.
const MAX_READINGS: usize = 4;

/// The assemblies and strings of a Python source.
pub(super) fn read(text: &str, wrappers: &Wrappers) -> Reading {
    let callers = Rc::new(Callers::of(text));
    let new = |literals, others| Reader {
        tokens: Tokens::new(text),
        names: Names::default(),
        pending: Vec::new(),
        open: 0,
        first: 0,
        documents: BTreeSet::new(),
        wrappers,
        aliases: Aliases::of(text),
        callers: callers.clone(),
        leaving: Leaving::of(text),
        literals,
        others,
        targets_end: 0,
    };
    let read = |literals, others| {
        let mut reader = new(literals, others);
        reader.run();
        reader
    };
    let mut reader = read(HashMap::new(), Vec::new());
    let others = reader.names.others(text);
    if !others.is_empty() {
        reader = read(HashMap::new(), others.clone());
    }
    // The lists of loops are known once every assignment has been read; they may name further lists.
    for _ in 1..MAX_READINGS {
        let mut literals = std::mem::take(&mut reader.literals);
        let before = literals.values().flatten().count();
        for (name, literal) in &mut literals {
            *literal = reader.names.literal(name);
        }
        if literals.values().flatten().count() <= before {
            break;
        }
        reader = read(literals, others.clone());
    }
    reader.names.finish();
    let mut reading = Reading::default();
    let strings = &reader.tokens.strings;
    reader.pending.iter().for_each(|pending| pending.read(text, &reader.names, strings, &mut reading));
    let (documents, Tokens { strings, begun, continued, .. }) = (reader.documents, reader.tokens);
    let literal = |(at, joined)| {
        let literal = Literal::new(joined, continued.contains(&at))?;
        Some(Literal { document: documents.contains(&at), ..literal })
    };
    reading.strings = strings.into_iter().chain(begun).filter_map(literal).collect();
    reading
}

struct Reader<'s> {
    tokens: Tokens<'s>,
    names: Names<'s>,
    /// Calls and strings, which are evaluated once every assignment is known.
    pending: Vec<Pending<'s>>,
    /// The number of open brackets.
    open: u32,
    /// Start of the first word of the line's statement.
    first: usize,
    /// The places of strings that document the program.
    documents: BTreeSet<usize>,
    wrappers: &'s Wrappers,
    /// Other names of the functions that accept assembly.
    aliases: Aliases<'s>,
    callers: Rc<Callers<'s>>,
    leaving: Leaving<'s>,
    /// Names in the heads of loops, with the literals that are their values everywhere.
    literals: HashMap<&'s str, Option<Rc<Expression<'s>>>>,
    /// Functions of the library whose names the file binds to something else.
    others: Vec<&'static str>,
    /// End of the targets of the last statement such as `a, b = "x", "y"`.
    targets_end: usize,
}

impl<'s> Reader<'s> {
    fn run(&mut self) {
        self.begin_line();
        while !self.tokens.scanner.at_end() {
            let byte = self.tokens.scanner.peek();
            if byte == b'#' {
                self.tokens.comment();
            } else if self.tokens.quote().is_some() {
                self.string();
            } else if byte.is_ascii_digit() {
                self.tokens.scanner.number();
            } else if Scanner::is_word(byte) {
                self.word();
            } else {
                self.tokens.scanner.step();
                match byte {
                    b'(' | b'[' | b'{' => self.open += 1,
                    b')' | b']' | b'}' => self.open = self.open.saturating_sub(1),
                    b'\\' => {
                        self.tokens.scanner.take(b'\r');
                        self.tokens.scanner.take(b'\n');
                    }
                    b'\n' if self.open == 0 => self.begin_line(),
                    b';' if self.open == 0 => self.names.raise(),
                    _ => {}
                }
            }
        }
    }

    /// Enters and leaves blocks at a line that begins a statement.
    fn begin_line(&mut self) {
        let start = self.tokens.scanner.at;
        while matches!(self.tokens.scanner.peek(), b' ' | b'\t') {
            self.tokens.scanner.step();
        }
        if matches!(self.tokens.scanner.peek(), b'#' | b'\n' | b'\r') {
            return;
        }
        let indentation = self.tokens.scanner.at - start;
        let first = self.tokens.scanner.at;
        self.first = first;
        let mut word = self.tokens.scanner.word();
        self.tokens.scanner.at = first;
        if word == "async" {
            self.tokens.scanner.at += word.len();
            self.tokens.blanks(false);
            word = self.tokens.scanner.word();
            self.tokens.scanner.at = first;
        }
        let condition = match word {
            "if" | "elif" | "while" | "assert" | "case" | "class" | "def" | "except" => {
                self.condition(first + word.len())
            }
            _ => "",
        };
        let mut found = bindings::read(self.tokens.scanner.text, first);
        let (unpacked, targets_end) = self.tokens.unpack(first).unwrap_or_default();
        found.unknown.retain(|name| !unpacked.iter().any(|(other, _)| other == name));
        self.targets_end = targets_end;
        word = match word {
            "case" | "match" if !found.block => "",
            "with" if !found.suppresses => "",
            word => word,
        };
        let text = &self.tokens.scanner.text[first..];
        let leaves = self.leaving.word(text);
        let raises = !leaving::is_quiet(text.lines().next().unwrap_or_default(), leaves);
        self.names.line(indentation, found.hidden, raises);
        for name in found.always {
            self.names.assign(name, None);
            self.names.raise();
        }
        word = leaves.unwrap_or(word);
        let inside = !matches!(word, "def" | "class");
        if inside {
            self.names.statement(indentation, word, condition);
        }
        let several = found.unknown.len() > 1;
        for name in found.unknown {
            self.names.assign(name, None);
            if several {
                self.names.raise();
            }
        }
        unpacked.into_iter().for_each(|(name, value)| self.names.assign(name, Some(value)));
        found.attributes.into_iter().for_each(|name| self.names.assign_attribute(name));
        found.changed.into_iter().for_each(|name| self.names.change(name));
        found.elsewhere.into_iter().for_each(|name| self.names.assign_elsewhere(name));
        if !inside {
            self.names.statement(indentation, word, condition);
        }
        self.names.decorate(self.tokens.scanner.peek() == b'@');
        match word {
            "def" => self.parameters(),
            "for" => self.targets(),
            _ => {}
        }
    }

    /// The condition that begins at `from`, up to its colon, or to the comma before the message of an `assert`.
    fn condition(&mut self, from: usize) -> &'s str {
        let back = self.tokens.scanner.at;
        self.tokens.scanner.at = from;
        while !self.tokens.scanner.at_end() && !matches!(self.tokens.scanner.peek(), b':' | b'\n' | b',') {
            self.tokens.pass();
        }
        let text = self.tokens.scanner.text;
        let condition = text[from..self.tokens.scanner.at.min(text.len())].trim();
        self.tokens.scanner.at = back;
        condition
    }

    /// Assigns the parameters of a function: the values from its calls, or unknown values.
    fn parameters(&mut self) {
        let start = self.tokens.scanner.at;
        let text = self.tokens.scanner.text;
        let mut all: Vec<(&'s str, Option<usize>)> = Vec::new();
        let mut place = Some(0);
        while !matches!(self.tokens.scanner.peek(), b'(' | b'\n' | b':') && !self.tokens.scanner.at_end() {
            self.tokens.scanner.step();
        }
        let begin = self.tokens.scanner.at;
        self.tokens.pass();
        let end = self.tokens.scanner.at;
        self.tokens.scanner.at = begin + 1;
        while self.tokens.scanner.at < end {
            self.tokens.blanks(true);
            let mut starred = false;
            while self.tokens.scanner.take(b'*') {
                starred = true;
            }
            place = place.filter(|_| !starred);
            let name = self.tokens.scanner.word();
            if !name.is_empty() {
                all.push((name, place));
                place = place.map(|place| place + 1);
            }
            while self.tokens.scanner.at < end && self.tokens.scanner.peek() != b',' {
                self.tokens.pass();
            }
            self.tokens.scanner.step();
        }
        self.tokens.scanner.at = start;
        // A method of the same name is a different function.
        let own = self.names.is_in_module().then(|| text[self.first..begin].trim_start_matches("def").trim());
        let rows = own.and_then(|function| self.callers.rows(function, &all, (text, self.first)));
        for (name, _) in all {
            let column = rows.as_ref().and_then(|rows| rows.columns.iter().position(|(n, _)| *n == name));
            let value = rows.clone().zip(column).map(|(rows, column)| Expression::Any(rows, column));
            self.names.assign(name, value);
        }
    }

    /// Assigns the names between `for` and `in`: their values in each round, or unknown values.
    fn targets(&mut self) {
        let start = self.tokens.scanner.at;
        let mut names = Vec::new();
        self.tokens.scanner.at += "for".len();
        let from = self.tokens.scanner.at;
        let mut end = from;
        while !matches!(self.tokens.scanner.peek(), b'\n' | b':') && !self.tokens.scanner.at_end() {
            end = self.tokens.scanner.at;
            match self.tokens.scanner.word() {
                "in" => break,
                "" => self.tokens.scanner.step(),
                name if self.tokens.scanner.text[..end].ends_with('.') => self.names.assign_attribute(name),
                name => names.push(name),
            }
        }
        self.tokens.blanks(false);
        let at = self.tokens.scanner.at;
        let mut literals = std::mem::take(&mut self.literals);
        let others = &self.others;
        let items = self.tokens.items(at, &mut |name| match name.strip_suffix('(') {
            Some(name) => others.contains(&name).then(|| Rc::new(Expression::Unknown(Span::default()))),
            None => literals.entry(name).or_default().clone(),
        });
        self.literals = literals;
        self.names.rounds(items.rounds);
        let target = self.tokens.loop_target(from, end);
        match self.tokens.rows(&target, &items, at) {
            Some(rows) => {
                for (number, (name, _)) in rows.columns.iter().enumerate() {
                    self.names.assign_target(name, Some(Expression::Any(rows.clone(), number)));
                }
            }
            None => names.iter().for_each(|name| self.names.assign_target(name, None)),
        }
        self.tokens.scanner.at = start;
    }

    /// A string outside calls of inline assembly. The text after it decides what it is: an assembly passed to a
    /// wrapper, CUDA C++ for NVRTC (as in `cupy.RawKernel`), or PTX that the program writes.
    fn string(&mut self) {
        let start = self.tokens.scanner.at;
        let text = self.tokens.scanner.text;
        let content = self.tokens.quote().map_or(start, |prefix| start + prefix);
        let expression = self.tokens.expression(self.open > 0);
        let end = self.tokens.scanner.at;
        if is_known(&text[content..end]) && self.looked_up() {
            let call = Call::read(&mut self.tokens, self.names.here(), start);
            self.pending.push(Pending::Call(call));
            return;
        }
        self.tokens.scanner.at = end;
        if !text[start..end].contains("cvt") && !text[start..end].contains('{') {
            return;
        }
        self.tokens.blanks(self.open > 0);
        let next = self.tokens.scanner.peek();
        if start == self.first && self.open == 0 && matches!(next, b'\n' | b'\r' | b'#' | b';' | 0) {
            let quotes = text[content..].bytes().take_while(|b| matches!(b, b'"' | b'\'')).count();
            self.documents.insert(content + if quotes >= 3 { 3 } else { 1 });
            self.tokens.scanner.at = end;
            return;
        }
        let list = (next == b',').then(|| self.list()).flatten();
        self.tokens.scanner.at = end;
        let written = Written {
            expression,
            here: self.names.here(),
            span: Span::new(start as u32, end as u32),
            list,
            whole: begins_expression(&text[..start]),
        };
        self.pending.push(Pending::Written(written));
    }

    /// Moves from the name in `getattr(module, "name")(…)` to the `(` of the call. False if no call follows.
    fn looked_up(&mut self) -> bool {
        self.tokens.blanks(true);
        self.open > 0 && self.tokens.scanner.take(b')') && {
            self.tokens.blanks(false);
            let called = self.tokens.scanner.peek() == b'(';
            self.open -= u32::from(called);
            called
        }
    }

    /// The string after a comma, if it is a list of constraints.
    fn list(&mut self) -> Option<Joined> {
        self.tokens.scanner.step();
        self.tokens.blanks(true);
        let span = self.tokens.literal()?;
        let text = &self.tokens.scanner.text[span.start..span.end];
        let mut joined = Joined::default();
        joined.push(text, span.start);
        cpp::is_list(text).then_some(joined)
    }

    /// The first word of a statement that leaves its block, if it begins here after a colon or a semicolon.
    fn leaves(&self, start: usize, word: &'s str) -> Option<&'s str> {
        let text = self.tokens.scanner.text;
        // A `lambda` has a colon, too.
        if self.open > 0
            || start == self.first
            || !text[..start].trim_end().ends_with([':', ';'])
            || text[self.first..start].contains("lambda")
        {
            return None;
        }
        let known = leaving::WORDS.contains(&word).then_some(word);
        self.leaving.word(&text[start..]).or(known)
    }

    fn word(&mut self) {
        let start = self.tokens.scanner.at;
        let mut word = self.tokens.scanner.word();
        let end = self.tokens.scanner.at;
        if let Some(word) = self.leaves(start, word) {
            self.names.exit(word);
        }
        self.tokens.blanks(false);
        let known = is_known(word) || self.wrappers.contains(word) || self.aliases.contains(word);
        if known && self.tokens.scanner.peek() == b'(' {
            let call = Call::read(&mut self.tokens, self.names.here(), start);
            self.pending.push(Pending::Call(call));
            return;
        }
        // `self.name = …` is tracked under its full name; other attributes are not tracked. The targets of `a, b = …`
        // have been assigned at the beginning of the line.
        let text = self.tokens.scanner.text;
        let attribute = text[..start].trim_end().ends_with('.');
        let of_self = text[..start].strip_suffix("self.").is_some_and(|before| {
            let before = before.trim_end_matches([' ', '\t']);
            before.is_empty() || before.ends_with(['\n', ';', ':'])
        });
        if of_self && self.open == 0 && self.tokens.scanner.peek() == b'=' {
            word = &text[start - "self.".len()..end];
        } else if self.open > 0 || attribute || start < self.targets_end {
            self.tokens.scanner.at = end;
            return;
        }
        // `name: type = value`; elsewhere a colon begins a block.
        let annotated = start == self.first && !matches!(word, "else" | "try" | "except" | "finally");
        if self.tokens.scanner.peek() == b':' && annotated {
            let colon = self.tokens.scanner.at;
            self.tokens.scanner.step();
            while !self.tokens.scanner.at_end()
                && !matches!(self.tokens.next_on_line(), b'\n' | b'\r' | b'#' | b';' | b'=')
            {
                self.tokens.pass();
            }
            if self.tokens.scanner.peek() != b'=' {
                self.tokens.scanner.at = colon;
                word = "";
            }
        }
        let rest = self.tokens.scanner.rest();
        let changed = rest.get(1) == Some(&b'=') && b"+*%|&".contains(&rest[0]);
        if word.is_empty() {
            self.tokens.scanner.at = end;
        } else if changed {
            let sum = rest[0] == b'+' && !self.names.in_loop();
            self.tokens.scanner.at += 2;
            self.tokens.blanks(false);
            let value = self.tokens.scanner.at;
            let added = sum.then(|| self.tokens.expression(false));
            let both = added.map(|added| Expression::Sum(vec![Expression::Name(word), added]));
            self.names.assign(word, both);
            self.tokens.scanner.at = value;
        } else if self.tokens.scanner.peek() == b'=' && !self.tokens.scanner.starts_with("==") {
            self.tokens.scanner.step();
            self.tokens.blanks(false);
            let value = self.tokens.scanner.at;
            let assigned = self.tokens.expression(false);
            let end = self.tokens.scanner.at.min(text.len());
            let whole = matches!(self.tokens.next_on_line(), b'\n' | b'\r' | b'#' | b';' | 0);
            self.names.assign(word, Some(assigned).filter(|_| whole));
            if whole {
                self.names.assign_constant(word, text[value..end].trim());
            }
            self.tokens.scanner.at = value;
        } else {
            self.tokens.scanner.at = end;
        }
    }
}

/// True if an expression begins after the text `before`, so that no operator joins it to an earlier one.
fn begins_expression(before: &str) -> bool {
    let before = before.trim_end();
    match before.bytes().next_back() {
        None | Some(b'(' | b',' | b'[' | b'{' | b'=' | b':' | b';') => true,
        Some(byte) if Scanner::is_word(byte) => {
            let keywords = ["return", "yield", "else", "in", "assert", "and", "or", "not"];
            keywords.contains(&last_name(before))
        }
        _ => false,
    }
}
