//! A program made ready: registers as arrays, one lane for each block of a chunk or each element of a row.

use ptxcvt::bulk::{Column, ColumnMut, Plan};
use ptxcvt::formats::Kind as FormatKind;
use ptxcvt::{Form, Format, Value};

use super::kernels;
use crate::input::Input;
use crate::recipe::{Classes, Instruction, Kind, Level, Op, Operand, Program};

/// Where a line reads.
#[derive(Clone, Copy, Debug)]
enum Slot {
    /// One value for each block, or the same for all.
    Lane(usize),
    /// One value for each element.
    Element(usize),
}

/// A line with its operands found and its kernels chosen.
struct Line {
    to: usize,
    op: Op,
    a: Slot,
    b: Option<Slot>,
    plan: Option<Plan>,
    /// The values of the codes that it makes, for formats without a rule of their own.
    table: Option<Box<[f32; 256]>>,
}

/// A program ready to run; shared by the threads.
pub(super) struct Machine {
    lines: [Vec<Line>; 3],
    registers: usize,
    constants: Vec<f32>,
    input: Input,
    to_input: Option<Plan>,
    /// Block width: how many neighbours in a row share a lane.
    width: usize,
    boundaries: [f32; 7],
}

/// What a thread works in: allocated once.
pub(super) struct Scratch {
    /// Every register that is the same for a block, and the constants after them.
    pub lanes: Vec<Vec<f32>>,
    /// The codes of those that are codes.
    pub codes: Vec<Vec<u8>>,
    /// Every register that is an element's.
    pub elements: Vec<Vec<f32>>,
    spread: Vec<f32>,
    words: Vec<u16>,
}

impl Machine {
    /// Chooses kernels. `global` is false where the global scale is given.
    pub fn new(program: &Program, input: Input, width: usize, global: bool) -> Machine {
        let mut constants = Vec::new();
        let levels = [Level::Tensor, Level::Block, Level::Element];
        let lines = levels.map(|level| {
            let lines = program.of_level(level, global);
            lines.map(|instruction| Line::new(program, instruction, input, &mut constants)).collect()
        });
        let to_input = match input {
            Input::F32 => None,
            Input::Bf16 => Some("cvt.rn.bf16.f32"),
            Input::F16 => Some("cvt.rn.f16.f32"),
        };
        let to_input = to_input.and_then(|opcode| opcode.parse().ok()).map(Plan::new);
        let registers = program.registers.len();
        Machine { lines, registers, constants, input, to_input, width, boundaries: boundaries(Format::E2m1) }
    }

    /// Arrays for `blocks` lanes and `columns` elements, with the constants in place.
    pub fn scratch(&self, blocks: usize, columns: usize) -> Scratch {
        // Packed conversions take up to four at a time.
        let (blocks, columns) = (blocks.next_multiple_of(4), columns.next_multiple_of(4));
        let mut lanes = vec![vec![0.0; blocks]; self.registers];
        lanes.extend(self.constants.iter().map(|c| vec![*c; blocks]));
        let used = |to: usize| self.lines[2].iter().any(|line| line.to == to);
        let elements = (0..self.registers).map(|r| if used(r) { vec![0.0; columns] } else { Vec::new() });
        Scratch {
            codes: vec![vec![0; blocks]; self.registers],
            elements: elements.collect(),
            spread: vec![0.0; columns],
            words: vec![0; blocks.max(columns)],
            lanes,
        }
    }

    /// Runs the lines that are the same for the tensor, or for a block.
    pub fn run_lanes(&self, level: Level, scratch: &mut Scratch) {
        for line in &self.lines[level as usize] {
            self.lane(line, scratch);
        }
    }

