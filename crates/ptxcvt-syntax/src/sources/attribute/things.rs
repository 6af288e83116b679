//! The kinds of Rust code that may follow an attribute, and steps through its text.
//!
//! The Rust Reference, "Items", "Statements" and "Expressions".

use super::super::scan::Scanner;
use super::super::syntax::{Reader, Syntax};

/// The kind of code after an attribute, from its first words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Thing {
    /// Code that ends with its braces or with a `;`: `fn`, `mod`, `impl`.
    Braces,
    /// Code that ends with a `;`: `let`, `const`, `use`.
    Semicolon,
    /// Code that ends with its last block: `if`, `match`, `unsafe { … }`.
    Blocks,
    /// A block, which has no `else`. In `cfg_if!` an `else` may follow, but it is another branch.
    Block,
    /// Code that ends with a comma or with the brackets around it.
    Other,
}

pub(super) fn reader<'t>(rust: &'static Syntax, text: &'t str, at: usize) -> Reader<'t> {
    let mut reader = Reader::new(rust, text);
    reader.scanner.at = at;
    reader
}

pub(super) fn closes(reader: &Reader<'_>) -> bool {
    matches!(reader.scanner.peek(), b')' | b']' | b'}')
}

/// The next word, which is skipped with the blanks before it. It may be empty.
pub(super) fn word<'s>(reader: &mut Reader<'s>) -> &'s str {
    reader.blanks();
    reader.scanner.word()
}

/// The byte after blanks.
pub(super) fn next(reader: &Reader<'_>) -> u8 {
    let mut ahead = self::reader(reader.syntax, reader.scanner.text, reader.scanner.at);
    ahead.blanks();
    ahead.scanner.peek()
}

pub(super) fn thing(reader: &mut Reader<'_>, in_list: bool) -> Thing {
    if reader.scanner.peek() == b'\'' {
        // A label.
        reader.scanner.step();
        word(reader);
        reader.blanks();
        return if reader.scanner.take(b':') && !in_list { Thing::Blocks } else { Thing::Other };
    }
    if reader.scanner.peek() == b'{' {
        return Thing::Block;
    }
    loop {
        return match word(reader) {
            "if" | "match" | "loop" | "while" | "for" => Thing::Blocks,
            "unsafe" | "async" | "move" | "const" if next(reader) == b'{' => Thing::Blocks,
            _ if in_list => Thing::Other,
            "pub" => {
                if next(reader) == b'(' {
                    reader.blanks();
                    reader.pass();
                }
                continue;
            }
            "unsafe" | "async" | "move" | "default" if Scanner::is_word(next(reader)) => continue,
            "const" => match word(reader) {
                "fn" | "unsafe" | "extern" | "async" => Thing::Braces,
                _ => Thing::Semicolon,
            },
            "extern" => Thing::Braces,
            "fn" | "mod" | "struct" | "enum" | "trait" | "impl" => Thing::Braces,
            "macro_rules" if next(reader) == b'!' => Thing::Braces,
            "union" | "auto" | "macro" if Scanner::is_word(next(reader)) => Thing::Braces,
            "let" | "use" | "static" | "return" | "break" => Thing::Semicolon,
            "type" => Thing::Semicolon,
            _ => Thing::Other,
        };
    }
}
