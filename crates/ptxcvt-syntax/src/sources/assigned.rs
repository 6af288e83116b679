//! Follows the values that C++ statements give to variables: by assignments, by other operators, and by functions that
//! have their addresses or references to them.
//!
//! ISO C++, "Assignment and compound assignment operators".

use super::literal;
use super::reader::Reader;
use super::scan::Scanner;
use super::uses::is_asm;
use super::values::READERS;

impl Reader<'_> {
    /// Follows an assignment to the variable `name`, if the text at `next` is one.
    pub(super) fn assigned(&mut self, name: &str, mut next: Scanner<'_>) {
        /// Longer values count as values that depend on variables.
        const LONGEST: usize = 200;
        let at = next.at - name.len();
        let before = next.text.get(..at).unwrap_or_default().trim_end();
        next.c_blanks();
        let known = self.preprocessor.variable_at(name);
        let is_known = known.is_some();
        if known == Some(at) {
            return;
        }
        if is_known {
            let (is_address, is_argument) = (is_address(before), matches!(next.peek(), b',' | b')'));
            let callee = callee(before).filter(|_| is_argument);
            let by_target = callee.is_some_and(|callee| self.preprocessor.depends_on_target(callee));
            if is_address && by_target {
                return self.preprocessor.set_by_target(name);
            }
            if is_address || is_changed(before, &next) {
                return self.preprocessor.vary(name);
            }
            // The parameter may be a reference.
            if callee.is_some() {
                return self.preprocessor.change(name, by_target);
            }
        }
        let is_changed = next.peek() == b'=' && !next.starts_with("==");
        let is_combined = matches!(next.rest(), [b'|' | b'&' | b'+' | b'-' | b'*' | b'^', b'=', ..]);
        if !is_changed && !is_combined {
            return;
        }
        let start = next.at;
        // The value of a lambda is unknown.
        let ends = |byte: u8| matches!(byte, b';' | b')' | b'}' | b'{');
        while !next.at_end() && !ends(next.peek()) && next.at < start + LONGEST {
            next.pass();
        }
        let value = next.text.get(start..next.at).unwrap_or_default();
        let value = value.trim_start_matches(['=', '|', '&', '+', '-', '*', '^']);
        match next.peek() == b';' {
            true if is_known => self.preprocessor.assign(name, value),
            // A value in brackets.
            false if is_known => self.preprocessor.vary(name),
            true => self.preprocessor.assign_unknown(name, at, value, begins_assignment(before)),
            false => {}
        }
    }

    /// Follows the assignments in an expression.
    pub(super) fn assignments(&mut self, mut scanner: Scanner<'_>) {
        while !scanner.at_end() {
            match scanner.peek() {
                byte if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                    let word = scanner.word();
                    self.assigned(word, scanner);
                }
                _ => literal::skip(&mut scanner),
            }
        }
    }
}

/// True if the use of a variable after the text `before` changes it by other operators than `=`: `++x`, `x >>= 1`.
fn is_changed(before: &str, next: &Scanner<'_>) -> bool {
    let rest = next.rest();
    let is_step = ["++", "--"].iter().any(|step| rest.starts_with(step.as_bytes()) || before.ends_with(step));
    let is_combined = ["/=", "%=", "<<=", ">>="].iter().any(|operator| rest.starts_with(operator.as_bytes()));
    is_step || is_combined
}

/// True if the address of the name after this text is taken.
fn is_address(before: &str) -> bool {
    before.strip_suffix('&').is_some_and(|left| {
        let last = left.trim_end().bytes().next_back().unwrap_or(b';');
        !Scanner::is_word(last) && !matches!(last, b')' | b']' | b'&')
    })
}

/// The function whose argument follows `before`, if it may change arguments.
fn callee(before: &str) -> Option<&str> {
    /// Longer lists of arguments are not read.
    const LONGEST: usize = 200;
    if !before.ends_with(['(', ',', '&']) {
        return None;
    }
    let mut depth = 0_u32;
    for (length, (at, byte)) in before.bytes().enumerate().rev().enumerate() {
        match byte {
            b';' | b'{' | b'}' | b'"' => return None,
            b')' => depth += 1,
            b'(' if depth > 0 => depth -= 1,
            b'(' => {
                let head = before.get(..at)?.trim_end();
                let start = head.bytes().rposition(|byte| !Scanner::is_word(byte)).map_or(0, |at| at + 1);
                let word = head.get(start..).filter(|word| !word.is_empty())?;
                return (!READERS.contains(&word) && !is_asm(word)).then_some(word);
            }
            _ if length > LONGEST => return None,
            _ => {}
        }
    }
    None
}

/// True if an assignment may follow this text. A type before the name makes it a declaration.
fn begins_assignment(before: &str) -> bool {
    /// Limit on the length of a directive before the name.
    const LONGEST: usize = 200;
    let line = before.bytes().rev().take(LONGEST).take_while(|byte| *byte != b'\n');
    before.ends_with([';', '{', '}', ')', '(', '.', ':', '='])
        || ["->", "else"].iter().any(|end| before.ends_with(end))
        || line.filter(|byte| !byte.is_ascii_whitespace()).last() == Some(b'#')
}
