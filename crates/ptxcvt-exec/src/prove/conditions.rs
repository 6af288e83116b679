//! Values that several registers must have at once, such as x + y = A and x − y = B.
//!
//! [`super::backward`] cannot trace a value through a register that depends on several inputs. Here the value becomes a
//! condition on these inputs, and [`super::meet`] looks for inputs that meet several conditions.

use std::collections::HashSet;

use super::backward::{Leading, Wanted};
use super::compare::Question;
use super::dependence::{self, Bits};
use crate::block::{Block, Port};
use crate::operand::Reg;

/// Limit on conditions: the last ones of each block, and the same number for the inputs.
const MOST_CONDITIONS: usize = 12;

/// The conditions of both blocks.
pub(super) fn all(question: &Question<'_>, leading: &[Leading; 2]) -> Vec<Condition> {
    let make = |block, wanted: Vec<Wanted>| {
        let each = wanted.into_iter().filter_map(move |wanted| Condition::new(question, block, wanted));
        each.take(MOST_CONDITIONS)
    };
    let mut conditions = Vec::new();
    for (block, Leading { ends, .. }) in question.blocks.iter().zip(leading) {
        conditions.extend(make(block, ends.clone()));
    }
    // A value of one input alone is tried anyway; it is useful as a condition only together with others.
    if !conditions.is_empty() {
        let [block, _] = question.blocks;
        let own = |(n, port): (usize, &Port)| {
            let values = leading.iter().flat_map(|of| &of.inputs[n]).copied().collect();
            Wanted { at: 0, register: port.register, values }
        };
        conditions.extend(make(block, block.inputs().iter().enumerate().map(own).collect()));
    }
    conditions
}

/// A register and the values that it should have.
pub(super) struct Condition {
    /// The instructions that compute the register, which is the only output.
    pub block: Block,
    /// For each bit of the register, the input bits on which it may depend.
    pub needs: Vec<Bits>,
    pub values: Vec<u64>,
}

impl Condition {
    /// `None` if there are too many input bits for the analysis, or if the register is constant.
    fn new(question: &Question<'_>, block: &Block, wanted: Wanted) -> Option<Condition> {
        let mut block = block.clone();
        block.code.truncate(wanted.at);
        block.outputs = vec![Port { register: wanted.register, meaning: None }];
        keep_needed(&mut block, wanted.register);
        let needs = dependence::of(&block, &question.inputs)?.remove(0);
        let varies = needs.iter().any(|bits| bits.len() > 0);
        (varies && !wanted.values.is_empty()).then_some(Condition { block, needs, values: wanted.values })
    }
}

/// Removes the instructions that do not affect the final value of a register.
fn keep_needed(block: &mut Block, register: Reg) {
    let mut needed = HashSet::from([register]);
    let mut code = std::mem::take(&mut block.code);
    while let Some(instruction) = code.pop() {
        if !instruction.written().any(|written| needed.contains(&written)) {
            continue;
        }
        if instruction.guard.is_none() {
            needed.retain(|register| instruction.written().all(|written| written != *register));
        }
        needed.extend(instruction.read());
        block.code.push(instruction);
    }
    block.code.reverse();
}
