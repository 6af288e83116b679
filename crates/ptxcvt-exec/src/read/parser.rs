//! Turns statements into a block: looks names up, converts constants to bits, checks operands against the table.
//!
//! PTX ISA chapter 4 (syntax), sections 5.4 (declarations) and 9.3 (guards).

use std::collections::HashMap;

use ptxcvt::forms::{Immediate, RegisterType};
use ptxcvt_syntax::parse::{
    Constant, Declaration, Entity, Node, Operand as Raw, OperandKind, Placeholder, Reference, Sign, Tail,
    Tree,
};
use ptxcvt_syntax::{Span, Word};

use super::constant;
use super::error::Error;
use super::interface::Interface;
use super::module::{self, Function};
use super::names::{self, Names};
use crate::block::{Block, Guard, Instruction, Port};
use crate::check::{self, Slot};
use crate::flow::{self, Parameter, Statement};
use crate::meaning::Meaning;
use crate::operand::{Operand, Reg};
use crate::table::{Kind, Opcode};
use crate::ty::{Class, Ty};

/// The largest count of `name<count>`.
const MAX_FAMILY: u64 = 4096;
/// The longest block, in instructions. No conversion needs nearly as many.
const MAX_INSTRUCTIONS: usize = 100_000;

/// Reads a function of a module, or a snippet. `open`: the last semicolon of a snippet may be missing.
pub(super) fn parse(text: &str, interface: &Interface, open: bool) -> Result<Block, Error> {
    let end = Span::new(text.trim_end().len().saturating_sub(1) as u32, text.trim_end().len() as u32);
    let module = Tree::of_module(text);
    if let Some(function) = module::select(&module, text, interface.function.as_deref())? {
        if !interface.is_empty() {
            let error = Error::new(function.name.span, "a function declares its own operands");
            return Err(error.help("leave out the constraints, or the outputs and inputs"));
        }
        no_problems(&module)?;
        let mut reader = Reader::new(&Interface { ports: Some(Default::default()), ..interface.clone() })?;
        reader.variables = module::variables(&module);
        module::refuse_calls(&module.nodes[function.nodes.clone()])?;
        let end = function.end;
        let nodes = function.nodes.clone();
        reader.function = Some(function);
        return reader.read(&module.nodes[nodes], end);
    }
    let tree = Tree::of_snippet(text);
    let closed = if open && !tree.problems.is_empty() { format!("{text};") } else { String::new() };
    let closed_tree = Tree::of_snippet(&closed);
    let tree = if closed_tree.problems.is_empty() && !closed.is_empty() { closed_tree } else { tree };
    no_problems(&tree)?;
    Reader::new(interface)?.read(&tree.nodes, end)
}

/// Reports the first syntax error.
fn no_problems(tree: &Tree<'_>) -> Result<(), Error> {
    let Some(problem) = tree.problems.first() else { return Ok(()) };
    let error = Error::new(problem.span(), problem.message());
    Err(match problem.help() {
        Some(help) => error.help(help),
        None => error,
    })
}

