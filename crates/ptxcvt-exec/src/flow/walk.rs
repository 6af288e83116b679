//! The first pass over a function: when each statement runs, and what is known of the addresses.

use std::collections::{HashMap, HashSet};

use ptxcvt_syntax::Span;

use super::condition::{ALWAYS, Condition, Conditions, NEVER};
use super::graph::{Graph, Next};
use super::memory::{self, Address, Memory, Root};
use super::statement::{Access, Base, Direction, Parameter, Space, Statement};
use crate::block::{Block, Guard, Instruction};
use crate::eval;
use crate::modifier::Modifiers;
use crate::operand::{Operand, Reg};
use crate::read::{Error, Names};
use crate::table::Opcode;
use crate::ty::Ty;

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

    fn statement(&mut self, at: usize, reached: Condition) -> Result<(), Error> {
        let statements = self.statements;
        let guard = match &statements[at] {
            Statement::Op(instruction) => instruction.guard,
            Statement::Access(access) => access.guard,
            Statement::Address { guard, .. } => *guard,
            // The graph has the conditions of these.
            Statement::Label(_) | Statement::Branch { .. } | Statement::Return { .. } => return Ok(()),
        };
        let condition = guard.map_or(reached, |guard| self.guarded(reached, guard));
        if condition == NEVER {
            return Ok(());
        }
        let mut places = Vec::new();
        let values = match &statements[at] {
            Statement::Op(instruction) => vec![self.instruction(instruction, condition)],
            Statement::Access(access) => {
                let (found, values) = self.access(access, condition)?;
                places = found;
                values
            }
            Statement::Address { to, from, span, .. } => {
                let value = match from {
                    Base::Parameter(n) => Value::Address(Address { root: Root::Parameter(*n), offset: 0 }),
                    Base::Register(from) => {
                        self.read(*from, condition);
                        self.value(*from, condition)
                    }
                };
                let Value::Address(address) = value else { return Err(self.no_address(*from, *span)) };
                self.walk.pointers.insert(address.root);
                self.write(*to, condition, value);
                vec![value]
            }
            Statement::Label(_) | Statement::Branch { .. } | Statement::Return { .. } => Vec::new(),
        };
        self.walk.steps.push(Step { statement: at, condition, values, places });
        Ok(())
    }

    /// The error for an address that is not known.
    fn no_address(&self, base: Base, span: Span) -> Error {
        let name = match base {
            Base::Register(register) => &self.block.declaration(register).name,
            Base::Parameter(n) => &self.parameters[n].name,
        };
        let message = format!("the address in `{name}` is not a pointer parameter plus a constant");
        Error::new(span, message).help("only memory at constant distances from pointer parameters runs here")
    }

    /// The known facts about a register if `condition` holds.
    fn value(&mut self, register: Reg, condition: Condition) -> Value {
        let mut found = self.reaching(register, condition);
        match found.pop() {
            Some(value) if found.iter().all(|other| *other == value) => value,
            _ => Value::Unknown,
        }
    }

    /// The values that may reach a place where `condition` holds.
    fn reaching(&mut self, register: Reg, condition: Condition) -> Vec<Value> {
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
    fn read(&mut self, register: Reg, condition: Condition) {
        let writes = self.history.get(&register).into_iter().flatten().map(|(when, _)| *when);
        let written = writes.fold(NEVER, |all, when| self.walk.conditions.or(all, when));
        if !self.walk.conditions.implies(condition, written) {
            self.walk.uncovered.insert(register);
        }
    }

    /// Notes a read of a number.
    fn read_number(&mut self, register: Reg, condition: Condition, span: Span) {
        self.read(register, condition);
        for value in self.reaching(register, condition) {
            if let Value::Address(address) = value {
                self.numbers.push((address.root, span));
            }
        }
    }

    fn write(&mut self, register: Reg, condition: Condition, value: Value) {
        *self.walk.writes.entry(register).or_default() += 1;
        self.history.entry(register).or_default().push((condition, value));
    }

    fn instruction(&mut self, instruction: &Instruction, condition: Condition) -> Value {
        let moved = self.moved_address(instruction, condition);
        let sources: Vec<Reg> = Instruction { guard: None, ..instruction.clone() }.read().collect();
        for register in &sources {
            match moved {
                Some(_) => self.read(*register, condition),
                None => self.read_number(*register, condition, instruction.span),
            }
        }
        let value = match moved {
            Some(address) => Value::Address(address),
            None => self.constant(instruction, &sources, condition),
        };
        let written: Vec<Reg> = instruction.written().collect();
        for register in written {
            self.write(register, condition, value);
        }
        value
    }

    /// The address that a sum, a difference or a `mov` of an address and a constant gives.
    fn moved_address(&mut self, instruction: &Instruction, condition: Condition) -> Option<Address> {
        let Opcode::Op(op) = &instruction.opcode else { return None };
        if !matches!(op.ty(0), Ty::B64 | Ty::U64 | Ty::S64) || op.modifiers() != Modifiers::default() {
            return None;
        }
        let sources = instruction.operands.get(1..)?;
        let mut values = Vec::new();
        for operand in sources {
            values.push(match operand {
                Operand::Register(register) => self.value(*register, condition),
                Operand::Constant(bits) => Value::Constant(*bits),
                _ => Value::Unknown,
            });
        }
        let moved =
            |address: Address, by: i64| Address { offset: address.offset.wrapping_add(by), ..address };
        match (op.name(), &values[..]) {
            ("mov", [Value::Address(address)]) => Some(*address),
            ("add", [Value::Address(address), Value::Constant(by)])
            | ("add", [Value::Constant(by), Value::Address(address)]) => Some(moved(*address, *by as i64)),
            ("sub", [Value::Address(address), Value::Constant(by)]) => {
                Some(moved(*address, (*by as i64).wrapping_neg()))
            }
            _ => None,
        }
    }

    /// The result of an instruction with one result, if its sources are constants.
    fn constant(&mut self, instruction: &Instruction, sources: &[Reg], condition: Condition) -> Value {
        let [Operand::Register(to), ..] = instruction.operands[..] else { return Value::Unknown };
        let mut state: HashMap<Reg, u64> = HashMap::new();
        for register in sources {
            match self.value(*register, condition) {
                Value::Constant(bits) => drop(state.insert(*register, bits)),
                _ => return Value::Unknown,
            }
        }
        match eval::result(instruction, self.block, &state, to) {
            Some(bits) => Value::Constant(bits),
            None => Value::Unknown,
        }
    }

    /// A load or store: its places, and the values that a load gives.
    fn access(&mut self, access: &Access, condition: Condition) -> Result<(Vec<usize>, Vec<Value>), Error> {
        let first = match access.base {
            Base::Parameter(n) => Address { root: Root::Parameter(n), offset: 0 },
            Base::Register(register) => {
                self.read(register, condition);
                match self.value(register, condition) {
                    Value::Address(address) => address,
                    _ => return Err(self.no_address(access.base, access.span)),
                }
            }
        };
        let own = matches!(first.root, Root::Parameter(_));
        if own != (access.space == Space::Parameter) {
            let name = memory::name(first, self.parameters);
            let message = match own {
                true => format!("the parameter `{name}` is accessed as global memory"),
                false => format!("`{name}` is accessed as a parameter"),
            };
            return Err(Error::new(access.span, message));
        }
        if !own {
            self.walk.pointers.insert(first.root);
        }
        let bytes = i64::from(access.ty.width() / 8);
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for (n, element) in access.elements.iter().enumerate() {
            let by = access.offset.wrapping_add(n as i64 * bytes);
            let address = Address { offset: first.offset.wrapping_add(by), ..first };
            let mut value = Value::Unknown;
            if let (Direction::Store, Operand::Register(register)) = (access.direction, element) {
                self.read_number(*register, condition, access.span);
            }
            let (conditions, memory) = (&mut self.walk.conditions, &mut self.walk.memory);
            places.push(memory.access(conditions, self.parameters, access, address, condition)?);
            if let (Direction::Load, Root::Parameter(parameter), 64) =
                (access.direction, address.root, access.ty.width())
            {
                let root = Root::Pointee { parameter, at: address.offset };
                value = Value::Address(Address { root, offset: 0 });
            }
            values.push(value);
        }
        if access.direction == Direction::Load {
            for (element, value) in access.elements.iter().zip(&values) {
                if let Operand::Register(register) = element {
                    self.write(*register, condition, *value);
                }
            }
        }
        Ok((places, values))
    }
}
