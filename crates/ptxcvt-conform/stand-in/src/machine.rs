//! An interpreter for the kernels that ptxcvt prints.
//!
//! PTX ISA chapter 9; it supports the twelve instructions of those kernels. A conversion's operands are the
//! contents of its registers after the loads, so a kernel that loads the wrong column, or swaps two operands,
//! returns wrong results here, too.

use std::collections::BTreeMap;

use ptxcvt::{Form, IsaVersion, Target, little_endian};

use crate::memory::Memory;
use crate::models::Model;

/// An entry, ready to run.
pub struct Program {
    /// The entry's name.
    pub name: String,
    /// The parameters' names, in order.
    pub parameters: Vec<String>,
    model: &'static Model,
    registers: usize,
    code: Vec<Instruction>,
}

/// An instruction; registers are numbers.
enum Instruction {
    Special {
        d: usize,
        which: Special,
    },
    Parameter {
        d: usize,
        index: usize,
    },
    Move {
        d: usize,
        a: usize,
    },
    /// `d = a * b + c`; the 32-bit factors of `.wide` fit, so one variant suffices.
    MultiplyAdd {
        d: usize,
        a: Value,
        b: Value,
        c: Value,
    },
    AtLeast {
        d: usize,
        a: usize,
        b: usize,
    },
    Branch {
        guard: Option<usize>,
        to: usize,
    },
    Load {
        d: usize,
        address: usize,
        bytes: usize,
    },
    Store {
        address: usize,
        a: usize,
        bytes: usize,
    },
    Convert {
        d: usize,
        form: Form,
        sources: Vec<usize>,
    },
    Return,
}

#[derive(Clone, Copy)]
enum Special {
    Block,
    Blocks,
    Thread,
    Threads,
}

#[derive(Clone, Copy)]
enum Value {
    Register(usize),
    Number(u64),
}

/// Parses a module. Its target and version must allow its conversions, as for a driver's compiler.
pub fn read(text: &str, model: &'static Model) -> Result<Vec<Program>, String> {
    let directive = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.map(str::trim).ok_or_else(|| format!("no {name}"))
    };
    let isa: IsaVersion = directive(".version")?.parse().map_err(|e| format!("{e}"))?;
    let target: Target = directive(".target")?.parse().map_err(|e| format!("{e}"))?;
    if target.sm() != model.sm() {
        return Err(format!("a module for {target} does not run on sm_{}", model.sm()));
    }
    let mut programs = Vec::new();
    for entry in text.split(".visible .entry ").skip(1) {
        let program = Reader::default().entry(entry, model)?;
        for instruction in &program.code {
            if let Instruction::Convert { form, .. } = instruction {
                if !form.is_legal(target, isa) {
                    return Err(format!("{form} is not legal on {target} at ISA {isa}"));
                }
                if let Some(reason) = model.refuses(form) {
                    return Err(reason);
                }
            }
        }
        programs.push(program);
    }
    Ok(programs)
}

/// The state of parsing an entry.
#[derive(Default)]
struct Reader {
    registers: BTreeMap<String, usize>,
    labels: BTreeMap<String, usize>,
    parameters: Vec<String>,
}

impl Reader {
    fn entry(mut self, text: &str, model: &'static Model) -> Result<Program, String> {
        let (head, body) = text.split_once(")\n{").ok_or("an entry has a parameter list and a body")?;
        let (name, list) = head.split_once('(').ok_or("an entry has a name")?;
        for parameter in list.split(',') {
            let name = parameter.trim().strip_prefix(".param .u64 ").ok_or("parameters are .u64")?;
            self.parameters.push(name.to_owned());
        }
        let body = body.split('}').rev().skip(1).collect::<Vec<_>>();
        let body = body.into_iter().rev().collect::<Vec<_>>().join("}");
        let lines: Vec<&str> = body.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
        let statements: Vec<&str> = lines
            .iter()
            .flat_map(|line| line.split(';'))
            .map(str::trim)
            .filter(|s| !s.is_empty() && !s.starts_with(".reg"))
            .collect();
        let mut at = 0;
        for statement in &statements {
            match statement.strip_suffix(':') {
                Some(label) => drop(self.labels.insert(label.to_owned(), at)),
                None => at += 1,
            }
        }
        let code = statements.iter().filter(|s| !s.ends_with(':')).map(|s| self.instruction(s));
        let code = code.collect::<Result<Vec<_>, _>>()?;
        let (parameters, registers) = (self.parameters, self.registers.len());
        Ok(Program { name: name.to_owned(), parameters, model, registers, code })
    }

    fn register(&mut self, name: &str) -> usize {
        let next = self.registers.len();
        *self.registers.entry(name.to_owned()).or_insert(next)
    }

    fn value(&mut self, text: &str) -> Result<Value, String> {
        match text.strip_prefix('%') {
            Some(_) => Ok(Value::Register(self.register(text))),
            None => text.parse().map(Value::Number).map_err(|_| format!("no number: {text}")),
        }
    }

