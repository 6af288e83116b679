//! Kernels for floating-point arithmetic.
//!
//! PTX ISA sections 9.7.3 to 9.7.5. How the formats are computed:
//!
//! - f32 and f64 rounded to nearest: by the CPU. Lanes where PTX's NaN or `.ftz` differ from the CPU's are computed again
//!   by the reference.
//! - f16 and bf16: in f32, where rounding twice gives the same as rounding once. That holds for sums, and for products,
//!   which are exact except far below the smallest bf16.
//! - Everything else, also the other roundings of f32: in a wider format, with an odd last bit if the result is inexact
//!   ([`super::floats`]). `.ftz` flushes this intermediate result, which is on the right side of the smallest normal
//!   number.

use ptxcvt::{Format, Rounding};

use super::compare::infinity;
use super::emitter::Emitter;
use super::floats::FloatOp;
use super::kernel::Kernel;
use super::step::{Slot, Step};
use crate::modifier::Modifier;
use crate::table::Op;

impl Emitter<'_> {
    /// The steps of an instruction on floats; `None` if no kernel computes it.
    pub fn arithmetic(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        let format = op.ty(0).format()?;
        let elements = op.lanes() as usize;
        let lane = format.storage() as usize / 8;
        let width = lane * elements;
        match op.name() {
            "abs" | "neg" | "copysign" | "min" | "max" => return self.signs(op, format, lane, width, from),
            _ => {}
        }
        let operation = match op.name() {
            "add" => FloatOp::Add,
            "sub" => FloatOp::Sub,
            "mul" => FloatOp::Mul,
            "fma" | "mad" => FloatOp::Fma,
            "div" => FloatOp::Div,
            "rcp" => FloatOp::Rcp,
            "sqrt" => FloatOp::Sqrt,
            _ => return None,
        };
        // In the mixed forms the narrow operands are widened to f32 first.
        let narrow = op.ty(1).format()?;
        let from = match narrow == format {
            true => from.to_vec(),
            false => {
                let narrow_ones = if operation == FloatOp::Fma { 2 } else { 1 };
                let widen = |(n, slot): (usize, &Slot)| match n < narrow_ones {
                    true => self.widened(narrow, "f32", 1, *slot),
                    false => Some(*slot),
                };
                from.iter().enumerate().map(widen).collect::<Option<Vec<Slot>>>()?
            }
        };
        let to_nearest = op.modifiers().rounding() == Rounding::Rn;
        let result = match format {
            Format::F32 if to_nearest => self.single(op, operation, &from, elements),
            Format::F32 => self.directed(op, operation, &from, elements)?,
            Format::F64 if to_nearest => return Some(self.double(op, operation, &from)),
            Format::F16 | Format::Bf16 => self.half(op, format, operation, &from, elements)?,
            _ => return None,
        };
        let saturated = match op.modifiers().has(Modifier::Sat) {
            true => self.convert(&format!("cvt.sat.{format}.{format}"), elements, result)?,
            false => result,
        };
        // A NaN is canonical, so it has no sign, and everything with a sign is negative.
        Some(match op.modifiers().has(Modifier::Relu) {
            true => {
                let zero = self.constant(width, 0);
                self.kernel(Kernel::Extreme { greatest: true, signed: true }, lane, width, &[saturated, zero])
            }
            false => saturated,
        })
    }

    /// Instructions that pick one of their operands and change signs.
    fn signs(&mut self, op: &Op, format: Format, lane: usize, width: usize, from: &[Slot]) -> Option<Slot> {
        let has = |m: Modifier| op.modifiers().has(m);
        let sign = self.repeated(width, lane, format.sign_bit());
        let magnitude = Kernel::Magnitude { signed: false };
        let mut sources = self.flushed(op, format, lane, from);
        match op.name() {
            "abs" => return Some(self.kernel(magnitude, lane, width, &sources)),
            "neg" => return Some(self.kernel(Kernel::Xor, lane, width, &[sources[0], sign])),
            "copysign" => {
                let own = self.kernel(Kernel::And, lane, width, &[sources[0], sign]);
                let rest = self.kernel(magnitude, lane, width, &[sources[1]]);
                return Some(self.kernel(Kernel::Or, lane, width, &[own, rest]));
            }
            _ => {}
        }
        if has(Modifier::Abs) {
            let each = sources.iter().map(|slot| self.kernel(magnitude.clone(), lane, width, &[*slot]));
            sources = each.collect();
        }
        let extreme = Kernel::ExtremeFloat {
            greatest: op.name() == "max",
            infinity: infinity(format),
            nan_wins: has(Modifier::NaN),
        };
        let first = sources[0];
        let found = sources[1..]
            .iter()
            .fold(first, |best, next| self.kernel(extreme.clone(), lane, width, &[best, *next]));
        if !has(Modifier::Xorsign) {
            return Some(found);
        }
        let signs = self.kernel(Kernel::Xor, lane, width, &from[..2]);
        let signs = self.kernel(Kernel::And, lane, width, &[signs, sign]);
        let signed = self.kernel(Kernel::Or, lane, width, &[found, signs]);
        Some(self.kernel(Kernel::CanonicalNan { infinity: infinity(format) }, lane, width, &[signed]))
    }

    /// f32 rounded to nearest. With `.ftz`, a result that is the smallest normal number may have been rounded up to it.
    fn single(&mut self, op: &Op, operation: FloatOp, from: &[Slot], elements: usize) -> Slot {
        let sources = self.flushed(op, Format::F32, 4, from);
        let result = self.kernel(Kernel::Float(operation), 4, 4 * elements, &sources);
        if !op.modifiers().has(Modifier::Ftz) {
            return result;
        }
        let least = Format::F32.min_normal();
        let result = self.kernel(Kernel::Flush { least }, 4, 4 * elements, &[result]);
        self.patch(op, least..=least, 4, result, from);
        result
    }

    /// f64 rounded to nearest. The reference computes NaN, which depends on the operands.
    fn double(&mut self, op: &Op, operation: FloatOp, from: &[Slot]) -> Slot {
        let result = self.kernel(Kernel::Float(operation), 8, 8, from);
        self.patch(op, infinity(Format::F64) + 1..=!(1 << 63), 8, result, from);
        result
    }

    fn patch(
        &mut self,
        op: &Op,
        magnitudes: std::ops::RangeInclusive<u64>,
        width: usize,
        to: Slot,
        from: &[Slot],
    ) {
        self.steps.push(Step::Patch { op: *op, magnitudes, width, to, from: from.to_vec() });
    }

    /// f32 with the other roundings, in f64 with an odd last bit.
    fn directed(&mut self, op: &Op, operation: FloatOp, from: &[Slot], elements: usize) -> Option<Slot> {
        if !matches!(operation, FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Fma) {
            return None;
        }
        let rounding = op.modifiers().rounding();
        let sources = self.flushed(op, op.ty(1).format()?, 4, from);
        let odd = Kernel::Odd { op: operation, down: rounding == Rounding::Rm };
        let mut wide = self.kernel(odd, 8, 8 * elements, &sources);
        if op.modifiers().has(Modifier::Ftz) {
            let least = f64::from(f32::MIN_POSITIVE).to_bits();
            wide = self.kernel(Kernel::Flush { least }, 8, 8 * elements, &[wide]);
        }
        let result = self.convert(&format!("cvt.{}.f32.f64", rounding.name()), elements, wide)?;
        let canonical = Kernel::CanonicalNan { infinity: infinity(Format::F32) };
        Some(self.kernel(canonical, 4, 4 * elements, &[result]))
    }

    fn half(
        &mut self,
        op: &Op,
        format: Format,
        operation: FloatOp,
        from: &[Slot],
        elements: usize,
    ) -> Option<Slot> {
        let ftz = op.modifiers().has(Modifier::Ftz);
        let sources = self.flushed(op, format, 2, from);
        let mut wide = match (operation, format) {
            (FloatOp::Fma, Format::Bf16) => self.kernel(Kernel::FusedOddBf16, 4, 4 * elements, &sources),
            (FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Fma, _) => {
                let wide: Option<Vec<Slot>> =
                    sources.iter().map(|slot| self.widened(format, "f32", elements, *slot)).collect();
                let kernel = match operation {
                    FloatOp::Fma => Kernel::FusedOdd,
                    other => Kernel::Float(other),
                };
                self.kernel(kernel, 4, 4 * elements, &wide?)
            }
            _ => return None,
        };
        if ftz {
            let least = format.decode(format.min_normal()).to_f64() as f32;
            wide = self.kernel(Kernel::Flush { least: least.to_bits().into() }, 4, 4 * elements, &[wide]);
        }
        self.convert(&format!("cvt.rn.{format}.f32"), elements, wide)
    }

    fn widened(&mut self, format: Format, to: &str, elements: usize, slot: Slot) -> Option<Slot> {
        // A constant is converted now.
        if let Some(value) = self.value(slot) {
            let bits = format.storage();
            let wide: ptxcvt::Form = format!("cvt.{to}.{format}").parse().ok()?;
            let lane = wide.result_width() as usize / 8;
            let element = |n: u32| wide.eval(&[value >> (n * bits) & ptxcvt::mask(bits)]).ok();
            let parts: Option<Vec<u64>> = (0..elements as u32).map(element).collect();
            let parts = parts?;
            if parts.iter().all(|p| *p == parts[0]) {
                return Some(self.repeated(lane * elements, lane, parts[0]));
            }
        }
        self.convert(&format!("cvt.{to}.{format}"), elements, slot)
    }
}
