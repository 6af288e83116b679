//! Reads instructions and their operands: looks names up, converts constants to bits, checks operands against the table.
//!
//! PTX ISA chapter 4 (syntax) and section 9.3 (guards).

use std::collections::HashMap;

use ptxcvt::forms::{Immediate, RegisterType};
use ptxcvt_syntax::parse::{Constant, Operand as Raw, OperandKind, Placeholder, Reference, Sign, Tail};
use ptxcvt_syntax::{Span, Word};

use super::constant;
use super::error::Error;
use super::interface::Interface;
use super::module::{self, Function};
use super::names::{self, Names};
use crate::block::{Block, Guard, Instruction};
use crate::check::{self, Slot};
use crate::flow::{Parameter, Statement};
use crate::operand::Operand;
use crate::table::{Kind, Opcode};
use crate::ty::{Class, Ty};

/// The longest block, in instructions. No conversion needs nearly as many.
const MAX_INSTRUCTIONS: usize = 100_000;

pub(super) struct Reader<'s> {
    pub(super) block: Block,
    pub(super) names: Names,
    approximate: bool,
    /// The function that is read; `None` for a snippet.
    pub(super) function: Option<Function<'s>>,
    /// The place where the function's body begins. Declarations before that are parameters.
    pub(super) opened: u32,
    /// The places where the open blocks begin, the outer one first.
    pub(super) blocks: Vec<u32>,
    /// The statements so far.
    pub(super) statements: Vec<Statement>,
    /// The function's parameters and results in memory.
    pub(super) parameters: Vec<Parameter>,
    /// The variables of the module, with their state spaces.
    pub(super) variables: HashMap<&'s str, &'s str>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(interface: &Interface) -> Result<Self, Error> {
        let mut block = Block::new();
        let names = Names::new(interface, &mut block)?;
        Ok(Reader {
            block,
            names,
            approximate: interface.approximate,
            function: None,
            opened: 0,
            blocks: Vec::new(),
            statements: Vec::new(),
            parameters: Vec::new(),
            variables: HashMap::new(),
        })
    }

    /// Reads an instruction of the tables.
    pub(super) fn instruction(
        &mut self,
        instruction: &ptxcvt_syntax::parse::Instruction<'_>,
    ) -> Result<(), Error> {
        let opcode_span = instruction.opcode.span();
        let text = instruction.opcode.text();
        let name = instruction.opcode.name();
        let opcode = text.parse::<Opcode>().map_err(|e| Error {
            span: opcode_span,
            message: if e.message.starts_with(&format!("`{name}")) {
                e.message
            } else {
                format!("`{text}`: {}", e.message)
            },
            help: e.help,
        })?;
        if opcode.is_approximate() && !self.approximate {
            let message = format!("`{opcode}`: the manual bounds its error and does not fix its bits");
            return Err(Error::new(opcode_span, message)
                .with_help("--approximate computes the correctly rounded result"));
        }
        if self.statements.len() >= MAX_INSTRUCTIONS {
            return Err(Error::new(
                opcode_span,
                format!("a block has at most {MAX_INSTRUCTIONS} instructions here"),
            ));
        }
        let guard = instruction.guard.as_ref().map(|guard| self.guard(guard)).transpose()?;
        let raw = &instruction.operands[..];
        let opcode = opcode.with_operands(raw.len());
        let slots = check::slots(&opcode);
        // Sources first: an operand that its first instruction both reads and writes is an input.
        let mut operands = vec![Operand::Sink; raw.len()];
        for at in (1..raw.len()).chain(0..raw.len().min(1)) {
            operands[at] = self.slot_operand(&raw[at], slots.get(at), &opcode)?;
        }
        let operands = self.block.with_carry(&opcode, operands);
        let opcode = check::operands(opcode, &operands, &self.block.registers).map_err(|misfit| Error {
            span: misfit.operand.and_then(|at| raw.get(at)).map_or(opcode_span, |r| r.span),
            message: misfit.error.message,
            help: misfit.error.help,
        })?;
        let instruction = Instruction { guard, opcode, operands, span: instruction.span };
        self.statements.push(Statement::Op(instruction));
        Ok(())
    }

    /// `@p`, `@!p`
    pub(super) fn guard(&mut self, raw: &Raw<'_>) -> Result<Guard, Error> {
        let operand = self.operand(raw, Some(Ty::Pred.register()), None)?;
        let (register, negated) = match operand {
            Operand::Register(register) => (register, false),
            Operand::Not(register) => (register, true),
            _ => return Err(Error::new(raw.span, "a guard is a predicate register")),
        };
        match self.block.declaration(register).ty == Ty::Pred.register() {
            true => Ok(Guard { register, negated }),
            false => Err(Error::new(raw.span, "a guard must be a `.pred` register")),
        }
    }

    /// An operand in a place that the table describes.
    fn slot_operand(
        &mut self,
        raw: &Raw<'_>,
        slot: Option<&Slot>,
        opcode: &Opcode,
    ) -> Result<Operand, Error> {
        let Some(slot) = slot else { return self.operand(raw, None, None) };
        match (slot, &raw.kind) {
            (Slot::Vector(forms), OperandKind::Vector(parts)) => {
                let each = parts.iter().enumerate();
                let read = |(at, part): (usize, &Raw<'_>)| {
                    let slot = forms.get(at).or(forms.last()).map(|f| Slot::Form(*f));
                    self.slot_operand(part, slot.as_ref(), opcode)
                };
                return Ok(Operand::Vector(each.map(read).collect::<Result<_, _>>()?));
            }
            (Slot::Move { ty, .. }, OperandKind::Vector(parts)) => {
                let width = ty.width() / parts.len().max(1) as u32;
                let part = Ty::ALL.iter().find(|t| t.class() == Class::Bits && t.width() == width);
                let part = part.map(|t| t.register());
                let read = |raw: &Raw<'_>| self.operand(raw, part, None);
                return Ok(Operand::Vector(parts.iter().map(read).collect::<Result<_, _>>()?));
            }
            _ => {}
        }
        let register = match slot {
            Slot::Form(form) => Some(form.register()),
            _ => slot.ty().map(Ty::register),
        };
        let operand = self.operand(raw, register, Some((slot, opcode)))?;
        if let (Operand::Register(r), Some(meaning)) = (&operand, slot.meaning()) {
            self.names.note(&self.block, *r, meaning);
        }
        Ok(operand)
    }

    /// Any operand; if nothing declares it, its type is `ty`.
    pub(super) fn operand(
        &mut self,
        raw: &Raw<'_>,
        ty: Option<RegisterType>,
        slot: Option<(&Slot, &Opcode)>,
    ) -> Result<Operand, Error> {
        match &raw.kind {
            OperandKind::Sink => Ok(Operand::Sink),
            OperandKind::Name(reference) | OperandKind::Placeholder(reference) => {
                let placeholder = matches!(raw.kind, OperandKind::Placeholder(_));
                match self.reference(reference, placeholder, ty, raw.span)? {
                    // An operand with the constraint `n` is a constant.
                    Operand::Constant(value) => {
                        self.immediate(Constant::signed(value as i64), raw.span, slot)
                    }
                    operand => Ok(operand),
                }
            }
            OperandKind::Constant(Ok(value)) => self.immediate(*value, raw.span, slot),
            OperandKind::Constant(Err(fault)) => Err(Error::new(raw.span, fault.describe())),
            OperandKind::Vector(parts) => {
                let parts = parts.iter().map(|part| self.operand(part, None, None));
                Ok(Operand::Vector(parts.collect::<Result<_, _>>()?))
            }
            OperandKind::Address(_) => {
                Err(Error::new(raw.span, "an address: instructions that use memory do not run here"))
            }
            _ => Err(Error::new(raw.span, "this operand does not run here")),
        }
    }

    /// A name or placeholder with its sign, selector and second predicate.
    fn reference(
        &mut self,
        reference: &Reference<'_>,
        placeholder: bool,
        ty: Option<RegisterType>,
        span: Span,
    ) -> Result<Operand, Error> {
        let plain_only = || Error::new(span, "only plain registers run here");
        if let Some(selector) = reference.selector {
            let part = || {
                Error::new(span, format!("`{}` selects a part: only whole registers run here", selector.text))
            };
            return Err(names::special(reference.name.text, span).unwrap_or_else(part));
        }
        if let Some(Tail::Predicate(second)) = reference.tail {
            let predicate = Some(Ty::Pred.register());
            let first = self.word(reference.name, placeholder, predicate)?;
            let number = Placeholder::from_text(second.text).is_some();
            let second = self.word(second, number, predicate)?;
            let register = |operand: Operand| match operand {
                Operand::Register(r) => Ok(Some(r)),
                Operand::Sink => Ok(None),
                _ => Err(Error::new(span, "a predicate register is needed here")),
            };
            return Ok(Operand::Pair(register(first)?, register(second)?));
        }
        let operand = self.word(reference.name, placeholder, ty)?;
        match (reference.sign, reference.tail, operand) {
            (None, None, operand) => Ok(operand),
            (Some(Sign::Not), None, Operand::Register(r)) => Ok(Operand::Not(r)),
            _ => Err(plain_only()),
        }
    }

    fn word(
        &mut self,
        word: Word<'_>,
        placeholder: bool,
        ty: Option<RegisterType>,
    ) -> Result<Operand, Error> {
        if word.text == "_" {
            return Ok(Operand::Sink);
        }
        if !placeholder {
            let name = self.names.name(&mut self.block, &plain(word.text), ty, word.span);
            // A register may have the name of a variable.
            return match self.variables.get(word.text) {
                Some(space) if name.is_err() => Err(module::variable(word.text, space, word.span)),
                _ => name.map(Operand::Register),
            };
        }
        match Placeholder::from_text(word.text) {
            Some(Placeholder::Number(n)) => {
                self.names.placeholder(&mut self.block, n as usize, ty, word.span)
            }
            Some(Placeholder::Name(name)) => self.names.named(&mut self.block, name, ty, word.span),
            Some(Placeholder::Read(n)) => self.names.counted(&mut self.block, (false, true), n, word.span),
            Some(Placeholder::Written(n)) => self.names.counted(&mut self.block, (true, false), n, word.span),
            Some(Placeholder::ReadWritten(n)) => {
                self.names.counted(&mut self.block, (true, true), n, word.span)
            }
            _ => Err(Error::new(word.span, "operands are numbered or named here: write %0, $0 or %[name]")),
        }
    }

    fn immediate(
        &self,
        value: Constant,
        span: Span,
        slot: Option<(&Slot, &Opcode)>,
    ) -> Result<Operand, Error> {
        let Some((slot, opcode)) = slot else {
            return Err(Error::new(span, "a constant is not allowed here"));
        };
        // The check of operands reports this with a better message.
        if matches!(slot, Slot::Typed { ty, kind, fixed, .. } if !ty.takes_constants() && !is_number(*kind, *fixed))
        {
            return Ok(Operand::Constant(0));
        }
        bits_in(slot, value).map(Operand::Constant).ok_or_else(|| {
            let error = Error::new(span, format!("`{opcode}` does not accept this constant"));
            match value {
                Constant::Integer(value) if bits_in(slot, Constant::Decimal(0.0)).is_some() => {
                    error.with_help(format!("write `{}.0`", value.bits))
                }
                Constant::Decimal(_) if bits_in(slot, Constant::signed(0)).is_some() => {
                    error.with_help("write an integer")
                }
                _ => error,
            }
        })
    }
}

