//! The state of the first pass: reads and writes of registers, and their known values under a condition.

use std::collections::{HashMap, HashSet};

use ptxcvt_syntax::Span;

use crate::block::{Block, Guard};
use crate::flow::condition::{Condition, Conditions, NEVER};
use crate::flow::memory::{Address, Memory, Root};
use crate::flow::statement::{Parameter, Statement};
use crate::operand::Reg;

/// The known value of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Unknown,
    Constant(u64),
    Address(Address),
}

/// A predicate that a condition depends on, with the value that it has at one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub register: Reg,
    /// How often the predicate had been written.
    pub(super) version: u32,
    /// The first step that needs it.
    pub step: usize,
}

/// A statement that may run.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Its index.
    pub statement: usize,
    /// When it runs.
    pub condition: Condition,
    /// The values that it writes, if they are known: one for each element of a load, otherwise one.
    pub values: Vec<Value>,
    /// The place of each element of a load or store.
    pub places: Vec<usize>,
}

/// The result of the first pass.
pub(crate) struct Walk {
    pub conditions: Conditions,
    pub variables: Vec<Variable>,
    pub steps: Vec<Step>,
    pub memory: Memory,
    /// The pointers through which memory is read or written. Their own values are not operands.
    pub pointers: HashSet<Root>,
    /// Registers that may be read before they are written.
    pub(super) uncovered: HashSet<Reg>,
    /// How often each register is written.
    pub(super) writes: HashMap<Reg, u32>,
}

/// The pass: the result so far, and its knowledge about registers.
pub(super) struct Walker<'w> {
    pub(super) walk: Walk,
    pub(super) block: &'w Block,
    pub(super) parameters: &'w [Parameter],
    pub(super) statements: &'w [Statement],
    /// For each register, what was written to it, and when.
    pub(super) history: HashMap<Reg, Vec<(Condition, Value)>>,
    /// Where addresses are used as numbers.
    pub(super) numbers: Vec<(Root, Span)>,
}

impl Walker<'_> {
    /// The known facts about a register if `condition` holds.
    pub(super) fn value(&mut self, register: Reg, condition: Condition) -> Value {
        let mut found = self.reaching(register, condition);
        match found.pop() {
            Some(value) if found.iter().all(|other| *other == value) => value,
            _ => Value::Unknown,
        }
    }

    /// The values that may reach a place where `condition` holds.
    pub(super) fn reaching(&mut self, register: Reg, condition: Condition) -> Vec<Value> {
        let mut found = Vec::new();
        for (when, value) in self.history.get(&register).into_iter().flatten().rev() {
            if !self.walk.conditions.exclude(*when, condition) {
                found.push(*value);
            }
            if self.walk.conditions.implies(condition, *when) {
                return found;
            }
        }
        // It may have no value yet.
        found.push(Value::Unknown);
        found
    }

    /// Notes a read.
    pub(super) fn read(&mut self, register: Reg, condition: Condition) {
        let writes = self.history.get(&register).into_iter().flatten().map(|(when, _)| *when);
        let written = writes.fold(NEVER, |all, when| self.walk.conditions.or(all, when));
        if !self.walk.conditions.implies(condition, written) {
            self.walk.uncovered.insert(register);
        }
    }

    /// Notes a read of a number.
    pub(super) fn read_number(&mut self, register: Reg, condition: Condition, span: Span) {
        self.read(register, condition);
        for value in self.reaching(register, condition) {
            if let Value::Address(address) = value {
                self.numbers.push((address.root, span));
            }
        }
    }

    pub(super) fn write(&mut self, register: Reg, condition: Condition, value: Value) {
        *self.walk.writes.entry(register).or_default() += 1;
        self.history.entry(register).or_default().push((condition, value));
    }

    /// The condition that `condition` and the guard hold.
    pub(super) fn guarded(&mut self, condition: Condition, guard: Guard) -> Condition {
        if condition == NEVER {
            return NEVER;
        }
        self.read(guard.register, condition);
        let version = self.walk.writes.get(&guard.register).copied().unwrap_or(0);
        let same = |v: &Variable| v.register == guard.register && v.version == version;
        let variable = self.walk.variables.iter().position(same).unwrap_or_else(|| {
            let step = self.walk.steps.len();
            self.walk.variables.push(Variable { register: guard.register, version, step });
            self.walk.variables.len() - 1
        });
        let conditions = &mut self.walk.conditions;
        let mut holds = conditions.variable(variable as u32);
        if guard.negated {
            holds = conditions.not(holds);
        }
        conditions.and(condition, holds)
    }
}
