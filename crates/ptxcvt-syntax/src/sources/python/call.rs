//! The arguments of a call of inline assembly: a string or a name for the assembly, and one for the constraints.
//!
//! The Python Language Reference, "Calls".

use super::super::assembly::Assembly;
use super::super::constraint::Operands;
use super::super::guard::Guards;
use super::super::text::HOLE;
use super::literals::{Literals, Tokens};
use super::names::Names;
use crate::source::Span;

/// An argument of a call.
enum Argument<'s> {
    Strings(Literals),
    /// A name that may be bound to a string.
    Name(&'s str),
}

/// Reads the arguments of a call whose name begins at `start`, from its `(` on. Returns an assembly for each
/// combination of the strings that its names may stand for.
pub(super) fn call<'s>(tokens: &mut Tokens<'s>, names: &Names<'s>, start: usize) -> Vec<Assembly> {
    tokens.scanner.at += 1;
    let (mut assembly, mut constraints) = (None, None);
    loop {
        tokens.blanks(true);
        if tokens.scanner.at_end() || tokens.scanner.take(b')') {
            break;
        }
        let argument = tokens.scanner.at;
        let word = tokens.scanner.word();
        tokens.blanks(true);
        let keyword = tokens.scanner.peek() == b'=' && !tokens.scanner.starts_with("==");
        if keyword {
            tokens.scanner.at += 1;
            tokens.blanks(true);
        } else {
            tokens.scanner.at = argument;
        }
        let slot = match (keyword, word) {
            (true, "asm" | "asm_str" | "asm_string") => Some(&mut assembly),
            (true, "constraints") => Some(&mut constraints),
            (true, _) => None,
            _ if assembly.is_none() => Some(&mut assembly),
            _ if constraints.is_none() => Some(&mut constraints),
            _ => None,
        };
        if let Some(slot) = slot {
            // A string with an operator is only a part of the argument, and is not judged.
            let value = value(tokens, names);
            *slot = value.filter(|_| tokens.ends_argument());
        }
        // The rest after the value: an operator, a call.
        while !tokens.scanner.at_end() && !matches!(tokens.scanner.peek(), b',' | b')') {
            tokens.pass();
        }
        tokens.scanner.take(b',');
    }
    let span = Span::new(start as u32, tokens.scanner.at as u32);
    let Some(assembly) = assembly else { return Vec::new() };
    let mut used = Vec::new();
    for argument in [Some(&assembly), constraints.as_ref()].into_iter().flatten() {
        if let Argument::Name(name) = argument {
            used.push(*name);
        }
    }
    let mut found = Vec::new();
    for values in names.values(&used) {
        let mut values = values.into_iter();
        let text = strings_of(tokens, &assembly, &mut values);
        let list = constraints.as_ref().and_then(|argument| strings_of(tokens, argument, &mut values));
        if let Some(text) = text {
            found.push(assembled(text, list, span));
        }
    }
    found
}

/// The strings of an argument; for a name, those at the next of `values`.
fn strings_of(
    tokens: &mut Tokens<'_>,
    argument: &Argument<'_>,
    values: &mut impl Iterator<Item = Option<usize>>,
) -> Option<Literals> {
    match argument {
        Argument::Strings(literals) => Some(literals.clone()),
        Argument::Name(_) => {
            let from = values.next().flatten()?;
            let end = std::mem::replace(&mut tokens.scanner.at, from);
            let literals = tokens.literals();
            // A string with an operator or a method is something else.
            if let Some(literals) = &literals {
                tokens.scanner.at = literals.end;
                tokens.blanks(false);
            }
            let whole = tokens.scanner.starts_with(".format(")
                || matches!(tokens.scanner.peek(), b'\n' | b'\r' | b'#' | b';' | 0);
            tokens.scanner.at = end;
            literals.filter(|_| whole)
        }
    }
}

/// Reads a string, or a name that may be bound to one.
fn value<'s>(tokens: &mut Tokens<'s>, names: &Names<'s>) -> Option<Argument<'s>> {
    let start = tokens.scanner.at;
    if tokens.quote().is_some() || tokens.scanner.peek() == b'(' {
        let literals = tokens.literals();
        if literals.is_none() {
            tokens.scanner.at = start;
        }
        return literals.map(Argument::Strings);
    }
    let word = tokens.scanner.word();
    let end = tokens.scanner.at;
    tokens.blanks(true);
    let whole = matches!(tokens.scanner.peek(), b',' | b')');
    tokens.scanner.at = end;
    (whole && names.is_string(word)).then_some(Argument::Name(word))
}

/// The assembly of these strings.
fn assembled(text: Literals, constraints: Option<Literals>, span: Span) -> Assembly {
    let mut joined = text.joined;
    let mut operands = Operands::default();
    match constraints {
        Some(list) if list.number == 1 && !list.joined.text.contains(HOLE) => {
            operands.push_list(&list.joined.text, list.from, &mut joined);
        }
        _ => operands.unknown = true,
    }
    Assembly::new(joined, operands, Guards::none(), span, true).llvm()
}
