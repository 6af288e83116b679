//! What an attribute of Rust covers: an item, a statement, an expression, an arm, a parameter, a field, a variant or an argument.
//!
//! The Rust Reference, "Attributes" and "Conditional compilation".

mod element;
mod generic;

use self::element::element;
use super::scan::Scanner;
use super::syntax::{Reader, Syntax};

/// What follows an attribute, by its first words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Thing {
    /// Ends with its braces, or with a `;`: `fn`, `mod`, `impl`.
    Braces,
    /// Ends with a `;`: `let`, `const`, `use`.
    Semicolon,
    /// Ends with its last block: `if`, `match`, `unsafe { … }`.
    Blocks,
    /// A block, which no `else` follows. In `cfg_if!` one may, and is another branch.
    Block,
    /// Ends with a comma or with what is around it.
    Other,
}

/// The end of what the inner attribute `#![…]` before `at` covers: the rest of the block or file.
pub(super) fn end_of_inner(rust: &'static Syntax, text: &str, at: usize) -> usize {
    let mut reader = reader(rust, text, at);
    while !reader.scanner.at_end() && !closes(&reader) {
        reader.pass();
    }
    reader.scanner.at
}

/// The end of what the attribute covers whose brackets begin at `open`.
pub(super) fn end(rust: &'static Syntax, text: &str, open: usize) -> usize {
    let mut reader = reader(rust, text, open);
    reader.pass();
    reader.blanks();
    while reader.scanner.starts_with("#[") {
        reader.scanner.step();
        reader.pass();
        reader.blanks();
    }
    let hash = text[..open].trim_end().len().saturating_sub(1);
    let before = text[..hash].trim_end().bytes().next_back().unwrap_or(b';');
    // No item is in a list.
    let in_list = matches!(before, b',' | b'(' | b'[' | b'<' | b'|');
    let start = reader.scanner.at;
    let thing = thing(&mut reader, in_list);
    reader.scanner.at = start;
    match thing {
        Thing::Braces | Thing::Semicolon => item(&mut reader, thing == Thing::Braces),
        Thing::Block => {
            reader.pass();
            reader.blanks();
            reader.scanner.take(b',');
        }
        Thing::Blocks | Thing::Other => element(&mut reader, thing == Thing::Blocks && !in_list, before),
    }
    reader.scanner.at
}

fn reader<'t>(rust: &'static Syntax, text: &'t str, at: usize) -> Reader<'t> {
    let mut reader = Reader::new(rust, text);
    reader.scanner.at = at;
    reader
}

fn closes(reader: &Reader<'_>) -> bool {
    matches!(reader.scanner.peek(), b')' | b']' | b'}')
}

/// The next word, which is skipped with the blanks before it. It may be empty.
fn word<'s>(reader: &mut Reader<'s>) -> &'s str {
    reader.blanks();
    reader.scanner.word()
}

/// The byte after blanks.
fn next(reader: &Reader<'_>) -> u8 {
    let mut ahead = self::reader(reader.syntax, reader.scanner.text, reader.scanner.at);
    ahead.blanks();
    ahead.scanner.peek()
}

fn thing(reader: &mut Reader<'_>, in_list: bool) -> Thing {
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

/// Skips an item or a `let`.
fn item(reader: &mut Reader<'_>, has_braces: bool) {
    while !reader.scanner.at_end() && !closes(reader) {
        // `Foo<{ N }>` before the body.
        if reader.scanner.peek() == b'<' && has_braces && generic::skip(reader) {
            continue;
        }
        let first = reader.scanner.peek();
        reader.pass();
        if first == b';' || (first == b'{' && has_braces) {
            return;
        }
    }
}
