//! The code to which a Rust attribute applies: an item, a statement, an expression, an arm, a parameter, a field, a
//! variant or an argument.
//!
//! The Rust Reference, "Attributes" and "Conditional compilation".

mod element;
mod generic;
mod things;

use self::element::element;
use self::things::{Thing, closes, reader, thing};
use super::syntax::{Reader, Syntax};

/// The end of the code to which the inner attribute `#![…]` before `at` applies: the rest of the block or file.
pub(super) fn end_of_inner(rust: &'static Syntax, text: &str, at: usize) -> usize {
    let mut reader = reader(rust, text, at);
    while !reader.scanner.at_end() && !closes(&reader) {
        reader.pass();
    }
    reader.scanner.at
}

/// The end of the code to which the attribute with its brackets at `open` applies.
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
    // Items are not elements of lists.
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
