//! Kernels for integers and bits. PTX ISA sections 9.7.1 and 9.7.8.

use ptxcvt::mask;

use super::emitter::Emitter;
use super::kernel::{Kernel, Relation};
use super::step::Slot;
use crate::modifier::Modifier;
use crate::semantics::bits::in_field;
use crate::table::Op;
use crate::ty::{Class, Ty};

impl Emitter<'_> {
    /// The steps of an instruction on integers or bits; `None` if no kernel computes it.
    pub fn integer(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        let ty = op.ty(0);
        let (lane, width) = ((ty.width() / ty.lanes()).div_ceil(8) as usize, ty.width().div_ceil(8) as usize);
        let signed = ty.is_signed();
        let predicate = ty.class() == Class::Predicate;
        let has = |m: Modifier| op.modifiers().has(m);
        let kernel = match op.name() {
            "and" => Kernel::And,
            "or" => Kernel::Or,
            "xor" => Kernel::Xor,
            "not" if predicate => {
                let one = self.constant(1, 1);
                return Some(self.kernel(Kernel::Xor, 1, 1, &[from[0], one]));
            }
            "not" => Kernel::Not,
            "lop3" => Kernel::Lop3(self.value(from[3])? as u8),
            "prmt" => return self.permute(op, from),
            "selp" => return Some(self.kernel(Kernel::Select, lane, width, &[from[2], from[0], from[1]])),
            "shl" => match self.value(from[1]) {
                Some(by) => Kernel::ShiftLeft(by.min(64) as u32),
                None => Kernel::ShiftLeftBy,
            },
            "shr" => match self.value(from[1]) {
                Some(by) => Kernel::ShiftRight { by: by.min(64) as u32, signed },
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
            _ if ty.format().is_some() => return None,
            "addc" | "subc" | "madc" => return self.carrying(op, from).map(|(value, _)| value),
            name if name.starts_with('v') => return self.simd(op, from),
            "add" if !has(Modifier::Sat) => Kernel::Add,
            "sub" if !has(Modifier::Sat) => Kernel::Sub,
            "add" | "sub" if op.ty(0) == Ty::S32 => return Some(self.saturated(op, from)),
            "min" | "max" => {
                let extreme = Kernel::Extreme { greatest: op.name() == "max", signed };
                if !has(Modifier::Relu) {
                    return Some(self.kernel(extreme, lane, width, from));
                }
                let (found, zero) = (self.kernel(extreme, lane, width, from), self.constant(width, 0));
                return Some(self.kernel(
                    Kernel::Extreme { greatest: true, signed },
                    lane,
                    width,
                    &[found, zero],
                ));
            }
            "sad" => {
                let [most, least] = [true, false].map(|greatest| {
                    self.kernel(Kernel::Extreme { greatest, signed }, lane, width, &from[..2])
                });
                let distance = self.kernel(Kernel::Sub, lane, width, &[most, least]);
                return Some(self.kernel(Kernel::Add, lane, width, &[distance, from[2]]));
            }
            "neg" => Kernel::Negate,
            "abs" => Kernel::Magnitude { signed: true },
            "mul" if has(Modifier::Lo) => Kernel::Mul,
            "mul" if width < 8 => return Some(self.product(op, from)),
            "mad" if has(Modifier::Lo) => {
                let product = self.kernel(Kernel::Mul, lane, width, &from[..2]);
                return Some(self.kernel(Kernel::Add, lane, width, &[product, from[2]]));
            }
            "mad" if width < 8 && !has(Modifier::Sat) => {
                let product = self.product(op, from);
                let width = self.width(product);
                return Some(self.kernel(Kernel::Add, width, width, &[product, from[2]]));
            }
            _ => return None,
        };
        let sources = match kernel {
            Kernel::Lop3(_) => &from[..3],
            Kernel::ShiftLeft(_) | Kernel::ShiftRight { .. } => &from[..1],
            _ => from,
        };
        Some(self.kernel(kernel, lane, width, sources))
    }

    /// An instruction with the carry flag: its result and the new flag.
    pub fn carrying(&mut self, op: &Op, from: &[Slot]) -> Option<(Slot, Slot)> {
        let width = self.width(from[0]);
        let (x, y, rest) = match op.name() {
            "mad" | "madc" => {
                let product = match op.modifiers().has(Modifier::Lo) {
                    true => self.kernel(Kernel::Mul, width, width, &from[..2]),
                    false if width < 8 => self.product(op, from),
                    false => return None,
                };
                (product, from[2], &from[3..])
            }
            _ => (from[0], from[1], &from[2..]),
        };
        let subtract = op.name().starts_with("sub");
        let kernel = if subtract { Kernel::Sub } else { Kernel::Add };
        let less = Kernel::Compare { relation: Relation::Lt, signed: false };
        let mut value = self.kernel(kernel.clone(), width, width, &[x, y]);
        // A sum that wrapped around is less than its terms; a difference wraps around if less is taken from.
        let mut flag = match subtract {
            true => self.kernel(less.clone(), width, 1, &[x, y]),
            false => self.kernel(less.clone(), width, 1, &[value, x]),
        };
        if let [carry] = rest {
            let carry = self.resized(*carry, width, false);
            let before = value;
            value = self.kernel(kernel, width, width, &[before, carry]);
            let again = match subtract {
                true => self.kernel(less, width, 1, &[before, carry]),
                false => self.kernel(less, width, 1, &[value, before]),
            };
            flag = self.kernel(Kernel::Or, 1, 1, &[flag, again]);
        }
        Some((value, flag))
    }

    /// A SIMD video instruction without `.sat` and `.add`, on sources of the same sign.
    fn simd(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        let sources = op.types().skip(if op.types().count() == 3 { 1 } else { 0 });
        let mut signs = sources.map(Ty::is_signed);
        let signed = signs.next()?;
        let has = |m: Modifier| op.modifiers().has(m);
        if has(Modifier::Sat) || has(Modifier::Add) || signs.any(|other| other != signed) {
            return None;
        }
        let (name, lane) = match op.name().strip_suffix('4') {
            Some(name) => (name, 1),
            None => (op.name().strip_suffix('2')?, 2),
        };
        let from = &from[..2];
        let mut extreme = |greatest| self.kernel(Kernel::Extreme { greatest, signed }, lane, 4, from);
        Some(match name {
            "vadd" => self.kernel(Kernel::Add, lane, 4, from),
            "vsub" => self.kernel(Kernel::Sub, lane, 4, from),
            "vmin" => extreme(false),
            "vmax" => extreme(true),
            "vabsdiff" => {
                let both = [extreme(true), extreme(false)];
                self.kernel(Kernel::Sub, lane, 4, &both)
            }
            "vset" => {
                let relations = [
                    (Modifier::Eq, Relation::Eq),
                    (Modifier::Ne, Relation::Ne),
                    (Modifier::Lt, Relation::Lt),
                    (Modifier::Le, Relation::Le),
                    (Modifier::Gt, Relation::Gt),
                    (Modifier::Ge, Relation::Ge),
                ];
                let (_, relation) = relations.into_iter().find(|(m, _)| has(*m))?;
                let held = self.kernel(Kernel::Compare { relation, signed }, lane, 4 / lane, from);
                match lane {
                    1 => held,
                    _ => self.kernel(Kernel::Resize { from: 1, signed: false }, lane, 4, &[held]),
                }
            }
            _ => return None,
        })
    }

    /// `.wide` and `.hi` products.
    fn product(&mut self, op: &Op, from: &[Slot]) -> Slot {
        let (width, signed) = (self.width(from[0]), op.ty(0).is_signed());
        let wide: Vec<Slot> = from[..2].iter().map(|slot| self.extended(*slot, 2 * width, signed)).collect();
        let product = self.kernel(Kernel::Mul, 2 * width, 2 * width, &wide);
        match op.modifiers().has(Modifier::Hi) {
            true => self.kernel(Kernel::Part { whole: 2 * width, at: 1 }, width, width, &[product]),
            false => product,
        }
    }

    /// The column extended to `width` bytes, with the sign also for constants.
    fn extended(&mut self, slot: Slot, width: usize, signed: bool) -> Slot {
        match self.value(slot) {
            Some(value) if signed => {
                let from = 8 * self.width(slot) as u32;
                let value = ptxcvt::sign_extend(value, from) as u64;
                self.constant(width, value & mask(8 * width as u32))
            }
            _ => self.resized(slot, width, signed),
        }
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

    /// `.sat` of s32: computed in 64 bits, then limited.
    fn saturated(&mut self, op: &Op, from: &[Slot]) -> Slot {
        let wide: Vec<Slot> = from.iter().map(|slot| self.extended(*slot, 8, true)).collect();
        let kernel = if op.name() == "add" { Kernel::Add } else { Kernel::Sub };
        let mut result = self.kernel(kernel, 8, 8, &wide);
        for (greatest, limit) in [(true, i64::from(i32::MIN)), (false, i64::from(i32::MAX))] {
            let limit = self.constant(8, limit as u64);
            result = self.kernel(Kernel::Extreme { greatest, signed: true }, 8, 8, &[result, limit]);
        }
        self.kernel(Kernel::Part { whole: 8, at: 0 }, 4, 4, &[result])
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
