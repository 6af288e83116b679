//! Reads and writes of registers, and what is known of their values under a condition.

use ptxcvt_syntax::Span;

use super::{Value, Walker};
use crate::flow::condition::{Condition, NEVER};
use crate::operand::Reg;

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
}
