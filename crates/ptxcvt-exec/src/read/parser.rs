//! Statements to a block: names looked up, constants given their bits, operands checked against the table.

use ptxcvt::{Immediate, RegisterType};
use ptxcvt_syntax::Span;
use ptxcvt_syntax::constant::Constant;
use ptxcvt_syntax::lex::TokenKind;

use super::names::Names;
use super::statement::{Raw, RawKind, Statement, Statements};
use super::{Error, Interface, constant};
use crate::block::{Block, Guard, Instruction, Operand, Port, Reg};
use crate::check::{self, Slot};
use crate::meaning::Meaning;
use crate::table::{Kind, Opcode};
use crate::ty::Ty;

/// More instructions are not read: nothing that converts a number has so many.
const MAX_INSTRUCTIONS: usize = 100_000;

/// Reads a function with register parameters, or a snippet.
pub(super) fn parse(text: &str, interface: &Interface) -> Result<Block, Error> {
    let mut function = Statements::new(text, false);
    while function.current.kind == TokenKind::Dotted
        && matches!(
            function.word(),
            ".visible" | ".weak" | ".extern" | ".version" | ".target" | ".address_size"
        )
    {
        // Linking and the head of a module say nothing here; their words are skipped with them.
        let linking = matches!(function.word(), ".visible" | ".weak" | ".extern");
        function.bump();
        while !linking && !matches!(function.current.kind, TokenKind::Dotted | TokenKind::End) {
            function.bump();
        }
    }
    let mut reader = Reader {
        block: Block::new(),
        names: Names::new(&Interface::ports("", "")?, &mut Block::new())?,
        approximate: interface.approximate,
    };
    if function.current.kind == TokenKind::Dotted && function.word() == ".func" {
        if !interface.is_empty() {
            let message = "a `.func` tells its operands itself";
            return Err(
                Error::new(function.current.span, message).help("leave out --constraints, --out and --in")
            );
        }
        reader.header(&mut function)?;
        return reader.body(function, true);
    }
    reader.names = Names::new(interface, &mut reader.block)?;
    reader.body(Statements::new(text, true), false)
}

struct Reader {
    block: Block,
    names: Names,
    approximate: bool,
}

impl Reader {
    /// `.func (.reg .b32 d) name (.reg .f32 a, .reg .f32 b)`
    fn header(&mut self, s: &mut Statements<'_>) -> Result<(), Error> {
        s.bump();
        if s.current.is(b'(') {
            let outputs = self.parameters(s)?;
            self.block.outputs = outputs;
        }
        s.name("the name of the function")?;
        self.block.inputs = self.parameters(s)?;
        Ok(())
    }

    fn parameters(&mut self, s: &mut Statements<'_>) -> Result<Vec<Port>, Error> {
        s.demand(b'(')?;
        let mut ports = Vec::new();
        while !s.take(b')') {
            if s.word() != ".reg" {
                let error = s.expected("`.reg`");
                return Err(error.help("parameters that are registers run here; `.param` ones are memory"));
            }
            s.bump();
            let ty = register_type(s.word().trim_start_matches('.'), s.current.span)?;
            s.bump();
            let (name, span) = s.name("the name of a parameter")?;
            self.names.declare(&mut self.block, (name.clone(), None, span), ty)?;
            let register = self.names.name(&mut self.block, &name, None, span)?;
            ports.push(Port { register, meaning: Meaning::of(Ty::of_register(ty)) });
            if !s.take(b',') && !s.current.is(b')') {
                return Err(s.expected("`,` or `)`"));
            }
        }
        Ok(ports)
    }

    fn body(mut self, mut s: Statements<'_>, function: bool) -> Result<Block, Error> {
        let mut returned = None;
        while let Some(statement) = s.next()? {
            if let (Some(at), Statement::Instruction { .. }) = (returned, &statement) {
                return Err(Error::new(at, "`ret` ends a block: nothing after it runs"));
            }
            match statement {
                Statement::Open => self.names.open(),
                Statement::Close(span) => {
                    if !self.names.close() {
                        return Err(Error::new(span, "this `}` closes nothing"));
                    }
                }
                Statement::Registers { ty: (name, span), names } => {
                    let ty = register_type(&name, span)?;
                    for declared in names {
                        self.names.declare(&mut self.block, declared, ty)?;
                    }
                }
                Statement::Instruction { guard, opcode, operands, span } => {
                    self.instruction(guard, opcode, &operands, span)?;
                }
                Statement::Return if function => returned = Some(s.previous),
                Statement::Return => return Err(Error::new(s.previous, "`ret` stands in functions only")),
            }
        }
        if self.names.close() {
            return Err(Error::new(s.previous, "a `{` is never closed"));
        }
        self.names.finish(&mut self.block, s.previous)?;
        self.every_read_is_written(s.previous)?;
        Ok(self.block)
    }

