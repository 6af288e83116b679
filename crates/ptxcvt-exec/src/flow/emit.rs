//! The second pass over a function: writes the block.

use std::collections::{HashMap, HashSet};

use ptxcvt_syntax::Span;

use super::condition::{ALWAYS, Condition, NEVER};
use super::memory::Root;
use super::statement::{Access, Direction, Parameter, Statement};
use super::walk::{Step, Walk};
use crate::block::{Block, Guard, Instruction, Port};
use crate::operand::{Operand, Reg};
use crate::read::error::Error;
use crate::ty::Ty;

/// Writes the statements of a function to a block.
pub(super) fn emit(
    block: &mut Block,
    parameters: &[Parameter],
    statements: &[Statement],
    walk: Walk,
) -> Result<(), Error> {
    let mut emitter = Emitter {
        places: Vec::new(),
        made: HashMap::new(),
        copies: HashMap::new(),
        begun: block.inputs.iter().map(|port| port.register).collect(),
        block,
        walk: &walk,
    };
    emitter.declare(parameters);
    for (at, step) in walk.steps.iter().enumerate() {
        emitter.copy_predicates(at, statements[step.statement].span());
        match &statements[step.statement] {
            Statement::Op(instruction) => emitter.instruction(instruction, step),
            Statement::Access(access) => emitter.access(access, step)?,
            Statement::Address { .. }
            | Statement::Label { .. }
            | Statement::Branch { .. }
            | Statement::Return { .. } => {}
        }
    }
    Ok(())
}

struct Emitter<'e> {
    block: &'e mut Block,
    walk: &'e Walk,
    /// The register of each place; `None` for pointers.
    places: Vec<Option<Reg>>,
    /// The predicates of conditions.
    made: HashMap<Condition, Guard>,
    /// Copies of predicates that change later, by variable.
    copies: HashMap<u32, Reg>,
    /// The registers that have been written.
    begun: HashSet<Reg>,
}

