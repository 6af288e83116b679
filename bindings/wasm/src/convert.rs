//! One conversion: whether it is legal, what it returns, and how it is drawn.

use ptxcvt::forms::{Operand, Role};
use ptxcvt::literal::hex;
use ptxcvt::targets::Machine;
use ptxcvt::{Account, Element, Form, Format, Spelling, Type};
use ptxcvt_picture::{element_svg, fields};
use ptxcvt_report::eval::Evaluation;
use ptxcvt_report::place::Where;
use serde::Serialize;

use crate::operand;

/// The command's reports about an opcode and its evaluation, and what the page draws in addition.
#[derive(Serialize)]
pub struct Answer {
    #[serde(flatten)]
    place: Where,
    /// The place in the text and the help of each of the problems.
    marks: Vec<Mark>,
    /// The opcode is a form, so the fields below are filled.
    form: bool,
    syntax: String,
    operands: Vec<OperandReport>,
    evaluation: Option<Evaluation>,
    destination: Option<Destination>,
    /// A drawing for each element of the evaluation.
    drawings: Vec<Drawing>,
    account: String,
}

/// Bytes of the text that are wrong.
#[derive(Serialize)]
struct Mark {
    start: usize,
    end: usize,
    help: Option<String>,
}

#[derive(Serialize)]
struct OperandReport {
    name: &'static str,
    register: String,
    ty: Option<&'static str>,
    width: u32,
    bits: String,
    /// The numbers, the upper one first.
    value: String,
    error: Option<String>,
    cells: Vec<Cells>,
}

/// Neighbouring bits with one meaning, from the top down.
#[derive(Serialize)]
struct Cells {
    kind: &'static str,
    width: u32,
    /// The element that they belong to.
    lane: Option<usize>,
    /// For random bits: the elements that use them, and in which order.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Cells {
    fn new(kind: &'static str, width: u32, lane: Option<usize>) -> Cells {
        Cells { kind, width, lane, note: None }
    }
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
    steps: Vec<String>,
    svg: Option<String>,
}

/// Judges an opcode, and evaluates it if it is a form.
pub fn answer(opcode: &str, texts: &[&str], machine: Machine) -> Answer {
    let place = Where::new(&Spelling::new(opcode.trim()), machine);
    let mark = |problem: &ptxcvt_report::place::Problem| Mark {
        start: problem.range.start,
        end: problem.range.end,
        help: problem.help.clone(),
    };
    let form = place.form;
    let mut answer = Answer {
        marks: place.problems.iter().map(mark).collect(),
        place,
        form: form.is_some(),
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

impl Answer {
    fn evaluate(&mut self, form: &Form, texts: &[&str]) {
        let mut all = Vec::new();
        for (at, wanted) in form.operands().skip(1).enumerate() {
            let text = texts.get(at).copied().filter(|text| !text.trim().is_empty());
            let read = match text {
                Some(text) => operand::read(form, &wanted, text),
                None => Ok(example(&wanted, at)),
            };
            let bits = *read.as_ref().unwrap_or(&0);
            all.push(bits);
            self.operands.push(OperandReport {
                name: wanted.role.name(),
                register: wanted.register().to_string(),
                ty: wanted.ty.map(Type::name),
                width: wanted.width,
                bits: hex(bits, wanted.width),
                value: show(&wanted, bits),
                error: read.err(),
                cells: cells(form, &wanted, at),
            });
        }
        let explanation = form.explain(&all).expect("one for each operand");
        let destination = form.operands().next().expect("every form has a destination");
        let lanes = explanation.elements().len();
        let mut drawn: Vec<Cells> = (0..lanes)
            .flat_map(|lane| of_format(explanation.elements()[lane].result_format, Some(lane)))
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
                ptxcvt::literal::nearest(ty.format(), value)
            };
            (0..ty.lanes()).fold(0, |bits, lane| bits << (ty.format().storage() % 64) | element(lane))
        }
    }
}

