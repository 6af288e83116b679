//! The first pass over a function: the condition of each statement, and the addresses.

mod step;
mod walker;

use std::collections::{HashMap, HashSet};

use super::condition::{ALWAYS, Conditions, NEVER};
use super::graph::{Graph, Next};
use super::memory::{self, Address, Memory};
use super::statement::{Parameter, Statement};
use crate::block::Block;
use crate::operand::{Operand, Reg};
use crate::read::error::Error;
use crate::read::names::Names;
pub(super) use walker::{Step, Walk};
use walker::{Value, Variable, Walker};

impl Walk {
    pub fn new(block: &Block, parameters: &[Parameter], statements: &[Statement]) -> Result<Walk, Error> {
        let graph = Graph::new(statements)?;
        let mut walker = Walker {
            walk: Walk {
                conditions: Conditions::default(),
                variables: Vec::new(),
                steps: Vec::new(),
                memory: Memory::default(),
                pointers: HashSet::new(),
                uncovered: HashSet::new(),
                writes: HashMap::new(),
            },
            block,
            parameters,
            statements,
            history: HashMap::new(),
            numbers: Vec::new(),
        };
        for port in &block.inputs {
            walker.write(port.register, ALWAYS, Value::Unknown);
        }
        walker.run(&graph)?;
        for port in &block.outputs {
            walker.read(port.register, ALWAYS);
        }
        let Walker { walk, numbers, .. } = walker;
        if let Some((root, span)) = numbers.iter().find(|(root, _)| walk.pointers.contains(root)) {
            let name = memory::name(Address { root: *root, offset: 0 }, parameters);
            let message = format!("the address of `{name}` is used as a number");
            let error = Error::new(*span, message);
            return Err(
                error.with_help("an address can only be moved by constants, and loaded from or stored to")
            );
        }
        walk.memory.check(parameters)?;
        Ok(walk)
    }

    /// Takes floating-point formats of places from the registers that are loaded or stored.
    pub fn give_meanings(&mut self, block: &Block, statements: &[Statement], names: &Names) {
        for step in &self.steps {
            let Statement::Access(access) = &statements[step.statement] else { continue };
            for (element, place) in access.elements.iter().zip(&step.places) {
                let Operand::Register(register) = element else { continue };
                let place = &mut self.memory.places[*place];
                let same_width = block.declaration(*register).ty.width == place.ty.width();
                let meaning = names.meaning(*register).filter(|meaning| meaning.is_float() && same_width);
                place.meaning = place.meaning.or(meaning);
            }
        }
    }

    /// True if the register is written before every read, and at least once.
    pub fn is_covered(&self, register: Reg) -> bool {
        !self.uncovered.contains(&register)
    }

    /// True if the predicate changes after the variable was read.
    pub fn changes(&self, variable: &Variable) -> bool {
        variable.version < self.writes.get(&variable.register).copied().unwrap_or(0)
    }

    /// True if the value is an address that is used only to access memory, so that no instruction has to compute it.
    pub fn is_pointer(&self, value: Value) -> bool {
        matches!(value, Value::Address(address) if self.pointers.contains(&address.root))
    }
}

impl Walker<'_> {
    fn run(&mut self, graph: &Graph) -> Result<(), Error> {
        let mut reached = vec![NEVER; graph.blocks.len()];
        if let Some(first) = reached.first_mut() {
            *first = ALWAYS;
        }
        for n in &graph.order {
            let block = &graph.blocks[*n];
            let mut condition = reached[*n];
            for at in block.statements.clone() {
                if condition != NEVER {
                    self.statement(at, condition)?;
                }
            }
            for (guard, next) in &block.next {
                let taken = match guard {
                    Some(guard) => self.guarded(condition, *guard),
                    None => condition,
                };
                let left = self.walk.conditions.not(taken);
                condition = self.walk.conditions.and(condition, left);
                if let Next::Block(to) = next {
                    reached[*to] = self.walk.conditions.or(reached[*to], taken);
                }
            }
            if self.walk.conditions.is_full() {
                let span = block.statements.clone().map(|at| self.statements[at].span()).max();
                let message = "the branches combine in too many ways";
                return Err(Error::new(span.expect("a basic block has statements"), message));
            }
        }
        Ok(())
    }
}