    fn instruction(
        &mut self,
        guard: Option<(Raw, bool)>,
        (opcode, opcode_span): (Opcode, Span),
        raw: &[Raw],
        span: Span,
    ) -> Result<(), Error> {
        if opcode.is_approximate() && !self.approximate {
            let message = format!("`{opcode}`: the manual bounds its error and does not fix its bits");
            return Err(
                Error::new(opcode_span, message).help("--approximate takes the correctly rounded result")
            );
        }
        if self.block.code.len() >= MAX_INSTRUCTIONS {
            return Err(Error::new(
                opcode_span,
                format!("blocks are read up to {MAX_INSTRUCTIONS} instructions"),
            ));
        }
        let guard = match guard {
            None => None,
            Some((raw, negated)) => {
                let predicate = Some(Ty::Pred.register());
                let operand = self.operand(&raw, predicate, None)?;
                let Operand::Register(register) = operand else {
                    return Err(Error::new(raw.span, "a guard is a predicate register"));
                };
                if self.block.declaration(register).ty != Ty::Pred.register() {
                    return Err(Error::new(raw.span, "a guard must be a `.pred` register"));
                }
                Some(Guard { register, negated })
            }
        };
        let opcode = match opcode {
            Opcode::Op(op) => Opcode::Op(op.with_operands(raw.len()).unwrap_or(op)),
            form => form,
        };
        let slots = check::slots(&opcode);
        // Sources first: an operand that is read and written by its first instruction comes from outside.
        let mut operands = vec![Operand::Sink; raw.len()];
        for at in (1..raw.len()).chain(0..raw.len().min(1)) {
            operands[at] = self.slot_operand(&raw[at], slots.get(at), &opcode)?;
        }
        let opcode = check::operands(opcode, &operands, &self.block.registers).map_err(|misfit| Error {
            span: misfit.operand.and_then(|at| raw.get(at)).map_or(opcode_span, |r| r.span),
            message: misfit.error.message,
            help: misfit.error.help,
        })?;
        self.block.code.push(Instruction { guard, opcode, operands, span });
        Ok(())
    }

    /// An operand at a place of the table.
    fn slot_operand(&mut self, raw: &Raw, slot: Option<&Slot>, opcode: &Opcode) -> Result<Operand, Error> {
        let Some(slot) = slot else { return self.operand(raw, None, None) };
        match (slot, &raw.kind) {
            (Slot::Vector(forms), RawKind::Vector(parts)) => {
                let each = parts.iter().enumerate();
                let read = |(at, part): (usize, &Raw)| {
                    let slot = forms.get(at).or(forms.last()).map(|f| Slot::Form(*f));
                    self.slot_operand(part, slot.as_ref(), opcode)
                };
                return Ok(Operand::Vector(each.map(read).collect::<Result<_, _>>()?));
            }
            (Slot::Move { ty, .. }, RawKind::Vector(parts)) => {
                let width = ty.width() / parts.len().max(1) as u32;
                let part = Ty::ALL.iter().find(|t| t.class() == crate::Class::Bits && t.width() == width);
                let part = part.map(|t| t.register());
                let read = |raw: &Raw| self.operand(raw, part, None);
                return Ok(Operand::Vector(parts.iter().map(read).collect::<Result<_, _>>()?));
            }
            _ => {}
        }
        let ty = slot.ty();
        let register = match slot {
            Slot::Form(form) => Some(form.register()),
            _ => ty.map(Ty::register),
        };
        let operand = self.operand(raw, register, Some((slot, opcode)))?;
        if let (Operand::Register(r), Some(meaning)) = (&operand, slot.meaning()) {
            self.names.note(&self.block, *r, meaning);
        }
        Ok(operand)
    }

