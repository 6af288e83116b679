//! Builds a program: slots, constants, kernels and conversions, one at a time.

use std::collections::HashMap;

use ptxcvt::{Form, Format, mask};
use ptxcvt_bulk::{Plan, Tier};

use super::kernel::Kernel;
use super::step::{Feed, Slot, Step};
use crate::block::Block;
use crate::modifier::Modifier;
use crate::operand::{Operand, Reg};
use crate::table::Op;
use crate::ty::Ty;

/// A program that is being built.
pub(super) struct Emitter<'b> {
    pub block: &'b Block,
    pub tier: Tier,
    pub steps: Vec<Step>,
    pub widths: Vec<usize>,
    /// Constant columns by width, value, and the number of bytes that are repeated.
    pub constants: HashMap<(usize, u64, usize), Slot>,
    /// The slot of each register's value.
    pub registers: Vec<Slot>,
}

/// The number of bytes for `bits` bits.
pub(super) fn bytes(bits: u32) -> usize {
    bits.div_ceil(8) as usize
}

/// The size in bytes of an element of a type, and of a register with this type.
pub(super) fn sizes(ty: Ty) -> (usize, usize) {
    (bytes(ty.width() / ty.lanes()), bytes(ty.width()))
}

impl Emitter<'_> {
    pub fn new_slot(&mut self, width: usize) -> Slot {
        self.widths.push(width);
        Slot(self.widths.len() - 1)
    }

    /// A column with the same value everywhere.
    pub fn constant(&mut self, width: usize, value: u64) -> Slot {
        self.repeated(width, width, value)
    }

    /// A column in which the `width` bytes of a lane repeat a value of `part` bytes.
    pub fn repeated(&mut self, width: usize, part: usize, value: u64) -> Slot {
        if let Some(slot) = self.constants.get(&(width, value, part)) {
            return *slot;
        }
        let slot = self.new_slot(width);
        self.constants.insert((width, value, part), slot);
        slot
    }

    /// The value of a constant column; `None` for others.
    pub fn value(&self, slot: Slot) -> Option<u64> {
        let ((width, value, part), _) = self.constants.iter().find(|(_, s)| **s == slot)?;
        (width == part).then_some(*value)
    }

    /// Appends a kernel on elements of `lane` bytes; returns its result, which has `width` bytes for each lane of the
    /// block.
    pub fn kernel(&mut self, kernel: Kernel, lane: usize, width: usize, from: &[Slot]) -> Slot {
        let to = self.new_slot(width);
        self.steps.push(Step::Kernel { kernel, width: lane, to, from: from.to_vec() });
        to
    }

    /// Appends a conversion of a column with `elements` elements in each lane.
    pub fn convert(&mut self, opcode: &str, elements: usize, from: Slot) -> Option<Slot> {
        let form: Form = opcode.parse().ok()?;
        let plan = self.plan(form);
        let to = self.new_slot(bytes(form.result_width()) * elements);
        self.steps.push(Step::Convert { plan, to, from: vec![Feed::Slot(from)] });
        Some(to)
    }

    pub fn plan(&self, form: Form) -> Box<Plan> {
        Box::new(Plan::with_tier(form, self.tier).expect("programs are made for tiers of this machine"))
    }

    /// Appends an instruction that the reference computes lane by lane.
    pub fn each(&mut self, op: &Op, second: bool, from: &[Slot]) -> Slot {
        let width = match second {
            true => 1,
            false => bytes(op.operand_type(&op.row().operands[0]).width()),
        };
        let to = self.new_slot(width);
        self.steps.push(Step::Each { op: *op, second, to, from: from.to_vec() });
        to
    }

    pub fn width_of(&self, register: Reg) -> usize {
        bytes(self.block.declaration(register).ty.width)
    }

    /// The column of a source operand; constants have `width` bytes.
    pub fn source(&mut self, operand: &Operand, width: usize) -> Slot {
        match operand {
            Operand::Register(r) => self.registers[r.0 as usize],
            Operand::Not(r) => {
                let one = self.constant(1, 1);
                let register = self.registers[r.0 as usize];
                self.kernel(Kernel::Xor, 1, 1, &[register, one])
            }
            Operand::Constant(bits) => self.constant(width, bits & mask(8 * width as u32)),
            other => unreachable!("{other:?} is not a single source"),
        }
    }

    /// The column with lanes of `width` bytes.
    pub fn resized(&mut self, slot: Slot, width: usize, signed: bool) -> Slot {
        let from = self.widths[slot.0];
        if from == width {
            return slot;
        }
        match self.value(slot) {
            Some(value) if !signed => self.constant(width, value & mask(8 * width as u32)),
            _ => self.kernel(Kernel::Resize { from, signed }, width, width, &[slot]),
        }
    }

    /// Two columns joined into one with lanes of `size` bytes.
    pub fn joined(&mut self, two: &[Slot], size: usize) -> Slot {
        match (self.value(two[0]), self.value(two[1])) {
            (Some(low), Some(high)) => self.constant(size, low | high << (4 * size as u32)),
            _ => self.kernel(Kernel::Join, size, size, two),
        }
    }

    /// The operands; with `.ftz`, subnormal ones are flushed.
    pub fn flushed(&mut self, op: &Op, format: Format, lane: usize, from: &[Slot]) -> Vec<Slot> {
        if !op.modifiers().has(Modifier::Ftz) {
            return from.to_vec();
        }
        let flush = Kernel::Flush { least: format.min_normal() };
        from.iter().map(|slot| self.kernel(flush.clone(), lane, self.width(*slot), &[*slot])).collect()
    }

    /// The bytes of a lane of a column.
    pub fn width(&self, slot: Slot) -> usize {
        self.widths[slot.0]
    }
}
