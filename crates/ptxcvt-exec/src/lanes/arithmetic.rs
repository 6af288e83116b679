//! Kernels for floating-point arithmetic.
//!
//! f32 rounded to nearest is the CPU's own. f16 and bf16 go by way of f32 where a result rounded twice is the one
//! rounded once (sums, and products of f16: 24 bits are at least twice 11, plus two), and else by way of f64 with the
//! last bit odd where something was cut off. `.ftz` flushes what is tiny before rounding: a result that is the least
//! normal number may have been rounded up to it, so that those lanes are computed again by rail 1.

use ptxcvt::Format;

use super::compare::infinity;
use super::emit::Emitter;
use super::kernel::{FloatOp, Kernel};
use super::step::{Slot, Step};
use crate::table::{Modifier, Op};

impl Emitter<'_> {
    /// The steps of an instruction on floats; `None` where there are none.
    pub fn arithmetic(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        let format = op.ty(0).format()?;
        let elements = op.lanes() as usize;
        let lane = format.storage() as usize / 8;
        let width = lane * elements;
        let ftz = op.modifiers().has(Modifier::Ftz);
        let one = |e: &mut Self, kernel, from: &[Slot]| Some(e.kernel(kernel, lane, width, from));
        match op.name() {
            "abs" if !ftz => return one(self, Kernel::Magnitude { signed: false }, from),
            "neg" if !ftz => {
                let sign = self.repeated(width, lane, format.sign_bit());
                return one(self, Kernel::Xor, &[from[0], sign]);
            }
            "min" | "max" if from.len() == 2 && !ftz && !op.modifiers().has(Modifier::Xorsign) => {
                let nan_wins = op.modifiers().has(Modifier::NaN);
                let greatest = op.name() == "max";
                return one(
                    self,
                    Kernel::ExtremeFloat { greatest, infinity: infinity(format), nan_wins },
                    from,
                );
            }
            _ => {}
        }
        if op.modifiers().rounding() != ptxcvt::Rounding::Rn {
            return None;
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
        if op.ty(1) != op.ty(0) {
            return self.mixed(op, operation, from);
        }
        let result = match format {
            Format::F32 => self.single(op, operation, from, elements)?,
            Format::F16 | Format::Bf16 if !ftz => self.half(format, operation, from, elements)?,
            _ => return None,
        };
        let saturated = match op.modifiers().has(Modifier::Sat) {
            true => self.convert(&format!("cvt.sat.{format}.{format}"), elements, result)?,
            false => result,
        };
        // NaN is canonical and so without a sign: what has one is negative.
        Some(match op.modifiers().has(Modifier::Relu) {
            true => {
                let zero = self.constant(width, 0);
                self.kernel(Kernel::Extreme { greatest: true, signed: true }, lane, width, &[saturated, zero])
            }
            false => saturated,
        })
    }

    fn single(&mut self, op: &Op, operation: FloatOp, from: &[Slot], elements: usize) -> Option<Slot> {
        let width = 4 * elements;
        if !op.modifiers().has(Modifier::Ftz) {
            return Some(self.kernel(Kernel::Float(operation), 4, width, from));
        }
        let flushed: Option<Vec<Slot>> =
            from.iter().map(|slot| self.convert("cvt.ftz.f32.f32", elements, *slot)).collect();
        let result = self.kernel(Kernel::Float(operation), 4, width, &flushed?);
        let result = self.convert("cvt.ftz.f32.f32", elements, result)?;
        const LEAST_NORMAL: u64 = 0x0080_0000;
        self.steps.push(Step::Patch {
            op: *op,
            magnitude: LEAST_NORMAL,
            width: 4,
            to: result,
            from: from.to_vec(),
        });
        Some(result)
    }

    fn half(&mut self, format: Format, operation: FloatOp, from: &[Slot], elements: usize) -> Option<Slot> {
        let by_way_of_f32 = match operation {
            FloatOp::Add | FloatOp::Sub => true,
            // Products of bf16 can lie below the least f32.
            FloatOp::Mul => format == Format::F16,
            _ => false,
        };
        if by_way_of_f32 {
            let wide: Option<Vec<Slot>> =
                from.iter().map(|slot| self.widened(format, "f32", elements, *slot)).collect();
            let result = self.kernel(Kernel::Float(operation), 4, 4 * elements, &wide?);
            return self.convert(&format!("cvt.rn.{format}.f32"), elements, result);
        }
        if !matches!(operation, FloatOp::Mul | FloatOp::Fma) {
            return None;
        }
        let wide: Option<Vec<Slot>> =
            from.iter().map(|slot| self.widened(format, "f64", elements, *slot)).collect();
        let mut wide = wide?;
        if operation == FloatOp::Mul {
            wide.push(self.repeated(8 * elements, 8, (-0.0_f64).to_bits()));
        }
        let result = self.kernel(Kernel::FusedOdd, 8, 8 * elements, &wide);
        let result = self.convert(&format!("cvt.rn.{format}.f64"), elements, result)?;
        let lane = format.storage() as usize / 8;
        Some(self.kernel(
            Kernel::CanonicalNan { infinity: infinity(format) },
            lane,
            lane * elements,
            &[result],
        ))
    }

    fn widened(&mut self, format: Format, to: &str, elements: usize, slot: Slot) -> Option<Slot> {
        // The same in every lane: converted once and for all.
        if let Some(value) = self.value(slot) {
            let bits = format.storage();
            let wide: ptxcvt::Form = format!("cvt.{to}.{format}").parse().ok()?;
            let lane = wide.result_width() as usize / 8;
            let element = |n: u32| wide.eval(&[value >> (n * bits) & crate::semantics::mask(bits)]).ok();
            let parts: Option<Vec<u64>> = (0..elements as u32).map(element).collect();
            let parts = parts?;
            if parts.iter().all(|p| *p == parts[0]) {
                return Some(self.repeated(lane * elements, lane, parts[0]));
            }
        }
        self.convert(&format!("cvt.{to}.{format}"), elements, slot)
    }

    /// `fma.rn.f32.{f16,bf16}` and the sums: exact in f64 but for its last bit, then rounded.
    fn mixed(&mut self, op: &Op, operation: FloatOp, from: &[Slot]) -> Option<Slot> {
        if operation != FloatOp::Fma {
            return None;
        }
        let narrow = op.ty(1).format()?;
        let a = self.widened(narrow, "f64", 1, from[0])?;
        let b = self.widened(narrow, "f64", 1, from[1])?;
        let c = self.widened(Format::F32, "f64", 1, from[2])?;
        let sum = self.kernel(Kernel::FusedOdd, 8, 8, &[a, b, c]);
        let result = self.convert("cvt.rn.f32.f64", 1, sum)?;
        let result = self.kernel(Kernel::CanonicalNan { infinity: infinity(Format::F32) }, 4, 4, &[result]);
        match op.modifiers().has(Modifier::Sat) {
            true => self.convert("cvt.sat.f32.f32", 1, result),
            false => Some(result),
        }
    }
}
