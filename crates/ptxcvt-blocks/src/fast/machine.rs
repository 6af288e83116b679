//! A program made ready: registers as arrays, one lane for each block of a chunk, or one for each element of a piece
//! of a row.

use std::sync::{Mutex, PoisonError};

use ptxcvt::bulk::{Column, ColumnMut, Plan};
use ptxcvt::{Form, Format, Value};

use super::kernels::{self, Arg};
use super::rows::Row;
use crate::input::Input;
use crate::recipe::{Instruction, Kind, Level, Op, Operand, Program, given};

/// Where a line reads.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slot {
    /// The same for the whole tensor.
    All(usize),
    /// One value for each block.
    Lane(usize),
    /// One value for each element.
    Element(usize),
}

impl Slot {
    fn register(self) -> usize {
        match self {
            Slot::All(r) | Slot::Lane(r) | Slot::Element(r) => r,
        }
    }
}

/// A line with its operands found and its kernels chosen.
#[derive(Debug)]
struct Line {
    to: usize,
    op: Op,
    a: Slot,
    b: Option<Slot>,
    /// Where a condition does not hold.
    otherwise: Slot,
    /// The format of the code that it makes.
    code: Option<Format>,
    plan: Option<Plan>,
    /// The values of the codes that it makes, for formats without a rule of their own.
    table: Option<Box<[f32; 256]>>,
    /// How elements that it makes become numbers again.
    decoder: Option<Plan>,
    /// It makes the global scale, so it is left out where that is given.
    makes_global: bool,
}

/// A line of the block's, with the lines of elements that a sum needs.
#[derive(Debug)]
struct BlockLine {
    line: Line,
    summed: Vec<Line>,
}

/// A program ready to run; shared by the threads.
#[derive(Debug)]
pub(super) struct Machine {
    tensor: Vec<Line>,
    block: Vec<BlockLine>,
    /// The lines that the result needs; `last` makes it.
    elements: Vec<Line>,
    last: Line,
    registers: usize,
    constants: Vec<f32>,
    input: Input,
    to_input: Option<Plan>,
    boundaries: [f32; 7],
    /// What threads have worked in: allocating it anew costs as much as some ten thousand elements.
    idle: Mutex<Vec<Scratch>>,
}

/// What a thread works in: allocated once.
#[derive(Debug)]
pub(super) struct Scratch {
    /// Lanes and elements that it has room for.
    size: (usize, usize),
    /// Every register that is the same for a block, and the constants after them.
    pub lanes: Vec<Vec<f32>>,
    /// The codes of those that are codes.
    pub codes: Vec<Vec<u8>>,
    /// Every register that is an element's.
    elements: Vec<Vec<f32>>,
    spread: [Vec<f32>; 3],
    words: Vec<u8>,
    bytes: Vec<u8>,
}

impl Machine {
    /// Chooses kernels for the program that makes `result` of elements in the register `given`.
    pub fn new(program: &Program, input: Input, result: &str) -> Machine {
        let mut constants = Vec::new();
        let mut line = |instruction: &Instruction| Line::new(program, instruction, input, &mut constants);
        let of_level = |level| program.instructions.iter().filter(move |i| i.level == level);
        let tensor = of_level(Level::Tensor).map(&mut line).collect();
        let block = of_level(Level::Block).map(|instruction| {
            let summed = match instruction.op {
                Op::Sum => program.needed(instruction.a, Level::Element),
                _ => Vec::new(),
            };
            BlockLine { summed: summed.into_iter().map(&mut line).collect(), line: line(instruction) }
        });
        let block = block.collect();
        let result = program.find(result).map_or(Operand::Constant(0.0), Operand::Register);
        let mut elements: Vec<Line> =
            program.needed(result, Level::Element).into_iter().map(&mut line).collect();
        // A result that depends on no element is moved to each.
        let last = elements.pop().unwrap_or_else(|| {
            let to = program.registers.len() - 1;
            line(&Instruction {
                to,
                op: Op::Move,
                a: result,
                b: None,
                level: Level::Element,
                text: String::new(),
            })
        });
        let to_input = match input {
            Input::F32 => None,
            Input::Bf16 => Some("cvt.rn.bf16.f32"),
            Input::F16 => Some("cvt.rn.f16.f32"),
        };
        let to_input = to_input.and_then(|opcode| opcode.parse().ok()).map(Plan::new);
        let (registers, boundaries) = (program.registers.len(), boundaries(Format::E2m1));
        let idle = Mutex::default();
        Machine { tensor, block, elements, last, registers, constants, input, to_input, boundaries, idle }
    }

