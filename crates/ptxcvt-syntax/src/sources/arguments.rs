//! The arguments of a macro: `!("{{ … {0}, {x} }}", out(reg32) d, x = in(reg32) a)`. The strings are joined by line
//! ends.
//!
//! The Rust Reference, "Inline assembly". The register classes of nvptx are `reg16`, `reg32` and `reg64`; constraint
//! letters in quotes are read as well.

use super::constraint::{AsmOperand, Operands};
use super::scan::Scanner;
use super::syntax::Reader;
use super::text::{HOLE, Joined};
use crate::check::Words;
use crate::source::Span;

/// Reads the strings and operands after the name of a macro. Returns the text with `%0` for `{0}`, the operands, and
/// whether the end was found. `None` if this is not a call with a string.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<(Joined, Operands, bool)> {
    reader.scanner.take(b'!');
    reader.blanks();
    let close = match reader.scanner.peek() {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        _ => return None,
    };
    reader.scanner.step();
    let mut template = Joined::default();
    let mut found: Vec<AsmOperand> = Vec::new();
    let mut operands = Operands::default();
    let (mut complete, mut has_letters) = (false, false);
    while !reader.scanner.at_end() {
        reader.blanks();
        if reader.scanner.take(close) {
            complete = true;
            break;
        }
        if reader.scanner.take(b',') {
            continue;
        }
        let begin = reader.scanner.at;
        // A string before `(` is a constraint.
        let letters = !template.text.is_empty() && reader.scanner.peek() == b'"' && {
            let mut next = Scanner { text: reader.scanner.text, at: begin };
            next.skip_string(b'"');
            next.peek() == b'('
        };
        if let Some(part) = (found.is_empty() && !letters).then(|| part(reader, 0)).flatten() {
            if !template.text.is_empty() {
                template.push_as("\n", Span::new(begin as u32, begin as u32));
            }
            template.append_all(&part);
            continue;
        }
        match operand(reader) {
            Read::Operand(operand) => {
                // Constraint letters in quotes.
                has_letters |= reader.scanner.text[operand.span.range()].contains('"');
                found.push(operand);
            }
            Read::Option => {}
            // An unknown class, or something that cannot be an argument of the macro.
            Read::Unknown => {
                operands.unknown = true;
                if template.text.is_empty() {
                    template.push_as(HOLE, Span::new(begin as u32, reader.scanner.at as u32));
                }
            }
        }
        while !reader.scanner.at_end() && reader.scanner.peek() != b',' && reader.scanner.peek() != close {
            reader.pass();
            reader.blanks();
        }
    }
    if template.text.is_empty() {
        return None;
    }
    let names: Vec<Option<String>> = found.iter().map(|operand| operand.name.clone()).collect();
    let is_known = !operands.unknown && !found.is_empty();
    let mut joined = placeholders(&template, &names, is_known);
    operands.words = if has_letters { Words::Constraints } else { Words::Rust };
    found.into_iter().for_each(|operand| operands.push(operand, &mut joined));
    Some((joined, operands, complete))
}

/// Limit on the nesting of `concat!`.
const MAX_DEPTH: u32 = 100;

/// Reads a part of the template: a string, `concat!(…)` of such parts, or another macro, whose text is unknown.
fn part(reader: &mut Reader<'_>, depth: u32) -> Option<Joined> {
    if let Some(string) = reader.string() {
        return Some(string);
    }
    let begin = reader.scanner.at;
    let word = reader.scanner.word();
    if word.is_empty() || !reader.scanner.take(b'!') {
        reader.scanner.at = begin;
        return None;
    }
    reader.blanks();
    let mut joined = Joined::default();
    if word != "concat" || depth == MAX_DEPTH || !reader.scanner.take(b'(') {
        reader.pass();
        joined.push_as(HOLE, Span::new(begin as u32, reader.scanner.at as u32));
        return Some(joined);
    }
    reader.blanks();
    while !reader.scanner.at_end() && !reader.scanner.take(b')') {
        let begin = reader.scanner.at;
        match part(reader, depth + 1) {
            Some(part) => joined.append_all(&part),
            None if reader.scanner.take(b',') => {}
            // A number or a character.
            None => {
                reader.pass();
                joined.push_as(HOLE, Span::new(begin as u32, reader.scanner.at as u32));
            }
        }
        reader.blanks();
    }
    Some(joined)
}

