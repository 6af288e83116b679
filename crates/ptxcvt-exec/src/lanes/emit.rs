//! Translates instructions to steps: renames registers, chooses kernels, lets columns share memory.

use std::collections::HashMap;

use ptxcvt::formats::Kind as FormatKind;
use ptxcvt::{Form, Format, mask};
use ptxcvt_bulk::{Tier, TierError};

use super::covered::is_covered;
use super::emitter::{Emitter, bytes};
use super::fuse::fuse;
use super::kernel::Kernel;
use super::program::Program;
use super::step::{Feed, Slot, Step};
use crate::block::{Block, Instruction};
use crate::operand::{Operand, Reg};
use crate::table::{Op, Opcode, Semantics};

impl Program {
    /// A program with the kernels of the current tier: the one that `PTXCVT_TIER` names, or the fastest of this
    /// machine.
    pub fn new(block: &Block) -> Program {
        program(&[block], Tier::current())
    }

    /// A program that runs two blocks on the same inputs, in columns that both use: what one block needs stays in the
    /// first-level cache for the other. An input that is wider in one block has zeros above there, and so has an output
    /// that is wider in the other block. The outputs of `a` come first.
    pub(crate) fn of_both(a: &Block, b: &Block) -> Program {
        program(&[a, b], Tier::current())
    }

    /// A program with the kernels of a tier.
    ///
    /// # Errors
    ///
    /// Fails if this machine lacks the tier.
    pub fn with_tier(block: &Block, tier: Tier) -> Result<Program, TierError> {
        match tier.is_available() {
            true => Ok(program(&[block], tier)),
            false => Err(TierError::Unavailable(tier)),
        }
    }
}

/// Translates blocks with as many inputs and outputs each. They read the same inputs. The outputs of the first come
/// first; all blocks have an output in the width of the widest.
fn program(blocks: &[&Block], tier: Tier) -> Program {
    let first = blocks[0];
    let mut e = Emitter {
        block: first,
        tier,
        steps: Vec::new(),
        widths: Vec::new(),
        constants: HashMap::new(),
        registers: Vec::new(),
    };
    let narrowest = |n: usize| blocks.iter().map(|block| block.width(block.inputs()[n])).min();
    let widths = (0..first.inputs().len()).filter_map(narrowest);
    let inputs: Vec<Slot> = widths.map(|width| e.new_slot(bytes(width))).collect();
    let mut outputs: Vec<Slot> = Vec::new();
    for block in blocks {
        e.begin(block, &inputs);
        for instruction in block.code() {
            e.instruction(instruction);
        }
        outputs.extend(block.outputs().iter().map(|p| e.registers[p.register.0 as usize]));
    }
    let count = outputs.len() / blocks.len();
    let widest = |n: usize| outputs.iter().skip(n).step_by(count).map(|slot| e.width(*slot)).max();
    let widths: Vec<usize> = (0..count).filter_map(widest).collect();
    let outputs = outputs.into_iter().zip(widths.into_iter().cycle());
    let outputs: Vec<Slot> = outputs.map(|(slot, width)| e.resized(slot, width, false)).collect();
    let constants = e.constants.iter().map(|((_, value, period), slot)| (*slot, *value, *period));
    let mut constants: Vec<(Slot, u64, usize)> = constants.collect();
    constants.sort_unstable();
    let kept = inputs.iter().chain(&outputs).copied().chain(constants.iter().map(|(slot, ..)| *slot));
    let kept: Vec<Slot> = kept.collect();
    // Constants of which every lane has the same 32 bits.
    let words = e.constants.iter().filter(|((_, _, part), _)| *part == 4);
    let words: HashMap<Slot, u64> = words.map(|((_, value, _), slot)| (*slot, *value)).collect();
    let steps = fuse(e.steps, &outputs, &words);
    let (steps, widths) = share(steps, e.widths, &kept);
    Program { tier, steps, widths, constants, inputs, outputs }
}

/// Reuses the memory of a column after its last use. The slots in `kept` are not reused.
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
        // After the step, since it must not write a column that it reads.
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

/// For a conversion that truncates or extends an integer, whether the integer is signed.
fn resizes(form: Form) -> Option<bool> {
    let is_plain = form.opcode() == ptxcvt::Opcode::Cvt
        && form.lanes() == 1
        && form.rounding().is_none()
        && form.modifiers().is_empty();
    let [from, to] = [form.source(), form.destination()].map(|ty| ty.format());
    (is_plain && from.is_integer() && to.is_integer()).then(|| is_signed(from))
}

fn is_signed(format: Format) -> bool {
    matches!(format.parameters().kind, FormatKind::Integer { signed: true })
}

impl<'b> Emitter<'b> {
    /// Begins a block: its registers are 0, apart from its inputs, which have these columns.
    fn begin(&mut self, block: &'b Block, inputs: &[Slot]) {
        self.block = block;
        self.registers.clear();
        // A register that is read before it is written is 0.
        for register in block.registers() {
            let zero = self.constant(bytes(register.ty.width), 0);
            self.registers.push(zero);
        }
        for (port, slot) in block.inputs().iter().zip(inputs) {
            let register = self.resized(*slot, bytes(block.width(*port)), false);
            self.registers[port.register.0 as usize] = register;
        }
    }

