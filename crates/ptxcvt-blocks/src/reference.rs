//! Rail 1: a recipe one block at a time, exact and readable, with every step to be looked at.
//!
//! Nothing here is an f32 operation of the host. Each one is made exactly, in f64 or integers, and then
//! rounded by the evaluator's own `cvt.rn.f32.f64`; conversions are [`Form::eval`]; so what is compared with
//! the fast rail has another origin than it.

use std::sync::LazyLock;

use ptxcvt::{Form, Format, Value};

use crate::input::Input;
use crate::recipe::{AmaxNan, Classes, Instruction, Kind, Level, Op, Operand, Program, Recipe, given};

/// The NaN of f32 results, as PTX arithmetic returns it.
pub(crate) const NAN: u32 = 0x7fff_ffff;

static ROUND: LazyLock<Form> = LazyLock::new(|| form("cvt.rn.f32.f64"));
static TO_BF16: LazyLock<Form> = LazyLock::new(|| form("cvt.rn.bf16.f32"));
static TO_F16: LazyLock<Form> = LazyLock::new(|| form("cvt.rn.f16.f32"));

fn form(opcode: &str) -> Form {
    opcode.parse().unwrap_or_else(|e| unreachable!("{opcode}: {e}"))
}

/// One line of a worked block: the line, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The line of the recipe.
    pub text: String,
    /// The bits: of an f32, or a code.
    pub bits: u32,
    /// The format of a code; `None` for an f32.
    pub format: Option<Format>,
}

impl Step {
    /// The number that the bits stand for.
    pub fn value(&self) -> Value {
        self.format.unwrap_or(Format::F32).decode(self.bits.into())
    }
}

/// The values of a program's registers, as bits.
#[derive(Clone, Debug)]
pub(crate) struct State<'p> {
    program: &'p Program,
    input: Input,
    bits: Vec<u32>,
}

impl<'p> State<'p> {
    pub fn new(program: &'p Program, input: Input) -> Self {
        State { program, input, bits: vec![0; program.registers.len()] }
    }

    pub fn set(&mut self, register: usize, bits: u32) {
        self.bits[register] = bits;
    }

    /// The last register of that name.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.program.find(name).map(|r| self.bits[r])
    }

    /// Runs the lines of a level; `global` is the global scale where it is given.
    pub fn run(
        &mut self,
        level: Level,
        global: Option<u32>,
        random: &mut dyn FnMut(&Form, f32) -> u32,
    ) -> Vec<Step> {
        if let (Some(bits), Level::Tensor, Some(g)) = (global, level, self.program.find("G")) {
            self.bits[g] = bits;
        }
        let program = self.program;
        let lines = program.of_level(level, global.is_none());
        lines.map(|instruction| self.step(instruction, random)).collect()
    }

    /// The block's lines; those of elements run where a sum needs them.
    fn run_block(&mut self, elements: &[u32]) -> Vec<Step> {
        let program = self.program;
        let none: &mut dyn FnMut(&Form, f32) -> u32 = &mut |_, _| 0;
        let lines = program.of_level(Level::Block, true);
        let mut step = |instruction: &Instruction| {
            let mut step = self.step(instruction, none);
            if instruction.op == Op::Sum {
                let needed = program.needed(instruction.a, Level::Element);
                let mut total = 0.0_f32;
                for x in elements {
                    self.bits[given::X] = *x;
                    for line in &needed {
                        self.bits[line.to] = self.evaluate(line, none);
                    }
                    total = f32::from_bits(round(sum(total.into(), self.operand(instruction.a).1.into())));
                }
                step.bits = total.to_bits();
                self.bits[instruction.to] = step.bits;
            }
            step
        };
        lines.map(&mut step).collect()
    }

    fn step(&mut self, instruction: &Instruction, random: &mut dyn FnMut(&Form, f32) -> u32) -> Step {
        let bits = self.evaluate(instruction, random);
        self.bits[instruction.to] = bits;
        let format = match self.program.registers[instruction.to].kind {
            Kind::Number => None,
            Kind::Code(format) => Some(format),
        };
        Step { text: instruction.text.clone(), bits, format }
    }

    /// The operand's bits as they are, and the f32 that they stand for.
    fn operand(&self, operand: Operand) -> (u32, f32) {
        match operand {
            Operand::Constant(x) => (x.to_bits(), x),
            Operand::InputMax => (self.input.largest().to_bits(), self.input.largest()),
            Operand::Register(r) => {
                let bits = self.bits[r];
                match self.program.registers[r].kind {
                    Kind::Number => (bits, f32::from_bits(bits)),
                    // Every small format's numbers are f32 numbers.
                    Kind::Code(format) => (bits, format.decode(bits.into()).to_f64() as f32),
                }
            }
        }
    }

    fn evaluate(&self, instruction: &Instruction, random: &mut dyn FnMut(&Form, f32) -> u32) -> u32 {
        let (a_bits, a) = self.operand(instruction.a);
        let (b_bits, b) = instruction.b.map_or((0, 0.0), |b| self.operand(b));
        let (x, y) = (f64::from(a), f64::from(b));
        match instruction.op {
            Op::Move => a_bits,
            Op::Add => round(sum(x, y)),
            Op::Sub => round(sum(x, -y)),
            Op::Mul => round(x * y),
            Op::Div => round(x / y),
            Op::Min => pick(a, b, a < b, false),
            Op::Max => pick(a, b, a > b, false),
            Op::MinNan => pick(a, b, a < b, true),
            Op::MaxNan => pick(a, b, a > b, true),
            Op::AddBits => a_bits.wrapping_add(b_bits),
            Op::AndBits => a_bits & b_bits,
            Op::Log2 => round(x.log2()),
            Op::Floor => round(x.floor()),
            Op::Ceil => round(x.ceil()),
            Op::ToInput => to_input(self.input, a),
            Op::CodeOf => f32::to_bits(a_bits as f32),
            Op::FromCode(_) => a as i64 as u8 as u32,
            Op::Convert(form) => convert(&form, a, random),
            Op::Nearest(format, false) => argmin(format, a),
            Op::Nearest(format, true) => count(format, a),
            Op::Sum => 0, // `block` makes it.
            Op::Where { classes, otherwise } => {
                let subject = instruction.b.map(|b| self.program.kind(b));
                if holds(classes, subject, b_bits, b) { a_bits } else { self.bits[otherwise] }
            }
        }
    }
}

