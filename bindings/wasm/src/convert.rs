//! One conversion: judged, evaluated, explained.

use ptxcvt::forms::{Operand, Role};
use ptxcvt::literal::hex;
use ptxcvt::targets::Machine;
use ptxcvt::{Account, Element, Form, Format, Outcome, Spelling, Type};
use ptxcvt_picture::{element_svg, fields};
use serde::Serialize;

use crate::operand;

/// What is said of an opcode, and of its evaluation where it is a form.
#[derive(Serialize)]
pub struct Answer {
    opcode: String,
    legal: bool,
    form: bool,
    announced: bool,
    syntax: String,
    problems: Vec<Problem>,
    /// The forms nearest to what was written, where it is not legal.
    nearest: Vec<String>,
    operands: Vec<OperandReport>,
    result: Option<ResultReport>,
    elements: Vec<ElementReport>,
    account: String,
}

#[derive(Serialize)]
struct Problem {
    start: usize,
    end: usize,
    code: &'static str,
    message: String,
    help: Option<String>,
}

#[derive(Serialize)]
struct OperandReport {
    name: &'static str,
    register: String,
    ty: Option<&'static str>,
    width: u32,
    bits: String,
    /// The numbers, upper first.
    value: String,
    error: Option<String>,
    cells: Vec<Cells>,
}

/// Neighbouring bits, from the top down.
#[derive(Serialize)]
struct Cells {
    kind: &'static str,
    width: u32,
    /// Which element they belong to.
    lane: Option<usize>,
    /// Of random bits: the elements that take them, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Cells {
    fn new(kind: &'static str, width: u32, lane: Option<usize>) -> Cells {
        Cells { kind, width, lane, note: None }
    }
}

#[derive(Serialize)]
struct ResultReport {
    bits: String,
    decimal: String,
    width: u32,
    register: String,
    cells: Vec<Cells>,
}

#[derive(Serialize)]
struct ElementReport {
    part: &'static str,
    operand: &'static str,
    source: String,
    source_value: String,
    source_format: &'static str,
    result: String,
    value: String,
    format: &'static str,
    outcome: &'static str,
    steps: Vec<String>,
    svg: Option<String>,
}

/// Judges and evaluates.
pub fn answer(opcode: &str, texts: &[&str], machine: Machine) -> Answer {
    let opcode = opcode.trim();
    let spelling = Spelling::new(opcode);
    let advice = spelling.advice(machine);
    let problems = advice.iter().map(|advice| Problem {
        start: advice.range().start,
        end: advice.range().end,
        code: advice.code().as_str(),
        message: advice.message().to_owned(),
        help: advice.help().map(str::to_owned),
    });
    let form = spelling.form();
    let legal = advice.is_empty();
    let nearest = || {
        let here = spelling.nearest_few::<3>(|form| machine.takes(form));
        here.map(|form| form.to_string()).collect()
    };
    let mut answer = Answer {
        opcode: form.map_or(opcode.to_owned(), |form| form.to_string()),
        legal,
        form: form.is_some(),
        announced: form.is_some_and(|form| form.is_announced()),
        syntax: form.map_or(String::new(), |form| form.syntax().to_string()),
        problems: problems.collect(),
        nearest: if legal || spelling.opcode().is_none() { Vec::new() } else { nearest() },
        operands: Vec::new(),
        result: None,
        elements: Vec::new(),
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
        let Ok(explanation) = form.explain(&all) else { return };
        let destination = form.operands().next();
        let lanes = explanation.elements().len();
        let mut drawn: Vec<Cells> = (0..lanes)
            .flat_map(|lane| of_format(explanation.elements()[lane].result_format, Some(lane)))
            .collect();
        let used: u32 = drawn.iter().map(|cells| cells.width).sum();
        if used < form.result_width() {
            drawn.insert(0, Cells::new("rest", form.result_width() - used, None));
        }
        self.result = Some(ResultReport {
            bits: hex(explanation.result, form.result_width()),
            decimal: explanation.result.to_string(),
            width: form.result_width(),
            register: destination.map_or(String::new(), |d| d.register().to_string()),
            cells: drawn,
        });
        let elements = explanation.elements().iter().enumerate();
        self.elements = elements.map(|(lane, e)| ElementReport::new(form, lane, e)).collect();
        self.account = Account::new(form, &explanation).to_string();
    }
}

impl ElementReport {
    fn new(form: &Form, lane: usize, element: &Element) -> ElementReport {
        let (part, operand) = form.element_names(lane);
        ElementReport {
            part,
            operand,
            source: hex(element.source, element.source_format.storage()),
            source_value: element.source_value().to_string(),
            source_format: element.source_format.name(),
            result: element.result_hex(),
            value: element.result_value().to_string(),
            format: element.result_format.name(),
            outcome: match element.outcome {
                Outcome::Nan(_) => "nan",
                other => other.name(),
            },
            steps: element.steps(),
            svg: element_svg(form, element),
        }
    }
}

/// An operand that shows something: a number that has to be rounded, and one beyond the range of narrow formats.
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

/// The numbers of an operand, upper first.
fn show(operand: &Operand, bits: u64) -> String {
    let (format, lanes) = match (operand.role, operand.ty) {
        (_, Some(ty)) => (ty.format(), ty.lanes()),
        (Role::ScaleFactor, _) => (Format::Ue8m0, operand.width / 8),
        _ => return bits.to_string(),
    };
    let storage = format.storage();
    let mask = u64::MAX >> (64 - storage);
    let element = |lane: u32| match (format, bits >> (lane * storage) & mask) {
        // The fewest digits that read back to it.
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

/// What the bits of an operand are.
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

/// Which elements take which of the random bits: each bit is set alone, and the elements say who got it, and where.
fn random(form: &Form, width: u32) -> Vec<Cells> {
    let mut all: Vec<Cells> = Vec::new();
    for bit in (0..width).rev() {
        let mut operands = vec![0; form.source_count()];
        if let Some(last) = operands.last_mut() {
            *last = 1 << bit;
        }
        let explained = form.explain(&operands);
        let elements = explained.iter().flat_map(|e| e.elements()).enumerate();
        let taken: Vec<(usize, u32)> =
            elements.filter_map(|(lane, e)| Some((lane, e.random?.value))).filter(|(_, v)| *v != 0).collect();
        let lane = taken.first().map(|(lane, _)| *lane);
        let kind = if lane.is_some() { "random" } else { "padding" };
        match all.last_mut() {
            Some(last) if last.kind == kind && last.lane == lane => last.width += 1,
            _ => {
                // The highest bit of a field is the lowest of an element that takes the field reversed.
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

/// A line of `ptxcvt eval -`.
pub fn line(line: &str) -> String {
    let mut words = line.split_whitespace();
    let evaluated = (|| {
        let form: Form = words.next()?.parse().ok()?;
        let wanted: Vec<Operand> = form.operands().skip(1).collect();
        let read = |(word, operand): (&str, &Operand)| ptxcvt::literal::bits(&form, operand, word).ok();
        let bits: Option<Vec<u64>> = words.zip(&wanted).map(read).collect();
        let result = form.eval(&bits?).ok()?;
        let digits = form.result_width().div_ceil(4) as usize;
        Some(format!("{result:0digits$x}"))
    })();
    evaluated.unwrap_or_else(|| "error".to_owned())
}
