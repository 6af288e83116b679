//! Kernels for bits. PTX ISA sections 9.7.1 (bit fields) and 9.7.8.

use ptxcvt::mask;

use super::emitter::{Emitter, sizes};
use super::kernel::{Kernel, Relation};
use super::step::Slot;
use crate::modifier::Modifier;
use crate::semantics::bits::in_field;
use crate::table::Op;
use crate::ty::Class;

impl Emitter<'_> {
    /// The steps of an instruction on bits, without regard to their meaning; `None` if no kernel computes it.
    pub fn bits(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        let ty = op.ty(0);
        let (lane, width) = sizes(ty);
        let signed = ty.is_signed();
        let kernel = match op.name() {
            "and" => Kernel::And,
            "or" => Kernel::Or,
            "xor" => Kernel::Xor,
            "not" if ty.class() == Class::Predicate => {
                let one = self.constant(1, 1);
                return Some(self.kernel(Kernel::Xor, 1, 1, &[from[0], one]));
            }
            "not" => Kernel::Not,
            "lop3" => {
                let table = self.value(from[3])? as u8;
                return Some(self.kernel(Kernel::Lop3(table), lane, width, &from[..3]));
            }
            "prmt" => return self.permute(op, from),
            "selp" => return Some(self.kernel(Kernel::Select, lane, width, &[from[2], from[0], from[1]])),
            "shl" => match self.value(from[1]) {
                Some(by) => {
                    let shift = Kernel::ShiftLeft(by.min(64) as u32);
                    return Some(self.kernel(shift, lane, width, &from[..1]));
                }
                None => Kernel::ShiftLeftBy,
            },
            "shr" => match self.value(from[1]) {
                Some(by) => {
                    let shift = Kernel::ShiftRight { by: by.min(64) as u32, signed };
                    return Some(self.kernel(shift, lane, width, &from[..1]));
                }
                None => Kernel::ShiftRightBy { signed },
            },
            "shf" => return self.funnel(op, from),
            "bfe" => return self.extract(op, from),
            "bfi" => return self.insert(op, from),
            "clz" => return Some(self.kernel(Kernel::LeadingZeros, lane, 4, &from[..1])),
            "popc" => return Some(self.kernel(Kernel::Ones, lane, 4, &from[..1])),
            "brev" => Kernel::Reverse,
            "cnot" => {
                let zero = self.constant(width, 0);
                let equal = Kernel::Compare { relation: Relation::Eq, signed: false };
                let p = self.kernel(equal, lane, 1, &[from[0], zero]);
                return Some(self.resized(p, width, false));
            }
            _ => return None,
        };
        Some(self.kernel(kernel, lane, width, from))
    }

    /// `prmt` with a constant selector: bytes with the same rotation move together.
    fn permute(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        let Some(selector) = self.value(from[2]) else {
            return op.modifiers().is_empty().then(|| self.kernel(Kernel::PermuteBy, 4, 4, from));
        };
        let mut groups: Vec<(bool, u32, u32)> = Vec::new();
        for byte in 0..4_u32 {
            // Which byte of the sources becomes this byte of the result.
            let to = |bits: u64| bits >> (8 * byte) & 0xff;
            let source = (0..8_u64).find(|n| {
                let (a, b) = if *n < 4 { (0x7f << (8 * n), 0) } else { (0, 0x7f << (8 * (n - 4))) };
                to(op.eval(&[a, b, selector])) == 0x7f
            });
            // The selector copies a sign.
            let Some(source) = source else { return Some(self.kernel(Kernel::PermuteBy, 4, 4, from)) };
            let (second, at) = (source > 3, source as u32 % 4);
            let (rotation, mask) = (8 * ((4 + byte - at) % 4), 0xff << (8 * byte));
            match groups.iter_mut().find(|g| (g.0, g.1) == (second, rotation)) {
                Some(group) => group.2 |= mask,
                None => groups.push((second, rotation, mask)),
            }
        }
        if groups.iter().all(|(second, ..)| *second == groups[0].0) {
            let from = from[usize::from(groups[0].0)];
            groups.iter_mut().for_each(|group| group.0 = false);
            return Some(self.kernel(Kernel::Permute(groups), 4, 4, &[from]));
        }
        Some(self.kernel(Kernel::Permute(groups), 4, 4, &from[..2]))
    }

    /// `shf`: by a constant amount in two shifts, otherwise in 64 bits.
    fn funnel(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        let clamp = op.modifiers().has(Modifier::Clamp);
        let Some(amount) = self.value(from[2]) else {
            let (limit, left) =
                (self.constant(4, if clamp { 32 } else { 31 }), op.modifiers().has(Modifier::L));
            let limited = match clamp {
                true => Kernel::Extreme { greatest: false, signed: false },
                false => Kernel::And,
            };
            let n = self.kernel(limited, 4, 4, &[from[2], limit]);
            let pair = self.kernel(Kernel::Join, 8, 8, &from[..2]);
            let shift = if left { Kernel::ShiftLeftBy } else { Kernel::ShiftRightBy { signed: false } };
            let shifted = self.kernel(shift, 8, 8, &[pair, n]);
            return Some(self.kernel(Kernel::Part { whole: 8, at: usize::from(left) }, 4, 4, &[shifted]));
        };
        let n = if op.modifiers().has(Modifier::Clamp) { amount.min(32) } else { amount & 31 } as u32;
        // The upper word of the pair is shifted left, the lower one right.
        let (upper, lower) = match op.modifiers().has(Modifier::L) {
            true => (n, 32 - n),
            false => (32 - n, n),
        };
        let high = self.kernel(Kernel::ShiftLeft(upper), 4, 4, &[from[1]]);
        let low = self.kernel(Kernel::ShiftRight { by: lower, signed: false }, 4, 4, &[from[0]]);
        Some(self.kernel(Kernel::Or, 4, 4, &[high, low]))
    }

    /// `bfi` with constant position and length.
    fn insert(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        let bits = op.ty(0).width();
        let [position, length] = [self.value(from[2])?, self.value(from[3])?].map(|n| in_field(bits, n));
        let width = self.width(from[1]);
        let field = if position < bits { mask(length) << position & mask(bits) } else { 0 };
        let [inside, outside] = [field, !field & mask(bits)].map(|value| self.constant(width, value));
        let moved = self.kernel(Kernel::ShiftLeft(position), width, width, &from[..1]);
        let put = self.kernel(Kernel::And, width, width, &[moved, inside]);
        let kept = self.kernel(Kernel::And, width, width, &[from[1], outside]);
        Some(self.kernel(Kernel::Or, width, width, &[put, kept]))
    }

    /// `bfe` with constant position and length, inside the word.
    fn extract(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        let width = op.ty(0).width();
        let [position, length] = [self.value(from[1])?, self.value(from[2])?].map(|n| in_field(width, n));
        if length == 0 || position + length > width {
            return None;
        }
        let bytes = self.width(from[0]);
        let up = self.kernel(Kernel::ShiftLeft(width - position - length), bytes, bytes, &from[..1]);
        let down = Kernel::ShiftRight { by: width - length, signed: op.ty(0).is_signed() };
        Some(self.kernel(down, bytes, bytes, &[up]))
    }
}