/// `min` or `max` of PTX: `first` says whether the first is the one.
fn pick(a: f32, b: f32, first: bool, nan: bool) -> u32 {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => NAN,
        (true, false) => {
            if nan {
                NAN
            } else {
                b.to_bits()
            }
        }
        (false, true) => {
            if nan {
                NAN
            } else {
                a.to_bits()
            }
        }
        _ => {
            if first {
                a.to_bits()
            } else {
                b.to_bits()
            }
        }
    }
}

/// The f32 nearest to `x`.
fn round(x: f64) -> u32 {
    if x.is_nan() {
        return NAN;
    }
    // The only error is a wrong count of operands.
    ROUND.eval(&[x.to_bits()]).map_or(NAN, |bits| bits as u32)
}

/// x + y rounded to odd, so that the rounding to f32 that follows is the only one.
fn sum(x: f64, y: f64) -> f64 {
    let s = x + y;
    let back = s - x;
    let error = (x - (s - back)) + (y - back);
    let even = s.to_bits() & 1 == 0;
    if !s.is_finite() || error == 0.0 || !even {
        return s;
    }
    // The neighbour on the side of the error is odd.
    let away = (error > 0.0) == (s > 0.0);
    f64::from_bits(if away { s.to_bits() + 1 } else { s.to_bits() - 1 })
}

fn to_input(input: Input, x: f32) -> u32 {
    let (form, format) = match input {
        Input::F32 => return if x.is_nan() { NAN } else { x.to_bits() },
        Input::Bf16 => (&*TO_BF16, Format::Bf16),
        Input::F16 => (&*TO_F16, Format::F16),
    };
    let code = form.eval(&[x.to_bits().into()]).unwrap_or(0);
    round(format.decode(code).to_f64())
}

/// One element of a packed conversion: the lowest, the others being zero.
fn convert(form: &Form, x: f32, random: &mut dyn FnMut(&Form, f32) -> u32) -> u32 {
    if form.rounding() == Some(ptxcvt::Rounding::Rs) {
        return random(form, x);
    }
    let mut operands = [0; 4];
    let count = form.source_count();
    operands[count - 1] = x.to_bits().into();
    let bits = form.eval(&operands[..count]).unwrap_or(0);
    (bits & ((1 << form.destination().format().storage()) - 1)) as u32
}

