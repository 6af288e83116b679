//! LLVM IR: `call i16 asm sideeffect "…", "=h,f,f"(…)`, and `llvm.inline_asm … "…", "…"` of MLIR.
//!
//! LLVM Language Reference, "Inline Assembler Expressions". In its strings `\0A` is a character by its number.

use super::assembly::Assembly;
use super::constraint::Operands;
use super::escape::{Escapes, unescape};
use super::guard::Guards;
use super::scan::Scanner;
use super::text::{Joined, mentions};
use crate::source::Span;

/// Every assembly.
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

/// The rest after the word, if it is an assembly with its operands.
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
    unescape(scanner.text, from, end, Escapes::Llvm, &mut joined);
    blanks(scanner);
    let mut operands = Operands::default();
    let complete = scanner.take(b',');
    blanks(scanner);
    if complete && scanner.peek() == b'"' {
        let from = scanner.at + 1;
        let end = string_end(scanner);
        operands.push_list(&scanner.text[from..end], from, &mut joined);
    } else {
        operands.unknown = true;
    }
    let span = Span::new(start as u32, scanner.at as u32);
    Some(Assembly::new(joined, operands, guards.clone(), span, true).llvm())
}

/// Skips a string. A backslash before a quote escapes it in MLIR; LLVM IR has `\22` for a quote and no such escape.
fn string_end(scanner: &mut Scanner<'_>) -> usize {
    scanner.skip_string(b'"')
}

/// Every string literal outside comments, with its escapes decoded.
pub(super) fn strings(text: &str) -> Vec<Joined> {
    let mut scanner = Scanner::new(text);
    let mut found = Vec::new();
    while !scanner.at_end() {
        match scanner.peek() {
            b';' => end_of_line(&mut scanner),
            b'/' if scanner.starts_with("//") => end_of_line(&mut scanner),
            b'"' => {
                let from = scanner.at + 1;
                let end = scanner.skip_string(b'"');
                let mut joined = Joined::default();
                unescape(text, from, end, Escapes::Llvm, &mut joined);
                if mentions(&joined.text).next().is_some() {
                    found.push(joined);
                }
            }
            _ => scanner.at += 1,
        }
    }
    found
}

/// The target of `"target-cpu"="sm_90"`, if all functions of a module have the same one.
fn module_target(text: &str) -> Guards {
    let mut targets = text.match_indices("\"target-cpu\"=\"sm_").map(|(at, _)| {
        let name = &text[at + "\"target-cpu\"=\"".len()..];
        name[..name.find('"').unwrap_or(0)].parse().ok()
    });
    match targets.next() {
        Some(Some(first)) if targets.all(|target| target == Some(first)) => Guards::target(first),
        _ => Guards::none(),
    }
}
