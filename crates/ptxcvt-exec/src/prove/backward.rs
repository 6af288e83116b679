//! Inputs for which the registers of a block have the values of its constants.
//!
//! Walks through a block from its end: a constant is wanted in the registers next to it and, with its neighbours, also
//! before the instructions that computed them. The operand that gives a wanted result is guessed by the operations that
//! undo common ones; running the instruction decides whether the guess is right. Only instructions that read one
//! register are followed, so chains of any length to one input are.

use std::collections::{HashMap, HashSet};

use ptxcvt::{Format, Rounding};

use crate::block::{Block, Instruction};
use crate::eval;
use crate::operand::{Operand, Reg};
use crate::semantics::{mask, sign_extend};
use crate::table::Opcode;
use crate::ty::Class;

/// At most this many values are wanted of a register.
const MOST_WANTED: usize = 24;
/// At most this many instructions are followed, the last ones of the block.
const MOST_STEPS: usize = 4_096;

/// Values that are wanted of each register before an instruction.
type Wanted = HashMap<Reg, Vec<u64>>;

/// For each input of the block, the values of it that lead to constants of the block.
pub(super) fn inputs(block: &Block) -> Vec<Vec<u64>> {
    let mut wanted = Wanted::new();
    for instruction in block.code().iter().rev().take(MOST_STEPS) {
        step_back(block, instruction, &mut wanted);
    }
    block.inputs().iter().map(|port| wanted.remove(&port.register).unwrap_or_default()).collect()
}

/// Replaces the values that are wanted after an instruction by those wanted before it.
fn step_back(block: &Block, instruction: &Instruction, wanted: &mut Wanted) {
    let (registers, constants) = sources(instruction);
    let results: Vec<(Reg, Vec<u64>)> = instruction
        .written()
        .map(|result| {
            // Under a guard the register may keep its value, which is wanted then, too.
            let kept = instruction.guard.is_some();
            let values = if kept { wanted.get(&result).cloned() } else { wanted.remove(&result) };
            (result, values.unwrap_or_default())
        })
        .collect();
    if let [operand] = registers[..] {
        let mut found: Vec<Vec<u64>> = Vec::new();
        for (result, values) in &results {
            let gives = |operand_bits: u64, value: u64| {
                let known = HashMap::from([(operand, operand_bits)]);
                eval::result(instruction, block, &known, *result) == Some(value)
            };
            let undone = |value: &u64| {
                let width = block.declaration(operand).ty.width;
                guesses(instruction, *value, &constants, width).into_iter().find(|bits| gives(*bits, *value))
            };
            found.push(values.iter().filter_map(undone).collect());
        }
        // The parts of an unpacked register are wanted together.
        let all = match &found[..] {
            [low, high, ..] => low.iter().flat_map(|a| high.iter().map(move |b| a | b)).collect(),
            _ => Vec::new(),
        };
        want(wanted, operand, found.into_iter().flatten().chain(all));
    }
    for register in registers {
        let bits = mask(block.declaration(register).ty.width);
        let near = |c: &u64| [*c, c.wrapping_sub(1), c.wrapping_add(1)].map(|c| c & bits);
        want(wanted, register, constants.iter().flat_map(near));
    }
}

fn want(wanted: &mut Wanted, register: Reg, values: impl Iterator<Item = u64>) {
    let known = wanted.entry(register).or_default();
    for value in values {
        if known.len() < MOST_WANTED && !known.contains(&value) {
            known.push(value);
        }
    }
}

/// The registers that an instruction reads besides predicates, each once, and its constants.
fn sources(instruction: &Instruction) -> (Vec<Reg>, Vec<u64>) {
    fn collect(operand: &Operand, registers: &mut Vec<Reg>, constants: &mut Vec<u64>) {
        match operand {
            Operand::Register(r) if !registers.contains(r) => registers.push(*r),
            Operand::Constant(bits) => constants.push(*bits),
            Operand::Vector(parts) => parts.iter().for_each(|part| collect(part, registers, constants)),
            _ => {}
        }
    }
    let (mut registers, mut constants) = (Vec::new(), Vec::new());
    let all = instruction.operands.iter().skip(1);
    all.for_each(|operand| collect(operand, &mut registers, &mut constants));
    (registers, constants)
}

/// Operands for which an instruction may give `value`.
fn guesses(instruction: &Instruction, value: u64, constants: &[u64], width: u32) -> Vec<u64> {
    let mut found = vec![
        value,
        !value,
        value.wrapping_neg(),
        value.reverse_bits() >> (64 - width),
        value.swap_bytes() >> (64 - width.next_multiple_of(8)),
    ];
    found.extend([8, 16, 24, 32, 48].map(|shift| value << shift));
    for c in constants.iter().copied() {
        found.extend([value.wrapping_sub(c), value.wrapping_add(c), c.wrapping_sub(value), value ^ c]);
        if c < u64::from(width) {
            let rotated = |by: u64| value << by | value >> ((u64::from(width) - by) & 63);
            found.extend([value << c, value >> c, rotated(c), rotated(u64::from(width) - c)]);
            found.push(sign_extend(value, width) as u64 >> c);
        }
        found.push(value.wrapping_mul(c));
        found.extend(value.checked_div(c));
        if c & 1 != 0 {
            found.push(value.wrapping_mul(inverse(c)));
            // A product with a constant, to which another one is added.
            found.extend(constants.iter().map(|added| value.wrapping_sub(*added).wrapping_mul(inverse(c))));
        }
    }
    let [from, to] = formats(instruction);
    if let (Some(from), Some(to)) = (from, to) {
        let result = to.decode(value & mask(to.storage())).to_f64();
        let of = |c: &u64| from.decode(*c & mask(from.storage())).to_f64();
        let undone = |c: f64| [result - c, result + c, c - result, result / c, result * c, c / result];
        let one = constants.iter().map(of).flat_map(undone);
        let product = constants.iter().flat_map(|c| constants.iter().map(move |added| (c, added)));
        let product = product.map(|(c, added)| (result - of(added)) / of(c));
        for operand in one.chain(product).chain([result, -result]) {
            let code = from.encode(operand, Rounding::Rn);
            found.extend([code, code.wrapping_sub(1), code.wrapping_add(1)]);
        }
    }
    let mut seen = HashSet::new();
    found.retain_mut(|bits| {
        *bits &= mask(width);
        seen.insert(*bits)
    });
    found
}

/// The number formats of an instruction's sources and of its result.
fn formats(instruction: &Instruction) -> [Option<Format>; 2] {
    match &instruction.opcode {
        Opcode::Convert(form) => [Some(form.source().format()), Some(form.destination().format())],
        Opcode::Op(op) => {
            let float = op.types().find_map(|ty| match ty.class() {
                Class::Float(format) => Some(format),
                _ => None,
            });
            [float; 2]
        }
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration.
pub(super) fn inverse(odd: u64) -> u64 {
    // Three bits are right at first, and each step doubles them.
    (0..5).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))))
}
