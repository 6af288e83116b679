//! Inputs that the constants of two blocks suggest.
//!
//! A block that treats a value specially contains the value, or numbers from which it is computed. For example,
//! [`super::backward`] finds a = C − D from `setp.eq.u64 p, x, C` after `add.u64 x, a, D`. The constants are also tried
//! as inputs: with their neighbours, complements and halves, converted to the input's format, and combined in pairs by
//! the operations that blocks use.

use std::collections::HashSet;

use ptxcvt::{Format, Rounding, mask, sign_extend};

use super::compare::Pair;
use super::undo::inverse;
use crate::block::Block;
use crate::operand::Operand;

/// Limit on the constants of the blocks, in code order.
const MOST_CONSTANTS: usize = 256;
/// Limit on the constants that are combined in pairs.
const MOST_PAIRED: usize = 48;
/// Limit on the values that are returned.
const MOST_VALUES: usize = 1 << 14;

/// The constants of both blocks in code order, without duplicates.
pub(super) fn of(blocks: [&Block; 2]) -> Vec<u64> {
    fn collect(operand: &Operand, found: &mut Vec<u64>) {
        match operand {
            Operand::Constant(bits) => found.push(*bits),
            Operand::Vector(parts) => parts.iter().for_each(|part| collect(part, found)),
            Operand::Register(_)
            | Operand::Not(_)
            | Operand::Pair(..)
            | Operand::WithCarry(..)
            | Operand::Sink => {}
        }
    }
    let mut found = Vec::new();
    for instruction in blocks.iter().flat_map(|block| block.code()) {
        instruction.operands.iter().for_each(|operand| collect(operand, &mut found));
    }
    let mut seen = HashSet::new();
    found.retain(|bits| seen.insert(*bits));
    found.truncate(MOST_CONSTANTS);
    found
}

/// The values of an input that these constants suggest, without duplicates, the likeliest first: values that lead to
/// constants, the constants, and numbers made from them. Always includes zero, one, all ones and the sign bit.
pub(super) fn values(leading: &[u64], constants: &[u64], pair: &Pair) -> Vec<u64> {
    let mut values = Values { width: pair.width, all: Vec::new(), seen: HashSet::new() };
    leading.iter().for_each(|value| values.add(*value));
    for c in constants.iter().chain(&[0, u64::MAX, 1, 1 << (pair.width - 1)]) {
        values.add(*c);
    }
    for c in constants {
        values.around(*c);
    }
    if let Some(meaning) = pair.meaning {
        for c in constants {
            converted(*c, meaning.format).for_each(|code| {
                let storage = meaning.format.storage();
                // The element in one lane, for each lane, and in all lanes at once.
                for lane in 0..meaning.lanes {
                    values.around(code << (lane * storage));
                }
                values.add((0..meaning.lanes).fold(0, |all, lane| all | code << (lane * storage)));
            });
        }
    }
    let paired = &constants[..constants.len().min(MOST_PAIRED)];
    for a in paired {
        for b in paired {
            combined(*a, *b, pair.width).into_iter().for_each(|value| values.add(value));
        }
    }
    values.all
}

struct Values {
    width: u32,
    all: Vec<u64>,
    seen: HashSet<u64>,
}

impl Values {
    fn add(&mut self, bits: u64) {
        let bits = bits & mask(self.width);
        if self.all.len() < MOST_VALUES && self.seen.insert(bits) {
            self.all.push(bits);
        }
    }

    /// Adds a value, its complement and its negative, each with its neighbours, and the value with its bytes and bits
    /// reversed.
    fn around(&mut self, bits: u64) {
        let sign = 1 << (self.width - 1);
        for value in [bits, !bits, bits.wrapping_neg(), bits ^ sign] {
            self.add(value);
            self.add(value.wrapping_sub(1));
            self.add(value.wrapping_add(1));
        }
        self.add(bits.swap_bytes() >> (64 - self.width.next_multiple_of(8)));
        self.add(bits.reverse_bits() >> (64 - self.width));
        // Shifted, because a constant may be compared with a register that is wider or narrower than the input.
        for shift in [8, 16, 32, 48] {
            self.add(bits >> shift);
            self.add(bits << shift);
        }
    }
}

/// The codes of `format` for a constant, read as an integer and as the bits of a float.
fn converted(bits: u64, format: Format) -> impl Iterator<Item = u64> {
    let integers = [bits as f64, sign_extend(bits, 64) as f64, sign_extend(bits, 32) as f64];
    let floats = [Format::F16, Format::Bf16, Format::F32, Format::F64]
        .into_iter()
        .filter(move |from| *from != format && bits <= mask(from.storage()))
        .map(move |from| format.encode(from.decode(bits), Rounding::Rz));
    let elements = (bits <= mask(format.storage())).then_some(bits);
    integers.into_iter().map(move |x| format.encode(x, Rounding::Rz)).chain(floats).chain(elements)
}

/// Inputs for which an operation with `b` returns `a`, and results of operations on `a` and `b`.
fn combined(a: u64, b: u64, width: u32) -> Vec<u64> {
    let half = width / 2;
    let mut found = vec![
        a.wrapping_sub(b),
        a.wrapping_add(b),
        a ^ b,
        a & b,
        a | b,
        a & !b,
        // Two halves of a register.
        (a & mask(half)) << half | b & mask(half),
    ];
    if b < u64::from(width) {
        found.extend([a << b, a >> b, (sign_extend(a, 64) >> b) as u64]);
        found.push(a.rotate_left(b as u32));
    }
    if b & 1 != 0 && b != 1 {
        found.push(a.wrapping_mul(inverse(b)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_complements_and_halves() {
        let pair = Pair { width: 64, meaning: None, fixed: false };
        let values = values(&[], &[0xdead_beef, 0x0123_4567_89ab_cdef], &pair);
        for wanted in [
            0xdead_beef,
            0xdead_bef0,
            !0xdead_beef_u64,
            0x0123_4567_89ab_cdee,
            0x0123_4567_89ab_cdef - 0xdead_beef,
            0xdead_beef_89ab_cdef,
        ] {
            assert!(values.contains(&wanted), "{wanted:#x}");
        }
    }
}
