//! Instructions to steps: registers renamed, kernels chosen, columns shared.

use std::collections::HashMap;

use ptxcvt::Form;
use ptxcvt::bulk::{Plan, Tier};
use ptxcvt::formats::Kind as FormatKind;

use super::Program;
use super::kernel::Kernel;
use super::step::{Feed, Slot, Step};
use crate::block::{Block, Instruction, Operand, Reg};
use crate::semantics::mask;
use crate::table::{Op, Opcode, Semantics};

/// A program while it is made.
pub(super) struct Emitter<'b> {
    block: &'b Block,
    tier: Tier,
    pub steps: Vec<Step>,
    widths: Vec<usize>,
    /// By width, value, and how many bytes of the value are repeated.
    constants: HashMap<(usize, u64, usize), Slot>,
    /// Where each register's value is.
    registers: Vec<Slot>,
}

/// Bytes for so many bits.
fn bytes(bits: u32) -> usize {
    bits.div_ceil(8) as usize
}

/// Makes a program of a block.
pub(super) fn program(block: &Block, tier: Tier) -> Program {
    let mut e = Emitter {
        block,
        tier,
        steps: Vec::new(),
        widths: Vec::new(),
        constants: HashMap::new(),
        registers: Vec::new(),
    };
    // Registers that only a guarded instruction writes hold 0 before.
    for register in block.registers() {
        let zero = e.constant(bytes(register.ty.width), 0);
        e.registers.push(zero);
    }
    let inputs: Vec<Slot> = block.inputs().iter().map(|port| e.new_slot(bytes(block.width(*port)))).collect();
    for (port, slot) in block.inputs().iter().zip(&inputs) {
        e.registers[port.register.0 as usize] = *slot;
    }
    for instruction in block.code() {
        e.instruction(instruction);
    }
    let outputs: Vec<Slot> = block.outputs().iter().map(|p| e.registers[p.register.0 as usize]).collect();
    let constants = e.constants.iter().map(|((_, value, period), slot)| (*slot, *value, *period));
    let mut constants: Vec<(Slot, u64, usize)> = constants.collect();
    constants.sort_unstable();
    let kept = inputs.iter().chain(&outputs).copied().chain(constants.iter().map(|(slot, ..)| *slot));
    let kept: Vec<Slot> = kept.collect();
    let (steps, widths) = share(e.steps, e.widths, &kept);
    Program { tier, steps, widths, constants, inputs, outputs }
}

