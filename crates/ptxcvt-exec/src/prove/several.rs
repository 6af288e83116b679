//! Finds operands for which an instruction that reads several registers has a given result.

use std::collections::HashMap;

use ptxcvt::mask;

use super::undo;
use crate::block::{Block, Instruction};
use crate::eval;
use crate::operand::Reg;
use crate::table::Opcode;

/// The values sought for each register before an instruction.
pub(super) type Registers = HashMap<Reg, Vec<u64>>;

/// Limit on the values of each other operand that are combined.
const MOST_VALUES: usize = 3;
/// Limit on the results that are undone.
const MOST_RESULTS: usize = 6;

/// An instruction, and the register whose value is given.
pub(super) struct Question<'q> {
    pub instruction: &'q Instruction,
    pub block: &'q Block,
    /// The registers that always hold one constant.
    pub constant: &'q HashMap<Reg, u64>,
    /// The constants among the instruction's operands.
    pub constants: &'q [u64],
    pub result: Reg,
}

impl Question<'_> {
    /// Values of operands for which the result may be one of `results`. Omits operands without such values.
    pub fn operands(&self, registers: &[Reg], results: &[u64], wanted: &Registers) -> Vec<(Reg, Vec<u64>)> {
        let results = &results[..results.len().min(MOST_RESULTS)];
        if let Some(found) = self.packed(registers, results) {
            return found;
        }
        let last = |operand: &Reg| (*operand, self.last(*operand, registers, results, wanted));
        registers.iter().map(last).filter(|(_, found)| !found.is_empty()).collect()
    }

    /// The operands of a conversion that packs numbers, the upper one first. `None` for other instructions.
    fn packed(&self, registers: &[Reg], results: &[u64]) -> Option<Vec<(Reg, Vec<u64>)>> {
        let Opcode::Convert(form) = &self.instruction.opcode else { return None };
        let (to, count) = (form.destination(), registers.len() as u32);
        if to.lanes() != count || form.source().lanes() != 1 {
            return None;
        }
        let storage = to.format().storage();
        let one = |(at, operand): (usize, &Reg)| {
            let shift = (count - 1 - at as u32) * storage;
            let element = |result: u64| result >> shift & mask(storage);
            let undone = |result: &u64| self.undone(*operand, &[], element(*result), element);
            (*operand, results.iter().filter_map(undone).collect())
        };
        Some(registers.iter().enumerate().map(one).collect())
    }

    /// Values of one operand, if each other operand has one of the values sought for it.
    fn last(&self, operand: Reg, registers: &[Reg], results: &[u64], wanted: &Registers) -> Vec<u64> {
        let mut settings: Vec<Vec<(Reg, u64)>> = vec![Vec::new()];
        for other in registers.iter().filter(|other| **other != operand) {
            let values = wanted.get(other).map_or(&[][..], |values| &values[..values.len().min(MOST_VALUES)]);
            let with = |setting: &Vec<(Reg, u64)>| {
                let setting = setting.clone();
                values.iter().map(move |value| setting.iter().copied().chain([(*other, *value)]).collect())
            };
            settings = settings.iter().flat_map(with).collect();
        }
        let undone = |setting: &Vec<(Reg, u64)>| -> Vec<u64> {
            results.iter().filter_map(|result| self.undone(operand, setting, *result, |all| all)).collect()
        };
        settings.iter().flat_map(undone).collect()
    }

    /// A value of an operand for which a part of the result is `value`, given the values of the other operands.
    fn undone(
        &self,
        operand: Reg,
        others: &[(Reg, u64)],
        value: u64,
        part: impl Fn(u64) -> u64,
    ) -> Option<u64> {
        let mut known = self.constant.clone();
        known.extend(others.iter().copied());
        let constants: Vec<u64> =
            self.constants.iter().copied().chain(others.iter().map(|(_, value)| *value)).collect();
        let width = self.block.declaration(operand).ty.width;
        undo::guesses(self.instruction, value, &constants, width).into_iter().find(|guess| {
            known.insert(operand, *guess);
            part(eval::result(self.instruction, self.block, &known, self.result)) == value
        })
    }
}
