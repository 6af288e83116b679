//! Registers that an instruction may read before any instruction has written them.
//!
//! PTX ISA section 9.3 (predicated execution). The value of such a register is undefined. [`Block::eval`] reads it as 0,
//! a GPU may return anything.

use std::collections::HashMap;

use crate::block::{Block, Guard, Instruction};
use crate::modifier::Modifier;
use crate::operand::{Operand, Reg};
use crate::table::Opcode;

/// A register that may be read before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undefined {
    /// The register.
    pub register: Reg,
    /// The index of the first instruction that may read it too early; `None` if that is the end of the block, which
    /// returns the register as an output.
    pub instruction: Option<usize>,
}

/// A predicate with the value that it has between two writes.
type Predicate = (Reg, u32);

/// A guard: the predicate, and whether it is negated.
type Condition = (Predicate, bool);

/// When a register has been written.
#[derive(Clone, Debug)]
enum Written {
    Always,
    /// Only if one of these conditions was true.
    Under(Vec<Condition>),
}

impl Written {
    /// True if the register is written whenever `guard` holds, or always if there is none.
    fn covers(&self, guard: Option<Condition>) -> bool {
        match self {
            Written::Always => true,
            Written::Under(conditions) => {
                let both = |(predicate, negated): &Condition| conditions.contains(&(*predicate, !negated));
                guard.is_some_and(|guard| conditions.contains(&guard)) || conditions.iter().any(both)
            }
        }
    }

    fn add(&mut self, guard: Option<Condition>) {
        match (self, guard) {
            (Written::Always, _) => {}
            (Written::Under(conditions), Some(guard)) => conditions.push(guard),
            (own, None) => *own = Written::Always,
        }
    }
}

/// The registers that have been written when an instruction is reached.
struct State {
    written: Vec<Written>,
    /// How often each register has been written, so that conditions on an older value of a predicate stay apart.
    versions: Vec<u32>,
    /// Predicates that are the opposite of another one: the second of `p|q`, and `not.pred`.
    opposites: HashMap<Predicate, Predicate>,
}

impl State {
    fn current(&self, register: Reg) -> Predicate {
        (register, self.versions[register.0 as usize])
    }

    fn condition(&self, guard: Guard) -> Condition {
        let predicate = self.current(guard.register);
        match self.opposites.get(&predicate) {
            Some(other) => (*other, !guard.negated),
            None => (predicate, guard.negated),
        }
    }

    fn write(&mut self, instruction: &Instruction, guard: Option<Condition>) {
        let opposite = opposite(instruction).map(|(of, other)| (self.current(of), other));
        for register in instruction.written() {
            self.versions[register.0 as usize] += 1;
            self.written[register.0 as usize].add(guard);
        }
        if let (Some((of, other)), None) = (opposite, guard) {
            // Both registers of `p|q` are new, and only the destination of `not.pred`.
            let of = if instruction.written().any(|r| r == of.0) { self.current(of.0) } else { of };
            self.opposites.insert(self.current(other), of);
        }
    }
}

/// A predicate and the one that the instruction makes its opposite.
fn opposite(instruction: &Instruction) -> Option<(Reg, Reg)> {
    let Opcode::Op(op) = &instruction.opcode else { return None };
    let combines = [Modifier::And, Modifier::Or, Modifier::Xor].iter().any(|m| op.modifiers().has(*m));
    match &instruction.operands[..] {
        [Operand::Pair(Some(p), Some(q)), ..] if op.lanes() == 1 && !combines && p != q => Some((*p, *q)),
        [Operand::Register(d), Operand::Register(a)] if op.is_complement() && d != a => Some((*a, *d)),
        _ => None,
    }
}

impl Block {
    /// The registers that may be read before they are written, each with the first place where that may happen.
    ///
    /// A register counts as written if it is written under `@p` and under `@!p`, or if it is written under a guard and read
    /// only under the same guard.
    ///
    /// ```
    /// use ptxcvt_exec::read::{self, Interface};
    /// let text = "{ .reg .pred p; .reg .u32 y; setp.lt.u32 p, %1, 5; @p add.u32 y, %1, 1; mov.u32 %0, y; }";
    /// let block = read::block(text, &Interface::constraints("=r,r")?)?;
    /// let found = block.possibly_undefined();
    /// assert_eq!(block.declaration(found[0].register).name, "y");
    /// assert_eq!(found[0].instruction, Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn possibly_undefined(&self) -> Vec<Undefined> {
        let count = self.registers.len();
        let mut state = State {
            written: vec![Written::Under(Vec::new()); count],
            versions: vec![0; count],
            opposites: HashMap::new(),
        };
        for port in &self.inputs {
            state.written[port.register.0 as usize] = Written::Always;
        }
        let mut found: Vec<Undefined> = Vec::new();
        let mut note = |register: Reg, instruction: Option<usize>| {
            if !found.iter().any(|known| known.register == register) {
                found.push(Undefined { register, instruction });
            }
        };
        for (at, instruction) in self.code.iter().enumerate() {
            let guard = instruction.guard.map(|guard| state.condition(guard));
            let predicate = instruction.guard.map(|guard| guard.register);
            for register in instruction.read() {
                // The guard itself is read whether it holds or not.
                let under = if Some(register) == predicate { None } else { guard };
                if !state.written[register.0 as usize].covers(under) {
                    note(register, Some(at));
                }
            }
            state.write(instruction, guard);
        }
        for port in &self.outputs {
            if !state.written[port.register.0 as usize].covers(None) {
                note(port.register, None);
            }
        }
        found
    }
}
