//! Resolves the names and placeholders of a block: declared registers, operands that the interface declares,
//! and operands whose types only the instructions show.
//!
//! PTX ISA section 5.4 (declarations and their scope), and "Inline PTX Assembly in CUDA".

use std::collections::{HashMap, HashSet};

use ptxcvt::forms::RegisterType;
use ptxcvt_syntax::Span;
use ptxcvt_syntax::check::Special;
use ptxcvt_syntax::parse::Member;

use super::error::Error;
use super::interface::{ConstraintKind, Interface, Named};
use crate::block::{Block, Port};
use crate::meaning::Meaning;
use crate::operand::{Operand, Reg};
use crate::ty::Ty;

/// Why a special register cannot be read here; `None` for other names.
pub(super) fn special(name: &str, span: Span) -> Option<Error> {
    Special::find(name)?;
    let message =
        format!("`{name}` is a special register: its value depends on the machine, not on the operands");
    Some(Error::new(span, message).with_help("write the value that you mean in its place"))
}

/// The meaning of a placeholder.
#[derive(Clone, Copy, Debug)]
enum Bound {
    Register(Reg),
    Constant(u64),
    Unknown,
}

/// The names of a block that is being read.
pub(crate) struct Names {
    scopes: Vec<HashMap<String, Reg>>,
    /// Registers that a parameterised name such as `r<4>` declares.
    numbered: HashSet<Reg>,
    placeholders: HashMap<usize, Bound>,
    /// For each constraint: its name, and whether it is written and read.
    constraints: Vec<(Option<String>, bool, bool)>,
    /// The interface is empty, so undeclared names are operands.
    infer: bool,
    /// Operands found in the instructions, by placeholder or in order of appearance.
    found: Vec<(Option<usize>, Reg)>,
    /// The first type other than bits that an instruction gave a register; it serves to read and print the register.
    meaning: HashMap<Reg, Meaning>,
}

impl Names {
    /// Starts with the operands that the interface declares.
    pub fn new(interface: &Interface, block: &mut Block) -> Result<Names, Error> {
        let mut names = Names {
            scopes: vec![HashMap::new()],
            numbered: HashSet::new(),
            placeholders: HashMap::new(),
            constraints: Vec::new(),
            infer: interface.is_empty(),
            found: Vec::new(),
            meaning: HashMap::new(),
        };
        if let Some((outputs, inputs)) = &interface.ports {
            names.bind_ports(outputs, inputs, block)?;
        } else if let Some(constraints) = &interface.constraints {
            for (number, constraint) in constraints.iter().enumerate() {
                names.constraints.push((constraint.name.clone(), constraint.output, constraint.input));
                let bound = match constraint.kind {
                    ConstraintKind::Register(ty) => {
                        Bound::Register(block.temporary(format!("%{number}"), ty))
                    }
                    ConstraintKind::Immediate(value) => value.map_or(Bound::Unknown, Bound::Constant),
                    ConstraintKind::Tied(to) => match names.placeholders.get(&to) {
                        Some(bound) if names.constraints[to].1 => *bound,
                        _ => {
                            let message = format!(
                                "constraint `{to}` ties operand {number} to an output that does not exist"
                            );
                            return Err(Error::new(Span::default(), message));
                        }
                    },
                };
                names.placeholders.insert(number, bound);
                let Bound::Register(register) = bound else { continue };
                let meaning = Ty::of_register(block.declaration(register).ty).and_then(Meaning::of);
                if constraint.output {
                    block.outputs.push(Port { register, meaning });
                }
                if constraint.input {
                    block.inputs.push(Port { register, meaning });
                }
            }
        }
        Ok(names)
    }

