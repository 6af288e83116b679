//! The parameters of a template.

use super::super::literal;
use super::super::scan::Scanner;

/// Limit on the length of a template's parameter list in bytes.
const LONGEST: usize = 1_000;
/// The names of a template's parameters. `at` is just after the word `template`.
pub(super) fn parameters(text: &str, at: usize) -> Vec<String> {
    let mut scanner = Scanner { text, at };
    scanner.c_blanks();
    let (mut found, mut depth, mut last, mut has_default) = (Vec::new(), 0, "", false);
    while !scanner.at_end() && scanner.at < at + LONGEST {
        match scanner.peek() {
            b'<' => {
                depth += 1;
                scanner.step();
            }
            byte @ (b'>' | b',') => {
                if depth == 1 {
                    found.push(last.to_owned());
                    has_default = false;
                }
                depth -= i32::from(byte == b'>');
                scanner.step();
            }
            b'=' => {
                has_default |= depth == 1;
                scanner.step();
            }
            b'(' | b'{' => scanner.skip_group(),
            b';' => break,
            byte if Scanner::is_word(byte) && !byte.is_ascii_digit() => {
                let word = scanner.word();
                if depth == 1 && !has_default {
                    last = word;
                }
            }
            _ => literal::skip(&mut scanner),
        }
        if depth <= 0 {
            break;
        }
    }
    found
}
