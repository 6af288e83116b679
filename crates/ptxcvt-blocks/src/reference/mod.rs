//! The reference implementation: a recipe one block at a time, exact and readable, with every step visible.
//!
//! It uses no f32 operation of the host. Each operation is computed exactly, in f64 or integers, and rounded
//! by the evaluator's `cvt.rn.f32.f64`; conversions are [`Form::eval`]. The two implementations therefore
//! have little in common.

mod arithmetic;
mod matrix;

use ptxcvt::{Form, Format, Value};

use crate::input::Input;
use crate::magnitude::{amax, canonical};
use crate::recipe::{Bits, Condition, Instruction, Kind, Level, One, Op, Operand, Program, Recipe, given};

pub(crate) use matrix::{Rows, globals, work};
pub use matrix::{dequantize_reference, quantize_reference};

/// One line of a worked block with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The line of the recipe.
    pub text: String,
    /// The bits of an f32, or a code.
    pub bits: u32,
    /// The format of a code; `None` for an f32.
    pub format: Option<Format>,
}

impl Step {
    /// The number that the bits encode.
    pub fn value(&self) -> Value {
        self.format.unwrap_or(Format::F32).decode(self.bits.into())
    }
}

/// A block worked through.
#[derive(Clone, Debug)]
pub struct Worked {
    /// The lines that are computed once for the tensor.
    pub tensor: Vec<Step>,
    /// The largest magnitude of the block, as the bits of an f32.
    pub amax: u32,
    /// The lines that are computed once for the block.
    pub block: Vec<Step>,
    /// The scale: a code, or the bits of an f32.
    pub scale: u32,
    /// The lines of each element.
    pub elements: Vec<Vec<Step>>,
    /// The code of each element.
    pub codes: Vec<u8>,
    /// The global scale.
    pub global: Option<u32>,
}

/// Converts an element under `.rs`. Lines that are not the last never round with random bits.
type Random<'r> = dyn FnMut(&Form, f32) -> u32 + 'r;

fn no_random(form: &Form, _: f32) -> u32 {
    unreachable!("only the last line of a recipe rounds with random bits, not {form}")
}

/// The registers' values of a program, as bits.
#[derive(Clone, Debug)]
struct State<'p> {
    program: &'p Program,
    input: Input,
    bits: Vec<u32>,
}

impl<'p> State<'p> {
    fn new(program: &'p Program, input: Input) -> Self {
        State { program, input, bits: vec![0; program.registers.len()] }
    }

    /// The value of the last register with this name; the recipe must have it.
    fn result(&self, name: &str) -> u32 {
        let register = self.program.result(name);
        let bits = self.bits[register];
        match self.program.registers[register].kind {
            Kind::Number => canonical(bits),
            Kind::Code(_) => bits,
        }
    }

    /// Runs the lines of the tensor, except those that compute the global scale if it is given.
    fn run_tensor(&mut self, global: Option<u32>) -> Vec<Step> {
        if let (Some(bits), Some(register)) = (global, self.program.find("G")) {
            self.bits[register] = bits;
        }
        let lines = self.program.of_level(Level::Tensor, global.is_some());
        lines.map(|line| self.step(line, &mut no_random)).collect()
    }

    /// The global scale of the largest magnitude `amax`, which is the input `from`.
    fn global(&mut self, from: usize, amax: u32) -> u32 {
        self.bits[from] = amax;
        for line in self.program.of_level(Level::Tensor, false) {
            self.bits[line.to] = self.evaluate(line, &mut no_random);
        }
        self.result("G")
    }

    /// Runs the lines of the block; sums run over `elements`.
    fn run_block(&mut self, elements: &[u32]) -> Vec<Step> {
        let lines = self.program.of_level(Level::Block, false);
        let steps = lines.map(|line| match line.op {
            Op::Sum => self.sum(line, elements),
            _ => self.step(line, &mut no_random),
        });
        steps.collect()
    }

    /// Runs the lines of an element.
    fn run_element(&mut self, random: &mut Random<'_>) -> Vec<Step> {
        let lines = self.program.of_level(Level::Element, false);
        lines.map(|line| self.step(line, random)).collect()
    }

    fn sum(&mut self, line: &Instruction, elements: &[u32]) -> Step {
        let needed = self.program.needed(line.a, Level::Element);
        let mut total = 0_u32;
        for x in elements {
            self.bits[given::X] = *x;
            for line in &needed {
                self.bits[line.to] = self.evaluate(line, &mut no_random);
            }
            let x = self.operand(line.a).1;
            total = arithmetic::add(f32::from_bits(total).into(), x.into());
        }
        self.write(line, total)
    }

