//! Reads the text of the box for an instruction: an opcode, a whole line of PTX, or the names of formats.

use ptxcvt::forms::{Operand as Wanted, chain, is_path, path};
use ptxcvt::{Form, Format, OperandCountError, Type};
use ptxcvt_report::reading::separated;
use ptxcvt_syntax::parse::{Operand, OperandKind, Tree};
use serde::Serialize;

/// The opcode and the operands in a text.
#[derive(Default, Serialize)]
pub struct Answer {
    /// The opcode, which may be incomplete or wrong.
    opcode: String,
    /// The byte at which the opcode is in the text; `None` if the text only describes it.
    at: Option<usize>,
    /// The source operands that the text gives; `None` for registers.
    operands: Vec<Option<String>>,
    /// The meaning of the text, if it is not an opcode: `f32 to e4m3`.
    meaning: Option<String>,
    /// Why the text is not one conversion.
    problem: Option<String>,
    /// The conversions that the text takes, if one is not enough.
    steps: Vec<String>,
}

/// Reads a text.
pub fn answer(text: &str) -> Answer {
    formats(text).unwrap_or_else(|| instruction(text))
}

/// `e4m3`, `f32 to e4m3`, `f32->e4m3`, `e4m3 from f32`: the plainest form between these formats.
fn formats(text: &str) -> Option<Answer> {
    let words: Vec<&str> = text.trim().trim_end_matches(';').split_whitespace().collect();
    let joined = words.join(" ");
    let pair = |from: &str, to: &str| Some([format(from)?, format(to)?].to_vec());
    let formats = match &words[..] {
        _ if is_path(&joined) => match path(&joined) {
            Ok(formats) => formats,
            Err(error) => return Some(Answer { problem: Some(error.to_string()), ..Answer::default() }),
        },
        [from, "to" | "in" | "as", to] => pair(from, to)?,
        [to, "from", from] => pair(from, to)?,
        [one] => {
            let one = format(one)?;
            // A wide format is more often the source.
            let others = [Format::F32, Format::F16, Format::F64];
            let single = |from, to| chain(&arrows(&[from, to])).is_ok_and(|forms| forms.len() == 1);
            [others.into_iter().find(|other| *other != one && single(*other, one))?, one].to_vec()
        }
        _ => return None,
    };
    let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
    let named = names.join(" to ");
    Some(match chain(&arrows(&formats)) {
        Ok(forms) if forms.len() == 1 => {
            Answer { opcode: forms[0].to_string(), meaning: Some(named), ..Answer::default() }
        }
        Ok(forms) => Answer {
            problem: Some(format!("{named} takes {}", ptxcvt::counted(forms.len(), "conversion"))),
            steps: forms.iter().map(Form::to_string).collect(),
            ..Answer::default()
        },
        Err(error) => Answer { problem: Some(error.to_string()), ..Answer::default() },
    })
}

fn arrows(formats: &[Format]) -> String {
    formats.iter().map(|format| format.name()).collect::<Vec<_>>().join("->")
}

/// A format by its name, or by that of a type: `e4m3x2`.
fn format(name: &str) -> Option<Format> {
    Type::read_format(name).ok()
}

/// An opcode, with operands as in the command or as in PTX.
fn instruction(text: &str) -> Answer {
    if let Some(line) = ptx(text) {
        return line;
    }
    // A line of the command, as the page copies it.
    let command = text.trim_start().trim_start_matches("$ ").trim_start();
    let command = command.strip_prefix("ptxcvt eval ").unwrap_or(text);
    let at = text.len() - command.trim_start().len();
    let mut words = command.split_whitespace();
    let opcode = words.next().unwrap_or_default().trim_end_matches(';').to_owned();
    let words: Vec<&str> = words.map(|word| word.trim_end_matches([',', ';'])).collect();
    let answer = Answer { at: Some(at), ..Answer::default() };
    // Other words mean something only after a form: `f32 to` may become the name of one.
    let Ok(form) = opcode.parse::<Form>() else { return Answer { opcode, ..answer } };
    let wanted: Vec<Wanted> = form.operands().skip(1).collect();
    let operands = separated(&wanted, &words).into_iter().map(|word| Some(word.to_owned())).collect();
    Answer { opcode, ..answer }.with(Some(form), operands)
}

impl Answer {
    /// Adds operands; too many for the form are an error.
    fn with(self, form: Option<Form>, operands: Vec<Option<String>>) -> Answer {
        let wanted = form.map_or(operands.len(), |form| form.source_count());
        let problem =
            (operands.len() > wanted).then(|| OperandCountError::new(wanted, operands.len()).to_string());
        Answer { operands, problem, ..self }
    }
}