    fn lane(&self, line: &Line, scratch: &mut Scratch) {
        let mut to = core::mem::take(&mut scratch.lanes[line.to]);
        let at = |slot: Slot| match slot {
            Slot::Lane(r) | Slot::Element(r) => r,
        };
        let (a, b) = (at(line.a), line.b.map_or(0, at));
        match line.op {
            Op::Convert(_) | Op::Argmin(_) | Op::FromCode(_) => {
                let mut codes = core::mem::take(&mut scratch.codes[line.to]);
                match (&line.plan, line.op) {
                    (Some(plan), _) => run(plan, &scratch.lanes[a], None, &mut codes),
                    (None, Op::Argmin(_)) => kernels::argmin(&self.boundaries, &scratch.lanes[a], &mut codes),
                    _ => {
                        for (x, code) in scratch.lanes[a].iter().zip(&mut codes) {
                            *code = *x as i64 as u8;
                        }
                    }
                }
                line.decode(&codes, &mut to);
                scratch.codes[line.to] = codes;
            }
            Op::CodeOf => {
                for (code, to) in scratch.codes[a].iter().zip(&mut to) {
                    *to = f32::from(*code);
                }
            }
            Op::Where { classes: Classes { code: Some(code), .. }, otherwise } => {
                let (yes, no) = (&scratch.lanes[a], &scratch.lanes[otherwise]);
                for ((is, to), (yes, no)) in scratch.codes[b].iter().zip(&mut to).zip(yes.iter().zip(no)) {
                    *to = if *is == code { *yes } else { *no };
                }
            }
            Op::Where { classes, otherwise } => {
                let lanes = &scratch.lanes;
                kernels::select(classes, &lanes[b], &lanes[a], &lanes[otherwise], &mut to);
            }
            _ => {
                if let Op::Move = line.op {
                    let codes = scratch.codes[a].clone();
                    scratch.codes[line.to] = codes;
                }
                let Scratch { lanes, words, .. } = scratch;
                self.arithmetic(line.op, &lanes[a], line.b.map(|_| &lanes[b][..]), words, &mut to);
            }
        }
        scratch.lanes[line.to] = to;
    }

    /// Operations that are the same for lanes and elements.
    fn arithmetic(&self, op: Op, a: &[f32], b: Option<&[f32]>, words: &mut [u16], to: &mut [f32]) {
        match (op, b) {
            (Op::Log2, _) => kernels::log2(a, to),
            (Op::Floor, _) => a.iter().zip(to).for_each(|(a, to)| *to = a.floor()),
            (Op::Ceil, _) => a.iter().zip(to).for_each(|(a, to)| *to = a.ceil()),
            (Op::ToInput, _) => match &self.to_input {
                None => to.copy_from_slice(&a[..to.len()]),
                Some(plan) => {
                    let words = &mut words[..to.len()];
                    let _ = plan.run_packed(a[..to.len()].into(), None, (&mut *words).into());
                    for (word, to) in words.iter().zip(to) {
                        *to = f32::from_bits(self.input.widen((*word).into()));
                    }
                }
            },
            (_, Some(b)) => kernels::binary(op, a, b, to),
            _ => to.copy_from_slice(&a[..to.len()]),
        }
    }

    /// Runs the lines of elements but the conversion at the end, for `n` elements of a row that begin at lane
    /// 0; returns the register that is converted.
    pub fn run_elements<'s>(
        &self,
        x: &'s [f32],
        given: usize,
        scratch: &'s mut Scratch,
        last: bool,
    ) -> &'s [f32] {
        let lines = &self.lines[Level::Element as usize];
        let arithmetic = if last { &lines[..] } else { &lines[..lines.len() - 1] };
        let n = x.len();
        for line in arithmetic {
            let mut to = core::mem::take(&mut scratch.elements[line.to]);
            self.element(line, x, given, scratch, &mut to[..n]);
            scratch.elements[line.to] = to;
        }
        let result = match lines.last() {
            Some(line) if last => Slot::Element(line.to),
            Some(line) => line.a,
            None => Slot::Element(given),
        };
        match result {
            Slot::Element(r) if r == given => x,
            Slot::Element(r) => &scratch.elements[r][..n],
            Slot::Lane(r) => {
                let Scratch { lanes, spread, .. } = scratch;
                kernels::spread(&lanes[r], self.width, &mut spread[..n]);
                &spread[..n]
            }
        }
    }

    fn element(&self, line: &Line, x: &[f32], given: usize, scratch: &mut Scratch, to: &mut [f32]) {
        let n = x.len();
        let Scratch { lanes, elements, spread, words, .. } = scratch;
        let spread = &mut spread[..n];
        let array = |slot: Slot| match slot {
            Slot::Element(r) if r == given => Some(x),
            Slot::Element(r) => Some(&elements[r][..n]),
            Slot::Lane(_) => None,
        };
        let fill = |slot: Slot, to: &mut [f32]| {
            if let Slot::Lane(r) = slot {
                kernels::spread(&lanes[r], self.width, to);
            }
        };
        if let Op::Where { classes, otherwise } = line.op {
            // Rare: fill whatever is the block's.
            let [mut yes, mut no] = [vec![0.0; n], vec![0.0; n]];
            fill(line.a, &mut yes);
            let otherwise = if elements[otherwise].is_empty() && otherwise != given {
                Slot::Lane(otherwise)
            } else {
                Slot::Element(otherwise)
            };
            fill(otherwise, &mut no);
            let subject = line.b.unwrap_or(line.a);
            fill(subject, spread);
            let subject = array(subject).unwrap_or(spread);
            let (yes, no) = (array(line.a).unwrap_or(&yes), array(otherwise).unwrap_or(&no));
            return kernels::select(classes, subject, yes, no, to);
        }
        match (line.op, array(line.a), line.b.map(|b| (b, array(b)))) {
            (Op::Mul | Op::Div, Some(a), Some((Slot::Lane(b), None)))
                if kernels::by_block(line.op == Op::Div, a, &lanes[b], self.width, to) => {}
            (op, Some(a), None) => self.arithmetic(op, a, None, words, to),
            (op, Some(a), Some((_, Some(b)))) => self.arithmetic(op, a, Some(b), words, to),
            (op, Some(a), Some((b, None))) => {
                fill(b, spread);
                self.arithmetic(op, a, Some(spread), words, to);
            }
            (op, None, b) => {
                fill(line.a, spread);
                match b {
                    Some((_, Some(b))) => self.arithmetic(op, spread, Some(b), words, to),
                    _ => self.arithmetic(op, spread, None, words, to),
                }
            }
        }
    }

    /// The plan of the last line, or the boundaries of the nearest values.
    pub fn last(&self) -> Result<&Plan, &[f32; 7]> {
        self.lines[2].last().and_then(|line| line.plan.as_ref()).ok_or(&self.boundaries)
    }
}

