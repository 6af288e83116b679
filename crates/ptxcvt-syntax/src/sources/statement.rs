//! One `asm` statement: `("…" "…" : "=h"(x) : "f"(a))`, in every combination of the `#if` branches inside it.
//!
//! The CUDA guide "Inline PTX Assembly in CUDA".

use std::collections::BTreeSet;
use std::ops::Range;

use super::assembly::Assembly;
use super::choices::{Choices, conditional};
use super::constants;
use super::constraint::{AsmOperand, Operands};
use super::escape::{Escapes, unescape};
use super::guard::{Guards, Preprocessor, Reach, split};
use super::literal::{Adjacent, PREFIXES, RAW, adjacent, begins, raw};
use super::scan::Scanner;
use super::text::{HOLE, Joined};
use crate::source::Span;

/// Limit on the combinations of branches of a statement.
const MAX_COMBINATIONS: usize = 256;

/// The assemblies of a statement, one for each combination of branches.
pub(super) struct Combinations {
    pub found: Vec<Assembly>,
    /// The code of each, in the same order.
    pub code: Vec<Code>,
    /// The place where reading continues.
    pub end: usize,
    /// The places of the directives before the end.
    pub directives: BTreeSet<usize>,
}

/// The code of a statement in one combination of branches.
pub(super) struct Code {
    /// The configurations that compile it.
    pub reach: Reach,
    /// The code between the directives.
    pub parts: Vec<Range<usize>>,
    /// True if a directive between the parts may change macros.
    pub changes: bool,
}

/// Reads a statement. `start` is the offset of its `asm`, `body` that of the text after the `(`. The operands of a
/// `wrapper` may be arguments after a comma.
pub(super) fn read(
    text: &str,
    start: usize,
    body: usize,
    preprocessor: &Preprocessor,
    wrapper: bool,
) -> Combinations {
    let (found, code) = (Vec::new(), Vec::new());
    let mut combinations = Combinations { found, code, end: text.len(), directives: BTreeSet::new() };
    let mut reader = Reader {
        scanner: Scanner { text, at: body },
        preprocessor: preprocessor.clone(),
        reach: preprocessor.here(),
        choices: Choices::default(),
        open: Vec::new(),
        directives: BTreeSet::new(),
        wrapper,
        included: None,
        parts: Vec::new(),
        part: start,
        changes: false,
    };
    for round in 0..2 * MAX_COMBINATIONS {
        let (mut joined, mut operands) = (Joined::default(), Operands::default());
        let template = reader.template(&mut joined);
        joined.print();
        let complete = template && reader.lists(&mut joined, &mut operands);
        constants::splice(text, &mut joined, &mut operands);
        combinations.end = combinations.end.min(reader.scanner.at);
        let span = Span::new(start as u32, reader.scanner.at as u32);
        combinations.found.push(Assembly::new(joined, operands, Guards::of(&reader.reach), span, complete));
        combinations.code.push(reader.code());
        // At the limit, only combinations with a new branch are added.
        if !reader.choices.next(round + 1 >= MAX_COMBINATIONS) {
            break;
        }
        reader.scanner.at = body;
        reader.preprocessor = preprocessor.clone();
        reader.reach = preprocessor.here();
        reader.open.clear();
        reader.included = None;
        (reader.part, reader.changes) = (start, false);
    }
    combinations.directives = reader.directives.range(..combinations.end).copied().collect();
    combinations
}

/// The assemblies of a statement's strings, from `start` on, without the `asm` and the parentheses around them. Lists of
/// operands may follow.
pub(super) fn of_strings(text: &str, start: usize) -> Vec<Assembly> {
    let mut found = read(text, start, start, &Preprocessor::default(), true).found;
    for assembly in &mut found {
        let rest = text.get(assembly.span().range().end..).unwrap_or_default();
        assembly.complete |= rest.trim_matches(|c: char| c.is_whitespace() || c == ';').is_empty();
        assembly.operands.unknown |= assembly.operands.fillers.is_empty();
    }
    found
}