/// The first conversion of a piece of PTX; `None` if its operands do not begin with a register.
fn ptx(text: &str) -> Option<Answer> {
    let tree = Tree::of_snippet(text);
    let instruction = tree.instructions().find(|one| one.opcode.name() == "cvt")?;
    let (destination, sources) = instruction.operands.split_first()?;
    if !is_register(destination, sources) {
        return None;
    }
    let mut operands = Vec::new();
    for operand in sources {
        let flat = match &operand.kind {
            OperandKind::Vector(elements) => &elements[..],
            _ => std::slice::from_ref(operand),
        };
        operands.extend(flat.iter().map(|one| match one.kind {
            OperandKind::Constant(_) => Some(text[one.span.range()].to_owned()),
            _ => None,
        }));
    }
    let span = instruction.opcode.span();
    let first = span.range() == (text.len() - text.trim_start().len()..span.end as usize);
    let alone = first && tree.instructions().count() == 1;
    let opcode = instruction.opcode.text().into_owned();
    let form = opcode.parse().ok();
    let answer = Answer {
        opcode,
        at: (!instruction.opcode.has_comment()).then_some(span.start as usize),
        meaning: (!alone).then(|| "the first conversion of this PTX".to_owned()),
        ..Answer::default()
    };
    Some(answer.with(form, operands))
}

/// True if the first operand is a register, as in PTX, and not a number, as in the command: `nan` is a number there.
fn is_register(first: &Operand<'_>, others: &[Operand<'_>]) -> bool {
    match first.kind {
        OperandKind::Name(name) => {
            name.name.text.starts_with('%') || (!others.is_empty() && name.name.text.parse::<f64>().is_err())
        }
        OperandKind::Placeholder(_) | OperandKind::Sink => true,
        _ => false,
    }
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
            ("cvt.rn.f16x2.f32", &[Some("0f3F800000".into()), None][..])
        );
        assert_eq!(line.at, Some(8));
        let vector = answer("cvt.rs.satfinite.e4m3x4.f32 %r0, {%f1, %f2, 0f40000000, %f4}, %r9;");
        assert_eq!(given(&vector), ["", "", "0f40000000", "", ""]);
        assert_eq!(opcode(".reg .f32 f; cvt.u32.f32 d, f;"), "cvt.u32.f32");
    }

    /// The operands of a text; empty for registers.
    fn given(answer: &Answer) -> Vec<&str> {
        answer.operands.iter().map(|operand| operand.as_deref().unwrap_or_default()).collect()
    }

    #[test]
    fn operands_follow_as_in_the_command() {
        for (text, expected) in [
            ("cvt.rn.f16x2.f32 1 -2", &["1", "-2"][..]),
            ("cvt.rn.f16x2.f32 1,-2", &["1", "-2"]),
            ("cvt.rn.f16x2.f32 {1, -2};", &["1", "-2"]),
            ("cvt.rn.f16x2.f32 nan, -inf", &["nan", "-inf"]),
            ("cvt.rn.f16.f32 nan", &["nan"]),
            ("cvt.rn.f16.f32 abc", &["abc"]),
            ("cvt.rs.satfinite.e4m3x4.f32 {1,2,3,4} 5", &["1", "2", "3", "4", "5"]),
            ("cvt.rn.bf16x2.e4m3x2 1.5,-448;", &["1.5,-448"]),
            // Registers keep the operands that are there.
            ("cvt.rn.f16x2.f32 d, a, 2", &["", "2"]),
            ("cvt.rn.f16.f32 %h", &[]),
            ("cvt .rn.f16.f32", &[]),
        ] {
            let said = answer(text);
            assert_eq!(given(&said), expected, "{text}");
            assert_eq!(said.problem, None, "{text}");
        }
        for text in ["ptxcvt eval cvt.rn.f16x2.f32 1 -2", "  $ ptxcvt eval  cvt.rn.f16x2.f32 1 -2"] {
            let said = answer(text);
            assert_eq!((&*said.opcode, given(&said)), ("cvt.rn.f16x2.f32", vec!["1", "-2"]), "{text}");
            assert_eq!(said.at, text.find("cvt."), "{text}");
        }
        let two = answer("cvt.rn.f16.f32 %h1, 1.5; cvt.rn.f16.f32 %h2, 2.5;");
        assert_eq!(two.meaning.as_deref(), Some("the first conversion of this PTX"));
        for text in ["cvt.rn", "cvt.rn.satfinit.e4m3x2.f32", "", "1/3", "add.f32 a, b, c;"] {
            assert!(answer(text).meaning.is_none(), "{text}");
        }
    }

    #[test]
    fn too_many_operands_are_an_error() {
        for text in ["cvt.rn.f16.f32 1 2 3", "cvt.rn.f16.f32 1,5", "cvt.rn.f16.f32 d, 1, 2"] {
            assert!(
                answer(text).problem.is_some_and(|problem| problem.starts_with("1 source operand needed")),
                "{text}"
            );
        }
    }

    /// While the names of formats are typed, no word of them is an operand.
    #[test]
    fn names_of_formats_are_no_operands() {
        for text in ["f32 to e4m3", "e4m3 from f32", "bf16 -> f32", "cvt f32 to e4m3"] {
            for end in 0..=text.len() {
                assert!(answer(&text[..end]).operands.iter().all(Option::is_none), "{}", &text[..end]);
            }
        }
    }

    #[test]
    fn formats_between_which_one_conversion_is_not_enough() {
        let said = answer("e4m3 to e5m2");
        assert_eq!(said.problem.as_deref(), Some("e4m3 to e5m2 takes 2 conversions"));
        assert!(said.steps.iter().all(|step| step.parse::<Form>().is_ok()) && said.steps.len() == 2);
        assert!(said.opcode.is_empty());
    }
}