impl Emitter<'_> {
    /// Declares the registers of all places, and makes them operands.
    fn declare(&mut self, parameters: &[Parameter]) {
        let places = &self.walk.memory.places;
        for place in places {
            let address = place.address;
            // The pointer itself is not an operand.
            let pointer = match address.root {
                Root::Parameter(parameter) => {
                    place.ty.width() == 64
                        && self.walk.pointers.contains(&Root::Pointee { parameter, at: address.offset })
                }
                Root::Pointee { .. } => false,
            };
            let register = (!pointer).then(|| self.block.temporary(place.name(parameters), place.ty));
            self.places.push(register);
        }
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_key(|n| places[*n].rank());
        for n in order {
            let (Some(register), place) = (self.places[n], &places[n]) else { continue };
            let port = Port { register, meaning: place.meaning };
            if place.is_output() {
                self.block.outputs.push(port);
            }
            if place.is_input() {
                self.block.inputs.push(port);
                self.begun.insert(register);
            }
        }
    }

    /// Keeps the predicates that conditions need from this step on, and that change later.
    fn copy_predicates(&mut self, step: usize, span: Span) {
        for (n, variable) in self.walk.variables.iter().enumerate() {
            if variable.step == step && self.walk.changes(variable) {
                let name = format!("%kept{n}");
                let copy = self.block.temporary(name, Ty::Pred);
                self.copies.insert(n as u32, copy);
                self.push(None, "mov.pred", vec![copy.into(), variable.register.into()], span);
            }
        }
    }

    fn push(&mut self, guard: Option<Guard>, opcode: &str, operands: Vec<Operand>, span: Span) {
        let opcode = opcode.parse().expect("the tables have this instruction");
        self.block.code.push(Instruction { guard, opcode, operands, span });
    }

    /// The guard for a condition; `None` if it always holds.
    fn guard(&mut self, condition: Condition, span: Span) -> Option<Guard> {
        (condition != ALWAYS).then(|| self.predicate(condition, span))
    }

    /// A predicate that is true if a condition holds.
    fn predicate(&mut self, condition: Condition, span: Span) -> Guard {
        if let Some(made) = self.made.get(&condition) {
            return *made;
        }
        let decision = self.walk.conditions.of(condition);
        let variable = &self.walk.variables[decision.variable as usize];
        let register = self.copies.get(&decision.variable).copied().unwrap_or(variable.register);
        let own = Guard { register, negated: false };
        let other = Guard { register, negated: true };
        let made = match (decision.no, decision.yes) {
            (NEVER, ALWAYS) => own,
            (ALWAYS, NEVER) => other,
            (NEVER, yes) => self.combine("and.pred", own, yes, span),
            (no, NEVER) => self.combine("and.pred", other, no, span),
            (ALWAYS, yes) => self.combine("or.pred", other, yes, span),
            (no, ALWAYS) => self.combine("or.pred", own, no, span),
            (no, yes) => {
                let no = self.combine("and.pred", other, no, span);
                let yes = self.combine("and.pred", own, yes, span);
                self.join("or.pred", no, yes, span)
            }
        };
        self.made.insert(condition, made);
        made
    }

    fn combine(&mut self, opcode: &str, guard: Guard, condition: Condition, span: Span) -> Guard {
        let second = self.predicate(condition, span);
        self.join(opcode, guard, second, span)
    }

    fn join(&mut self, opcode: &str, a: Guard, b: Guard, span: Span) -> Guard {
        let name = format!("%when{}", self.block.registers.len());
        let register = self.block.temporary(name, Ty::Pred);
        let operand = |guard: Guard| match guard.negated {
            true => Operand::Not(guard.register),
            false => Operand::Register(guard.register),
        };
        self.push(None, opcode, vec![register.into(), operand(a), operand(b)], span);
        Guard { register, negated: false }
    }

    /// The guard for writing these registers. The first write of a register needs no guard if the register is read only
    /// after it is written: its value does not matter if the condition is false.
    fn guard_of_write(
        &mut self,
        registers: &[Reg],
        free: bool,
        condition: Condition,
        span: Span,
    ) -> Option<Guard> {
        let first = registers.iter().all(|register| self.begun.insert(*register));
        if first && free { None } else { self.guard(condition, span) }
    }

    fn instruction(&mut self, instruction: &Instruction, step: &Step) {
        if step.values.iter().any(|value| self.walk.is_pointer(*value)) {
            return;
        }
        let written: Vec<Reg> = instruction.written().collect();
        let free = written.iter().all(|register| self.walk.is_covered(*register));
        let guard = self.guard_of_write(&written, free, step.condition, instruction.span);
        self.block.code.push(Instruction { guard, ..instruction.clone() });
    }

    fn access(&mut self, access: &Access, step: &Step) -> Result<(), Error> {
        let each = access.elements.iter().zip(&step.places).enumerate();
        for (n, (element, place)) in each {
            let Some(memory) = self.places[*place] else { continue };
            match (access.direction, element) {
                (_, Operand::Sink) => {}
                (Direction::Load, Operand::Register(to)) => {
                    if self.walk.is_pointer(step.values[n]) {
                        continue;
                    }
                    let free = self.walk.is_covered(*to);
                    let guard = self.guard_of_write(&[*to], free, step.condition, access.span);
                    let opcode = widening(access.ty, self.block.declaration(*to).ty.width);
                    self.push(guard, &opcode, vec![(*to).into(), memory.into()], access.span);
                }
                (Direction::Store, value) => {
                    let free = self.walk.memory.places[*place].written == ALWAYS;
                    let guard = self.guard_of_write(&[memory], free, step.condition, access.span);
                    let width = match value {
                        Operand::Register(from) => self.block.declaration(*from).ty.width,
                        _ => access.ty.width(),
                    };
                    let opcode = narrowing(access.ty, width);
                    self.push(guard, &opcode, vec![memory.into(), value.clone()], access.span);
                }
                (Direction::Load, other) => unreachable!("{other:?} is not a destination of a load"),
            }
        }
        Ok(())
    }
}

/// The instruction that moves memory of a type to a register of at least its width: signed integers are extended with
/// their sign, everything else with zeros.
fn widening(ty: Ty, width: u32) -> String {
    match (ty.width(), ty.is_signed()) {
        (own, _) if own == width && own > 8 => format!("mov.b{width}"),
        (own, true) => format!("cvt.s{width}.s{own}"),
        (own, false) => format!("cvt.u{width}.u{own}"),
    }
}

/// The instruction that moves the low bits of a register to memory of a type.
fn narrowing(ty: Ty, width: u32) -> String {
    match ty.width() {
        own if own == width && own > 8 => format!("mov.b{own}"),
        own => format!("cvt.u{own}.u{width}"),
    }
}