    /// Arrays for `blocks` lanes and pieces of `columns` elements, with the constants in place; what else they hold is
    /// nothing to rely on.
    pub fn scratch(&self, blocks: usize, columns: usize) -> Scratch {
        // Packed conversions take up to four at a time.
        let size @ (blocks, columns) = (blocks.next_multiple_of(4), columns.next_multiple_of(4));
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = idle.iter().position(|scratch| scratch.size == size) {
            return idle.swap_remove(at);
        }
        drop(idle);
        let mut lanes = vec![vec![0.0; blocks]; self.registers];
        lanes.extend(self.constants.iter().map(|c| vec![*c; blocks]));
        let summed = self.block.iter().flat_map(|line| &line.summed);
        let mut elements = vec![Vec::new(); self.registers];
        for line in self.elements.iter().chain(summed).chain([&self.last]) {
            elements[line.to] = vec![0.0; columns];
        }
        Scratch {
            size,
            codes: vec![vec![0; blocks]; self.registers],
            elements,
            spread: [(); 3].map(|()| vec![0.0; columns]),
            words: vec![0; 2 * blocks.max(columns)],
            bytes: vec![0; columns],
            lanes,
        }
    }

    /// Keeps it for the next thread; of what nobody asks for again, not much.
    pub fn keep(&self, scratch: Scratch) {
        const KEPT: usize = 64;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() == KEPT {
            idle.clear();
        }
        idle.push(scratch);
    }

    /// Runs the lines that are the same for the tensor; not those of the global scale, where that is given.
    pub fn run_tensor(&self, global_given: bool, scratch: &mut Scratch) {
        for line in self.tensor.iter().filter(|line| !(line.makes_global && global_given)) {
            self.lane(line, scratch);
        }
    }

