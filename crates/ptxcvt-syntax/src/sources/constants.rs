//! Operands with the constraint `C`: the text of a constant array of characters, which the compiler puts in place of
//! `%0`, as in `asm("cvt%0.f16.f32 %1, %2;" :: "C"(mode), …)`.
//!
//! The CUDA guide "Inline PTX Assembly in CUDA", section "Constraints".

use super::constraint::{Constraint, ConstraintKind, Operands};
use super::literal::{self, skip};
use super::scan::Scanner;
use super::text::{HOLE, Joined};
use crate::source::Span;

/// Puts the texts of these operands in place of their placeholders; one that the file does not define once is unknown.
pub(super) fn splice(text: &str, joined: &mut Joined, operands: &mut Operands) {
    let is_text = |letters: &str| matches!(Constraint::of(letters).kind, ConstraintKind::Text);
    if !operands.written.iter().any(|operand| is_text(&operand.letters)) {
        return;
    }
    let template = joined.text.clone();
    let (mut spliced, mut from) = (Joined::default(), 0);
    for (at, _) in template.match_indices('%').filter(|(at, _)| !escaped(&template[..*at])) {
        let Some((number, length)) = placeholder(&template[at + 1..], operands) else { continue };
        let Some(operand) = operands.written.get(number).filter(|operand| is_text(&operand.letters)) else {
            continue;
        };
        spliced.append(joined, from..at);
        match array(text, &operand.expression) {
            Some(value) => spliced.append_all(&value),
            None => spliced.push_as(HOLE, joined.locate(Span::new(at as u32, (at + 1 + length) as u32))),
        }
        from = at + 1 + length;
    }
    spliced.append(joined, from..template.len());
    *joined = spliced;
    *operands = std::mem::take(operands).after(joined);
}

/// True after an odd number of percent signs: `%%` is one of PTX.
fn escaped(before: &str) -> bool {
    before.bytes().rev().take_while(|byte| *byte == b'%').count() % 2 == 1
}

/// The operand of a placeholder, from after its `%` on, and the length of the rest.
fn placeholder(rest: &str, operands: &Operands) -> Option<(usize, usize)> {
    if let Some(inner) = rest.strip_prefix('[') {
        let name = inner.split_once(']')?.0;
        let number = operands.written.iter().position(|operand| operand.name.as_deref() == Some(name))?;
        return Some((number, name.len() + 2));
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    Some((rest[..digits].parse().ok()?, digits))
}

/// The text of an array of characters, if the file defines one with this name, and only one.
fn array(text: &str, name: &str) -> Option<Joined> {
    let (mut scanner, mut found) = (Scanner::new(text), None);
    while !scanner.at_end() {
        if !Scanner::is_word(scanner.peek()) || scanner.peek().is_ascii_digit() {
            skip(&mut scanner);
            continue;
        }
        let start = scanner.at;
        if scanner.word() != name {
            scanner.at = start;
            skip(&mut scanner);
            continue;
        }
        scanner.c_blanks();
        if scanner.peek() != b'[' {
            continue;
        }
        scanner.skip_group();
        scanner.c_blanks();
        if scanner.peek() != b'=' || scanner.starts_with("==") {
            continue;
        }
        scanner.step();
        scanner.c_blanks();
        if found.is_some() {
            return None;
        }
        let value = literal::adjacent(&mut scanner);
        scanner.c_blanks();
        let known = value.whole && matches!(scanner.peek(), b';' | b',') && !value.joined.text.contains(HOLE);
        found = Some(Some(value.joined).filter(|_| known));
    }
    found.flatten()
}
