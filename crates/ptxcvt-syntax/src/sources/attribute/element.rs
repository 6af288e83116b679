//! Finds the end of a Rust match arm, expression, field, variant, parameter or argument.
//!
//! The Rust Reference, "Match expressions", "Expression statements" and "Struct expressions".

use super::super::scan::Scanner;
use super::super::syntax::Reader;
use super::generic;
use super::things::{Thing, closes, next, thing};

/// The kind of the part that was skipped last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// `::`
    Path,
    /// `->` or `=>`
    Arrow,
    /// `move`
    Move,
    /// `unsafe`, `async` or `const`, whose block is an expression.
    Prefix,
    /// `as`, after which a type begins.
    As,
    Word,
    Byte(u8),
}

/// The blocks that may end an expression: `if a { … } else { … }`.
#[derive(Clone, Copy, Default)]
struct Blocks {
    /// True if the expression ends with its blocks.
    end: bool,
    /// The number of bodies of `if`, `match`, `while` and `for` still to come.
    bodies: u32,
    /// True inside a pattern, between `let` and `=` or between `for` and `in`, whose braces are not blocks.
    pattern: bool,
}

impl Blocks {
    fn word(&mut self, word: &str) {
        match word {
            "if" | "match" | "while" => self.bodies += 1,
            "for" => (self.bodies, self.pattern) = (self.bodies + 1, true),
            "let" => self.pattern = true,
            "in" => self.pattern = false,
            _ => {}
        }
    }

    /// Records a skipped block. True if it may be the last one.
    fn block(&mut self, last: Last) -> bool {
        if !self.end || self.pattern || (self.bodies > 0 && last == Last::Prefix) {
            return false;
        }
        self.bodies = self.bodies.saturating_sub(1);
        self.bodies == 0
    }
}

/// Skips an element of a list in brackets or braces, an arm, or an expression. `ends_with_blocks`: it is a statement
/// that ends with its blocks. `before` is the byte before its attribute.
pub(super) fn element(reader: &mut Reader<'_>, ends_with_blocks: bool, before: u8) {
    let mut blocks = Blocks { end: ends_with_blocks, ..Blocks::default() };
    // Angle brackets are brackets only in types.
    let mut in_type = false;
    let mut last = Last::Byte(before);
    while !reader.scanner.at_end() && !closes(reader) {
        let first = reader.scanner.peek();
        if first.is_ascii_whitespace() {
            reader.scanner.step();
            continue;
        }
        let is_arrow = reader.scanner.starts_with("=>");
        let is_path = reader.scanner.starts_with("::");
        if is_arrow || is_path || reader.scanner.starts_with("->") {
            reader.scanner.at += 2;
            if is_arrow {
                let after = reader.scanner.at;
                reader.blanks();
                let end = matches!(thing(reader, true), Thing::Blocks | Thing::Block);
                reader.scanner.at = after;
                (blocks, in_type) = (Blocks { end, ..Blocks::default() }, false);
            }
            last = if is_path { Last::Path } else { Last::Arrow };
            continue;
        }
        match first {
            b':' => in_type = true,
            b'=' => {
                in_type = false;
                blocks.pattern &= reader.scanner.starts_with("==") || last == Last::Byte(b'.');
            }
            b'<' if opens_generic(reader, last, in_type) && generic::skip(reader) => {
                last = Last::Byte(b'>');
                continue;
            }
            // The end of the parameters of a generic item.
            b'>' if before == b'<' => return,
            // The end of the parameters of a closure.
            b'|' if before == b'|' => return,
            // The parameters of a closure.
            b'|' if matches!(last, Last::Arrow | Last::Move | Last::Byte(b'(' | b'=' | b',')) => {
                parameters(reader);
                last = Last::Byte(b'|');
                continue;
            }
            _ => {}
        }
        let start = reader.scanner.at;
        let is_comment = reader.scanner.starts_with("//") || reader.scanner.starts_with("/*");
        reader.pass();
        if is_comment {
            continue;
        }
        let previous = last;
        last = match &reader.scanner.text[start..reader.scanner.at] {
            "move" => Last::Move,
            "as" => Last::As,
            "unsafe" | "async" | "const" => Last::Prefix,
            // A group.
            _ if matches!(first, b'(' | b'[' | b'{') => Last::Word,
            word if Scanner::is_word(first) => {
                blocks.word(word);
                Last::Word
            }
            _ => Last::Byte(first),
        };
        in_type |= last == Last::As;
        match first {
            b';' | b',' => return,
            b'{' => {
                let is_macro = reader.scanner.text[..start].trim_end().ends_with('!');
                if (blocks.block(previous) || is_macro) && !goes_on(reader) {
                    return;
                }
            }
            _ => {}
        }
    }
}

/// Skips the parameters of a closure, or only the `|` before the first pattern of an arm.
fn parameters(reader: &mut Reader<'_>) {
    reader.scanner.step();
    let start = reader.scanner.at;
    while !reader.scanner.at_end() && !closes(reader) && !reader.scanner.take(b'|') {
        if reader.scanner.starts_with("=>") {
            reader.scanner.at = start;
            return;
        }
        reader.pass();
    }
}

/// True if a `<` here begins generic arguments.
fn opens_generic(reader: &Reader<'_>, last: Last, in_type: bool) -> bool {
    match last {
        // `Vec::<A>`, and `<A as B>::C` where an expression or a type begins.
        Last::Path | Last::Arrow | Last::As | Last::Byte(b',' | b'(' | b'[' | b'{' | b'=' | b':' | b'&') => {
            true
        }
        _ => in_type && generic::is_type(reader),
    }
}

/// True if the expression or pattern continues after a block. If not, skips the comma after it.
fn goes_on(reader: &mut Reader<'_>) -> bool {
    let end = reader.scanner.at;
    reader.blanks();
    let goes_on = match reader.scanner.peek() {
        b'.' => !reader.scanner.starts_with(".."),
        b'?' => true,
        b'=' => reader.scanner.starts_with("=>"),
        _ => reader.scanner.word() == "else",
    };
    reader.scanner.at = end;
    if !goes_on && next(reader) == b',' {
        reader.blanks();
        reader.scanner.step();
    }
    goes_on
}
