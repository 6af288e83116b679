//! The values of constant operands.

use std::fmt::Write as _;

use ptxcvt::forms::Operand as Wanted;
use ptxcvt::literal::{Reader, hex};
use ptxcvt::{Form, Format};
use ptxcvt_report::reading;
use ptxcvt_syntax::Span;
use ptxcvt_syntax::check::refused_constant;
use ptxcvt_syntax::parse::{Constant, Instruction, Operand, OperandKind, Tree};

use crate::document::Here;

/// A constant operand of a conversion.
struct Given {
    wanted: Wanted,
    span: Span,
    /// The bits, and how the number was changed when it was read: the end of a sentence about its text. What is wrong
    /// with it if the operand does not accept it.
    read: Result<(u64, Option<String>), String>,
}

impl Given {
    /// The values of its elements, from the top down; an integer if the operand is plain bits.
    fn values(&self, bits: u64) -> String {
        let Some((format, lanes)) = self.wanted.numbers() else { return bits.to_string() };
        ptxcvt::literal::numbers(format, lanes, bits)
    }
}

/// The constants among the operands of an instruction of this form.
fn given(form: &Form, instruction: &Instruction<'_>, text: &str) -> Vec<Given> {
    let operands = instruction.operands.iter().skip(1).flat_map(inner);
    let read = |(wanted, operand): (Wanted, &Operand<'_>)| {
        let OperandKind::Constant(Ok(_)) = &operand.kind else { return None };
        let read = match refused_constant(&wanted, operand, text) {
            Some(finding) => Err(finding.message().to_owned()),
            None => {
                let text = &text[operand.span.range()];
                let read = Reader::operand(form, &wanted).read(text).ok()?;
                let note = reading::operand_note(&wanted, text, &read);
                Ok((read.bits, note))
            }
        };
        Some(Given { wanted, span: operand.span, read })
    };
    form.operands().skip(1).zip(operands).filter_map(read).collect()
}

/// The elements of a vector, or the operand itself.
fn inner<'o, 's>(operand: &'o Operand<'s>) -> &'o [Operand<'s>] {
    match &operand.kind {
        OperandKind::Vector(elements) => elements,
        _ => std::slice::from_ref(operand),
    }
}

/// The constants of the statement that begins with this form.
pub fn of_form(text: &mut String, form: &Form, source: &str) {
    let statement = &source[..source.find(';').map_or(source.len(), |at| at + 1)];
    let tree = Tree::of_snippet(statement);
    let Some(instruction) = tree.instructions().next() else { return };
    for constant in given(form, instruction, statement) {
        let written = &statement[constant.span.range()];
        let value = match &constant.read {
            Ok((bits, None)) => format!("is {}", constant.values(*bits)),
            Ok((bits, Some(note))) => format!("is {}; `{written}` {note}", constant.values(*bits)),
            Err(wrong) => format!("is not accepted: {wrong}"),
        };
        let _ = writeln!(text, "- `{}` = `{written}` {value}", constant.wanted.role.name());
    }
}

/// The hover of the constant at a place: as the conversion reads it, else the number that `0f` or `0d` writes.
pub fn at(tree: &Tree<'_>, here: &Here<'_>) -> Option<(Span, String)> {
    let holds = |span: Span| (span.start as usize..=span.end as usize).contains(&here.at);
    let instruction = tree.instructions().find(|instruction| holds(instruction.span))?;
    let operand = instruction.operands.iter().flat_map(inner).find(|operand| holds(operand.span))?;
    let OperandKind::Constant(Ok(constant)) = &operand.kind else { return None };
    let written = &here.text[operand.span.range()];
    if let Ok(form) = instruction.opcode.text().parse::<Form>() {
        let all = given(&form, instruction, here.text);
        let constant = all.iter().find(|constant| constant.span == operand.span)?;
        let Wanted { role, ty, width, .. } = constant.wanted;
        let value = match &constant.read {
            Ok((bits, note)) => {
                let note = note.iter().map(|note| format!("\n\n`{written}` {note}")).collect::<String>();
                format!("{} ({}){note}", constant.values(*bits), hex(*bits, width))
            }
            Err(wrong) => format!("not accepted\n\n{wrong}"),
        };
        let ty = ty.map_or_else(|| constant.wanted.register().to_string(), |ty| format!(".{}", ty.name()));
        let text = format!("```ptx\n{written}\n```\noperand `{}` of `{form}`, `{ty}`: {value}", role.name());
        return Some((operand.span, text));
    }
    let (format, bits) = match *constant {
        Constant::Bits32(bits) => (Format::F32, u64::from(bits)),
        Constant::Bits64(bits) => (Format::F64, bits),
        Constant::Integer(_) | Constant::Decimal(_) => return None,
    };
    Some((operand.span, format!("```ptx\n{written}\n```\n`.{}`: {}", format.name(), format.decode(bits))))
}