pub(super) struct Reader<'s> {
    pub(super) block: Block,
    pub(super) names: Names,
    approximate: bool,
    /// The function that is read; `None` for a snippet.
    pub(super) function: Option<Function<'s>>,
    /// The place where the function's body begins. Declarations before that are parameters.
    opened: u32,
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
    fn new(interface: &Interface) -> Result<Self, Error> {
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

    fn read(mut self, nodes: &[Node<'_>], end: Span) -> Result<Block, Error> {
        for node in nodes {
            match node {
                Node::Open(at) => {
                    if self.blocks.is_empty() {
                        self.opened = at.start;
                    }
                    self.blocks.push(at.start);
                    self.names.open();
                }
                Node::Close(_) => {
                    self.blocks.pop();
                    self.names.close();
                }
                Node::Declaration(declaration) => self.declaration(declaration)?,
                Node::Instruction(instruction) => self.statement(instruction)?,
                _ => {}
            }
        }
        self.block.function = self.function.is_some();
        self.finish_statements()?;
        self.names.finish(&mut self.block, end)?;
        self.every_read_is_written(end)?;
        Ok(self.block)
    }

    /// Makes the block of the statements.
    fn finish_statements(&mut self) -> Result<(), Error> {
        if let Some(Statement::Return { guard: None }) = self.statements.last() {
            self.statements.pop();
        }
        let is_plain =
            |statement: &Statement| matches!(statement, Statement::Op(_) | Statement::Label { .. });
        if !self.statements.iter().all(is_plain) {
            return flow::convert(&mut self.block, &self.parameters, &self.statements, &self.names);
        }
        for statement in std::mem::take(&mut self.statements) {
            if let Statement::Op(instruction) = statement {
                self.block.code.push(instruction);
            }
        }
        Ok(())
    }

    fn declaration(&mut self, declaration: &Declaration<'_>) -> Result<(), Error> {
        let Word { text, span } = declaration.name;
        let ty = match declaration.entity {
            Entity::Label => return self.label(text, span),
            Entity::Function => return Ok(()),
            Entity::Register { ty: Some(ty), lanes: 1 } if ty.width <= 64 => ty,
            Entity::Register { ty: Some(ty), lanes: 1 } => {
                let message = format!("`{ty}` registers do not run here: the widest have 64 bits");
                return Err(Error::new(span, message));
            }
            Entity::Register { ty: Some(_), .. } => {
                return Err(Error::new(span, "vector registers do not run here; write them one by one"));
            }
            Entity::Variable("param") if self.is_parameter(span) => {
                let result = self.is_result(span);
                self.parameters.push(Parameter { name: text.to_owned(), result });
                return Ok(());
            }
            Entity::Variable(space) => return Err(module::variable(text, space, span)),
            _ => return Err(Error::new(span, format!("`{text}` is not a register: nothing else runs here"))),
        };
        if declaration.count.is_some_and(|count| count > MAX_FAMILY) {
            return Err(Error::new(span, format!("a family has at most {MAX_FAMILY} registers here")));
        }
        let name = plain(text);
        self.names.declare(&mut self.block, (name, declaration.count, span), ty)?;
        if self.is_parameter(span) {
            let register = Reg(self.block.registers.len() as u32 - 1);
            let port = Port { register, meaning: Ty::of_register(ty).and_then(Meaning::of) };
            let result = self.is_result(span);
            let ports = if result { &mut self.block.outputs } else { &mut self.block.inputs };
            ports.push(port);
        }
        Ok(())
    }

    /// True for a declaration among the function's parameters and results.
    fn is_parameter(&self, span: Span) -> bool {
        self.function.is_some() && span.start < self.opened
    }

    /// True for a declaration before the function's name.
    fn is_result(&self, span: Span) -> bool {
        self.function.as_ref().is_some_and(|function| span < function.name.span)
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
            return Err(
                Error::new(opcode_span, message).help("--approximate computes the correctly rounded result")
            );
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
                    Operand::Constant(value) => self.immediate(Constant::Integer(value), raw.span, slot),
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
        let refused = || Error::new(span, format!("`{opcode}` does not accept this constant"));
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
            Slot::Typed { kind: Kind::Constant, .. } | Slot::Typed { fixed: true, .. } => {
                matches!(value, Constant::Integer(_))
            }
            // The check of operands reports this with a better message.
            Slot::Typed { ty, .. } if !ty.takes_constants() => return Ok(Operand::Constant(0)),
            _ => true,
        };
        // Packed elements of a conversion are given as bits.
        let ty = match slot {
            Slot::Form(form) if !slot.ty().is_some_and(Ty::takes_constants) => {
                Ty::ALL.iter().copied().find(|t| t.class() == Class::Bits && t.width() == form.width.max(8))
            }
            _ => slot.ty(),
        };
        let ty = ty.filter(|_| allowed).ok_or_else(refused)?;
        constant::bits(value, ty).map(Operand::Constant).ok_or_else(refused)
    }

    /// Checks that every register that is read is an input or was written before.
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
                    format!("`{}` is read before it is written", name(r)),
                ));
            }
            instruction.written().for_each(|r| known[r.0 as usize] = true);
        }
        match self.block.outputs.iter().find(|port| !known[port.register.0 as usize]) {
            Some(port) => {
                Err(Error::new(end, format!("the output `{}` is never written", name(port.register))))
            }
            None if self.block.outputs.is_empty() && self.function.is_some() => {
                Err(Error::new(end, "the function has no result: it returns and stores nothing"))
            }
            None if self.block.outputs.is_empty() => {
                let error = Error::new(end, "the block has no output");
                Err(error.help("declare the constraints, or the outputs and inputs"))
            }
            None => Ok(()),
        }
    }
}

/// The actual name in inline assembly: `%%r1` is `%r1`.
pub(super) fn plain(name: &str) -> String {
    name.strip_prefix("%%").map_or(name.to_owned(), |rest| format!("%{rest}"))
}
