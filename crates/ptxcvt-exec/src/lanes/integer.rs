//! Kernels for integers. PTX ISA section 9.7.1.

use ptxcvt::mask;

use super::emitter::{Emitter, sizes};
use super::kernel::{Kernel, Relation};
use super::step::Slot;
use crate::modifier::Modifier;
use crate::table::Op;
use crate::ty::Ty;

impl Emitter<'_> {
    /// The steps of an instruction on integers or bits; `None` if no kernel computes it.
    pub fn integer(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        match op.name() {
            "and" | "or" | "xor" | "not" | "lop3" | "prmt" | "selp" | "shl" | "shr" | "shf" | "bfe"
            | "bfi" | "clz" | "popc" | "brev" | "cnot" => self.bits(op, from),
            _ if op.ty(0).format().is_some() => None,
            "addc" | "subc" | "madc" => self.carrying(op, from).map(|(value, _)| value),
            name if name.starts_with('v') => self.simd(op, from),
            _ => self.integer_arithmetic(op, from),
        }
    }

    /// A sum, a product, or a comparison of two integers.
    fn integer_arithmetic(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        let ty = op.ty(0);
        let (lane, width) = sizes(ty);
        let signed = ty.is_signed();
        let has = |m: Modifier| op.modifiers().has(m);
        let kernel = match op.name() {
            "add" if !has(Modifier::Sat) => Kernel::Add,
            "sub" if !has(Modifier::Sat) => Kernel::Sub,
            "add" | "sub" if ty == Ty::S32 => return Some(self.saturated(op, from)),
            "min" | "max" => {
                let extreme = Kernel::Extreme { greatest: op.name() == "max", signed };
                let found = self.kernel(extreme, lane, width, from);
                if !has(Modifier::Relu) {
                    return Some(found);
                }
                let zero = self.constant(width, 0);
                let positive = Kernel::Extreme { greatest: true, signed };
                return Some(self.kernel(positive, lane, width, &[found, zero]));
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
        Some(self.kernel(kernel, lane, width, from))
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
}
