//! The first pass over a function: when each statement runs, and what is known of the addresses.

mod registers;
mod step;

use std::collections::{HashMap, HashSet};

use ptxcvt_syntax::Span;

use super::condition::{ALWAYS, Condition, Conditions, NEVER};
use super::graph::{Graph, Next};
use super::memory::{self, Address, Memory, Root};
use super::statement::{Parameter, Statement};
use crate::block::{Block, Guard};
use crate::operand::{Operand, Reg};
use crate::read::{Error, Names};

/// What is known about the value of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Unknown,
    Constant(u64),
    Address(Address),
}

/// A predicate that a condition depends on, with the value that it has at one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub register: Reg,
    /// How often the predicate had been written.
    version: u32,
    /// The first step that needs it.
    pub step: usize,
}

/// A statement that may run.
#[derive(Clone, Debug)]
pub(super) struct Step {
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
pub(super) struct Walk {
    pub conditions: Conditions,
    pub variables: Vec<Variable>,
    pub steps: Vec<Step>,
    pub memory: Memory,
    /// The pointers through which memory is read or written. Their own values are not operands.
    pub pointers: HashSet<Root>,
    /// Registers that may be read before they are written.
    uncovered: HashSet<Reg>,
    /// How often each register is written.
    writes: HashMap<Reg, u32>,
}

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
            return Err(error.help("an address can only be moved by constants, and loaded from or stored to"));
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

    /// True if the value is an address through which memory is accessed, so that nothing computes it.
    pub fn is_pointer(&self, value: Value) -> bool {
        matches!(value, Value::Address(address) if self.pointers.contains(&address.root))
    }
}

struct Walker<'w> {
    walk: Walk,
    block: &'w Block,
    parameters: &'w [Parameter],
    statements: &'w [Statement],
    /// For each register, what was written to it, and when.
    history: HashMap<Reg, Vec<(Condition, Value)>>,
    /// Where addresses are used as numbers.
    numbers: Vec<(Root, Span)>,
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

    /// The condition that `condition` and the guard hold.
    fn guarded(&mut self, condition: Condition, guard: Guard) -> Condition {
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