/// The code whose value is nearest to `x`, the lowest of those. NaN and infinities are equally far from all: the
/// first.
fn argmin(format: Format, x: f32) -> u32 {
    if !x.is_finite() {
        return 0;
    }
    let largest = format.decode(format.max_finite()).to_f64();
    // Beyond the largest number the nearest is that, and the distances below would lose their differences.
    let x = f64::from(x).clamp(-largest, largest);
    let distance = |code: u32| (format.decode(code.into()).to_f64() - x).abs();
    let codes = 0..1_u32 << format.bits();
    codes.min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap_or(0)
}

/// The code whose magnitude is the number of middles between neighbouring values below that of `x`, and whose sign is
/// set unless `x` is positive.
fn count(format: Format, x: f32) -> u32 {
    let value = |code: u32| format.decode(code.into()).to_f64();
    let largest = format.max_finite() as u32;
    let below = (0..largest).filter(|c| f64::from(x.abs()) > (value(*c) + value(c + 1)) / 2.0).count() as u32;
    if x > 0.0 { below } else { below | format.sign_bit() as u32 }
}

fn holds(classes: Classes, subject: Option<Kind>, bits: u32, x: f32) -> bool {
    let code = classes.code.is_some_and(|c| matches!(subject, Some(Kind::Code(_))) && bits == u32::from(c));
    code || classes.negative && x < 0.0
        || classes.zero && x == 0.0
        || classes.nan && x.is_nan()
        || classes.infinite && x.is_infinite()
}

/// The largest magnitude, as bits.
pub(crate) fn amax(rule: AmaxNan, block: impl Iterator<Item = u32>) -> u32 {
    let mut most = 0;
    for x in block {
        let magnitude = x & 0x7fff_ffff;
        match (magnitude > 0x7f80_0000, rule) {
            (true, AmaxNan::Propagates) => return NAN,
            (true, AmaxNan::Ignored) => {}
            _ => most = most.max(magnitude),
        }
    }
    most
}

/// A block worked through.
#[derive(Clone, Debug)]
pub struct Worked {
    /// The lines that are the same for the whole tensor.
    pub tensor: Vec<Step>,
    /// The largest magnitude of the block, as the bits of an f32.
    pub amax: u32,
    /// The block's lines.
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

/// Works a block through, element by element; `elements` are the bits of f32 numbers that the input's type
/// holds, `global` the global scale, `first` the index of the first element's instruction under `.rs`.
pub(crate) fn block(
    recipe: &Recipe,
    input: Input,
    global: Option<u32>,
    elements: &[u32],
    mut random: impl FnMut(usize, &Form, f32) -> u32,
) -> Worked {
    let program = &recipe.quantize;
    let mut state = State::new(program, input);
    let none: &mut dyn FnMut(&Form, f32) -> u32 = &mut |_, _| 0;
    let tensor = state.run(Level::Tensor, global, none);
    let amax = amax(recipe.amax_nan(), elements.iter().copied());
    state.set(given::AMAX, amax);
    let block = state.run_block(elements);
    let scale = state.get("s").unwrap_or(0);
    let mut codes = Vec::with_capacity(elements.len());
    let mut traces = Vec::with_capacity(elements.len());
    for (i, x) in elements.iter().enumerate() {
        state.set(given::X, *x);
        traces.push(state.run(Level::Element, None, &mut |form, x| random(i, form, x)));
        codes.push(state.get("q").unwrap_or(0) as u8);
    }
    Worked { tensor, amax, block, scale, elements: traces, codes, global: state.get("G") }
}

/// The global scale that a recipe makes of the largest magnitude of the tensor; `None` where it has none.
pub(crate) fn global(recipe: &Recipe, input: Input, tensor_amax: u32) -> Option<u32> {
    let mut state = State::new(&recipe.quantize, input);
    state.set(given::TENSOR_AMAX, tensor_amax);
    let _ = state.run(Level::Tensor, None, &mut |_, _| 0);
    state.get("G")
}

/// What an element stands for, as the bits of an f32; `scale` is a code or the bits of an f32.
pub(crate) fn value(recipe: &Recipe, code: u8, scale: u32, global: u32) -> u32 {
    let mut state = State::new(&recipe.dequantize, Input::F32);
    state.set(given::Q, code.into());
    state.set(given::S, scale);
    state.set(given::G, global);
    for level in [Level::Tensor, Level::Block, Level::Element] {
        // The lines here make no `G`, so none is left out.
        let _ = state.run(level, None, &mut |_, _| 0);
    }
    state.get("v").unwrap_or(NAN)
}