    /// The predicate of an instruction's guard before the instruction writes anything, and whether it is negated.
    fn guard(&self, instruction: &Instruction) -> Option<(Slot, bool)> {
        instruction.guard.map(|guard| (self.registers[guard.register.0 as usize], guard.negated))
    }

    /// Gives a register a new value in the lanes in which the guard holds.
    fn write(&mut self, guard: Option<(Slot, bool)>, register: Reg, value: Slot) {
        let value = match guard {
            None => value,
            Some((p, negated)) => {
                let old = self.registers[register.0 as usize];
                let (yes, no) = if negated { (old, value) } else { (value, old) };
                let width = self.width_of(register);
                self.kernel(Kernel::Select, width, width, &[p, yes, no])
            }
        };
        self.registers[register.0 as usize] = value;
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let [destination, sources @ ..] = &instruction.operands[..] else {
            unreachable!("every instruction has a destination")
        };
        let guard = self.guard(instruction);
        match &instruction.opcode {
            Opcode::Convert(form) => {
                if let Operand::Register(d) = destination {
                    let value = self.conversion(*form, sources, self.width_of(*d));
                    self.write(guard, *d, value);
                }
            }
            Opcode::Op(op) if matches!(op.row().semantics, Semantics::Move) => {
                self.movement(guard, op, destination, &sources[0]);
            }
            Opcode::Op(op) => {
                let covered = is_covered(op);
                let places: Vec<usize> =
                    op.row().operands.iter().skip(1).map(|o| bytes(op.operand_type(o).width())).collect();
                let from: Vec<Slot> =
                    sources.iter().zip(places).map(|(s, width)| self.source(s, width)).collect();
                match destination {
                    Operand::Register(d) => {
                        let value = if covered { self.operation(op, &from) } else { None };
                        let value = value.unwrap_or_else(|| self.each(op, false, &from));
                        self.write(guard, *d, value);
                    }
                    Operand::WithCarry(d, carry) => {
                        let both = if covered { self.carrying(op, &from) } else { None };
                        let value = both.map_or_else(|| self.each(op, false, &from), |both| both.0);
                        let flag = both.map_or_else(|| self.each(op, true, &from), |both| both.1);
                        self.write(guard, *d, value);
                        self.write(guard, *carry, flag);
                    }
                    Operand::Pair(p, q) => {
                        let both = if covered { self.predicates(op, &from) } else { (None, None) };
                        for (register, (value, second)) in [(p, (both.0, false)), (q, (both.1, true))] {
                            if let Some(r) = register {
                                let value = value.unwrap_or_else(|| self.each(op, second, &from));
                                self.write(guard, *r, value);
                            }
                        }
                    }
                    Operand::Sink => {}
                    other => unreachable!("{other:?} is not a destination"),
                }
            }
        }
    }

    /// One result by kernels; `None` if no kernel computes the instruction.
    fn operation(&mut self, op: &Op, from: &[Slot]) -> Option<Slot> {
        self.integer(op, from).or_else(|| self.comparison(op, from)).or_else(|| self.arithmetic(op, from))
    }

    /// `cvt`: narrows the operands to their types and widens the result to the register.
    fn conversion(&mut self, form: Form, sources: &[Operand], width: usize) -> Slot {
        let flat = sources.iter().flat_map(|o| match o {
            Operand::Vector(parts) => parts.iter(),
            one => std::slice::from_ref(one).iter(),
        });
        let flat: Vec<&Operand> = flat.collect();
        if let (Some(signed), [operand]) = (resizes(form), &flat[..]) {
            let [to, wanted] = [form.destination(), form.source()].map(|ty| bytes(ty.format().storage()));
            let slot = self.source(operand, wanted);
            let slot = self.resized(slot, wanted, false);
            let slot = self.resized(slot, to, signed);
            return self.resized(slot, width, is_signed(form.destination().format()));
        }
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
        let plan = self.plan(form);
        self.steps.push(Step::Convert { plan, to, from });
        let signed = is_signed(form.destination().format());
        self.resized(to, width, signed && form.opcode() == ptxcvt::Opcode::Cvt)
    }

    fn movement(&mut self, guard: Option<(Slot, bool)>, op: &Op, destination: &Operand, source: &Operand) {
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
            Operand::Register(d) => self.write(guard, *d, value),
            Operand::Vector(parts) => {
                let part = width / parts.len();
                for (at, target) in parts.iter().enumerate() {
                    if let Operand::Register(r) = target {
                        let value = self.kernel(Kernel::Part { whole: width, at }, part, part, &[value]);
                        self.write(guard, *r, value);
                    }
                }
            }
            other => unreachable!("{other:?} is not a destination of `mov`"),
        }
    }
}
