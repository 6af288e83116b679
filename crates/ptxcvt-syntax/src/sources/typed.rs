//! Operands with types: `ro(%a, %b : f32, f32) rw(%c : i32) -> i16` of `nvvm.inline_ptx`. Their placeholders are
//! `{$r0}`, `{$rw0}` and `{$w0}`, or numbers (`$0`). Numbers count the `rw` operands, then results, then `ro` operands,
//! because LLVM counts outputs first.
//!
//! MLIR, "'nvvm' Dialect", `nvvm.inline_ptx`.

use super::constraint::{AsmOperand, Operands};
use super::scan::Scanner;
use super::text::Joined;
use crate::check::Words;
use crate::source::Span;

/// The constraint for an MLIR type or a class of the CuTe DSL. `None` if the type does not determine a register.
pub(super) fn letter(ty: &str) -> Option<&'static str> {
    Some(match ty {
        "i1" | "Boolean" => "b",
        "i16" | "f16" | "bf16" | "Int16" | "Uint16" | "Float16" | "BFloat16" => "h",
        "i32" | "Int32" | "Uint32" => "r",
        "i64" | "Int64" | "Uint64" => "l",
        "i128" => "q",
        "f32" | "Float32" => "f",
        "f64" | "Float64" => "d",
        _ => return None,
    })
}

/// Adds operands with these types. Their names are the group and a number.
pub(super) fn push(
    words: Words,
    group: &str,
    types: &[(&str, Span)],
    joined: &mut Joined,
    operands: &mut Operands,
) {
    operands.words = words;
    for (number, (ty, span)) in types.iter().enumerate() {
        // An operand of unknown type is accepted everywhere.
        let letters = letter(ty).unwrap_or_default().to_owned();
        let name = Some(format!("{group}{number}"));
        let (expression, span) = ((*ty).to_owned(), *span);
        operands.push(AsmOperand { letters, name, expression, span }, joined);
    }
}

/// Reads the operands after the string of an assembly.
pub(super) fn read(scanner: &mut Scanner<'_>, joined: &mut Joined, operands: &mut Operands) {
    let [mut both, mut results, mut only_read] = [const { Vec::new() }; 3];
    loop {
        blanks(scanner);
        let before = scanner.at;
        let word = scanner.word();
        blanks(scanner);
        if matches!(word, "ro" | "rw") && scanner.peek() == b'(' {
            let open = scanner.at;
            scanner.skip_group();
            let inner = scanner.content(open);
            let types = inner.find(':').map_or(inner.len(), |n| n + 1);
            let from = open + 1 + types;
            let group = if word == "ro" { &mut only_read } else { &mut both };
            group.extend(list(&inner[types..], from));
        } else if word.is_empty() && scanner.starts_with("->") {
            scanner.at += 2;
            blanks(scanner);
            let from = scanner.at + usize::from(scanner.peek() == b'(');
            if scanner.peek() == b'(' {
                scanner.skip_group();
            } else {
                // `-> i32, f32`
                loop {
                    while !scanner.at_end() && !scanner.peek().is_ascii_whitespace() {
                        scanner.step();
                    }
                    let end = scanner.at;
                    blanks(scanner);
                    let goes_on = scanner.text[..end].ends_with(',') || scanner.peek() == b',';
                    if !goes_on || scanner.at_end() {
                        scanner.at = end;
                        break;
                    }
                }
            }
            let to = scanner.at.max(from);
            let text = scanner.text[from..to].trim_end_matches(')');
            results = list(text, from);
            break;
        } else if scanner.starts_with(",") {
            // A predicate: `, @%p`, or `, predicate = %p`.
            scanner.step();
        } else if word == "predicate" && scanner.take(b'=') {
            blanks(scanner);
            // A value: `%p`, `%0#1`.
            while scanner.take(b'%') || scanner.take(b'#') {
                scanner.word();
            }
        } else if word.is_empty() && scanner.peek() == b'{' {
            // Attributes.
            scanner.skip_group();
        } else if scanner.starts_with("@%") {
            scanner.at += 2;
            scanner.word();
        } else {
            scanner.at = before;
            break;
        }
    }
    for (group, types) in [("rw", &both), ("w", &results), ("r", &only_read)] {
        push(Words::Mlir, group, types, joined, operands);
    }
}

fn blanks(scanner: &mut Scanner<'_>) {
    while scanner.peek().is_ascii_whitespace() {
        scanner.step();
    }
}

/// The items between commas, with their places.
fn list(text: &str, from: usize) -> Vec<(&str, Span)> {
    let mut at = from;
    let mut found = Vec::new();
    for item in text.split(',') {
        let start = at + (item.len() - item.trim_start().len());
        let word = item.trim();
        if !word.is_empty() {
            found.push((word, Span::new(start as u32, (start + word.len()) as u32)));
        }
        at += item.len() + 1;
    }
    found
}