    /// Declares the operands of `--out` and `--in`, by name, number or order.
    fn bind_ports(&mut self, outputs: &[Named], inputs: &[Named], block: &mut Block) -> Result<(), Error> {
        let both = outputs.iter().map(|p| (p, true)).chain(inputs.iter().map(|p| (p, false)));
        let mut next = 0;
        for ((name, ty), output) in both {
            let number = name.parse().ok();
            // An input with the name of an output is the same register.
            let known = match number {
                Some(n) => self.placeholders.get(&n).copied(),
                None => self.scopes[0].get(name).copied().map(Bound::Register),
            };
            let register = match known {
                Some(Bound::Register(register)) => register,
                _ => {
                    let at = number.unwrap_or(next);
                    let text =
                        if name.is_empty() || number.is_some() { format!("%{at}") } else { name.clone() };
                    let register = block.register(text, ty.register);
                    self.placeholders.insert(at, Bound::Register(register));
                    if !name.is_empty() && number.is_none() {
                        self.scopes[0].insert(name.clone(), register);
                    }
                    next = at + 1;
                    register
                }
            };
            if block.declaration(register).ty.width != ty.register.width {
                let message = format!(
                    "`{name}` has {} bits as an output, but {} as an input",
                    block.declaration(register).ty.width,
                    ty.register.width
                );
                return Err(Error::new(Span::default(), message));
            }
            let ports = if output { &mut block.outputs } else { &mut block.inputs };
            ports.push(Port { register, meaning: ty.meaning });
            if let Some(meaning) = ty.meaning {
                self.meaning.insert(register, meaning);
            }
        }
        Ok(())
    }

    pub fn open(&mut self) {
        self.scopes.push(HashMap::new());
    }

    /// Leaves a scope.
    pub fn close(&mut self) {
        if self.scopes.len() > 1 {
            self.scopes.pop();
        }
    }

    /// Declares a register, or `count` of them.
    pub fn declare(
        &mut self,
        block: &mut Block,
        (name, count, span): (String, Option<u64>, Span),
        ty: RegisterType,
    ) -> Result<(), Error> {
        let names = match count {
            None => vec![name.clone()],
            Some(count) => (0..count).map(|i| format!("{name}{i}")).collect(),
        };
        for one in names {
            let register = block.register(one.clone(), ty);
            if count.is_some() {
                self.numbered.insert(register);
                // A name with digits before its number is one of another family.
                if Member::of(&one).is_none_or(|member| member.stem != name) {
                    continue;
                }
            }
            let scope = self.scopes.last_mut();
            if scope.is_some_and(|scope| scope.insert(one.clone(), register).is_some()) {
                return Err(Error::new(span, format!("`{one}` is declared twice")));
            }
        }
        Ok(())
    }

    /// The register or constant of a placeholder. If the interface does not declare it, its type is `ty`.
    pub fn placeholder(
        &mut self,
        block: &mut Block,
        number: usize,
        ty: Option<RegisterType>,
        span: Span,
    ) -> Result<Operand, Error> {
        match self.placeholders.get(&number) {
            Some(Bound::Register(register)) => Ok(Operand::Register(*register)),
            Some(Bound::Constant(bits)) => Ok(Operand::Constant(*bits)),
            Some(Bound::Unknown) => {
                let message = format!("operand {number} is a constant whose value is not in the text");
                Err(Error::new(span, message).with_help("write the number in its place"))
            }
            None if self.infer => {
                let register = self.appear(block, Some(number), format!("%{number}"), ty, span)?;
                self.placeholders.insert(number, Bound::Register(register));
                Ok(Operand::Register(register))
            }
            None => {
                let known = self.placeholders.len();
                Err(Error::new(span, no_operand(number, known)))
            }
        }
    }

    /// The operand of `%[name]`: that of a named constraint, or of `--out` and `--in`.
    pub fn named(
        &mut self,
        block: &mut Block,
        name: &str,
        ty: Option<RegisterType>,
        span: Span,
    ) -> Result<Operand, Error> {
        if let Some(n) = self.constraints.iter().position(|(own, ..)| own.as_deref() == Some(name)) {
            return self.placeholder(block, n, ty, span);
        }
        if self.constraints.is_empty() {
            return self.name(block, name, ty, span).map(Operand::Register);
        }
        let names: Vec<&str> = self.constraints.iter().filter_map(|(own, ..)| own.as_deref()).collect();
        let error = Error::new(span, format!("no operand is named `{name}`"));
        Err(error.with_help(match names.is_empty() {
            true => "declare it as [NAME] \"r\"(x)".to_owned(),
            false => format!("the operands are {}", names.join(", ")),
        }))
    }