struct Reader<'s> {
    scanner: Scanner<'s>,
    preprocessor: Preprocessor,
    /// The configurations that compile the chosen branches.
    reach: Reach,
    choices: Choices,
    /// The place of the `#endif` of each open conditional.
    open: Vec<usize>,
    /// The places of all directives.
    directives: BTreeSet<usize>,
    /// True if the operands may be arguments after a comma.
    wrapper: bool,
    /// An `#include` since the last string or operand.
    included: Option<Span>,
    /// The code before the last directive; `part` is the start of the code after it.
    parts: Vec<Range<usize>>,
    part: usize,
    /// True if a directive may have changed macros.
    changes: bool,
}

impl Reader<'_> {
    /// Skips blanks, comments, and branches that are not chosen.
    fn blanks(&mut self) {
        loop {
            self.scanner.c_blanks();
            let end = self.scanner.at;
            if self.scanner.hash() == 0 || !self.scanner.begins_line() || !self.directive() {
                return;
            }
            self.parts.push(self.part..end);
            self.part = self.scanner.at;
        }
    }

    /// The code of the combination, which ends here.
    fn code(&mut self) -> Code {
        let mut parts = std::mem::take(&mut self.parts);
        parts.push(self.part..self.scanner.at);
        Code { reach: self.reach.clone(), parts, changes: self.changes }
    }

    /// Follows a directive. Returns false if the line is not a directive, or belongs to a conditional around
    /// the statement.
    fn directive(&mut self) -> bool {
        let line = self.scanner.directive();
        match split(&line.text).0 {
            "if" | "ifdef" | "ifndef" => {
                let Some(lines) = conditional(self.scanner.text, self.scanner.at) else { return false };
                self.directives.extend(&lines);
                self.choose(&lines);
            }
            "elif" | "elifdef" | "elifndef" | "else" => match self.open.last() {
                Some(end) => self.scanner.at = *end,
                None => return false,
            },
            "endif" => {
                if self.open.pop().is_none() {
                    return false;
                }
                self.preprocessor.line(&line);
                self.scanner.at = line.end;
            }
            "define" | "undef" | "include" | "pragma" | "line" | "error" | "warning" => {
                self.directives.insert(self.scanner.at);
                self.changes |= matches!(split(&line.text).0, "define" | "undef" | "include" | "pragma");
                if split(&line.text).0 == "include" {
                    self.included = Some(Span::new(self.scanner.at as u32, line.end as u32));
                }
                self.preprocessor.line(&line);
                self.scanner.at = line.end;
            }
            _ => return false,
        }
        true
    }

    /// Moves to the chosen branch of the conditional whose directives are at `lines`.
    fn choose(&mut self, lines: &[usize]) {
        let text_of = |at: usize| Scanner { text: self.scanner.text, at }.directive();
        let last = lines.len() - 1;
        let has_else = split(&text_of(lines[last - 1]).text).0 == "else";
        // Without `#else`, it is also possible that no branch is chosen.
        let count = if has_else { last } else { last + 1 };
        let branch = self.choices.choose(lines[0], count);
        for at in &lines[..=branch.min(last - 1)] {
            self.preprocessor.directive(&text_of(*at).text);
        }
        self.scanner.at = if branch == last {
            self.preprocessor.directive("else");
            lines[last]
        } else {
            text_of(lines[branch]).end
        };
        self.reach = self.reach.and(&self.preprocessor.here());
        self.open.push(lines[last]);
    }

    /// Reads the strings of a template, with holes for unknown text between them. False if the end is missing.
    fn template(&mut self, joined: &mut Joined) -> bool {
        loop {
            self.blanks();
            // An included file may contain strings.
            if let Some(place) = self.included.take() {
                joined.push_as(HOLE, place);
            }
            let start = self.scanner.at;
            match self.scanner.peek() {
                b'"' => self.string(joined),
                b':' | b')' => return true,
                b',' if self.wrapper => return true,
                b'#' | b'%' if self.scanner.hash() > 0 && self.scanner.begins_line() => return false,
                b'#' => {
                    while self.scanner.peek() == b'#' {
                        self.scanner.step();
                    }
                    if self.scanner.word().is_empty() {
                        return false;
                    }
                    joined.push_as(HOLE, self.from(start));
                }
                byte if Scanner::is_word(byte) => {
                    let word = self.scanner.word();
                    if self.scanner.peek() == b'"' && RAW.contains(&word) {
                        if let Some((from, to)) = raw(&mut self.scanner) {
                            joined.push(&self.scanner.text[from..to], from);
                        }
                    } else if self.scanner.peek() != b'"' || !PREFIXES.contains(&word) {
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

    /// Reads `"…"` and decodes its escapes.
    fn string(&mut self, joined: &mut Joined) {
        let start = self.scanner.at + 1;
        let end = self.scanner.skip_string(b'"');
        unescape(self.scanner.text, start, end, Escapes::C, joined);
    }

    /// Reads outputs, inputs, clobbers and labels between colons, up to the `)`.
    fn lists(&mut self, joined: &mut Joined, operands: &mut Operands) -> bool {
        // The list that a colon begins: outputs are list 0, inputs list 1.
        let mut list = -1;
        loop {
            self.blanks();
            operands.unknown |= self.included.take().is_some();
            if self.scanner.at_end() {
                return false;
            }
            match self.scanner.peek() {
                b')' => {
                    self.scanner.step();
                    return true;
                }
                b':' => {
                    self.scanner.step();
                    list += 1;
                }
                b',' if self.wrapper && list < 0 => {
                    operands.unknown = true;
                    while !matches!(self.scanner.peek(), b')' | b'#') && !self.scanner.at_end() {
                        self.scanner.pass();
                    }
                    continue;
                }
                _ if list < 0 => return false,
                b'#' | b'%' if self.scanner.hash() > 0 && self.scanner.begins_line() => return false,
                // The rest of a list after a comma in another branch.
                b',' | b'"' | b'[' if list < 2 => {
                    self.scanner.take(b',');
                }
                b',' if list == 2 => {
                    self.scanner.step();
                    continue;
                }
                b'"' if list == 2 => {
                    let clobber = adjacent(&mut self.scanner);
                    if clobber.whole {
                        operands.clobber(&clobber.joined.text);
                    }
                    continue;
                }
                // Not an operand, but a macro that may expand to operands.
                _ => {
                    operands.unknown |= list < 2;
                    self.scanner.pass();
                    while !matches!(self.scanner.peek(), b':' | b')' | b'#') && !self.scanner.at_end() {
                        self.scanner.pass();
                    }
                    continue;
                }
            }
            while list < 2 && self.operand(joined, operands) {
                self.blanks();
                if !self.scanner.take(b',') {
                    break;
                }
            }
        }
    }

    /// Reads `"=r"(x)` or `[name] "r"(x)`.
    fn operand(&mut self, joined: &mut Joined, operands: &mut Operands) -> bool {
        self.blanks();
        let begin = self.scanner.at;
        let mut name = None;
        if self.scanner.take(b'[') {
            self.scanner.c_blanks();
            name = Some(self.scanner.word().to_owned());
            self.scanner.c_blanks();
            self.scanner.take(b']');
            self.blanks();
        }
        if !begins(&self.scanner) {
            operands.unknown |= self.scanner.at > begin;
            return false;
        }
        let start = self.scanner.at;
        let Adjacent { joined: letters, whole } = adjacent(&mut self.scanner);
        operands.unknown |= !whole || letters.text.contains(HOLE);
        let span = match letters.text.len() as u32 {
            0 => self.from(start),
            length => letters.locate(Span::new(0, length)),
        };
        let letters = letters.text;
        self.scanner.c_blanks();
        let mut expression = String::new();
        match self.scanner.peek() {
            b'(' => {
                let open = self.scanner.at;
                self.scanner.skip_group();
                expression = self.scanner.content(open).trim().to_owned();
            }
            // `"r" MACRO(x)`: its register is unknown.
            _ => operands.unknown = true,
        }
        operands.push(AsmOperand { letters, name, expression, span }, joined);
        true
    }
}
