//! Python: `tl.inline_asm_elementwise(…)` of Triton, PyTorch's function of this name, `llvm.inline_asm(…)` of the CuTe
//! DSL, `elementwise_inline_asm` of Pallas: every call of a name that contains `inline_asm`. Its first string is the
//! assembly and its second one the constraints, unless keywords say otherwise.
//!
//! The Python Language Reference, "Lexical analysis".

mod call;
mod literals;
mod names;

use self::call::call;
use self::literals::{Literals, Tokens};
use self::names::Names;
use super::assembly::Assembly;
use super::cpp;
use super::scan::Scanner;
use super::text::Joined;

/// Every assembly in a call.
pub(super) fn assemblies(text: &str) -> Vec<Assembly> {
    read(text).0
}

/// Every string literal that mentions a conversion.
pub(super) fn strings(text: &str) -> Vec<Joined> {
    read(text).1
}

fn read(text: &str) -> (Vec<Assembly>, Vec<Joined>) {
    let mut reader =
        Reader { tokens: Tokens::new(text), names: Names::default(), found: Vec::new(), open: 0, first: 0 };
    reader.run();
    (reader.found, reader.tokens.strings)
}

struct Reader<'s> {
    tokens: Tokens<'s>,
    names: Names<'s>,
    found: Vec<Assembly>,
    /// How many brackets are open.
    open: u32,
    /// Where the first word of the line's statement begins.
    first: usize,
}

impl Reader<'_> {
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
                self.tokens.scanner.at += 1;
                match byte {
                    b'(' | b'[' | b'{' => self.open += 1,
                    b')' | b']' | b'}' => self.open = self.open.saturating_sub(1),
                    b'\\' => {
                        self.tokens.scanner.take(b'\r');
                        self.tokens.scanner.take(b'\n');
                    }
                    b'\n' if self.open == 0 => self.begin_line(),
                    _ => {}
                }
            }
        }
    }

    /// Follows the blocks of a line that begins a statement.
    fn begin_line(&mut self) {
        let start = self.tokens.scanner.at;
        while matches!(self.tokens.scanner.peek(), b' ' | b'\t') {
            self.tokens.scanner.at += 1;
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
        self.names.statement(indentation, word);
        match word {
            "def" => self.parameters(),
            "for" => self.targets(),
            _ => {}
        }
    }

    /// The parameters of a function are names whose values are unknown.
    fn parameters(&mut self) {
        let start = self.tokens.scanner.at;
        while !matches!(self.tokens.scanner.peek(), b'(' | b'\n' | b':') && !self.tokens.scanner.at_end() {
            self.tokens.scanner.at += 1;
        }
        let begin = self.tokens.scanner.at;
        self.tokens.pass();
        let end = self.tokens.scanner.at;
        self.tokens.scanner.at = begin + 1;
        while self.tokens.scanner.at < end {
            self.tokens.blanks(true);
            while self.tokens.scanner.take(b'*') {}
            let name = self.tokens.scanner.word();
            if !name.is_empty() {
                self.names.assign(name, None);
            }
            while self.tokens.scanner.at < end && self.tokens.scanner.peek() != b',' {
                self.tokens.pass();
            }
            self.tokens.scanner.at += 1;
        }
        self.tokens.scanner.at = start;
    }

    /// The names between `for` and `in` have unknown values.
    fn targets(&mut self) {
        let start = self.tokens.scanner.at;
        self.tokens.scanner.at += "for".len();
        while !matches!(self.tokens.scanner.peek(), b'\n' | b':') && !self.tokens.scanner.at_end() {
            match self.tokens.scanner.word() {
                "in" => break,
                "" => self.tokens.scanner.at += 1,
                name => self.names.assign(name, None),
            }
        }
        self.tokens.scanner.at = start;
    }

    /// A string outside calls of inline assembly.
    fn string(&mut self) {
        let mut string = Literals::default();
        self.tokens.literal(&mut string, false);
        // CUDA C++ for NVRTC, as `cupy.RawKernel` has it, if no escape of Python's is in it.
        if let Some(span) = string.joined.verbatim() {
            let (from, to) = (span.start as usize, span.end as usize);
            self.found.extend(cpp::assemblies_in(self.tokens.scanner.text, from, to));
        }
    }

    fn word(&mut self) {
        let start = self.tokens.scanner.at;
        let mut word = self.tokens.scanner.word();
        let end = self.tokens.scanner.at;
        self.tokens.blanks(false);
        if word.contains("inline_asm") && self.tokens.scanner.peek() == b'(' {
            self.found.extend(call(&mut self.tokens, &self.names, start));
            return;
        }
        if self.open > 0 {
            self.tokens.scanner.at = end;
            return;
        }
        // `name: type = value`; elsewhere a colon begins a block.
        let annotated = start == self.first && !matches!(word, "else" | "try" | "finally");
        if self.tokens.scanner.peek() == b':' && annotated {
            let colon = self.tokens.scanner.at;
            self.tokens.scanner.at += 1;
            self.tokens.blanks(false);
            while Scanner::is_word(self.tokens.scanner.peek())
                || matches!(self.tokens.scanner.peek(), b'.' | b'[' | b']')
            {
                self.tokens.scanner.at += 1;
            }
            self.tokens.blanks(false);
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
            self.names.assign(word, None);
        } else if self.tokens.scanner.peek() == b'=' && !self.tokens.scanner.starts_with("==") {
            self.tokens.scanner.at += 1;
            self.tokens.blanks(false);
            let value = self.tokens.scanner.at;
            self.tokens.scanner.take(b'(');
            self.tokens.blanks(true);
            let string = self.tokens.quote().is_some();
            self.names.assign(word, string.then_some(value));
            self.tokens.scanner.at = value;
        } else {
            self.tokens.scanner.at = end;
        }
    }
}