impl Line {
    fn new(program: &Program, instruction: &Instruction, input: Input, constants: &mut Vec<f32>) -> Line {
        let mut slot = |operand: Operand| match operand {
            Operand::Register(r) if program.registers[r].level == Level::Element => Slot::Element(r),
            Operand::Register(r) => Slot::Lane(r),
            Operand::Constant(c) => constant(program, constants, c),
            Operand::InputMax => constant(program, constants, input.largest()),
        };
        let (a, b) = (slot(instruction.a), instruction.b.map(&mut slot));
        let plan = match instruction.op {
            Op::Convert(form) => Some(Plan::new(form)),
            _ => None,
        };
        let table = match program.registers[instruction.to].kind {
            Kind::Code(format) if format != Format::Ue8m0 => Some(table(format)),
            _ => None,
        };
        Line { to: instruction.to, op: instruction.op, a, b, plan, table }
    }

    /// The numbers that the codes stand for.
    fn decode(&self, codes: &[u8], to: &mut [f32]) {
        match &self.table {
            None => kernels::powers(codes, to),
            Some(table) => codes.iter().zip(to).for_each(|(code, to)| *to = table[usize::from(*code)]),
        }
    }
}

fn constant(program: &Program, constants: &mut Vec<f32>, value: f32) -> Slot {
    constants.push(value);
    Slot::Lane(program.registers.len() + constants.len() - 1)
}

/// The numbers of a format of up to 8 bits.
pub(super) fn table(format: Format) -> Box<[f32; 256]> {
    Box::new(core::array::from_fn(|code| format.decode(code as u64).to_f64() as f32))
}

/// Converts; the lengths fit by construction.
pub(super) fn run(plan: &Plan, numbers: &[f32], random: Option<Column<'_>>, codes: &mut [u8]) {
    let done = plan.run_packed(numbers.into(), random, ColumnMut::Bytes(codes));
    debug_assert!(done.is_ok(), "{done:?}");
}

/// The middles between neighbouring numbers of an FP4 format.
fn boundaries(format: Format) -> [f32; 7] {
    let value = |code: usize| match format.decode(code as u64) {
        Value::Finite(x) => x.to_f64() as f32,
        _ => f32::INFINITY,
    };
    core::array::from_fn(|i| (value(i) + value(i + 1)) / 2.0)
}

/// The form that decodes elements of `format` to bf16, which holds all their numbers.
pub(super) fn decoder(format: Format) -> Option<Plan> {
    debug_assert!(matches!(format.parameters().kind, FormatKind::Float { .. }));
    let form: Form = format!("cvt.rn.bf16x2.{format}x2").parse().ok()?;
    Some(Plan::new(form))
}