enum Read {
    Operand(AsmOperand),
    /// `options(…)`, a clobber.
    Option,
    Unknown,
}

/// Reads `x = in(reg32) value`, `out("=r") value` or `"r"(value)`, up to its value.
fn operand(reader: &mut Reader<'_>) -> Read {
    let mut start = reader.scanner.at;
    let quoted = |reader: &mut Reader<'_>| -> String {
        let from = reader.scanner.at + 1;
        let end = reader.scanner.skip_string(b'"');
        reader.scanner.text[from..end].to_owned()
    };
    if reader.scanner.peek() == b'"' {
        let letters = quoted(reader);
        let span = Span::new(start as u32, reader.scanner.at as u32);
        return Read::Operand(AsmOperand { letters, name: None, expression: String::new(), span });
    }
    let mut word = reader.scanner.word();
    reader.blanks();
    let mut name = None;
    if reader.scanner.peek() == b'=' && !reader.scanner.starts_with("==") {
        reader.scanner.step();
        reader.blanks();
        name = Some(word.to_owned());
        start = reader.scanner.at;
        word = reader.scanner.word();
        reader.blanks();
    }
    let output = match word {
        "in" => "",
        "out" | "lateout" => "=",
        "inout" | "inlateout" => "+",
        "options" | "clobber_abi" | "clobber" => return Read::Option,
        "const" => {
            let span = Span::new(start as u32, reader.scanner.at as u32);
            return Read::Operand(AsmOperand {
                letters: "n".to_owned(),
                name,
                expression: String::new(),
                span,
            });
        }
        _ => return Read::Unknown,
    };
    if !reader.scanner.take(b'(') {
        return Read::Unknown;
    }
    reader.blanks();
    let class = if reader.scanner.peek() == b'"' { quoted(reader) } else { reader.scanner.word().to_owned() };
    reader.blanks();
    reader.scanner.take(b')');
    let letter = match &*class {
        "reg16" => "h",
        "reg32" => "r",
        "reg64" => "l",
        letters => letters.trim_start_matches(['=', '+']),
    };
    let span = Span::new(start as u32, reader.scanner.at as u32);
    let letters = format!("{output}{letter}");
    Read::Operand(AsmOperand { letters, name, expression: String::new(), span })
}

/// The text with `%0` for `{0}`, `{}` and `{name}`, and single braces for double ones. If the operands are known, a
/// name that no operand has becomes `%[name]`.
fn placeholders(template: &Joined, names: &[Option<String>], is_known: bool) -> Joined {
    let text = &template.text;
    let mut joined = Joined::default();
    let (mut from, mut next) = (0, 0);
    let push = |joined: &mut Joined, from: &mut usize, at: usize, to: usize, what: &str| {
        joined.append(template, *from..at);
        joined.push_as(what, template.locate(Span::new(at as u32, to as u32)));
        *from = to;
    };
    let mut at = 0;
    while let Some(n) = text[at..].find(['{', '}']) {
        let here = at + n;
        let brace = &text[here..here + 1];
        if text[here + 1..].starts_with(brace) {
            push(&mut joined, &mut from, here, here + 2, brace);
            at = here + 2;
            continue;
        }
        let end = text[here + 1..].find('}').map(|n| here + 1 + n);
        let inner = end.map_or("", |end| &text[here + 1..end]);
        let inner = inner.split_once(':').map_or(inner, |(name, _)| name);
        let plain = inner.bytes().all(Scanner::is_word);
        let (Some(end), true, "{") = (end, plain, brace) else {
            at = here + 1;
            continue;
        };
        let number = match inner {
            "" => {
                next += 1;
                Some(next - 1)
            }
            _ if inner.bytes().all(|b| b.is_ascii_digit()) => inner.parse().ok(),
            _ => names.iter().position(|name| name.as_deref() == Some(inner)),
        };
        // Inside a word such as an opcode, the operand's text becomes part of the word: `f{n}` with `n = const 16`.
        let is_part =
            |byte: Option<u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || b"_.:".contains(&b));
        let within = is_part(text[..here].bytes().next_back()) || is_part(text[end + 1..].bytes().next());
        let what = match number {
            _ if within => HOLE.to_owned(),
            Some(number) => format!("%{number}"),
            None if is_known => format!("%[{inner}]"),
            None => HOLE.to_owned(),
        };
        push(&mut joined, &mut from, here, end + 1, &what);
        at = end + 1;
    }
    joined.append(template, from..text.len());
    joined
}