    fn instruction(&mut self, statement: &str) -> Result<Instruction, String> {
        let (guard, statement) = match statement.strip_prefix('@').and_then(|s| s.split_once(' ')) {
            Some((guard, rest)) => (Some(self.register(guard)), rest),
            None => (None, statement),
        };
        let (opcode, rest) = statement.split_once(' ').unwrap_or((statement, ""));
        let rest = rest.replace(['{', '}', '[', ']'], "");
        let operands: Vec<&str> = rest.split(',').map(str::trim).collect();
        let operand = |at: usize| operands.get(at).copied().ok_or_else(|| format!("operand of {statement}"));
        let bytes = || {
            let width = opcode.rsplit(".b").next().and_then(|w| w.parse::<usize>().ok());
            width.map(|w| w / 8).ok_or_else(|| format!("width of {statement}"))
        };
        Ok(match opcode {
            "ld.param.u64" => {
                let name = operand(1)?;
                let index = self.parameters.iter().position(|p| p == name).ok_or("no such parameter")?;
                Instruction::Parameter { d: self.register(operand(0)?), index }
            }
            "cvta.to.global.u64" => {
                Instruction::Move { d: self.register(operand(0)?), a: self.register(operand(1)?) }
            }
            "mov.u32" => {
                let which = match operand(1)? {
                    "%ctaid.x" => Special::Block,
                    "%nctaid.x" => Special::Blocks,
                    "%tid.x" => Special::Thread,
                    "%ntid.x" => Special::Threads,
                    other => return Err(format!("no such register: {other}")),
                };
                Instruction::Special { d: self.register(operand(0)?), which }
            }
            "mul.wide.u32" | "mad.wide.u32" | "mad.lo.u64" | "add.u64" => {
                let d = self.register(operand(0)?);
                let (a, b) = (self.value(operand(1)?)?, self.value(operand(2)?)?);
                let (b, c) = match opcode {
                    "add.u64" => (Value::Number(1), b),
                    "mul.wide.u32" => (b, Value::Number(0)),
                    _ => (b, self.value(operand(3)?)?),
                };
                Instruction::MultiplyAdd { d, a, b, c }
            }
            "setp.ge.u64" => {
                let [d, a, b] = [operand(0)?, operand(1)?, operand(2)?].map(|o| self.register(o));
                Instruction::AtLeast { d, a, b }
            }
            "bra" => {
                let to = *self.labels.get(operand(0)?).ok_or("no such label")?;
                Instruction::Branch { guard, to }
            }
            "ret" => Instruction::Return,
            _ if opcode.starts_with("ld.global.") => {
                let (d, address) = (self.register(operand(0)?), self.register(operand(1)?));
                Instruction::Load { d, address, bytes: bytes()? }
            }
            _ if opcode.starts_with("st.global.") => {
                let (address, a) = (self.register(operand(0)?), self.register(operand(1)?));
                Instruction::Store { address, a, bytes: bytes()? }
            }
            _ if opcode.starts_with("cvt.") => {
                let form = opcode.parse().map_err(|refusal: ptxcvt::forms::Refusal| refusal.to_string())?;
                let d = self.register(operand(0)?);
                let sources = operands[1..].iter().map(|o| self.register(o)).collect();
                Instruction::Convert { d, form, sources }
            }
            _ => return Err(format!("no such instruction: {opcode}")),
        })
    }
}

impl Program {
    /// Runs every thread of the grid; false if an access was outside of every allocation.
    pub fn launch(&self, arguments: &[u64], blocks: u32, threads: u32, memory: &mut Memory) -> bool {
        let mut registers = vec![0; self.registers];
        for block in 0..blocks {
            for thread in 0..threads {
                let place = [block, blocks, thread, threads].map(u64::from);
                if self.thread(arguments, place, &mut registers, memory).is_none() {
                    return false;
                }
            }
        }
        true
    }

    fn thread(&self, arguments: &[u64], place: [u64; 4], r: &mut [u64], memory: &mut Memory) -> Option<()> {
        let value = |r: &[u64], value| match value {
            Value::Register(at) => r[at],
            Value::Number(n) => n,
        };
        let mut at = 0;
        loop {
            let instruction = self.code.get(at)?;
            at += 1;
            match instruction {
                Instruction::Special { d, which } => r[*d] = place[*which as usize],
                Instruction::Parameter { d, index } => r[*d] = *arguments.get(*index)?,
                Instruction::Move { d, a } => r[*d] = r[*a],
                Instruction::MultiplyAdd { d, a, b, c } => {
                    let product = value(r, *a).wrapping_mul(value(r, *b));
                    r[*d] = product.wrapping_add(value(r, *c));
                }
                Instruction::AtLeast { d, a, b } => r[*d] = u64::from(r[*a] >= r[*b]),
                Instruction::Branch { guard, to } => {
                    if guard.is_none_or(|guard| r[guard] != 0) {
                        at = *to;
                    }
                }
                Instruction::Load { d, address, bytes } => {
                    let place = memory.at(r[*address], *bytes)?;
                    r[*d] = little_endian(place);
                }
                Instruction::Store { address, a, bytes } => {
                    let place = memory.at(r[*address], *bytes)?;
                    place.copy_from_slice(&r[*a].to_le_bytes()[..*bytes]);
                }
                Instruction::Convert { d, form, sources } => {
                    let operands: Vec<u64> = sources.iter().map(|s| r[*s]).collect();
                    r[*d] = self.model.convert(form, &operands)?;
                }
                Instruction::Return => return Some(()),
            }
        }
    }
}
