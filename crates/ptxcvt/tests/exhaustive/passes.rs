//! The passes of a form: in each, every f32 goes in once, at one place of an instruction, beside one scale or one word of
//! random bits.
//!
//! Where an instruction converts several elements, each input must meet each of its operands. Inputs go in in the order
//! of their bits, so that input x is element x mod n of its instruction; another pass, in which x stands where x XOR 1
//! stood, puts it at another operand.

use ptxcvt::Form;
use ptxcvt::bulk::{Column, Plan, rbits};
use ptxcvt::forms::{Operand, Role};

/// Every f32; and how many of them are converted at a time, so that what the tiers make of them stays in cache.
pub const INPUTS: u64 = 1 << 32;
pub const BLOCK: usize = 1 << 16;

/// The scales, each the same for all inputs: the end that brings the smallest numbers into range, and a usual one. All
/// others, NaN too, are among the varied ones.
const SCALES: [u64; 2] = [0, 117];
/// The random bits, each the same for all inputs: none, all, and an uneven pattern.
const RANDOM: [u64; 3] = [0, 0xffff_ffff, 0x9e37_79b9];

/// What stands beside the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// Nothing: the form has no such operand.
    Nothing,
    /// The same for every instruction.
    Value(u64),
    /// Another for each: `rbits` are word i of the Philox stream of seed 1 for instruction i, and byte j of the scales is
    /// the top byte of j · 0x9e3779b9.
    Varied,
}

/// One way through all inputs.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Input x stands at the place of x XOR `flip`.
    pub flip: u32,
    /// What stands beside it.
    pub extra: Extra,
}

impl Pass {
    /// The passes of a form: one for each place where nothing stands beside the elements, else one for each value, each
    /// at the next place, and one with varied values.
    pub fn all(form: &Form) -> Vec<Pass> {
        let beside: Vec<Extra> = match form.extra() {
            None => vec![Extra::Nothing; form.lanes() as usize],
            Some(operand) => values(operand).into_iter().map(Extra::Value).chain([Extra::Varied]).collect(),
        };
        let places = (0..form.lanes()).cycle();
        beside.into_iter().zip(places).map(|(extra, flip)| Pass { flip, extra }).collect()
    }
}

/// What an operand is given; of two scales, the second is the next of the list.
fn values(operand: Operand) -> Vec<u64> {
    match (operand.role, operand.width) {
        (Role::RandomBits, _) => RANDOM.to_vec(),
        (_, 8) => SCALES.to_vec(),
        _ => (0..SCALES.len()).map(|i| SCALES[i] | SCALES[(i + 1) % SCALES.len()] << 8).collect(),
    }
}

/// A block of a pass: inputs in a row and what stands beside them.
pub struct Batch {
    form: Form,
    pass: Pass,
    operands: [usize; 4],
    first: u64,
    elements: Vec<u32>,
    beside: Vec<u8>,
}

impl Batch {
    /// The block of a form that begins with input `first`.
    pub fn new(form: Form, pass: Pass, first: u64) -> Batch {
        let plan = Plan::new(form);
        let operands = [0, 1, 2, 3].map(|lane| plan.place(lane).operand);
        let mut batch = Batch { form, pass, operands, first, elements: vec![0; BLOCK], beside: Vec::new() };
        // From memory: as a single value it would be copied for each block.
        if let (Extra::Value(value), Some(bytes)) = (pass.extra, batch.bytes_beside()) {
            batch.beside = value.to_le_bytes()[..bytes].repeat(batch.instructions());
        }
        batch.start(first);
        batch
    }

    /// Makes it the block that begins with input `first`.
    pub fn start(&mut self, first: u64) {
        self.first = first;
        for (i, element) in self.elements.iter_mut().enumerate() {
            *element = (first as u32 + i as u32) ^ self.pass.flip;
        }
        if let (Extra::Varied, Some(bytes)) = (self.pass.extra, self.bytes_beside()) {
            let start = self.first_instruction() * bytes as u64;
            let count = bytes * self.instructions();
            self.beside.clear();
            self.beside.extend((start..).take(count).map(scale));
        }
    }

    /// Its number of instructions.
    pub fn instructions(&self) -> usize {
        BLOCK / self.form.lanes() as usize
    }

    /// The input at element `lane` of an instruction.
    pub fn input(&self, instruction: usize, lane: usize) -> u32 {
        self.elements[instruction * self.form.lanes() as usize + lane]
    }

    /// The inputs, and what stands beside them, as the bulk engine takes them.
    pub fn columns(&self) -> (Column<'_>, Option<Column<'_>>) {
        let beside = self.form.extra().map(|_| match self.stream() {
            Some((seed, first)) => Column::Random { seed, first },
            None => Column::Bytes(&self.beside),
        });
        (Column::U32(&self.elements), beside)
    }

    /// What the reference makes of an instruction.
    pub fn evaluated(&self, instruction: usize) -> u64 {
        let lanes = self.form.lanes() as usize;
        let mut operands = [0; 5];
        for lane in 0..lanes {
            operands[self.operands[lane]] = self.input(instruction, lane).into();
        }
        if let Some(bytes) = self.bytes_beside() {
            operands[lanes] = match self.stream() {
                Some((seed, first)) => rbits(seed, first + instruction as u64).into(),
                None => little_endian(&self.beside[bytes * instruction..bytes * (instruction + 1)]),
            };
        }
        self.form.eval(&operands[..self.form.source_count()]).expect("as many operands as the form has")
    }

    /// Seed and first index of the random bits where they vary.
    fn stream(&self) -> Option<(u64, u64)> {
        let operand = self.form.extra().filter(|operand| operand.role == Role::RandomBits);
        operand.filter(|_| self.pass.extra == Extra::Varied).map(|_| (1, self.first_instruction()))
    }

    /// Bytes of the operand beside the elements.
    fn bytes_beside(&self) -> Option<usize> {
        self.form.extra().map(|operand| operand.width as usize / 8)
    }

    fn first_instruction(&self) -> u64 {
        self.first / u64::from(self.form.lanes())
    }
}

/// Byte j of the varied scales.
fn scale(j: u64) -> u8 {
    ((j as u32).wrapping_mul(0x9e37_79b9) >> 24) as u8
}

/// The number of so many bytes.
pub fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte))
}
