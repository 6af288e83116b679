//! Rust: its string literals only. Inline assembly in Rust is not read, but its conversions are counted.
//!
//! The Rust Reference, "String literals" and "Raw string literals".

use super::escape::{Escapes, unescape};
use super::scan::Scanner;
use super::text::{Joined, mentions};

/// Every string literal outside comments, with its escapes decoded.
pub(super) fn strings(text: &str) -> Vec<Joined> {
    let mut scanner = Scanner::new(text);
    let mut found = Vec::new();
    while !scanner.at_end() {
        let mut joined = Joined::default();
        match scanner.peek() {
            // Unlike in C, a backslash at its end joins no line to it.
            b'/' if scanner.starts_with("//") => {
                let end = scanner.rest().iter().position(|b| *b == b'\n');
                scanner.at += end.unwrap_or(scanner.rest().len());
            }
            b'/' => drop(scanner.c_comment()),
            b'"' => {
                let start = scanner.at + 1;
                let end = end_of_string(&mut scanner);
                unescape(text, start, end, Escapes::C, &mut joined);
            }
            // A character, or a lifetime, which has no closing quote.
            b'\'' => match scanner.rest() {
                [_, b'\\', _, ..] => scanner.at += 3,
                [_, _, b'\'', ..] => scanner.at += 3,
                _ => scanner.at += 1,
            },
            byte if Scanner::is_word(byte) => {
                let word = scanner.word();
                if matches!(word, "r" | "br" | "cr") {
                    raw(&mut scanner, &mut joined);
                }
            }
            _ => scanner.at += 1,
        }
        if mentions(&joined.text).next().is_some() {
            found.push(joined);
        }
    }
    found
}

/// Skips a string, which may have several lines. Returns where its closing quote is.
fn end_of_string(scanner: &mut Scanner<'_>) -> usize {
    scanner.at += 1;
    while !scanner.at_end() && scanner.peek() != b'"' {
        scanner.at += if scanner.peek() == b'\\' { 2 } else { 1 };
    }
    let end = scanner.at.min(scanner.text.len());
    scanner.at = (end + 1).min(scanner.text.len());
    end
}

/// Reads the part of `r#"…"#` after the `r`, if it is such a string.
fn raw(scanner: &mut Scanner<'_>, joined: &mut Joined) {
    let hashes = scanner.rest().iter().take_while(|b| **b == b'#').count();
    if scanner.rest().get(hashes) != Some(&b'"') {
        return;
    }
    let start = scanner.at + hashes + 1;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = scanner.text[start..].find(&close).map_or(scanner.text.len(), |n| start + n);
    joined.push(&scanner.text[start..end], start);
    scanner.at = (end + close.len()).min(scanner.text.len());
}
