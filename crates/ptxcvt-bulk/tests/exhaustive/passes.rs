//! The passes of a form. In each pass every f32 is an input once, at one place of an instruction, together
//! with one scale or one word of random bits.
//!
//! If an instruction converts several elements, each input must occur in each of its operands. Inputs are in
//! the order of their bits, so input x is element x mod n of its instruction. Another pass exchanges x and x
//! XOR 1, so that x occurs in another operand.

use ptxcvt::Form;
use ptxcvt::forms::{Operand, Role};
use ptxcvt_bulk::{Column, Plan, rbits};

/// The number of f32 values; and the number that is converted at a time, so that all tiers' results stay in
/// cache.
pub const INPUTS: u64 = 1 << 32;
pub const BLOCK: usize = 1 << 16;

/// The fixed scales: the one that brings the smallest numbers into range, and a usual one. All others,
/// including NaN, are among the varied ones.
const SCALES: [u64; 2] = [0, 117];
/// The fixed random bits: all zeros, all ones, and an irregular pattern.
const RANDOM: [u64; 3] = [0, 0xffff_ffff, 0x9e37_79b9];

/// The operand other than the elements (`rbits` or a scale).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// The form has no such operand.
    Nothing,
    /// One value for every instruction.
    Value(u64),
    /// A different value for each instruction. `rbits` are word i of the Philox stream of seed 1 for
    /// instruction i. Byte j of the scales is the top byte of j · 0x9e3779b9.
    Varied,
}

/// One pass over all inputs.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Input x is at the place of x XOR `flip`.
    pub flip: u32,
    /// The operand other than the elements (`rbits` or a scale).
    pub extra: Extra,
}

impl Pass {
    /// The passes of a form. Without a further operand there is one for each place. Otherwise there is one
    /// for each value, each at the next place, and one with varied values.
    pub fn all(form: &Form) -> Vec<Pass> {
        let extras: Vec<Extra> = match form.extra() {
            None => vec![Extra::Nothing; form.lanes() as usize],
            Some(operand) => values(operand).into_iter().map(Extra::Value).chain([Extra::Varied]).collect(),
        };
        let places = (0..form.lanes()).cycle();
        extras.into_iter().zip(places).map(|(extra, flip)| Pass { flip, extra }).collect()
    }
}

/// The value of an operand; if it has two scales, the second is the next one in the list.
fn values(operand: Operand) -> Vec<u64> {
    match (operand.role, operand.width) {
        (Role::RandomBits, _) => RANDOM.to_vec(),
        (_, 8) => SCALES.to_vec(),
        _ => (0..SCALES.len()).map(|i| SCALES[i] | SCALES[(i + 1) % SCALES.len()] << 8).collect(),
    }
}

/// A block of a pass: consecutive inputs and the other operand.
pub struct Batch {
    form: Form,
    pass: Pass,
    operands: [usize; 4],
    first: u64,
    elements: Vec<u32>,
    extra: Vec<u8>,
}

impl Batch {
    /// The block of a form that starts with input `first`.
    pub fn new(form: Form, pass: Pass, first: u64) -> Batch {
        let plan = Plan::new(form);
        let operands = [0, 1, 2, 3].map(|lane| plan.place(lane).operand);
        let mut batch = Batch { form, pass, operands, first, elements: vec![0; BLOCK], extra: Vec::new() };
        // Stored in memory, because a single value would be copied for each block.
        if let (Extra::Value(value), Some(bytes)) = (pass.extra, batch.extra_bytes()) {
            batch.extra = value.to_le_bytes()[..bytes].repeat(batch.instructions());
        }
        batch.start(first);
        batch
    }

    /// Changes it to the block that starts with input `first`.
    pub fn start(&mut self, first: u64) {
        self.first = first;
        for (i, element) in self.elements.iter_mut().enumerate() {
            *element = (first as u32 + i as u32) ^ self.pass.flip;
        }
        if let (Extra::Varied, Some(bytes)) = (self.pass.extra, self.extra_bytes()) {
            let start = self.first_instruction() * bytes as u64;
            let count = bytes * self.instructions();
            self.extra.clear();
            self.extra.extend((start..).take(count).map(scale));
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

    /// The inputs and the other operand, for the bulk engine.
    pub fn columns(&self) -> (Column<'_>, Option<Column<'_>>) {
        let extra = self.form.extra().map(|_| match self.stream() {
            Some((seed, first)) => Column::Random { seed, first },
            None => Column::Bytes(&self.extra),
        });
        (Column::U32(&self.elements), extra)
    }

    /// The reference's result for an instruction.
    pub fn evaluated(&self, instruction: usize) -> u64 {
        let lanes = self.form.lanes() as usize;
        let mut operands = [0; 5];
        for lane in 0..lanes {
            operands[self.operands[lane]] = self.input(instruction, lane).into();
        }
        if let Some(bytes) = self.extra_bytes() {
            operands[lanes] = match self.stream() {
                Some((seed, first)) => rbits(seed, first + instruction as u64).into(),
                None => little_endian(&self.extra[bytes * instruction..bytes * (instruction + 1)]),
            };
        }
        self.form.eval(&operands[..self.form.source_count()]).expect("as many operands as the form has")
    }

    /// The seed and the first index of varied random bits.
    fn stream(&self) -> Option<(u64, u64)> {
        let operand = self.form.extra().filter(|operand| operand.role == Role::RandomBits);
        operand.filter(|_| self.pass.extra == Extra::Varied).map(|_| (1, self.first_instruction()))
    }

    /// The bytes of the operand other than the elements.
    fn extra_bytes(&self) -> Option<usize> {
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

/// The number that these bytes encode.
pub fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte))
}
