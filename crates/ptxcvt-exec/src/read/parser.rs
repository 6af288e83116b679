//! Turns the declarations and statements of a function or snippet into a block. PTX ISA section 5.4 (declarations).

use ptxcvt_syntax::parse::{Declaration, Entity, Node, Tree};
use ptxcvt_syntax::{Span, Word};

use super::error::Error;
use super::interface::Interface;
use super::module;
use super::reader::{Reader, plain};
use crate::block::{Block, Port};

use crate::flow::{self, Parameter, Statement};
use crate::meaning::Meaning;
use crate::operand::Reg;

use crate::ty::Ty;

/// The largest count of `name<count>`.
const MAX_FAMILY: u64 = 4096;

/// Reads a function of a module, or a snippet. `open`: the last semicolon of a snippet may be missing.
pub(super) fn parse(text: &str, interface: &Interface, open: bool) -> Result<Block, Error> {
    let end = Span::new(text.trim_end().len().saturating_sub(1) as u32, text.trim_end().len() as u32);
    let module = Tree::of_module(text);
    if let Some(function) = module::select(&module, text, interface.function.as_deref())? {
        if !interface.is_empty() {
            let error = Error::new(function.name.span, "a function declares its own operands");
            return Err(error.with_help("leave out the constraints, or the outputs and inputs"));
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
        Some(help) => error.with_help(help),
        None => error,
    })
}

impl Reader<'_> {
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
                Err(error.with_help("declare the constraints, or the outputs and inputs"))
            }
            None => Ok(()),
        }
    }
}
