//! Finds the input bits on which each output bit may depend. The sets may be too large, but never too small.
//!
//! For every bit of every register, the analysis knows a constant or the set of input bits on which it may depend. In
//! general, each bit of a result depends on all bits of the sources (for packed types, on those of its half). Some
//! instructions are analysed in more detail: conversions ([`conversion`]), bitwise operations, and sums
//! ([`operation`]).

mod bits;
mod conversion;
mod operation;
#[cfg(test)]
mod tests;

pub(super) use bits::Bits;
use bits::{Known, Register, constant, union};

use super::compare::Pair;
use crate::block::{Block, Instruction, Port};
use crate::operand::{Operand, Reg};
use crate::table::{Opcode, Semantics};

/// The input bits on which each bit of each output may depend. `None` if there are more input bits than [`Bits`] can
/// hold.
pub(super) fn of(block: &Block, inputs: &[Pair]) -> Option<Vec<Vec<Bits>>> {
    if inputs.iter().map(|p| p.width).sum::<u32>() > Bits::CAPACITY {
        return None;
    }
    let widths = block.registers().iter().map(|r| r.ty.width);
    let mut state: Vec<Register> = widths.map(|width| constant(0, width)).collect();
    let mut first = 0;
    for (port, pair) in block.inputs().iter().zip(inputs).rev() {
        let register = &mut state[port.register.0 as usize];
        for (at, known) in register.iter_mut().enumerate().take(pair.width as usize) {
            let own = if pair.fixed { Bits::default() } else { Bits::of(first + at as u32) };
            *known = Known::Depends(own);
        }
        first += pair.width;
    }
    for instruction in block.code() {
        step(block, instruction, &mut state);
    }
    let output = |p: &Port| state[p.register.0 as usize].iter().map(|k| k.bits()).collect();
    Some(block.outputs().iter().map(output).collect())
}

fn step(block: &Block, instruction: &Instruction, state: &mut [Register]) {
    let results = results(block, instruction, state);
    let guard = instruction.guard.map(|g| state[g.register.0 as usize][0]);
    for (register, result) in instruction.written().zip(results) {
        let old = &mut state[register.0 as usize];
        assert_eq!(old.len(), result.len(), "{instruction:?} gives every bit of its register");
        for (known, new) in old.iter_mut().zip(result) {
            *known = match guard {
                None => new,
                // The old value or the new one, depending on the guard.
                Some(guard) => Known::Depends(known.join(new).bits().or(guard.bits())),
            };
        }
    }
}

/// The new value of each register that an instruction writes.
fn results(block: &Block, instruction: &Instruction, state: &[Register]) -> Vec<Register> {
    let width = |r: Reg| block.declaration(r).ty.width;
    let written: Vec<u32> = instruction.written().map(width).collect();
    let sources: Vec<Register> = match &instruction.opcode {
        Opcode::Op(op) if !matches!(op.row().semantics, Semantics::Move) => {
            let places = op.row().operands.iter().map(|o| op.operand_type(o).width());
            let each = instruction.operands.iter().zip(places).skip(1);
            each.map(|(operand, width)| read(operand, width, state)).collect()
        }
        _ => {
            let flat = instruction.operands.iter().skip(1).flat_map(|o| match o {
                Operand::Vector(parts) => parts.iter(),
                one => std::slice::from_ref(one).iter(),
            });
            flat.map(|o| read(o, 64, state)).collect()
        }
    };
    match &instruction.opcode {
        Opcode::Convert(form) => {
            let width = written.first().copied().unwrap_or(form.result_width());
            vec![conversion::result(form, &sources, width)]
        }
        Opcode::Op(op) if matches!(op.row().semantics, Semantics::Move) => {
            let mut all = sources.concat().into_iter();
            let parts = match &instruction.operands[0] {
                Operand::Vector(parts) => parts.len() as u32,
                _ => 1,
            };
            // Discarded parts (`_`) also occupy bits.
            let share = op.ty(0).width() / parts;
            let mut split: Vec<Register> =
                (0..parts).map(|_| all.by_ref().take(share as usize).collect()).collect();
            if let Operand::Vector(targets) = &instruction.operands[0] {
                let mut kept = targets.iter().map(|t| *t != Operand::Sink);
                split.retain(|_| kept.next().expect("one for each part"));
            }
            split
        }
        Opcode::Op(op) => match written[..] {
            [width, _] if matches!(instruction.operands[0], Operand::WithCarry(..)) => {
                vec![operation::result(op, &sources, width), vec![Known::Depends(union(&sources.concat()))]]
            }
            [width] if !matches!(instruction.operands[0], Operand::Pair(..)) => {
                vec![operation::result(op, &sources, width)]
            }
            // Each of two predicates depends on all source bits.
            _ => written.iter().map(|_| vec![Known::Depends(union(&sources.concat()))]).collect(),
        },
    }
}

/// A source operand; a constant has the given width.
fn read(operand: &Operand, width: u32, state: &[Register]) -> Register {
    match operand {
        Operand::Register(r) => state[r.0 as usize].clone(),
        Operand::Not(r) => match state[r.0 as usize][0] {
            Known::Constant(bit) => vec![Known::Constant(!bit)],
            depends => vec![depends],
        },
        Operand::Constant(bits) => constant(*bits, width),
        other => unreachable!("{other:?} is not a single source"),
    }
}
