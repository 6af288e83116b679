//! The readable implementation for a whole block: one instruction after the other, registers as bits.
//!
//! PTX ISA section 9.3 (predicated execution).

use std::collections::HashMap;
use std::fmt;

use ptxcvt::mask;

use crate::block::{Block, Instruction};
use crate::operand::{Operand, Reg};
use crate::table::{Opcode, Semantics};

/// The wrong number of inputs for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InputCountError {
    /// The number of the block's inputs.
    pub expected: usize,
    /// The number of values that were given.
    pub given: usize,
}

impl InputCountError {
    /// The error of a block that has `expected` inputs if `given` were given.
    pub const fn new(expected: usize, given: usize) -> Self {
        InputCountError { expected, given }
    }

    /// The code of the error.
    pub const fn code(&self) -> ptxcvt::Code {
        ptxcvt::Code::OperandCount
    }
}

impl fmt::Display for InputCountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the block takes {}, not {}", ptxcvt::counted(self.expected, "input"), self.given)
    }
}

impl std::error::Error for InputCountError {}

/// The effect of an instruction in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The instruction's index in the block.
    pub instruction: usize,
    /// False if its guard was false.
    pub executed: bool,
    /// The registers that it wrote, with their bits.
    pub written: Vec<(Reg, u64)>,
}

impl Block {
    /// Runs the block: takes the bits of the inputs and returns the bits of the outputs, both in order. Bits above an
    /// input's width are ignored. A register that is read before it is written is 0 here, although its value is undefined
    /// ([`possibly_undefined`](Self::possibly_undefined)).
    ///
    /// # Errors
    ///
    /// Fails if there are not as many values as the block has inputs.
    pub fn eval(&self, inputs: &[u64]) -> Result<Vec<u64>, InputCountError> {
        let mut state = self.start(inputs)?;
        for instruction in &self.code {
            step(instruction, self, &mut state);
        }
        Ok(self.outputs.iter().map(|port| state[port.register.0 as usize]).collect())
    }

    /// Runs the block and returns what each instruction wrote.
    ///
    /// # Errors
    ///
    /// Fails if there are not as many values as the block has inputs.
    pub fn trace(&self, inputs: &[u64]) -> Result<Vec<Step>, InputCountError> {
        let mut state = self.start(inputs)?;
        let steps = self.code.iter().enumerate();
        Ok(steps
            .map(|(at, instruction)| {
                let executed = step(instruction, self, &mut state);
                let written = instruction.written().map(|r| (r, state[r.0 as usize])).collect();
                Step { instruction: at, executed, written: if executed { written } else { Vec::new() } }
            })
            .collect())
    }

    fn start(&self, inputs: &[u64]) -> Result<Vec<u64>, InputCountError> {
        if inputs.len() != self.inputs.len() {
            return Err(InputCountError { expected: self.inputs.len(), given: inputs.len() });
        }
        let mut state = vec![0; self.registers.len()];
        for (port, bits) in self.inputs.iter().zip(inputs) {
            state[port.register.0 as usize] = bits & mask(self.width(*port));
        }
        Ok(state)
    }
}

impl Instruction {
    /// The registers that the instruction writes.
    pub fn written(&self) -> impl Iterator<Item = Reg> + '_ {
        self.operands.first().into_iter().flat_map(registers_of)
    }

    /// The registers that the instruction reads, including its guard.
    pub fn read(&self) -> impl Iterator<Item = Reg> + '_ {
        let guard = self.guard.map(|g| g.register);
        self.operands.iter().skip(1).flat_map(registers_of).chain(guard)
    }
}

/// The registers in an operand.
fn registers_of(operand: &Operand) -> Vec<Reg> {
    match operand {
        Operand::Register(r) | Operand::Not(r) => vec![*r],
        Operand::Vector(parts) => parts.iter().flat_map(registers_of).collect(),
        Operand::Pair(p, q) => p.iter().chain(q).copied().collect(),
        Operand::WithCarry(d, carry) => vec![*d, *carry],
        Operand::Constant(_) | Operand::Sink => Vec::new(),
    }
}

/// The value that an instruction without its guard writes to `to`, if the registers that it reads have these values.
pub(crate) fn result(instruction: &Instruction, block: &Block, known: &HashMap<Reg, u64>, to: Reg) -> u64 {
    let mut state = vec![0; block.registers.len()];
    known.iter().for_each(|(register, bits)| state[register.0 as usize] = *bits);
    step(&Instruction { guard: None, ..instruction.clone() }, block, &mut state);
    state[to.0 as usize]
}

/// Executes one instruction; returns false if its guard was false.
fn step(instruction: &Instruction, block: &Block, state: &mut [u64]) -> bool {
    if let Some(guard) = instruction.guard {
        if (state[guard.register.0 as usize] != 0) == guard.negated {
            return false;
        }
    }
    let [destination, sources @ ..] = &instruction.operands[..] else {
        unreachable!("every instruction has a destination")
    };
    let read = |operand: &Operand| match operand {
        Operand::Register(r) => state[r.0 as usize],
        Operand::Not(r) => state[r.0 as usize] ^ 1,
        Operand::Constant(bits) => *bits,
        other => unreachable!("{other:?} is not a single source"),
    };
    let width = |r: &Reg| block.declaration(*r).ty.width;
    match &instruction.opcode {
        Opcode::Convert(form) => {
            let flat = sources.iter().flat_map(|o| match o {
                Operand::Vector(parts) => parts.iter(),
                one => std::slice::from_ref(one).iter(),
            });
            let bits: Vec<u64> = flat.map(read).collect();
            let result = form.eval(&bits).expect("as many operands as the form has");
            if let Operand::Register(d) = destination {
                state[d.0 as usize] = form.extend(result, width(d));
            }
        }
        Opcode::Op(op) if matches!(op.row().semantics, Semantics::Move) => {
            let bits = match &sources[0] {
                Operand::Vector(parts) => {
                    let join = |(bits, at): (u64, u32), part: &Operand| match part {
                        Operand::Register(r) => (bits | read(part) << at, at + width(r)),
                        other => unreachable!("{other:?} is not part of a source"),
                    };
                    parts.iter().fold((0, 0), join).0
                }
                one => read(one),
            };
            match destination {
                Operand::Register(d) => state[d.0 as usize] = bits & mask(width(d)),
                Operand::Vector(parts) => {
                    let part_width = op.ty(0).width() / parts.len() as u32;
                    for (at, part) in parts.iter().enumerate() {
                        if let Operand::Register(r) = part {
                            state[r.0 as usize] = bits >> (at as u32 * part_width) & mask(part_width);
                        }
                    }
                }
                other => unreachable!("{other:?} is not a destination of `mov`"),
            }
        }
        Opcode::Op(op) => {
            let bits: Vec<u64> = sources.iter().map(read).collect();
            match destination {
                Operand::Register(d) => state[d.0 as usize] = op.eval(&bits),
                Operand::WithCarry(d, carry) => {
                    state[d.0 as usize] = op.eval(&bits);
                    state[carry.0 as usize] = op.second(&bits);
                }
                Operand::Pair(p, q) => {
                    for (register, bit) in [(p, op.elements(&bits)[0]), (q, op.second(&bits))] {
                        if let Some(r) = register {
                            state[r.0 as usize] = bit & 1;
                        }
                    }
                }
                Operand::Sink => {}
                other => unreachable!("{other:?} is not a destination"),
            }
        }
    }
    true
}
