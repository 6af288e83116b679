//! Inputs for which the registers of a block have the values of its constants.
//!
//! Walks through a block from its end: a constant is wanted in the registers next to it and, with its neighbours, also
//! before the instructions that computed them. The operand that gives a wanted result is guessed
//! ([`super::undo`]); running the instruction decides whether the guess is right. An instruction that reads several registers
//! is followed if it packs converted numbers, each of which has its own operand, and if what is wanted of the other operands
//! decides the last one. Where the walk ends before an input, [`super::conditions`] goes on.

use std::collections::{HashMap, HashSet};

use ptxcvt::mask;

use super::several::{Question, Registers};
use super::undo;
use crate::block::{Block, Instruction, Port};
use crate::eval;
use crate::operand::{Operand, Reg};

/// At most this many values are wanted of a register.
const MOST_WANTED: usize = 24;
/// At most this many instructions are followed, the last ones of the block.
const MOST_STEPS: usize = 4_096;

/// What leads to constants of a block.
pub(super) struct Leading {
    /// For each input of the block, values of it.
    pub inputs: Vec<Vec<u64>>,
    /// Registers that could not be followed to one input, then those that were: other inputs may give their values, too.
    pub ends: Vec<Wanted>,
}

/// Values that are wanted of a register after the first `at` instructions.
#[derive(Clone)]
pub(super) struct Wanted {
    pub at: usize,
    pub register: Reg,
    pub values: Vec<u64>,
}

/// Walks through the block.
pub(super) fn leading(block: &Block) -> Leading {
    let (mut wanted, mut ends, mut followed) = (Registers::new(), Vec::new(), Vec::new());
    let constants = constant_registers(block);
    for at in (0..block.code().len()).rev().take(MOST_STEPS) {
        step_back(block, at, &constants, &mut wanted, [&mut ends, &mut followed]);
    }
    ends.append(&mut followed);
    let of_input = |port: &Port| wanted.remove(&port.register).unwrap_or_default();
    Leading { inputs: block.inputs().iter().map(of_input).collect(), ends }
}

/// The registers that hold one constant, and these: compilers move constants of 64 bits to registers first.
fn constant_registers(block: &Block) -> HashMap<Reg, u64> {
    let mut found = HashMap::new();
    let mut written = HashSet::new();
    for instruction in block.code() {
        let reads = instruction.read().next().is_some();
        for register in instruction.written() {
            if !written.insert(register) {
                found.remove(&register);
            } else if !reads {
                found.extend(
                    eval::result(instruction, block, &HashMap::new(), register).map(|bits| (register, bits)),
                );
            }
        }
    }
    found
}

/// Replaces the values that are wanted after instruction `at` by those wanted before it. Registers that are not followed are
/// added to the first of `ends`, the others to the second.
fn step_back(
    block: &Block,
    at: usize,
    constant: &HashMap<Reg, u64>,
    wanted: &mut Registers,
    [ends, passed]: [&mut Vec<Wanted>; 2],
) {
    let instruction = &block.code()[at];
    let width = |register: Reg| block.declaration(register).ty.width;
    let (registers, constants) = sources(instruction, constant);
    let results: Vec<(Reg, Vec<u64>)> = instruction
        .written()
        .map(|result| {
            // Under a guard the register may keep its value, which is wanted then, too.
            let kept = instruction.guard.is_some();
            let values = if kept { wanted.get(&result).cloned() } else { wanted.remove(&result) };
            (result, values.unwrap_or_default())
        })
        .collect();
    let mut followed = false;
    if let [operand] = registers[..] {
        let mut found: Vec<Vec<u64>> = Vec::new();
        for (result, values) in &results {
            let gives = |operand_bits: u64, value: u64| {
                let mut known = constant.clone();
                known.insert(operand, operand_bits);
                eval::result(instruction, block, &known, *result) == Some(value)
            };
            let undone = |value: &u64| {
                undo::guesses(instruction, *value, &constants, width(operand))
                    .into_iter()
                    .find(|bits| gives(*bits, *value))
            };
            found.push(values.iter().filter_map(undone).collect());
        }
        followed = found.iter().any(|values| !values.is_empty());
        // The parts of an unpacked register are wanted together.
        let all = match &found[..] {
            [low, high, ..] => low.iter().flat_map(|a| high.iter().map(move |b| a | b)).collect(),
            _ => Vec::new(),
        };
        want(wanted, operand, found.into_iter().flatten().chain(all));
    }
    if registers.len() > 1 {
        for (result, values) in &results {
            let question = Question { instruction, block, constant, constants: &constants, result: *result };
            for (operand, found) in question.operands(&registers, values, wanted) {
                followed |= !found.is_empty();
                want(wanted, operand, found.into_iter());
            }
        }
    }
    // A predicate is no end: it depends on every bit of what is compared.
    let lost = results.into_iter().filter(|(r, values)| !values.is_empty() && width(*r) > 1);
    let lost = lost.map(|(register, values)| Wanted { at: at + 1, register, values });
    if followed {
        passed.extend(lost)
    } else {
        ends.extend(lost)
    }
    for register in registers {
        let bits = mask(width(register));
        let near = |c: &u64| [*c, c.wrapping_sub(1), c.wrapping_add(1)].map(|c| c & bits);
        want(wanted, register, constants.iter().flat_map(near));
    }
}

fn want(wanted: &mut Registers, register: Reg, values: impl Iterator<Item = u64>) {
    let known = wanted.entry(register).or_default();
    for value in values {
        if known.len() < MOST_WANTED && !known.contains(&value) {
            known.push(value);
        }
    }
}

/// The registers that an instruction reads besides negated predicates and constant ones, each once, and its constants.
fn sources(instruction: &Instruction, constant: &HashMap<Reg, u64>) -> (Vec<Reg>, Vec<u64>) {
    let (mut registers, mut constants) = (Vec::new(), Vec::new());
    let flat = instruction.operands.iter().skip(1).flat_map(|operand| match operand {
        Operand::Vector(parts) => parts.iter(),
        one => std::slice::from_ref(one).iter(),
    });
    for operand in flat {
        match operand {
            Operand::Register(r) if constant.contains_key(r) => constants.push(constant[r]),
            Operand::Register(r) if !registers.contains(r) => registers.push(*r),
            Operand::Constant(bits) => constants.push(*bits),
            _ => {}
        }
    }
    (registers, constants)
}