/// True for an operand that is an integer constant whatever the type of the instruction is.
fn is_number(kind: Kind, fixed: bool) -> bool {
    fixed || kind == Kind::Constant
}

/// The bits of a constant in the place of an operand; `None` if PTX accepts no such constant there.
fn bits_in(slot: &Slot, value: Constant) -> Option<u64> {
    let allowed = match slot {
        Slot::Form(form) => match form.immediate() {
            Immediate::None => false,
            Immediate::Integer => matches!(value, Constant::Integer(_)),
            Immediate::Float => !matches!(value, Constant::Integer(_)),
            Immediate::FloatBits => matches!(value, Constant::Bits32(_)),
            Immediate::IntegerOrFloatBits => matches!(value, Constant::Integer(_) | Constant::Bits32(_)),
        },
        Slot::Typed { kind, fixed, .. } if is_number(*kind, *fixed) => matches!(value, Constant::Integer(_)),
        _ => true,
    };
    let ty = match slot {
        // Packed elements of a conversion are given as bits.
        Slot::Form(form) if !slot.ty().is_some_and(Ty::takes_constants) => {
            Ty::ALL.iter().copied().find(|t| t.class() == Class::Bits && t.width() == form.width.max(8))
        }
        _ => slot.ty(),
    };
    constant::bits(value, ty.filter(|_| allowed)?)
}

/// The actual name in inline assembly: `%%r1` is `%r1`.
pub(super) fn plain(name: &str) -> String {
    name.strip_prefix("%%").map_or(name.to_owned(), |rest| format!("%{rest}"))
}