    /// Runs the block's lines; `rows` gives what sums run over.
    pub fn run_block<'r>(&self, width: usize, scratch: &mut Scratch, rows: impl Fn() -> Vec<Row<'r>>) {
        for BlockLine { line, summed } in &self.block {
            match line.op {
                Op::Sum => self.sum(line, summed, width, scratch, rows()),
                _ => self.lane(line, scratch),
            }
        }
    }

    /// Sums over the elements of each block in their order, each sum rounded.
    fn sum(&self, line: &Line, summed: &[Line], width: usize, scratch: &mut Scratch, rows: Vec<Row<'_>>) {
        let mut sums = core::mem::take(&mut scratch.lanes[line.to]);
        sums.fill(0.0);
        for row in rows {
            for piece in row.pieces(width) {
                self.lines(summed, piece, width, scratch);
                let first = piece.block(width);
                let blocks = scratch.elements[line.a.register()][..piece.len()].chunks(width);
                for (block, sum) in blocks.zip(&mut sums[first..]) {
                    *sum = block.iter().fold(*sum, |sum, x| sum + x);
                }
            }
        }
        scratch.lanes[line.to] = sums;
    }

    fn lane(&self, line: &Line, scratch: &mut Scratch) {
        let mut to = core::mem::take(&mut scratch.lanes[line.to]);
        let (a, b) = (line.a.register(), line.b.map_or(0, Slot::register));
        let mut codes = core::mem::take(&mut scratch.codes[line.to]);
        let lanes = &scratch.lanes;
        match line.op {
            Op::Convert(_) | Op::Nearest(..) | Op::FromCode(_) => {
                match (&line.plan, line.op) {
                    (Some(plan), _) => run(plan, &lanes[a], None, &mut codes),
                    (None, Op::Nearest(_, zero)) => {
                        kernels::nearest(&self.boundaries, zero, &lanes[a], &mut codes);
                    }
                    _ => kernels::codes_of_numbers(&lanes[a], &mut codes),
                }
                line.decode(&codes, &mut to);
            }
            Op::CodeOf => kernels::numbers_of_codes(&scratch.codes[a], &mut to),
            Op::Where { classes, .. } => {
                let otherwise = line.otherwise.register();
                let (yes, no) = (&lanes[a], &lanes[otherwise]);
                match classes.code {
                    Some(code) => kernels::select_code(code, &scratch.codes[b], yes, no, &mut to),
                    None => kernels::select(classes, &lanes[b], yes, no, &mut to),
                }
                if line.code.is_some() {
                    let each = codes.iter_mut().zip(&lanes[b]).zip(&scratch.codes[b]);
                    let (yes, no) = (&scratch.codes[a], &scratch.codes[otherwise]);
                    for (((to, x), code), (yes, no)) in each.zip(yes.iter().zip(no)) {
                        let is = classes.code.map_or_else(|| kernels::holds(classes, *x), |c| c == *code);
                        *to = if is { *yes } else { *no };
                    }
                }
            }
            Op::Move => {
                if let (true, Some(from)) = (line.code.is_some(), scratch.codes.get(a)) {
                    codes.copy_from_slice(from);
                }
                to.copy_from_slice(&lanes[a]);
            }
            _ => {
                let Scratch { lanes, words, .. } = scratch;
                let b = line.b.map(|_| Arg::Each(&lanes[b]));
                self.arithmetic(line.op, &lanes[a], b, words, &mut to);
            }
        }
        scratch.codes[line.to] = codes;
        scratch.lanes[line.to] = to;
    }

    /// Operations that are the same for lanes and elements.
    fn arithmetic(&self, op: Op, a: &[f32], b: Option<Arg<'_>>, words: &mut [u8], to: &mut [f32]) {
        let a = &a[..to.len()];
        match (op, b) {
            (Op::Log2, _) => kernels::log2(a, to),
            (Op::Floor, _) => kernels::floor(a, to),
            (Op::Ceil, _) => kernels::ceil(a, to),
            (Op::ToInput, _) => match &self.to_input {
                None => to.copy_from_slice(a),
                Some(plan) => {
                    let words = &mut words[..2 * to.len()];
                    run(plan, a, None, words);
                    Row::new(self.input, words).load(to);
                }
            },
            (_, Some(Arg::All(b))) => kernels::binary_all(op, a, b, to),
            (_, Some(Arg::Each(b))) => kernels::binary(op, a, b, to),
            _ => to.copy_from_slice(a),
        }
    }

    /// Runs the lines of elements for a piece of a row, but the one that makes the result; returns what that is made
    /// of.
    pub fn run_elements<'s>(&self, piece: Row<'_>, width: usize, scratch: &'s mut Scratch) -> &'s [f32] {
        self.lines(&self.elements, piece, width, scratch);
        self.operand(self.last.a, piece, width, scratch)
    }

    /// The same with the result itself, a number.
    pub fn run_result<'s>(&self, piece: Row<'_>, width: usize, scratch: &'s mut Scratch) -> &'s [f32] {
        self.lines(&self.elements, piece, width, scratch);
        self.element(&self.last, piece, width, scratch);
        &scratch.elements[self.last.to][..piece.len()]
    }

    fn lines(&self, lines: &[Line], piece: Row<'_>, width: usize, scratch: &mut Scratch) {
        for line in lines {
            self.element(line, piece, width, scratch);
        }
    }

    /// An operand as one number for each element.
    fn operand<'s>(&self, slot: Slot, piece: Row<'_>, width: usize, scratch: &'s mut Scratch) -> &'s [f32] {
        let Scratch { lanes, elements, spread, .. } = scratch;
        let [spread, ..] = spread;
        let spread = &mut spread[..piece.len()];
        match slot {
            Slot::Element(r) if !elements[r].is_empty() => return &elements[r][..piece.len()],
            // What was given.
            Slot::Element(_) => piece.load(spread),
            Slot::All(r) => spread.fill(lanes[r][0]),
            Slot::Lane(r) => kernels::spread(&lanes[r][piece.block(width)..], width, spread),
        }
        spread
    }

    fn element(&self, line: &Line, piece: Row<'_>, width: usize, scratch: &mut Scratch) {
        let n = piece.len();
        let mut to = core::mem::take(&mut scratch.elements[line.to]);
        let Scratch { lanes, elements, spread, words, bytes, .. } = scratch;
        let [for_a, for_b, for_c] = spread;
        let first = piece.block(width);
        let given = |slot: Slot| matches!(slot, Slot::Element(r) if elements[r].is_empty());
        // The first line of nearly every recipe, in one go with reading.
        if let (Op::Mul | Op::Div, true, Some(Slot::Lane(b))) = (line.op, given(line.a), line.b) {
            if piece.load_by(line.op == Op::Div, &lanes[b][first..], width, &mut to[..n]) {
                scratch.elements[line.to] = to;
                return;
            }
        }
        let arg = |slot: Slot| match slot {
            Slot::Element(r) => Arg::Each(&elements[r][..n.min(elements[r].len())]),
            Slot::All(r) => Arg::All(lanes[r][0]),
            Slot::Lane(r) => Arg::Block(&lanes[r][first..], width),
        };
        let each = |slot: Slot, spread: &mut [f32]| match arg(slot) {
            Arg::Each([]) => piece.load(spread),
            Arg::Each(_) => {}
            Arg::All(x) => spread.fill(x),
            Arg::Block(x, width) => kernels::spread(x, width, spread),
        };
        each(line.a, &mut for_a[..n]);
        let a = match arg(line.a) {
            Arg::Each(a) if !a.is_empty() => a,
            _ => &for_a[..n],
        };
        let b = line.b.map(|b| match arg(b) {
            Arg::All(x) => Arg::All(x),
            Arg::Each(x) if !x.is_empty() => Arg::Each(x),
            _ => {
                each(b, &mut for_b[..n]);
                Arg::Each(&for_b[..n])
            }
        });
        let to_n = &mut to[..n];
        match (line.op, b) {
            (Op::Where { classes, .. }, Some(subject)) => {
                each(line.otherwise, &mut for_c[..n]);
                let no = match arg(line.otherwise) {
                    Arg::Each(x) if !x.is_empty() => x,
                    _ => &for_c[..n],
                };
                match (arg(line.a), subject) {
                    (Arg::All(yes), Arg::Each(b)) => kernels::select_all(classes, b, yes, no, to_n),
                    (_, Arg::Each(b)) => kernels::select(classes, b, a, no, to_n),
                    (_, Arg::All(b)) => to_n.copy_from_slice(if kernels::holds(classes, b) { a } else { no }),
                    _ => {}
                }
            }
            (Op::Convert(_), _) => {
                // A code in the middle: what follows takes the number that it is.
                if let (Some(plan), Some(decoder), Some(format)) = (&line.plan, &line.decoder, line.code) {
                    let bytes = &mut bytes[..(n * format.storage() as usize).div_ceil(8)];
                    run(plan, a, None, bytes);
                    decode(decoder, bytes, &mut words[..2 * n]);
                    kernels::widen_bf16(&words[..2 * n], to_n);
                }
            }
            _ => self.arithmetic(line.op, a, b, words, to_n),
        }
        scratch.elements[line.to] = to;
    }

    /// The register of the block's factor, where the result is what was given times it and nothing else.
    pub fn factor(&self) -> Option<usize> {
        match (&self.elements[..], self.last.op, self.last.a, self.last.b) {
            ([], Op::Mul, Slot::Element(given::Q), Some(Slot::Lane(factor))) => Some(factor),
            _ => None,
        }
    }

    /// The plan of the last line, or the boundaries of the nearest values.
    pub fn last(&self) -> Last<'_> {
        match (&self.last.plan, self.last.op) {
            (Some(plan), _) => Last::Convert(plan),
            (None, Op::Nearest(_, zero)) => Last::Nearest(&self.boundaries, zero),
            _ => Last::Nearest(&self.boundaries, false),
        }
    }
}

