//! LLVM IR: `call i16 asm sideeffect "…", "=h,f,f"(…)`, and `llvm.inline_asm … "…", "…"` of MLIR.
//!
//! LLVM Language Reference, "Inline Assembler Expressions". In its strings `\0A` is a character by its number.

use super::Assembly;
use super::constraint::Constraints;
use super::guard::{Guard, Guards};
use super::scan::Scanner;
use super::text::Joined;
use crate::source::Span;

/// Every expression.
pub(super) fn assemblies(text: &str) -> Vec<Assembly> {
    let mut scanner = Scanner::new(text);
    let mut found = Vec::new();
    let guards = module_target(text);
    while !scanner.at_end() {
        let start = scanner.at;
        match scanner.peek() {
            b';' => end_of_line(&mut scanner),
            b'/' if scanner.starts_with("//") => end_of_line(&mut scanner),
            b'"' => drop(scanner.skip_string(b'"')),
            byte if Scanner::is_word(byte) => {
                let word = scanner.word();
                if matches!(word, "asm" | "inline_asm") {
                    found.extend(expression(&mut scanner, start, &guards));
                }
            }
            _ => scanner.at += 1,
        }
    }
    found
}

fn end_of_line(scanner: &mut Scanner<'_>) {
    while !scanner.at_end() && scanner.peek() != b'\n' {
        scanner.at += 1;
    }
}

/// What stands after the word, as far as it is an assembly and its constraints.
fn expression(scanner: &mut Scanner<'_>, start: usize, guards: &Guards) -> Option<Assembly> {
    let blanks = |scanner: &mut Scanner<'_>| {
        while scanner.peek().is_ascii_whitespace() {
            scanner.at += 1;
        }
    };
    loop {
        blanks(scanner);
        let attribute = matches!(scanner.peek(), b'=') && scanner.take(b'=');
        if !attribute && scanner.word().is_empty() {
            break;
        }
    }
    if scanner.peek() != b'"' {
        return None;
    }
    let mut joined = Joined::default();
    let from = scanner.at + 1;
    let end = string_end(scanner);
    unescape(scanner.text, from, end, &mut joined);
    blanks(scanner);
    let mut constraints = Constraints::default();
    let complete = scanner.take(b',');
    blanks(scanner);
    if complete && scanner.peek() == b'"' {
        let from = scanner.at + 1;
        let end = string_end(scanner);
        constraints.push_list(&scanner.text[from..end], from, &mut joined);
    } else {
        constraints.unknown = true;
    }
    let span = Span::new(start as u32, scanner.at as u32);
    Some(Assembly::new(joined, constraints, guards.clone(), span, true).llvm())
}

/// Passes a string: a backslash escapes no quote in LLVM's, which writes `\22`, but does in MLIR's.
fn string_end(scanner: &mut Scanner<'_>) -> usize {
    scanner.skip_string(b'"')
}

/// `\0A` and `\n`.
fn unescape(text: &str, start: usize, end: usize, joined: &mut Joined) {
    let mut from = start;
    while let Some(n) = text[from..end].find('\\') {
        joined.push(&text[from..from + n], from);
        let at = from + n;
        let hexadecimal = text.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let (length, stands_for) = match (hexadecimal, text.as_bytes().get(at + 1)) {
            (Some(byte), _) if byte.is_ascii() => (3, char::from(byte).to_string()),
            (None, Some(b'n')) => (2, "\n".to_owned()),
            (None, Some(b't')) => (2, "\t".to_owned()),
            _ => (2, " ".to_owned()),
        };
        let next = (at + length).min(end);
        joined.push_as(&stands_for, Span::new(at as u32, next as u32));
        from = next;
        while from < end && !text.is_char_boundary(from) {
            from += 1;
        }
    }
    joined.push(&text[from..end], from);
}

/// `"target-cpu"="sm_90"`, where all functions of a module have the same.
fn module_target(text: &str) -> Guards {
    let mut targets = text.match_indices("\"target-cpu\"=\"sm_").map(|(at, _)| {
        let name = &text[at + "\"target-cpu\"=\"".len()..];
        name[..name.find('"').unwrap_or(0)].parse().ok()
    });
    match targets.next() {
        Some(Some(first)) if targets.all(|target| target == Some(first)) => {
            vec![Guard { target: Some(first), ..Guard::default() }]
        }
        _ => Vec::new(),
    }
}
