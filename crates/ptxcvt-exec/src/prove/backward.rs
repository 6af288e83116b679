//! Inputs for which the registers of a block have the values of its constants.
//!
//! Walks backwards through a block. The registers that an instruction combines with a constant should have its value or
//! a neighbouring one; these values are traced back through the instructions that computed the registers. The operand
//! for a given result is guessed ([`super::undo`]), and running the instruction shows whether the guess is right. An
//! instruction with several sources is followed in two cases: it packs converted numbers, one for each operand; or the
//! values of the other operands determine the last one. If the walk ends before an input, [`super::conditions`]
//! continues.

use std::collections::{HashMap, HashSet};

use ptxcvt::mask;

use super::several::{Question, Registers};
use super::undo;
use crate::block::{Block, Instruction, Port};
use crate::eval;
use crate::operand::{Operand, Reg};

/// Limit on the values sought for a register.
const MOST_WANTED: usize = 24;
/// Limit on the instructions followed, counted from the end of the block.
const MOST_STEPS: usize = 4_096;

/// Inputs and registers that lead to a block's constants.
pub(super) struct Leading {
    /// For each input of the block, the values to try.
    pub inputs: Vec<Vec<u64>>,
    /// Registers that could not be traced back to a single input, then those that could: other inputs may produce their
    /// values, too.
    pub ends: Vec<Wanted>,
}

/// Values that a register should have after the first `at` instructions.
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

/// The registers that always hold one constant, with its value. Compilers load 64-bit constants into registers first.
fn constant_registers(block: &Block) -> HashMap<Reg, u64> {
    let mut found = HashMap::new();
    let mut written = HashSet::new();
    for instruction in block.code() {
        let reads = instruction.read().next().is_some();
        for register in instruction.written() {
            if !written.insert(register) {
                found.remove(&register);
            } else if !reads {
                found.insert(register, eval::result(instruction, block, &HashMap::new(), register));
            }
        }
    }
    found
}

/// Replaces the values sought after instruction `at` by those sought before it. Registers that cannot be followed are
/// added to `ends`, the others to `passed`.
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
            // Under a guard the register may keep its old value, so the values stay sought.
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
                eval::result(instruction, block, &known, *result) == value
            };
            let undone = |value: &u64| {
                undo::guesses(instruction, *value, &constants, width(operand))
                    .into_iter()
                    .find(|bits| gives(*bits, *value))
            };
            found.push(values.iter().filter_map(undone).collect());
        }
        followed = found.iter().any(|values| !values.is_empty());
        // The parts of an unpacked register are also sought together.
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
    // A predicate is not an end of the walk: it depends on every bit of the compared values.
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

/// The registers that an instruction reads, without duplicates, and its constants. Constant registers count as
/// constants; negated predicates are left out.
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
