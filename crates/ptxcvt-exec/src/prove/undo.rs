//! Guesses operands that produce a given result, by applying the inverses of common operations.

use std::collections::HashSet;

use ptxcvt::{Format, Rounding, mask, sign_extend};

use crate::block::Instruction;
use crate::table::Opcode;
use crate::ty::Class;

/// Operands for which an instruction may return `value`.
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
            // A product with one constant, plus another constant.
            found.extend(constants.iter().map(|added| value.wrapping_sub(*added).wrapping_mul(inverse(c))));
        }
        // The high half of a product.
        if let Some(least) = (u128::from(value) << width).checked_div(u128::from(c)) {
            found.extend([least as u64, (least as u64).wrapping_add(1)]);
        }
        // Sums and differences of three operands.
        for other in constants.iter().map(|added| value.wrapping_sub(*added)) {
            found.extend([other.wrapping_sub(c), other.wrapping_add(c), c.wrapping_sub(other)]);
        }
    }
    let [from, to] = formats(instruction);
    if let (Some(from), Some(to)) = (from, to) {
        let [from_bits, to_bits] = [from, to].map(|format| format.storage());
        let lanes = if from_bits == to_bits { (width / from_bits).max(1) } else { 1 };
        let lane = |at: u32| {
            let part = |bits: u64, storage: u32| bits >> (at * storage) & mask(storage);
            let constants: Vec<u64> = constants.iter().map(|c| part(*c, from_bits)).collect();
            numbers(from, to.decode(part(value, to_bits)).to_f64(), &constants)
        };
        // The guesses for all elements are made in the same way.
        let all: Vec<Vec<u64>> = (0..lanes).map(lane).collect();
        let joined = |n: usize| {
            let parts = all.iter().zip(0..).map(|(guesses, at): (_, u32)| guesses[n] << (at * from_bits));
            parts.fold(0, |bits, part| bits | part)
        };
        for code in (0..all[0].len()).map(joined) {
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

/// Operands of this format for which a numeric operation may return `result`: sums, differences, products, quotients,
/// roots and fused multiply-adds. The number of guesses is the same for every `result`.
fn numbers(format: Format, result: f64, constants: &[u64]) -> Vec<u64> {
    let of = |c: &u64| format.decode(*c).to_f64();
    let undone = |c: f64| [result - c, result + c, c - result, result / c, result * c, c / result];
    let one = constants.iter().map(of).flat_map(undone);
    let product = constants.iter().flat_map(|c| constants.iter().map(move |added| (c, added)));
    let product = product.map(|(c, added)| (result - of(added)) / of(c));
    let alone = [result, -result, result * result, 1.0 / result];
    one.chain(product).chain(alone).map(|operand| format.encode(operand, Rounding::Rn)).collect()
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