/// What makes the codes of elements.
pub(super) enum Last<'m> {
    Convert(&'m Plan),
    /// The boundaries between values, and whether a zero that is not negative gets a sign, too.
    Nearest(&'m [f32; 7], bool),
}

impl Line {
    fn new(program: &Program, instruction: &Instruction, input: Input, constants: &mut Vec<f32>) -> Line {
        let mut constant = |value: f32| {
            constants.push(value);
            Slot::All(program.registers.len() + constants.len() - 1)
        };
        let register = |r: usize| match program.registers[r].level {
            Level::Tensor => Slot::All(r),
            Level::Block => Slot::Lane(r),
            Level::Element => Slot::Element(r),
        };
        let mut slot = |operand: Operand| match operand {
            Operand::Register(r) => register(r),
            Operand::Constant(c) => constant(c),
            Operand::InputMax => constant(input.largest()),
        };
        let (a, b) = (slot(instruction.a), instruction.b.map(&mut slot));
        let otherwise = match instruction.op {
            Op::Where { otherwise, .. } => register(otherwise),
            _ => a,
        };
        let plan = match instruction.op {
            Op::Convert(form) => Some(Plan::new(form)),
            _ => None,
        };
        let made = &program.registers[instruction.to];
        let code = match made.kind {
            Kind::Code(format) => Some(format),
            Kind::Number => None,
        };
        let elements = instruction.level == Level::Element;
        Line {
            to: instruction.to,
            op: instruction.op,
            a,
            b,
            otherwise,
            code,
            plan,
            table: code.filter(|format| !elements && *format != Format::Ue8m0).map(table),
            decoder: code.filter(|_| elements).and_then(decoder),
            makes_global: made.name == "G",
        }
    }

    /// The numbers that the codes stand for.
    fn decode(&self, codes: &[u8], to: &mut [f32]) {
        match &self.table {
            None => kernels::powers(codes, to),
            Some(table) => codes.iter().zip(to).for_each(|(code, to)| *to = table[usize::from(*code)]),
        }
    }
}

/// The numbers of a format of up to 8 bits.
pub(super) fn table(format: Format) -> Box<[f32; 256]> {
    Box::new(core::array::from_fn(|code| format.decode(code as u64).to_f64() as f32))
}

/// Converts, however many there are; the lengths fit by construction.
pub(super) fn run(plan: &Plan, numbers: &[f32], random: Option<Column<'_>>, codes: &mut [u8]) {
    let run = if numbers.len() % 4 == 0 { Plan::run_packed } else { Plan::run_padded };
    let done = run(plan, numbers.into(), random, ColumnMut::Bytes(codes));
    debug_assert!(done.is_ok(), "{done:?}");
}

/// Codes to bf16 numbers, little-endian.
pub(super) fn decode(plan: &Plan, codes: &[u8], words: &mut [u8]) {
    let run = if codes.len() % 4 == 0 { Plan::run_packed } else { Plan::run_padded };
    let done = run(plan, Column::Bytes(codes), None, ColumnMut::Bytes(words));
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

/// The form that decodes codes of `format` to bf16, which holds all their numbers.
pub(super) fn decoder(format: Format) -> Option<Plan> {
    let form: Form = format!("cvt.rn.bf16x2.{format}x2").parse().ok()?;
    Some(Plan::new(form))
}
