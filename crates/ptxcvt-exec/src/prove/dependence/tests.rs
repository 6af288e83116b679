//! Every instruction and every conversion, with all of its modifiers and types: flipping a source bit changes only
//! result bits that depend on it, and bits reported as constant have the reported value.

use std::collections::HashMap;

use ptxcvt::inputs::SplitMix64;
use ptxcvt::{Form, mask};

use super::bits::{Bits, Known, Register, constant};
use super::results;
use crate::block::Block;
use crate::eval;
use crate::operand::Reg;
use crate::table::{Dependence, Op};

/// The sources of an instruction: the facts about their bits, and values that agree with them.
struct Sources {
    state: Vec<Register>,
    values: HashMap<Reg, u64>,
    /// Each bit that is not a constant, with its register and place.
    free: Vec<(Bits, Reg, u32)>,
}

/// Random bits; some are small numbers, numbers just below zero, or floats near 1.
fn draw(width: u32, random: &mut SplitMix64) -> u64 {
    let bits = match random.below(5) {
        0 => random.next_u64() & 0x1f,
        1 => (random.next_u64() & 0x1f).wrapping_neg(),
        2 => {
            [0x3c01_3fff, 0x3f80_0001, 0x3ff0_0000_3f80_3c00][random.below(3)]
                ^ random.next_u64() & 0x8003_0007
        }
        _ => random.next_u64(),
    };
    bits & mask(width)
}

/// Each source is free, a constant, or has some constant bits.
fn sources(block: &Block, random: &mut SplitMix64) -> Sources {
    let mut found = Sources {
        state: block.registers().iter().map(|r| constant(0, r.ty.width)).collect(),
        values: HashMap::new(),
        free: Vec::new(),
    };
    for port in block.inputs() {
        let value = draw(block.width(*port), random);
        let fixed = [0, u64::MAX, random.next_u64()][random.below(3)];
        found.values.insert(port.register, value);
        for (at, known) in (0..).zip(&mut found.state[port.register.0 as usize]) {
            *known = if fixed >> at & 1 != 0 {
                Known::Constant(value >> at & 1 != 0)
            } else {
                let bit = Bits::of(found.free.len() as u32);
                found.free.push((bit, port.register, at));
                Known::Depends(bit)
            };
        }
    }
    found
}

/// The value of each register that the block's only instruction writes.
fn evaluate(block: &Block, values: &HashMap<Reg, u64>) -> Vec<u64> {
    let instruction = &block.code()[0];
    let value = |to| eval::result(instruction, block, values, to);
    instruction.written().map(value).collect()
}

fn check(name: &str, block: &Block, random: &mut SplitMix64) {
    let Sources { state, mut values, free } = sources(block, random);
    let known = results(block, &block.code()[0], &state);
    let before = evaluate(block, &values);
    for (bits, known) in before.iter().zip(&known) {
        for (at, known) in known.iter().enumerate() {
            if let Known::Constant(bit) = known {
                assert_eq!(bits >> at & 1 != 0, *bit, "{name}: bit {at} is no constant: {values:x?}");
            }
        }
    }
    for (bit, register, at) in free {
        let flip = |values: &mut HashMap<Reg, u64>| {
            *values.get_mut(&register).expect("a source") ^= 1 << at;
        };
        flip(&mut values);
        for ((old, new), known) in before.iter().zip(evaluate(block, &values)).zip(&known) {
            let changed = (0..64).filter(|n| (old ^ new) >> n & 1 != 0);
            let hidden = changed.into_iter().find(|n| !bit.is_within(known[*n].bits()));
            assert_eq!(hidden, None, "{name} depends on bit {at} of {register:?}: {values:x?}");
        }
        flip(&mut values);
    }
}

#[test]
fn instructions_depend_on_no_other_bits() {
    let mut random = SplitMix64::new(3);
    for op in Op::all() {
        // Rows with a more specific dependence need more rounds.
        let rounds = if op.row().dependence == Dependence::Everything { 4 } else { 40 };
        for _ in 0..rounds {
            let block = Block::of_op(op, random.next_u64() & 0xff);
            check(&op.to_string(), &block, &mut random);
        }
    }
}

#[test]
fn conversions_depend_on_no_other_bits() {
    let mut random = SplitMix64::new(4);
    for form in Form::all() {
        check(&form.to_string(), &Block::of_form(form), &mut random);
        check(&form.to_string(), &Block::of_form(form), &mut random);
    }
}
