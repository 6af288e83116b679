//! One conversion: whether it is legal, what it returns, and how it is drawn.

use ptxcvt::forms::{Operand, Part, Role};
use ptxcvt::literal::{self, hex};
use ptxcvt::targets::Machine;
use ptxcvt::{Account, Element, Form, Format, Spelling, Type, decimal};
use ptxcvt_picture::element_svg;
use ptxcvt_report::eval::Evaluation;
use ptxcvt_report::menus::Menus;
use ptxcvt_report::place::Where;
use serde::Serialize;

use crate::cells::{self, Cells};
use crate::lowering::{self, Lowered};
use crate::{operand, tokens};

/// The command's reports about an opcode and its evaluation, and what the page draws in addition.
#[derive(Serialize)]
pub struct Answer {
    #[serde(flatten)]
    place: Where,
    /// The verdict on the machine; `None` if neither target nor version was given.
    verdict: Option<String>,
    /// How to correct the opcode.
    help: Option<String>,
    /// The place in the text of each of the problems.
    marks: Vec<Mark>,
    /// The words of the opcode and what they mean.
    words: Vec<Word>,
    /// The opcode is a form, so the fields below are filled.
    form: bool,
    /// The menus for another form.
    menus: Option<Menus>,
    /// The sequence that computes the form, if the machine lacks it.
    lowering: Option<Lowered>,
    syntax: String,
    operands: Vec<OperandReport>,
    /// `None` if an operand cannot be read.
    evaluation: Option<Evaluation>,
    destination: Option<Destination>,
    /// A drawing for each element of the evaluation.
    drawings: Vec<Drawing>,
    account: String,
}

/// A word of the opcode and its place in the text.
#[derive(Serialize)]
struct Word {
    start: usize,
    end: usize,
    kind: &'static str,
    about: Option<String>,
}

/// Bytes of the text that are wrong.
#[derive(Serialize)]
struct Mark {
    start: usize,
    end: usize,
}

#[derive(Serialize)]
struct OperandReport {
    name: &'static str,
    register: String,
    ty: Option<&'static str>,
    width: u32,
    /// `None` if the text cannot be read.
    bits: Option<String>,
    /// The text as it was given, or the example.
    text: String,
    /// The numbers, the upper one first.
    value: String,
    error: Option<String>,
    /// How the number was changed when it was read, such as rounded: the end of a sentence about the text.
    note: Option<String>,
    cells: Vec<Cells>,
}

/// The destination register.
#[derive(Serialize)]
struct Destination {
    register: String,
    cells: Vec<Cells>,
}

/// One element's formats, its account in sentences, and its place on the number line.
#[derive(Serialize)]
struct Drawing {
    source_format: &'static str,
    format: &'static str,
    /// What happened to the number in a few words, as the library says it.
    outcome: String,
    steps: Vec<String>,
    svg: Option<String>,
}

/// Judges an opcode, and evaluates it if it is a form.
pub fn answer(opcode: &str, texts: &[Option<String>], machine: Machine) -> Answer {
    let spelling = Spelling::new(opcode.trim());
    let place = Where::new(&spelling, Ok(machine));
    let mark =
        |problem: &ptxcvt_report::place::Problem| Mark { start: problem.range.start, end: problem.range.end };
    let form = place.form;
    let mut answer = Answer {
        verdict: place.verdict(),
        help: place.help.clone(),
        marks: place.problems.iter().map(mark).collect(),
        words: words(&spelling),
        form: form.is_some(),
        menus: form.map(|form| Menus::new(&form, machine)),
        lowering: form.filter(|_| !place.legal).and_then(|form| lowering::of(form, machine)),
        place,
        syntax: form.map_or(String::new(), |form| form.syntax().to_string()),
        operands: Vec::new(),
        evaluation: None,
        destination: None,
        drawings: Vec::new(),
        account: String::new(),
    };
    if let Some(form) = form {
        answer.evaluate(&form, texts);
    }
    answer
}

/// The words of an opcode.
fn words(spelling: &Spelling<'_>) -> Vec<Word> {
    let word = |(part, range): (Part, std::ops::Range<usize>)| Word {
        start: range.start,
        end: range.end,
        kind: tokens::part_kind(part),
        about: ptxcvt_syntax::meaning(part),
    };
    spelling.parts().map(word).collect()
}

