//! The statements of a function that are not in the tables of instructions: loads and stores, addresses, branches.
//!
//! PTX ISA sections 9.7.9 (`ld`, `st`, `cvta`) and 9.7.12 (`bra`, `call`, `ret`, `exit`).

use ptxcvt_syntax::Span;
use ptxcvt_syntax::parse::{Constant, Instruction, Operand as Raw, OperandKind, Reference, Tail};

use super::constant;
use super::error::Error;
use super::module::variable;
use super::reader::{Reader, plain};
use crate::flow::{Access, Base, Direction, Space, Statement};
use crate::operand::Operand;
use crate::ty::{Class, Ty};

impl Reader<'_> {
    /// Reads a statement of a function, or an instruction of a snippet.
    pub(super) fn statement(&mut self, raw: &Instruction<'_>) -> Result<(), Error> {
        let statement = match raw.opcode.name() {
            // A block that is not a function has operands instead of memory, and no end to jump to.
            _ if self.function.is_none() => None,
            "ld" => Some(self.access(raw, Direction::Load)?),
            "st" => Some(self.access(raw, Direction::Store)?),
            "cvta" => Some(self.converted_address(raw)?),
            "mov" => self.address_of(raw)?,
            "bra" => Some(self.branch(raw)?),
            "ret" => Some(self.end(raw)?),
            "exit" if self.function.as_ref().is_some_and(|function| function.entry) => Some(self.end(raw)?),
            "exit" => {
                let message = "`exit` ends the thread, so that the function returns nothing";
                return Err(Error::new(raw.span, message).with_help("`ret` returns"));
            }
            _ => None,
        };
        match statement {
            Some(statement) => self.statements.push(statement),
            None => self.instruction(raw)?,
        }
        Ok(())
    }

    /// A label. In a snippet, nothing can jump to it.
    pub(super) fn label(&mut self, name: &str, span: Span) -> Result<(), Error> {
        if self.function.is_none() {
            return Ok(());
        }
        let here = self.blocks.last().copied().unwrap_or_default();
        let is_same = |statement: &Statement| matches!(statement, Statement::Label { name: known, block } if known == name && *block == here);
        if self.statements.iter().any(is_same) {
            return Err(Error::new(span, format!("`{name}` is declared twice")));
        }
        self.statements.push(Statement::Label { name: name.to_owned(), block: here });
        Ok(())
    }

    fn guard_of(&mut self, raw: &Instruction<'_>) -> Result<Option<crate::Guard>, Error> {
        raw.guard.as_ref().map(|guard| self.guard(guard)).transpose()
    }

    /// `ret`, `exit`
    fn end(&mut self, raw: &Instruction<'_>) -> Result<Statement, Error> {
        Ok(Statement::Return { guard: self.guard_of(raw)? })
    }

    /// `bra L`
    fn branch(&mut self, raw: &Instruction<'_>) -> Result<Statement, Error> {
        let guard = self.guard_of(raw)?;
        match &raw.operands[..] {
            [Raw { kind: OperandKind::Name(Reference { name, tail: None, .. }), .. }] => {
                let blocks = self.blocks.clone();
                Ok(Statement::Branch { guard, to: name.text.to_owned(), blocks, span: raw.span })
            }
            _ => Err(Error::new(raw.span, "a branch takes one label")),
        }
    }

    /// `cvta.to.global.u64 d, a`
    fn converted_address(&mut self, raw: &Instruction<'_>) -> Result<Statement, Error> {
        let text = raw.opcode.text();
        if !raw.opcode.parts().any(|part| part.text == ".global") {
            return Err(Error::new(raw.opcode.span(), format!("`{text}`: only global memory runs here")));
        }
        let guard = self.guard_of(raw)?;
        let [to, from] = &raw.operands[..] else {
            return Err(Error::new(raw.span, format!("`{text}` takes 2 operands")));
        };
        let [to, from] = [self.operand(to, None, None)?, self.operand(from, None, None)?];
        match (to, from) {
            (Operand::Register(to), Operand::Register(from)) => {
                Ok(Statement::Address { guard, to, from: Base::Register(from), span: raw.span })
            }
            _ => Err(Error::new(raw.span, format!("`{text}` takes registers here"))),
        }
    }

    /// `mov.b64 d, param`: the address of a parameter. `None` for any other `mov`.
    fn address_of(&mut self, raw: &Instruction<'_>) -> Result<Option<Statement>, Error> {
        let [to, Raw { kind: OperandKind::Name(reference), .. }] = &raw.operands[..] else { return Ok(None) };
        let Some(from) = self.parameter(reference.name.text).filter(|_| reference.tail.is_none()) else {
            return Ok(None);
        };
        let guard = self.guard_of(raw)?;
        match self.operand(to, None, None)? {
            Operand::Register(to) => {
                Ok(Some(Statement::Address { guard, to, from: Base::Parameter(from), span: raw.span }))
            }
            _ => Err(Error::new(raw.span, "the address of a parameter is moved to a register")),
        }
    }

    fn parameter(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter.name == name)
    }

    /// `ld`, `st`
    fn access(&mut self, raw: &Instruction<'_>, direction: Direction) -> Result<Statement, Error> {
        let text = raw.opcode.text();
        let refused = |span: Span, why: &str| Err(Error::new(span, format!("`{text}`: {why}")));
        let (mut space, mut constant, mut count, mut ty) = (Space::Global, false, 1, None);
        for part in raw.opcode.parts().skip(1) {
            match part.text {
                ".param" | ".param::entry" | ".param::func" => space = Space::Parameter,
                ".global" | ".weak" | ".ca" | ".cg" | ".cs" | ".lu" | ".wb" | ".wt" => {}
                ".nc" => constant = true,
                ".v2" => count = 2,
                ".v4" => count = 4,
                ".v8" => count = 8,
                hint if ["L1::", "L2::", "level::"].iter().any(|level| hint[1..].starts_with(level)) => {}
                ".volatile" | ".relaxed" | ".acquire" | ".release" | ".mmio" | ".cv" => {
                    return refused(part.span, "other threads or devices may change this memory");
                }
                other => match Ty::from_name(&other[1..]) {
                    Some(found) if found.lanes() == 1 && found.class() != Class::Predicate => {
                        ty = Some(found);
                    }
                    _ if [".shared", ".local", ".const"].iter().any(|space| other.starts_with(space)) => {
                        let why = format!("only parameters and global memory run here, not `{other}`");
                        return refused(part.span, &why);
                    }
                    _ => return refused(part.span, &format!("`{other}` does not run here")),
                },
            }
        }
        let Some(ty) = ty else { return refused(raw.opcode.span(), "no type") };
        let guard = self.guard_of(raw)?;
        let (address, data) = match (&raw.operands[..], direction) {
            ([data, address], Direction::Load) | ([address, data], Direction::Store) => (address, data),
            _ => return refused(raw.span, "an address and a register or vector are expected"),
        };
        let (base, offset) = self.address(address)?;
        let elements = match &data.kind {
            OperandKind::Vector(parts) => &parts[..],
            _ => std::slice::from_ref(data),
        };
        if elements.len() != count {
            let message = format!("`{text}` takes {} here", ptxcvt::counted(count, "element"));
            return Err(Error::new(data.span, message));
        }
        let elements = elements.iter().map(|element| self.element(element, ty, direction));
        let elements = elements.collect::<Result<_, _>>()?;
        let span = raw.span;
        Ok(Statement::Access(Access { guard, direction, constant, space, base, offset, ty, elements, span }))
    }

    /// `[param+4]`, `[%rd1]`
    fn address(&mut self, raw: &Raw<'_>) -> Result<(Base, i64), Error> {
        let OperandKind::Address(parts) = &raw.kind else {
            return Err(Error::new(raw.span, "an address is expected here"));
        };
        let [Raw { kind: OperandKind::Name(reference), .. }] = &parts[..] else {
            return Err(Error::new(
                raw.span,
                "only a register or a parameter plus a constant is an address here",
            ));
        };
        let offset = match reference.tail {
            None => 0,
            Some(Tail::Offset(Ok(Constant::Integer(offset)))) => offset.bits,
            Some(_) => return Err(Error::new(raw.span, "the offset of an address is an integer")),
        };
        let name = reference.name;
        if let Some(parameter) = self.parameter(name.text) {
            return Ok((Base::Parameter(parameter), offset));
        }
        if let Some(space) = self.variables.get(name.text) {
            return Err(variable(name.text, space, name.span));
        }
        let register = self.names.name(&mut self.block, &plain(name.text), None, name.span)?;
        Ok((Base::Register(register), offset))
    }

    /// A register that is loaded, or a value that is stored.
    fn element(&mut self, raw: &Raw<'_>, ty: Ty, direction: Direction) -> Result<Operand, Error> {
        if let (OperandKind::Constant(Ok(value)), Direction::Store) = (&raw.kind, direction) {
            let bits = constant::bits(*value, ty);
            return bits
                .map(Operand::Constant)
                .ok_or_else(|| Error::new(raw.span, format!("`{ty}` does not take this constant")));
        }
        let operand = self.operand(raw, None, None)?;
        match operand {
            Operand::Sink if direction == Direction::Load => Ok(operand),
            Operand::Register(register) => {
                let own = self.block.declaration(register).ty;
                match own.width >= ty.width() && own != Ty::Pred.register() {
                    true => Ok(operand),
                    false => Err(Error::new(raw.span, format!("a `{own}` register does not hold `{ty}`"))),
                }
            }
            _ => Err(Error::new(raw.span, "a register is expected here")),
        }
    }
}
