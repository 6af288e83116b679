//! The tokens of Python, TOML, JSON, Lua and Meson, with the brackets around each.

use crate::identifier::is_part_char;

/// The kind of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string. An f-string has `${}` in place of each inserted value.
    String(String),
    Word,
    /// A bracket, an operator or a comma: one character, or two for `==`, `!=`, `..`, `+=`, `:=`, `<=` and `>=`.
    Mark,
    /// The end of a line outside of brackets, with the blanks at the beginning of the next line.
    Line,
}

#[derive(Clone, Debug)]
pub struct Token<'t> {
    pub kind: Kind,
    pub text: &'t str,
    /// The bracket around it, by its index.
    pub open: Option<usize>,
}

/// In place of a value that a program inserts into a text.
pub const VALUE: &str = "${}";

/// The tokens of a text. `#` begins comments in Python, TOML and Meson.
pub fn tokens(text: &str, hash: bool) -> Vec<Token<'_>> {
    let mut all: Vec<Token<'_>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_word = |c: char| is_part_char(c) && c != '$';
        let (kind, length) = match c {
            '#' if hash => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '\\' if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") => {
                at += rest.find('\n').map_or(1, |end| end + 1);
                continue;
            }
            '\n' if open.is_empty() => {
                (Kind::Line, rest.len() - rest[1..].trim_start_matches([' ', '\t']).len())
            }
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            '"' | '\'' => string(rest, ""),
            c if is_word(c) => {
                let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
                let quoted = rest[word.len()..].starts_with(['"', '\'']);
                let is_prefix = word.len() <= 2 && word.chars().all(|c| "rbfuRBFU".contains(c));
                if quoted && is_prefix {
                    let (kind, length) = string(&rest[word.len()..], word);
                    (kind, word.len() + length)
                } else {
                    (Kind::Word, word.len())
                }
            }
            _ => {
                let two =
                    ["==", "!=", "..", "+=", ":=", "<=", ">="].iter().any(|mark| rest.starts_with(mark));
                (Kind::Mark, if two { 2 } else { c.len_utf8() })
            }
        };
        if kind == Kind::Mark && matches!(c, ')' | ']' | '}') {
            open.pop();
        }
        all.push(Token { kind, text: &rest[..length], open: open.last().copied() });
        if all.last().is_some_and(|token| token.kind == Kind::Mark && matches!(c, '(' | '[' | '{')) {
            open.push(all.len() - 1);
        }
        at += length;
    }
    all
}

/// The string at the beginning of a text, and its length.
fn string(text: &str, prefix: &str) -> (Kind, usize) {
    let quote = &text[..1];
    let triple = quote.repeat(3);
    let close = if text.starts_with(&triple) { &triple } else { quote };
    let mut end = close.len();
    while let Some(c) = text[end..].chars().next() {
        // A quote without an end, such as an apostrophe.
        if text[end..].starts_with(close) || (c == '\n' && close.len() == 1) {
            break;
        }
        end += c.len_utf8();
        if c == '\\' {
            end += text[end..].chars().next().map_or(0, char::len_utf8);
        }
    }
    let content = &text[close.len()..end];
    let formatted = prefix.contains(['f', 'F']);
    let content = if formatted { inserted(content) } else { content.to_owned() };
    let closed = text[end..].starts_with(close);
    (Kind::String(content), end + if closed { close.len() } else { 0 })
}

/// A template of Python with [`VALUE`] for each `{…}`.
pub fn inserted(template: &str) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        text += &rest[..at];
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if rest.starts_with(brace) {
            text += brace;
            rest = &rest[1..];
        } else if brace == "{" {
            text += VALUE;
            rest = rest.find('}').map_or("", |end| &rest[end + 1..]);
        }
    }
    text + rest
}

/// A template of Python with [`VALUE`] for each `%s`.
pub fn percent(template: &str) -> String {
    let mut parts = template.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let part =
            if part.starts_with('(') { part.split_once(')').map_or("", |(_, rest)| rest) } else { part };
        let mut rest = part.chars();
        rest.next();
        text += VALUE;
        text += rest.as_str();
    }
    text
}
