//! Follows the brackets of a text, and what they end.

use super::super::literal;
use super::super::scan::Scanner;
use super::bracket::Bracket;
use super::state::Reader;
use super::words::is_type;

impl Reader<'_> {
    /// Follows the brackets of calls and bodies, and the ends of statements. Skips anything else.
    pub(super) fn bracket(&mut self, byte: u8) {
        let bracket = || {
            let [before, second, third] = self.tokens;
            let is_auto = match before {
                "&" | "&&" => second == "auto" || (second == "const" && third == "auto"),
                word => word == "auto" || (word == "const" && second == "auto"),
            };
            let is_class = byte == b'{' && self.is_class;
            // A block follows a head in parentheses, a statement, or one of these words.
            let is_block = self.is_class
                || self.brackets.last().is_some_and(|outer| outer.is_lambda)
                || matches!(before, ")" | ";" | "{" | "}" | ":" | "")
                || matches!(
                    before,
                    "else" | "do" | "try" | "const" | "noexcept" | "override" | "final" | "mutable"
                )
                || matches!(self.first, "namespace" | "extern" | "enum" | "inline");
            let is_value = byte != b'{' || !is_block;
            Bracket { is_class, is_binding: byte == b'[' && is_auto, is_value, ..Bracket::new(byte, before) }
        };
        match byte {
            b'(' | b'[' | b'{' => {
                let inner = bracket();
                let [before, ..] = self.tokens;
                let is_operand = matches!(before, ")" | "]" | "[")
                    || (is_type(before) && before.bytes().next().is_some_and(Scanner::is_word));
                if let Some(outer) = self.brackets.last_mut() {
                    match byte {
                        b'[' => outer.is_lambda |= !is_operand && !inner.is_binding,
                        b'{' => outer.is_lambda = false,
                        _ => {}
                    }
                }
                self.brackets.push(inner);
            }
            b'=' if !self.scanner.starts_with("==") && self.tokens[0] == "]" => {
                if let Some(inside) = self.brackets.last_mut().filter(|inside| !inside.last.is_empty()) {
                    inside.given.push(inside.last);
                }
            }
            b';' => {
                if let Some(inside) = self.brackets.last_mut() {
                    inside.end();
                }
            }
            b')' | b']' | b'}' if self.brackets.len() > 1 => {
                let closed = self.brackets.pop();
                if let Some(inside) = self.brackets.last_mut() {
                    if closed.as_ref().is_some_and(|closed| !closed.is_value) {
                        inside.end();
                    }
                }
                if byte == b')' {
                    let word = closed.map_or("", |bracket| bracket.before);
                    // A specifier after the parameters of a function.
                    let is_specifier = matches!(word, "requires" | "noexcept" | "__attribute__" | "decltype");
                    if !(is_specifier && is_type(self.called) && !self.called.is_empty()) {
                        let is_word = word.bytes().next().is_some_and(Scanner::is_word);
                        self.called = if is_word { word } else { "" };
                    }
                }
            }
            _ => {}
        }
        match byte {
            b'(' => {
                self.is_class &=
                    matches!(self.before, "alignas" | "__align__" | "__attribute__" | "__declspec")
            }
            b'{' => {
                let called = std::mem::take(&mut self.called);
                let is_class = self.inside().is_some_and(|inside| inside.is_class);
                self.starts.push(self.scanner.at);
                self.open.push(if is_class { "" } else { called });
            }
            b'}' => {
                self.open.pop();
                self.called = "";
                if let Some(start) = self.starts.pop() {
                    self.end_block(start);
                }
            }
            b';' => self.called = "",
            _ => {}
        }
        match byte {
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b';' => self.scanner.step(),
            _ => literal::skip(&mut self.scanner),
        }
        self.begins = match byte {
            b'{' | b'}' | b';' => true,
            // An initialiser.
            b'(' => matches!(self.before, "for" | "if" | "constexpr" | "switch"),
            _ => false,
        };
        if self.begins {
            (self.statement, self.first, self.is_value) = (self.scanner.at, "", false);
            self.is_class = false;
        }
        self.before = "";
    }
}
