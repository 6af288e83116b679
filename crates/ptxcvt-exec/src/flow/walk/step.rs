//! The effect of one statement: the values that it writes, and the places that it loads or stores.

use std::collections::HashMap;

use ptxcvt_syntax::Span;

use super::walker::{Step, Value, Walker};
use crate::block::Instruction;
use crate::eval;
use crate::flow::condition::{Condition, NEVER};
use crate::flow::memory::{self, Address, Root};
use crate::flow::statement::{Access, Base, Direction, Space, Statement};
use crate::modifier::Modifiers;
use crate::operand::{Operand, Reg};
use crate::read::error::Error;
use crate::table::Opcode;
use crate::ty::Ty;

impl Walker<'_> {
    /// Records the effects of a statement that is reached under this condition.
    pub(super) fn statement(&mut self, at: usize, reached: Condition) -> Result<(), Error> {
        let statements = self.statements;
        let guard = match &statements[at] {
            Statement::Op(instruction) => instruction.guard,
            Statement::Access(access) => access.guard,
            Statement::Address { guard, .. } => *guard,
            // The graph has the conditions of these.
            Statement::Label { .. } | Statement::Branch { .. } | Statement::Return { .. } => return Ok(()),
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
            Statement::Label { .. } | Statement::Branch { .. } | Statement::Return { .. } => Vec::new(),
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
        Error::new(span, message)
            .with_help("only memory at constant distances from pointer parameters runs here")
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
        Value::Constant(eval::result(instruction, self.block, &state, to))
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