impl Answer {
    fn evaluate(&mut self, form: &Form, texts: &[Option<String>]) {
        let mut all = Vec::new();
        for (at, wanted) in form.operands().skip(1).enumerate() {
            let text = texts.get(at).and_then(Option::as_deref);
            let read = match text {
                Some(text) => operand::read(form, &wanted, text),
                None => Ok(operand::Read { bits: example(&wanted, at), note: None }),
            };
            let (bits, note, error) = match read {
                Ok(read) => (Some(read.bits), read.note, None),
                Err(error) => (None, None, Some(error)),
            };
            self.operands.push(OperandReport {
                name: wanted.role.name(),
                register: wanted.register().to_string(),
                ty: wanted.ty.map(Type::name),
                width: wanted.width,
                bits: bits.map(|bits| hex(bits, wanted.width)),
                text: text.unwrap_or_default().to_owned(),
                value: bits.map_or(String::new(), |bits| show(&wanted, bits)),
                error,
                note,
                cells: cells::of_operand(form, &wanted, at),
            });
            all.extend(bits);
        }
        if all.len() < self.operands.len() {
            return;
        }
        let explanation = form.explain(&all).expect("one for each operand");
        let destination = form.operands().next().expect("every form has a destination");
        let lanes = explanation.elements().len();
        let mut drawn: Vec<Cells> = (0..lanes)
            .flat_map(|lane| cells::of_format(explanation.elements()[lane].result_format, Some(lane)))
            .collect();
        let used: u32 = drawn.iter().map(|cells| cells.width).sum();
        if used < form.result_width() {
            drawn.insert(0, Cells::new("rest", form.result_width() - used, None));
        }
        self.destination = Some(Destination { register: destination.register().to_string(), cells: drawn });
        self.drawings = explanation.elements().iter().map(|e| Drawing::new(form, e)).collect();
        self.account = Account::new(form, &explanation).to_string();
        self.evaluation = Some(Evaluation::new(form, &explanation, Vec::new()));
    }
}

impl Drawing {
    fn new(form: &Form, element: &Element) -> Drawing {
        Drawing {
            source_format: element.source_format.name(),
            format: element.result_format.name(),
            outcome: element.summary(),
            steps: element.steps(),
            svg: element_svg(form, element),
        }
    }
}

/// An example operand: a number that has to be rounded, or one beyond the range of narrow formats.
fn example(operand: &Operand, at: usize) -> u64 {
    let numbers = [1.55, -999.0, 0.013, 7.25];
    match (operand.role, operand.ty) {
        (Role::RandomBits, _) => 0x9e37_79b9,
        (Role::ScaleFactor, _) => {
            if operand.width == 16 {
                0x807e
            } else {
                0x80
            }
        }
        (Role::Rest, _) | (_, None) => 0,
        (_, Some(ty)) => {
            let element = |lane: u32| {
                let value = numbers[(at + lane as usize) % numbers.len()];
                let value = if ty.format().is_integer() { value * 100.0 } else { value };
                literal::nearest(ty.format(), value)
            };
            (0..ty.lanes()).fold(0, |bits, lane| bits << (ty.format().storage() % 64) | element(lane))
        }
    }
}

/// The text of an operand's field: its numbers, the upper one first, or its plain bits. A number of f32 has the fewest
/// digits that read as it: its exact decimals hide what was typed.
fn show(operand: &Operand, bits: u64) -> String {
    match operand.numbers() {
        Some((Format::F32, 1)) => decimal(f32::from_bits(bits as u32)).to_string(),
        Some((format, lanes)) => literal::numbers(format, lanes, bits),
        None => bits.to_string(),
    }
}

/// The picture of `ptxcvt eval --svg`; `None` if the texts cannot be read.
pub fn picture(opcode: &str, texts: &[Option<String>]) -> Option<String> {
    let form: Form = opcode.parse().ok()?;
    ptxcvt_picture::svg(&form, &operand::all(&form, texts)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The headline's words are those of the account, which is the command's.
    #[test]
    fn outcomes_are_in_the_account() {
        let mut clamped = 0;
        for form in Form::all() {
            for bits in ["0xbfc00000", "0x80000001", "0x80000000", "0x7fc00000", "0x3f8ccccd"] {
                let text = |operand: Operand| match operand.width {
                    32 if operand.role != Role::ScaleFactor => Some(bits.to_owned()),
                    _ => Some("0".to_owned()),
                };
                let texts: Vec<_> = form.operands().skip(1).map(text).collect();
                let answer = answer(&form.to_string(), &texts, Machine::ANY);
                for drawing in &answer.drawings {
                    let words = &drawing.outcome;
                    assert!(!words.is_empty(), "{form} {bits}");
                    assert!(
                        words.split(", ").all(|part| answer.account.contains(part)),
                        "{form} {bits}: {words}"
                    );
                    clamped += usize::from(words.contains(".relu"));
                }
            }
        }
        assert!(clamped > 50, "{clamped}");
    }
}