/// Lets columns that are read for the last time be written again. Slots of `kept` stay what they are.
fn share(mut steps: Vec<Step>, widths: Vec<usize>, kept: &[Slot]) -> (Vec<Step>, Vec<usize>) {
    let mut last: HashMap<Slot, usize> = HashMap::new();
    for (at, step) in steps.iter().enumerate() {
        for slot in step.from().into_iter().chain([step.to()]) {
            last.insert(slot, at);
        }
    }
    let mut names: HashMap<Slot, Slot> = HashMap::new();
    let mut free: HashMap<usize, Vec<Slot>> = HashMap::new();
    for (at, step) in steps.iter_mut().enumerate() {
        let (to, from) = (step.to(), step.from());
        if !kept.contains(&to) && !names.contains_key(&to) {
            let width = widths[to.0];
            let reused = free.get_mut(&width).and_then(Vec::pop);
            names.insert(to, reused.unwrap_or(to));
        }
        let name = |slot: Slot| names.get(&slot).copied().unwrap_or(slot);
        step.rename(name);
        // Only after the step: what it writes must not be what it reads.
        let mut ended: Vec<Slot> =
            from.into_iter().chain([to]).filter(|s| last.get(s) == Some(&at)).collect();
        ended.sort_unstable();
        ended.dedup();
        for slot in ended.into_iter().filter(|s| !kept.contains(s)) {
            free.entry(widths[slot.0]).or_default().push(name(slot));
        }
    }
    (steps, widths)
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

    /// A column where every lane of `part` bytes in its `width` bytes has the same value.
    pub fn repeated(&mut self, width: usize, part: usize, value: u64) -> Slot {
        if let Some(slot) = self.constants.get(&(width, value, part)) {
            return *slot;
        }
        let slot = self.new_slot(width);
        self.constants.insert((width, value, part), slot);
        slot
    }

    /// The value of a column that is the same in every lane.
    pub fn value(&self, slot: Slot) -> Option<u64> {
        let ((width, value, part), _) = self.constants.iter().find(|(_, s)| **s == slot)?;
        (width == part).then_some(*value)
    }

    /// Appends a kernel whose lanes have `lane` bytes, and yields its result of `width` bytes a lane of the block.
    pub fn kernel(&mut self, kernel: Kernel, lane: usize, width: usize, from: &[Slot]) -> Slot {
        let to = self.new_slot(width);
        self.steps.push(Step::Kernel { kernel, width: lane, to, from: from.to_vec() });
        to
    }

    /// Appends a conversion of a column with so many elements a lane.
    pub fn convert(&mut self, opcode: &str, elements: usize, from: Slot) -> Option<Slot> {
        let form: Form = opcode.parse().ok()?;
        let plan = self.plan(form)?;
        let to = self.new_slot(bytes(form.result_width()) * elements);
        self.steps.push(Step::Convert { plan, to, from: vec![Feed::Slot(from)] });
        Some(to)
    }

    fn plan(&self, form: Form) -> Option<Box<Plan>> {
        Plan::with_tier(form, self.tier).ok().map(Box::new)
    }

    /// Rail 1, lane by lane.
    pub fn each(&mut self, op: &Op, second: bool, from: &[Slot]) -> Slot {
        let width = match second {
            true => 1,
            false => bytes(op.operand_type(&op.row().operands[0]).width()),
        };
        let to = self.new_slot(width);
        self.steps.push(Step::Each { op: *op, second, to, from: from.to_vec() });
        to
    }

    fn width_of(&self, register: Reg) -> usize {
        bytes(self.block.declaration(register).ty.width)
    }

    /// The column of a source operand; constants are as wide as the place.
    fn source(&mut self, operand: &Operand, width: usize) -> Slot {
        match operand {
            Operand::Register(r) => self.registers[r.0 as usize],
            Operand::Not(r) => {
                let one = self.constant(1, 1);
                let register = self.registers[r.0 as usize];
                self.kernel(Kernel::Xor, 1, 1, &[register, one])
            }
            Operand::Constant(bits) => self.constant(width, bits & mask(8 * width as u32)),
            _ => self.constant(width, 0),
        }
    }

    /// The new value of a register, under the instruction's guard.
    fn write(&mut self, instruction: &Instruction, register: Reg, value: Slot) {
        let value = match instruction.guard {
            None => value,
            Some(guard) => {
                let (old, p) =
                    (self.registers[register.0 as usize], self.registers[guard.register.0 as usize]);
                let (yes, no) = if guard.negated { (old, value) } else { (value, old) };
                let width = self.width_of(register);
                self.kernel(Kernel::Select, width, width, &[p, yes, no])
            }
        };
        self.registers[register.0 as usize] = value;
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let [destination, sources @ ..] = &instruction.operands[..] else { return };
        match &instruction.opcode {
            Opcode::Convert(form) => {
                if let Operand::Register(d) = destination {
                    let value = self.conversion(*form, sources, self.width_of(*d));
                    self.write(instruction, *d, value);
                }
            }
            Opcode::Op(op) if matches!(op.row().semantics, Semantics::Move) => {
                self.movement(instruction, op, destination, &sources[0]);
            }
            Opcode::Op(op) => {
                let places: Vec<usize> =
                    op.row().operands.iter().skip(1).map(|o| bytes(op.operand_type(o).width())).collect();
                let from: Vec<Slot> =
                    sources.iter().zip(places).map(|(s, width)| self.source(s, width)).collect();
                match destination {
                    Operand::Register(d) => {
                        let value = self.operation(op, &from).unwrap_or_else(|| self.each(op, false, &from));
                        self.write(instruction, *d, value);
                    }
                    Operand::Pair(p, q) => {
                        let both = self.predicates(op, &from);
                        for (register, (value, second)) in [(p, (both.0, false)), (q, (both.1, true))] {
                            if let Some(r) = register {
                                let value = value.unwrap_or_else(|| self.each(op, second, &from));
                                self.write(instruction, *r, value);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// One result, by kernels if there are any.
    fn operation(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        self.integer(op, from).or_else(|| self.comparison(op, from)).or_else(|| self.arithmetic(op, from))
    }

    /// `cvt`: operands narrowed to the types, the result widened to the register.
    fn conversion(&mut self, form: Form, sources: &[Operand], width: usize) -> Slot {
        let flat = sources.iter().flat_map(|o| match o {
            Operand::Vector(parts) => parts.iter(),
            one => std::slice::from_ref(one).iter(),
        });
        let flat: Vec<&Operand> = flat.collect();
        let mut from = Vec::new();
        for (operand, place) in flat.into_iter().zip(form.operands().skip(1)) {
            let wanted = bytes(place.width);
            from.push(match operand {
                Operand::Constant(bits) => Feed::Value(bits & mask(place.width)),
                other => {
                    let slot = self.source(other, wanted);
                    Feed::Slot(self.resized(slot, wanted, false))
                }
            });
        }
        let result = bytes(form.result_width());
        let to = self.new_slot(result);
        match self.plan(form) {
            Some(plan) => self.steps.push(Step::Convert { plan, to, from }),
            // A program is only made for tiers that are there.
            None => return self.constant(width, 0),
        }
        let signed =
            matches!(form.destination().format().parameters().kind, FormatKind::Integer { signed: true });
        self.resized(to, width, signed && form.opcode() == ptxcvt::Opcode::Cvt)
    }

    /// The column with lanes of another width.
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

    fn movement(&mut self, instruction: &Instruction, op: &Op, destination: &Operand, source: &Operand) {
        let width = bytes(op.ty(0).width());
        let value = match source {
            Operand::Vector(parts) => {
                let part = width / parts.len();
                let mut columns: Vec<Slot> = parts.iter().map(|p| self.source(p, part)).collect();
                let mut size = part;
                while columns.len() > 1 {
                    size *= 2;
                    columns = columns.chunks(2).map(|two| self.joined(two, size)).collect();
                }
                columns[0]
            }
            one => self.source(one, width),
        };
        match destination {
            Operand::Register(d) => self.write(instruction, *d, value),
            Operand::Vector(parts) => {
                let part = width / parts.len();
                for (at, target) in parts.iter().enumerate() {
                    if let Operand::Register(r) = target {
                        let value = self.kernel(Kernel::Part { whole: width, at }, part, part, &[value]);
                        self.write(instruction, *r, value);
                    }
                }
            }
            _ => {}
        }
    }

    /// Two columns side by side in one of `size` bytes a lane.
    fn joined(&mut self, two: &[Slot], size: usize) -> Slot {
        match (self.value(two[0]), self.value(two[1])) {
            (Some(low), Some(high)) => self.constant(size, low | high << (4 * size as u32)),
            _ => self.kernel(Kernel::Join, size, size, two),
        }
    }

    /// The width of a column.
    pub fn width(&self, slot: Slot) -> usize {
        self.widths[slot.0]
    }
}
