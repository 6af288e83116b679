//! Kernels for comparison and selection. PTX ISA sections 9.3, 9.7.6 and 9.7.7.

use ptxcvt::Format;

use super::emitter::Emitter;
use super::kernel::{Kernel, Relation};
use super::step::Slot;
use crate::modifier::Modifier;
use crate::table::Op;
use crate::ty::{Class, Ty};

impl Emitter<'_> {
    /// The steps of `setp`, `set`, `slct` with one result; `None` if no kernel computes it.
    pub fn comparison(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        match op.name() {
            "setp" => self.predicates(op, from).0,
            "set" => self.set(op, from),
            "slct" => {
                let zero = self.constant(4, 0);
                let relation = Relation::Ge;
                let (kernel, sign) = match op.ty(1) == Ty::S32 {
                    true => (Kernel::Compare { relation, signed: true }, from[2]),
                    false => {
                        let infinity = infinity(Format::F32);
                        let sign = self.flushed(op, Format::F32, 4, &from[2..3])[0];
                        (Kernel::CompareFloats { relation, infinity, unordered: false }, sign)
                    }
                };
                let p = self.kernel(kernel, 4, 1, &[sign, zero]);
                let width = self.width(from[0]);
                Some(self.kernel(Kernel::Select, width, width, &[p, from[0], from[1]]))
            }
            _ => None,
        }
    }

    /// The two predicates of `p|q`.
    pub fn predicates(&mut self, op: &Op, from: &[Slot]) -> (Option<Slot>, Option<Slot>) {
        let Some(holds) = self.holds(op, op.ty(0), from) else { return (None, None) };
        let (p, q) = match op.lanes() {
            1 => {
                let one = self.constant(1, 1);
                (holds, self.kernel(Kernel::Xor, 1, 1, &[holds, one]))
            }
            // One result for each half.
            _ => {
                let [p, q] = [0, 1].map(|at| self.kernel(Kernel::Part { whole: 2, at }, 1, 1, &[holds]));
                (p, q)
            }
        };
        (Some(self.combined(op, p, from.get(2))), Some(self.combined(op, q, from.get(2))))
    }

    /// The comparison combined with the predicate c.
    fn combined(&mut self, op: &Op, p: Slot, other: Option<&Slot>) -> Slot {
        let kernel = match () {
            () if op.modifiers().has(Modifier::And) => Kernel::And,
            () if op.modifiers().has(Modifier::Or) => Kernel::Or,
            () if op.modifiers().has(Modifier::Xor) => Kernel::Xor,
            () => return p,
        };
        match other {
            Some(other) => self.kernel(kernel, 1, 1, &[p, *other]),
            None => p,
        }
    }

    /// One byte for each element, 1 if the comparison holds.
    fn holds(&mut self, op: &Op, ty: Ty, from: &[Slot]) -> Option<Slot> {
        use Modifier::*;
        let is = |any: &[Modifier]| any.iter().any(|m| op.modifiers().has(*m));
        let number = if is(&[Num]) {
            Some(true)
        } else if is(&[Nan]) {
            Some(false)
        } else {
            None
        };
        let relation = match () {
            () if is(&[Eq, Equ]) => Relation::Eq,
            () if is(&[Ne, Neu]) => Relation::Ne,
            () if is(&[Lt, Lo, Ltu]) => Relation::Lt,
            () if is(&[Le, Ls, Leu]) => Relation::Le,
            () if is(&[Gt, Hi, Gtu]) => Relation::Gt,
            () if is(&[Ge, Hs, Geu]) => Relation::Ge,
            () if number.is_some() => Relation::Eq,
            () => return None,
        };
        let (lane, lanes) = ((ty.width() / ty.lanes() / 8) as usize, ty.lanes() as usize);
        if let (Some(number), Some(format)) = (number, ty.format()) {
            // Only a NaN differs from itself.
            let own = Kernel::CompareFloats {
                relation: Relation::Eq,
                infinity: infinity(format),
                unordered: false,
            };
            let [a, b] = [from[0], from[1]].map(|slot| self.kernel(own.clone(), lane, lanes, &[slot, slot]));
            let both = self.kernel(Kernel::And, 1, lanes, &[a, b]);
            let one = self.repeated(lanes, 1, 1);
            return Some(if number { both } else { self.kernel(Kernel::Xor, 1, lanes, &[both, one]) });
        }
        let unordered = is(&[Equ, Neu, Ltu, Leu, Gtu, Geu]);
        let from = match ty.format() {
            Some(format) => self.flushed(op, format, lane, &from[..2]),
            None => from[..2].to_vec(),
        };
        let kernel = match ty.class() {
            Class::Float(format) => Kernel::CompareFloats { relation, infinity: infinity(format), unordered },
            _ => Kernel::Compare { relation, signed: ty.is_signed() },
        };
        Some(self.kernel(kernel, lane, lanes, &from))
    }

    /// `set`: all ones, or 1.0 in floating-point types.
    fn set(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        let holds = self.holds(op, op.ty(1), from)?;
        if op.lanes() > 1 && from.len() > 2 {
            return None;
        }
        let p = self.combined(op, holds, from.get(2));
        let width = op.ty(0).width() as usize / 8;
        let lane = width / op.lanes() as usize;
        let truth = match op.ty(0).class() {
            Class::Float(format) => format.encode(1.0, ptxcvt::Rounding::Rn),
            _ => ptxcvt::mask(8 * lane as u32),
        };
        let [yes, no] = [truth, 0].map(|value| self.repeated(width, lane, value));
        Some(self.kernel(Kernel::Select, lane, width, &[p, yes, no]))
    }
}

/// The bits of a format's infinity, or of its largest finite number if it has no infinity.
pub(super) fn infinity(format: Format) -> u64 {
    format.infinity().unwrap_or(format.max_finite())
}