/// The numbers of an operand, the upper one first.
fn show(operand: &Operand, bits: u64) -> String {
    let (format, lanes) = match (operand.role, operand.ty) {
        (_, Some(ty)) => (ty.format(), ty.lanes()),
        (Role::ScaleFactor, _) => (Format::Ue8m0, operand.width / 8),
        _ => return bits.to_string(),
    };
    let storage = format.storage();
    let mask = u64::MAX >> (64 - storage);
    let element = |lane: u32| match (format, bits >> (lane * storage) & mask) {
        // The fewest digits that read back to the number.
        (Format::F32, bits) if f32::from_bits(bits as u32).is_finite() => {
            f32::from_bits(bits as u32).to_string()
        }
        (_, bits) => format.decode(bits).to_string(),
    };
    (0..lanes).rev().map(element).collect::<Vec<_>>().join(", ")
}

fn of_format(format: Format, lane: Option<usize>) -> impl Iterator<Item = Cells> {
    fields(format).into_iter().map(move |(kind, width)| Cells::new(kind.name(), width, lane))
}

/// The meaning of each bit of an operand.
fn cells(form: &Form, operand: &Operand, at: usize) -> Vec<Cells> {
    match (operand.role, operand.ty) {
        (_, Some(ty)) => {
            let lanes = ty.lanes() as usize;
            let lane = |n: usize| Some(if lanes > 1 { n } else { at });
            (0..lanes).flat_map(|n| of_format(ty.format(), lane(n))).collect()
        }
        (Role::ScaleFactor, _) => {
            let count = operand.width as usize / 8;
            let lane = |n: usize| (count > 1).then_some(n);
            (0..count).flat_map(|n| of_format(Format::Ue8m0, lane(n))).collect()
        }
        (Role::RandomBits, _) => random(form, operand.width),
        _ => vec![Cells::new("integer", operand.width, None)],
    }
}

/// The elements that use each of the random bits, found by setting one bit at a time.
fn random(form: &Form, width: u32) -> Vec<Cells> {
    let mut all: Vec<Cells> = Vec::new();
    for bit in (0..width).rev() {
        let mut operands = vec![0; form.source_count()];
        *operands.last_mut().expect("the random bits are the last operand") = 1 << bit;
        let explained = form.explain(&operands).expect("one for each operand");
        let elements = explained.elements().iter().enumerate();
        let taken: Vec<(usize, u32)> =
            elements.filter_map(|(lane, e)| Some((lane, e.random?.value))).filter(|(_, v)| *v != 0).collect();
        let lane = taken.first().map(|(lane, _)| *lane);
        let kind = if lane.is_some() { "random" } else { "padding" };
        match all.last_mut() {
            Some(last) if last.kind == kind && last.lane == lane => last.width += 1,
            _ => {
                // An element that uses the field reversed has the highest bit of the field as its lowest.
                let note = taken.iter().map(|(lane, value)| {
                    let reversed = if *value < 1 << 8 { " reversed" } else { "" };
                    format!("{}{reversed}", form.element_names(*lane).0)
                });
                let note = note.collect::<Vec<_>>().join(", ");
                all.push(Cells { note: Some(note).filter(|n| !n.is_empty()), ..Cells::new(kind, 1, lane) });
            }
        }
    }
    all
}

/// The answer of `ptxcvt eval -` to a line.
pub fn line(line: &str) -> String {
    let mut words = line.split_whitespace();
    let evaluated = (|| {
        let form: Form = words.next()?.parse().ok()?;
        let wanted: Vec<Operand> = form.operands().skip(1).collect();
        let read = |(word, operand): (&str, &Operand)| {
            let reader = ptxcvt::literal::Reader::operand(&form, operand);
            reader.read_word(word).ok().map(|read| read.bits)
        };
        let bits: Option<Vec<u64>> = words.zip(&wanted).map(read).collect();
        let result = form.eval(&bits?).ok()?;
        let digits = form.result_width().div_ceil(4) as usize;
        Some(format!("{result:0digits$x}"))
    })();
    evaluated.unwrap_or_else(|| "error".to_owned())
}
