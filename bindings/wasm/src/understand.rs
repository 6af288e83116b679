//! Reads the text of the box for an instruction: an opcode, a whole line of PTX, or the names of formats.

use ptxcvt::forms::chain;
use ptxcvt::{Form, Format, Type};
use ptxcvt_syntax::parse::{OperandKind, Tree};
use serde::Serialize;

/// The opcode and the operands in a text.
#[derive(Default, Serialize)]
pub struct Answer {
    /// The opcode, which may be incomplete or wrong.
    opcode: String,
    /// The byte at which the opcode is in the text; `None` if the text only describes it.
    at: Option<usize>,
    /// The source operands that are constants; empty for registers.
    operands: Vec<String>,
    /// The meaning of the text, if it is not an opcode: `f32 to e4m3`.
    meaning: Option<String>,
}

/// Reads a text.
pub fn answer(text: &str) -> Answer {
    formats(text).unwrap_or_else(|| instruction(text))
}

/// `e4m3`, `f32 to e4m3`, `f32->e4m3`, `e4m3 from f32`: the plainest form between these formats.
fn formats(text: &str) -> Option<Answer> {
    let words: Vec<&str> = text.trim().trim_end_matches(';').split_whitespace().collect();
    let joined = words.join(" ");
    let pair = |from: &str, to: &str| Some((format(from)?, format(to)?));
    let named = match (joined.split_once("->"), joined.split_once('→'), &words[..]) {
        (Some((from, to)), _, _) | (_, Some((from, to)), _) => pair(from, to)?,
        (_, _, [from, "to" | "in" | "as", to]) => pair(from, to)?,
        (_, _, [to, "from", from]) => pair(from, to)?,
        (_, _, [one]) => {
            let one = format(one)?;
            // A wide format is more often the source.
            let others = [Format::F32, Format::F16, Format::F64];
            let other = others.into_iter().find(|other| *other != one && between(*other, one).is_some())?;
            (other, one)
        }
        _ => return None,
    };
    let form = between(named.0, named.1)?;
    let meaning = Some(format!("{} to {}", named.0.name(), named.1.name()));
    Some(Answer { opcode: form.to_string(), meaning, ..Answer::default() })
}

/// A format by its name, or by that of a type: `e4m3x2`.
fn format(name: &str) -> Option<Format> {
    let name = name.trim().trim_start_matches('.');
    Type::from_name(name).map(|ty| ty.format()).or_else(|| Format::read(name).ok())
}

/// The last conversion on the way between two formats.
fn between(from: Format, to: Format) -> Option<Form> {
    let forms = chain(&format!("{}->{}", from.name(), to.name())).ok()?;
    (forms.len() == 1).then(|| forms[0])
}

/// An opcode, with operands as in the command or as in PTX.
fn instruction(text: &str) -> Answer {
    if let Some(line) = ptx(text) {
        return line;
    }
    let at = text.len() - text.trim_start().len();
    let mut words = text.split_whitespace();
    let opcode = words.next().unwrap_or_default().trim_end_matches(';').to_owned();
    let operands = words.map(|word| word.trim_end_matches([',', ';']).to_owned());
    Answer {
        operands: operands.filter(|word| !word.is_empty()).collect(),
        opcode,
        at: Some(at),
        meaning: None,
    }
}

/// The first conversion of a piece of PTX; `None` if its operands do not begin with a register.
fn ptx(text: &str) -> Option<Answer> {
    let tree = Tree::of_snippet(text);
    let instruction = tree.instructions().find(|one| one.opcode.name() == "cvt")?;
    let destination = instruction.operands.first()?;
    if !matches!(destination.kind, OperandKind::Name(_) | OperandKind::Placeholder(_) | OperandKind::Sink) {
        return None;
    }
    let mut operands = Vec::new();
    for operand in &instruction.operands[1..] {
        let flat = match &operand.kind {
            OperandKind::Vector(elements) => &elements[..],
            _ => std::slice::from_ref(operand),
        };
        operands.extend(flat.iter().map(|one| match one.kind {
            OperandKind::Constant(_) => text[one.span.range()].to_owned(),
            _ => String::new(),
        }));
    }
    let span = instruction.opcode.span();
    let alone = span.range() == (text.len() - text.trim_start().len()..span.end as usize);
    Some(Answer {
        opcode: instruction.opcode.text().into_owned(),
        at: (!instruction.opcode.has_comment()).then_some(span.start as usize),
        operands,
        meaning: (!alone).then(|| "the first conversion of this PTX".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opcode(text: &str) -> String {
        answer(text).opcode
    }

    #[test]
    fn formats_are_understood() {
        for text in
            ["e4m3", "f32 to e4m3", "f32->e4m3", "e4m3 from f32", "float8_e4m3fn", "e4m3x2", ".e4m3x2"]
        {
            assert_eq!(opcode(text), "cvt.rn.satfinite.e4m3x2.f32", "{text}");
        }
        assert_eq!(opcode("e4m3 to f16"), "cvt.rn.f16x2.e4m3x2");
        assert_eq!(opcode("bf16 → f32"), "cvt.f32.bf16");
        assert_eq!(opcode("f32"), "cvt.f32.f16");
        assert_eq!(answer("f32 to e4m3").meaning.as_deref(), Some("f32 to e4m3"));
    }

    #[test]
    fn lines_of_ptx_are_understood() {
        let line = answer("  @!%p1 cvt.rn.f16x2.f32 %r1, 0f3F800000, %f2; // two");
        assert_eq!(
            (&*line.opcode, &line.operands[..]),
            ("cvt.rn.f16x2.f32", &["0f3F800000".into(), String::new()][..])
        );
        assert_eq!(line.at, Some(8));
        let vector = answer("cvt.rs.satfinite.e4m3x4.f32 %r0, {%f1, %f2, 0f40000000, %f4}, %r9;");
        assert_eq!(vector.operands, ["", "", "0f40000000", "", ""]);
        assert_eq!(opcode(".reg .f32 f; cvt.u32.f32 d, f;"), "cvt.u32.f32");
    }

    #[test]
    fn operands_follow_as_in_the_command() {
        let said = answer("cvt.rn.f16x2.f32 1 -2");
        assert_eq!(
            (&*said.opcode, said.operands),
            ("cvt.rn.f16x2.f32", vec!["1".to_owned(), "-2".to_owned()])
        );
        let said = answer("cvt.rn.bf16x2.e4m3x2 1.5,-448;");
        assert_eq!(said.operands, ["1.5,-448"]);
        for text in ["cvt.rn", "cvt.rn.satfinit.e4m3x2.f32", "", "1/3", "add.f32 a, b, c;"] {
            assert!(answer(text).meaning.is_none(), "{text}");
        }
    }
}