    /// Any operand; `ty` is what an operand is that nothing declares.
    fn operand(
        &mut self,
        raw: &Raw,
        ty: Option<RegisterType>,
        slot: Option<(&Slot, &Opcode)>,
    ) -> Result<Operand, Error> {
        let register = |operand: Operand, span: Span| match operand {
            Operand::Register(r) => Ok(Some(r)),
            Operand::Sink => Ok(None),
            _ => Err(Error::new(span, "a predicate register is needed here")),
        };
        match &raw.kind {
            RawKind::Sink => Ok(Operand::Sink),
            RawKind::Name(name) => {
                self.names.name(&mut self.block, name, ty, raw.span).map(Operand::Register)
            }
            RawKind::Placeholder(n) => self.names.placeholder(&mut self.block, *n, ty, raw.span),
            RawKind::Constant(value) => self.constant(*value, raw.span, slot),
            RawKind::Vector(parts) => {
                let parts = parts.iter().map(|part| self.operand(part, None, None));
                Ok(Operand::Vector(parts.collect::<Result<_, _>>()?))
            }
            RawKind::Not(inner) => {
                let inner = self.operand(inner, ty, None)?;
                match register(inner, raw.span)? {
                    Some(r) => Ok(Operand::Not(r)),
                    None => Err(Error::new(raw.span, "`!_` is no operand")),
                }
            }
            RawKind::Pair(p, q) => {
                let predicate = Some(Ty::Pred.register());
                let p = self.operand(p, predicate, None)?;
                let q = self.operand(q, predicate, None)?;
                Ok(Operand::Pair(register(p, raw.span)?, register(q, raw.span)?))
            }
        }
    }

    fn constant(
        &self,
        value: Constant,
        span: Span,
        slot: Option<(&Slot, &Opcode)>,
    ) -> Result<Operand, Error> {
        let Some((slot, opcode)) = slot else {
            return Err(Error::new(span, "a constant cannot stand here"));
        };
        let refused = || Error::new(span, format!("this constant cannot stand here in `{opcode}`"));
        let allowed = match slot {
            Slot::Form(form) => match (form.immediate(), value) {
                (Immediate::None, _) => false,
                (Immediate::Integer, _) => matches!(value, Constant::Integer(_)),
                (Immediate::Float, _) => !matches!(value, Constant::Integer(_)),
                (Immediate::FloatBits, _) => matches!(value, Constant::Bits32(_)),
                (Immediate::IntegerOrFloatBits, _) => {
                    matches!(value, Constant::Integer(_) | Constant::Bits32(_))
                }
            },
            Slot::Typed { kind: Kind::Constant, .. } => matches!(value, Constant::Integer(_)),
            _ => true,
        };
        let ty = slot.ty().filter(|_| allowed).ok_or_else(refused)?;
        constant::bits(value, ty).map(Operand::Constant).ok_or_else(refused)
    }

    /// Everything that is read must have come in or been written before.
    fn every_read_is_written(&self, end: Span) -> Result<(), Error> {
        let mut known: Vec<bool> = vec![false; self.block.registers.len()];
        for port in &self.block.inputs {
            known[port.register.0 as usize] = true;
        }
        let name = |r: Reg| &self.block.declaration(r).name;
        for instruction in &self.block.code {
            if let Some(r) = instruction.read().find(|r| !known[r.0 as usize]) {
                return Err(Error::new(
                    instruction.span,
                    format!("`{}` is read before anything wrote it", name(r)),
                ));
            }
            instruction.written().for_each(|r| known[r.0 as usize] = true);
        }
        match self.block.outputs.iter().find(|port| !known[port.register.0 as usize]) {
            Some(port) => {
                Err(Error::new(end, format!("the output `{}` is never written", name(port.register))))
            }
            None if self.block.outputs.is_empty() => {
                let error = Error::new(end, "the block has no output");
                Err(error.help("name it with --constraints, or --out and --in"))
            }
            None => Ok(()),
        }
    }
}

fn register_type(name: &str, span: Span) -> Result<RegisterType, Error> {
    match RegisterType::from_name(name) {
        Some(ty) if ty.width <= 64 => Ok(ty),
        Some(ty) => {
            Err(Error::new(span, format!("`{ty}` registers do not run here: the widest have 64 bits")))
        }
        None => Err(Error::new(span, format!("`.{name}` is no register type"))),
    }
}
