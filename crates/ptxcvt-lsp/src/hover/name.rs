//! The meaning of a name in an operand.

use ptxcvt_syntax::parse::{Declaration, Entity, Operand, OperandKind, Placeholder, Tree};
use ptxcvt_syntax::sources::{Constraint, ConstraintKind};
use ptxcvt_syntax::{Span, Word};

use crate::document::{Document, Here};
use crate::opcode;

/// The declaration of the register at a place.
pub fn register(tree: &Tree<'_>, document: &Document, here: &Here<'_>) -> Option<(Span, String)> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%');
    let place = opcode::word(here.text, here.at, is_name);
    let name = here.text.get(place.clone())?;
    let declares = |declaration: &&Declaration<'_>| {
        declaration.name.span.start as usize <= here.at && declaration.declares(name)
    };
    // The last one before the place is in the innermost block.
    let declaration =
        tree.declarations().filter(declares).max_by_key(|declaration| declaration.name.span.start)?;
    let Entity::Register { ty: Some(ty), lanes } = declaration.entity else { return None };
    let vector = if lanes > 1 { format!(" .v{lanes}") } else { String::new() };
    let family = declaration.count.map_or(String::new(), |count| format!("<{count}>"));
    // A macro may hide its place.
    let line = here.outside(declaration.name.span).map_or(String::new(), |span| {
        format!("\ndeclared in line {}", document.position(span.start).line + 1)
    });
    let value = format!("```ptx\n.reg{vector} {ty} {}{family};\n```{line}", declaration.name.text);
    Some((Span::new(place.start as u32, place.end as u32), value))
}

/// The operand of the inline assembly that replaces the placeholder at a place.
pub fn placeholder(tree: &Tree<'_>, here: &Here<'_>) -> Option<(Span, String)> {
    let all =
        tree.instructions().flat_map(|instruction| instruction.guard.iter().chain(&instruction.operands));
    let word = all.filter_map(|operand| within(operand, here.at)).next()?;
    let operands = here.operands();
    let operand = match Placeholder::from_text(word.text)? {
        Placeholder::Number(number) => operands.get(number as usize)?,
        Placeholder::Name(name) => operands.iter().find(|operand| operand.name.as_deref() == Some(name))?,
        _ => return None,
    };
    let constraint = Constraint::of(&operand.letters);
    let what = match constraint.kind {
        ConstraintKind::Register(ty) => format!("a `{ty}` register"),
        ConstraintKind::Tied(to) => format!("the register of operand {to}"),
        ConstraintKind::Immediate => "a constant".to_owned(),
        _ => return None,
    };
    let way = match (constraint.output, constraint.input) {
        (true, true) => "read and written",
        (true, false) => "written",
        _ => "read",
    };
    let expression = match operand.expression.as_str() {
        "" => String::new(),
        expression => format!(" for `{expression}`"),
    };
    Some((
        word.span,
        format!("`{}`: {what}, {way}{expression}, by the constraint `{}`", word.text, operand.letters),
    ))
}

/// The placeholder at a byte, in an operand or in the vector or address that it is.
fn within<'s>(operand: &Operand<'s>, at: usize) -> Option<Word<'s>> {
    match &operand.kind {
        OperandKind::Placeholder(reference) => {
            let span = reference.name.span;
            (span.start as usize..=span.end as usize).contains(&at).then_some(reference.name)
        }
        OperandKind::Vector(inner) | OperandKind::Address(inner) | OperandKind::List(inner) => {
            inner.iter().find_map(|operand| within(operand, at))
        }
        _ => None,
    }
}