    fn step(&mut self, line: &Instruction, random: &mut Random<'_>) -> Step {
        let bits = self.evaluate(line, random);
        self.write(line, bits)
    }

    /// Writes the result of a line.
    fn write(&mut self, line: &Instruction, bits: u32) -> Step {
        self.bits[line.to] = bits;
        let format = match self.program.registers[line.to].kind {
            Kind::Number => None,
            Kind::Code(format) => Some(format),
        };
        Step { text: line.text.clone(), bits, format }
    }

    /// An operand's bits, and the f32 that they encode.
    fn operand(&self, operand: Operand) -> (u32, f32) {
        match operand {
            Operand::Constant(x) => (x.to_bits(), x),
            Operand::Input(which) => (self.input.number(which).to_bits(), self.input.number(which)),
            Operand::Register(r) => {
                let bits = self.bits[r];
                match self.program.registers[r].kind {
                    Kind::Number => (bits, f32::from_bits(bits)),
                    // Every number of a small format is an f32 number.
                    Kind::Code(format) => (bits, format.decode(bits.into()).to_f64() as f32),
                }
            }
        }
    }

    /// The bits of an operand for operations on bits. Every NaN in a register counts as the canonical one.
    fn bits(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Register(_) => canonical(self.operand(operand).0),
            Operand::Constant(_) | Operand::Input(_) => self.operand(operand).0,
        }
    }

    fn evaluate(&self, line: &Instruction, random: &mut Random<'_>) -> u32 {
        let (a_bits, a) = self.operand(line.a);
        let x = f64::from(a);
        match line.op {
            Op::Move => a_bits,
            Op::One(One::Log2) => arithmetic::round(x.log2()),
            Op::One(One::Floor) => arithmetic::round(x.floor()),
            Op::One(One::Ceil) => arithmetic::round(x.ceil()),
            Op::One(One::ToInput) => arithmetic::to_input(self.input, a),
            Op::Two(op, b) => arithmetic::two(op, a, self.operand(b).1),
            Op::Bits(Bits::Add, b) => self.bits(line.a).wrapping_add(self.bits(b)),
            Op::Bits(Bits::And, b) => self.bits(line.a) & self.bits(b),
            Op::CodeOf => f32::to_bits(a_bits as f32),
            Op::FromCode(_) => a as i64 as u8 as u32,
            Op::Convert(form) => arithmetic::convert(&form, a, random),
            Op::Nearest(format, sign) => arithmetic::nearest(format, sign, a),
            Op::Sum => unreachable!("`run_block` computes sums"),
            Op::Where { subject, condition, otherwise } => {
                let (bits, number) = self.operand(subject);
                let holds = match condition {
                    Condition::Code(code) => bits == u32::from(code),
                    Condition::Number(classes) => arithmetic::is_in(classes, number),
                };
                if holds { a_bits } else { self.bits[otherwise] }
            }
        }
    }
}

/// Computes a block. `elements` are f32 bits of numbers of the input's type; `random(i, form, x)` converts
/// element `i` under `.rs`.
fn block(
    recipe: &Recipe,
    input: Input,
    global: Option<u32>,
    elements: &[u32],
    mut random: impl FnMut(usize, &Form, f32) -> u32,
) -> Worked {
    let mut state = State::new(&recipe.quantize, input);
    let tensor = state.run_tensor(global);
    let amax = amax(recipe.amax_nan(), elements.iter().copied());
    state.bits[given::AMAX] = amax;
    let block = state.run_block(elements);
    let scale = state.result("s");
    let mut codes = Vec::with_capacity(elements.len());
    let mut traces = Vec::with_capacity(elements.len());
    for (i, x) in elements.iter().enumerate() {
        state.bits[given::X] = *x;
        traces.push(state.run_element(&mut |form, x| random(i, form, x)));
        codes.push(state.result("q") as u8);
    }
    let global = global.map(|_| state.result("G"));
    Worked { tensor, amax, block, scale, elements: traces, codes, global }
}

/// The value of an element, as the bits of an f32; `scale` is a code or the bits of an f32.
pub(crate) fn value(recipe: &Recipe, code: u8, scale: u32, global: u32) -> u32 {
    let mut state = State::new(&recipe.dequantize, Input::F32);
    state.bits[given::Q] = code.into();
    state.bits[given::S] = scale;
    state.bits[given::G] = global;
    state.run_tensor(None);
    state.run_block(&[]);
    state.run_element(&mut no_random);
    state.result("v")
}
