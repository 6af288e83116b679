//! Guesses the operand for which an instruction has a wanted result, by the operations that undo common ones.

use std::collections::HashSet;

use ptxcvt::{Format, Rounding};

use crate::block::Instruction;
use crate::semantics::{mask, sign_extend};
use crate::table::Opcode;
use crate::ty::Class;

/// Operands for which an instruction may give `value`.
pub(super) fn guesses(instruction: &Instruction, value: u64, constants: &[u64], width: u32) -> Vec<u64> {
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
        if (1..u64::from(width)).contains(&c) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses() {
        for odd in [1_u64, 3, 5, 0xdead_beef, 0x1234_5678_9abc_def1, u64::MAX] {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1, "{odd:#x}");
        }
    }
}