    /// The n-th of the operands that are (written, read) as given: `{$w0}`, `{$r1}`, `{$rw0}`.
    pub fn counted(
        &mut self,
        block: &mut Block,
        (output, input): (bool, bool),
        n: u32,
        span: Span,
    ) -> Result<Operand, Error> {
        let alike = self.constraints.iter().enumerate().filter(|(_, (_, o, i))| (*o, *i) == (output, input));
        match alike.map(|(at, _)| at).nth(n as usize) {
            Some(number) => self.placeholder(block, number, None, span),
            None => {
                let error = Error::new(span, "no operand is declared for this placeholder");
                Err(error.with_help("declare the constraints: the operands in order, outputs first"))
            }
        }
    }

    /// The register of a name. If nothing declares it, its type is `ty`.
    pub fn name(
        &mut self,
        block: &mut Block,
        name: &str,
        ty: Option<RegisterType>,
        span: Span,
    ) -> Result<Reg, Error> {
        let find = |name: &str| self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied();
        if let Some(register) = find(name) {
            return Ok(register);
        }
        // `r01` is number 1 of `r<4>`.
        let numbered = || Member::of(name).and_then(|member| find(&member.to_string()));
        if let Some(register) = numbered().filter(|register| self.numbered.contains(register)) {
            return Ok(register);
        }
        if let Some(error) = special(name, span) {
            return Err(error);
        }
        if !self.infer {
            let message = format!("`{name}` is not declared, and no operand has that name");
            return Err(Error::new(span, message));
        }
        let register = self.appear(block, None, name.to_owned(), ty, span)?;
        self.scopes[0].insert(name.to_owned(), register);
        Ok(register)
    }

    fn appear(
        &mut self,
        block: &mut Block,
        number: Option<usize>,
        name: String,
        ty: Option<RegisterType>,
        span: Span,
    ) -> Result<Reg, Error> {
        let Some(ty) = ty else {
            let message = format!("the type of `{name}` is unknown here");
            return Err(
                Error::new(span, message).with_help("declare the constraints, or the outputs and inputs")
            );
        };
        let register = block.register(name, ty);
        self.found.push((number, register));
        Ok(register)
    }

    /// Remembers the meaning that an instruction gives a register.
    pub fn note(&mut self, block: &Block, register: Reg, meaning: Meaning) {
        if meaning.width() == block.declaration(register).ty.width {
            self.meaning.entry(register).or_insert(meaning);
        }
    }

    /// The meaning that an instruction gave a register.
    pub fn meaning(&self, register: Reg) -> Option<Meaning> {
        self.meaning.get(&register).copied()
    }

    /// Makes the operands that were found inputs and outputs, with the meanings that the instructions gave them.
    pub fn finish(&mut self, block: &mut Block, end: Span) -> Result<(), Error> {
        ptxcvt::order_by(&mut self.found, |(number, _)| number.map_or(0, |number| number as u64 + 1));
        let numbers: Vec<usize> = self.found.iter().filter_map(|(n, _)| *n).collect();
        if let Some(missing) = (0..numbers.len()).find(|n| numbers[*n] != *n) {
            let message = format!("operand {missing} does not appear, so its type is unknown");
            return Err(
                Error::new(end, message).with_help("declare the constraints, or the outputs and inputs")
            );
        }
        for (_, register) in &self.found {
            let port = Port { register: *register, meaning: None };
            let read = block.code.iter().position(|i| i.read().any(|r| r == *register));
            let written = block.code.iter().position(|i| i.written().any(|r| r == *register));
            // A register that is read before it is written, or by the instruction that writes it, is an input.
            if read.is_some_and(|read| written.is_none_or(|written| read <= written)) {
                block.inputs.push(port);
            }
            if written.is_some() {
                block.outputs.push(port);
            }
        }
        for port in block.inputs.iter_mut().chain(&mut block.outputs) {
            port.meaning = port.meaning.or(self.meaning.get(&port.register).copied());
        }
        Ok(())
    }
}

/// The message for a placeholder that the interface does not declare.
fn no_operand(number: usize, count: usize) -> String {
    match count {
        1 => format!("no operand {number}: 1 is declared, and numbers begin with 0"),
        _ => format!("no operand {number}: {count} are declared, and numbers begin with 0"),
    }
}
