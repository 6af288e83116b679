//! Blocks: straight-line code over typed registers, with its inputs and outputs.
//!
//! A block is read from text ([`crate::read`]) or built instruction by instruction. Both ways check operands against
//! the table. PTX ISA chapter 4 (syntax) and section 9.3 (predicated execution).

use std::fmt;

use ptxcvt::forms::RegisterType;
use ptxcvt::literal::Reader;
use ptxcvt::{Format, IsaVersion, Target};
use ptxcvt_syntax::Span;

use crate::check::{self, Slot};
use crate::meaning::{Meaning, PortType};
use crate::operand::{CARRY, Operand, Reg, Register};
use crate::table::{Kind, Op, OpError, Opcode};
use crate::ty::Ty;

/// `@p` or `@!p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate.
    pub register: Reg,
    /// `@!p`
    pub negated: bool,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Its guard.
    pub guard: Option<Guard>,
    /// The name with its modifiers and types.
    pub opcode: Opcode,
    /// The operands in PTX order, destination first.
    pub operands: Vec<Operand>,
    /// Its place in the text that the block was read from.
    pub span: Span,
}

/// An input or output: a register and the meaning of its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// The register.
    pub register: Reg,
    /// The meaning of its bits, if it is known.
    pub meaning: Option<Meaning>,
}

/// A straight line of instructions with its inputs and outputs.
///
/// # Example: read
///
/// ```
/// use ptxcvt_exec::read::{self, Interface};
/// let text = "{ .reg .b16 h; cvt.rn.f16.f32 h, %1; mov.b32 %0, {h, h}; }";
/// let block = read::block(text, &Interface::constraints("=r,f")?)?;
/// assert_eq!(block.eval(&[0x3f80_0000])?, [0x3c00_3c00]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Example: built
///
/// ```
/// use ptxcvt_exec::{Block, Ty};
/// let mut block = Block::new();
/// let a = block.input("a", Ty::B32);
/// let d = block.output("d", Ty::B32);
/// block.push("lop3.b32", [d.into(), a.into(), 0x7fff_u64.into(), 0x6400_6400_u64.into(), 0xea_u64.into()])?;
/// assert_eq!(block.eval(&[0x1234_5678])?, [0x6400_7678]);
/// assert_eq!(block.since("sm_75".parse()?).unwrap().to_string(), "6.3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    pub(crate) registers: Vec<Register>,
    pub(crate) inputs: Vec<Port>,
    pub(crate) outputs: Vec<Port>,
    pub(crate) code: Vec<Instruction>,
    /// The block was a function.
    pub(crate) function: bool,
}

impl Block {
    /// An empty block.
    pub fn new() -> Self {
        Self::default()
    }

    /// True if both have the same instructions with the same operands. Names of registers, and places in a text, do not
    /// count.
    pub(crate) fn has_the_code_of(&self, other: &Block) -> bool {
        let types = |block: &Block| block.registers.iter().map(|register| register.ty).collect::<Vec<_>>();
        let same = |(a, b): (&Instruction, &Instruction)| {
            (a.guard, &a.opcode, &a.operands) == (b.guard, &b.opcode, &b.operands)
        };
        self.code.len() == other.code.len()
            && (&self.inputs, &self.outputs, self.function) == (&other.inputs, &other.outputs, other.function)
            && types(self) == types(other)
            && self.code.iter().zip(&other.code).all(same)
    }

    /// The block of one conversion. Its operands are in PTX order, the elements of a vector one by one.
    pub fn of_form(form: ptxcvt::Form) -> Self {
        let mut block = Block::new();
        let mut vector = Vec::new();
        let mut operands = Vec::new();
        for operand in form.operands() {
            let ty = PortType { register: operand.register(), meaning: operand.ty.map(Meaning::from) };
            let name = operand.role.identifier();
            let destination = operand.role == ptxcvt::forms::Role::Destination;
            let register = if destination { block.output(name, ty) } else { block.input(name, ty) };
            match operand.in_vector {
                true => vector.push(Operand::Register(register)),
                false => operands.push(Operand::Register(register)),
            }
        }
        if !vector.is_empty() {
            operands.insert(1, Operand::Vector(vector));
        }
        block.code.push(Instruction {
            guard: None,
            opcode: Opcode::Convert(form),
            operands,
            span: Span::default(),
        });
        block
    }

    /// True if the block was read from a `.func` or `.entry`.
    pub fn is_function(&self) -> bool {
        self.function
    }

    /// The block of one instruction, with its operands in PTX order. `constant` is the value of operands that must be
    /// constants, such as the table of `lop3`.
    pub fn of_op(op: Op, constant: u64) -> Self {
        let mut block = Block::new();
        let row = op.row();
        let operands = row.operands.iter().map(|operand| {
            let ty = op.operand_type(operand);
            match operand.kind {
                Kind::Destination | Kind::Discardable => Operand::Register(block.output("%d", ty)),
                Kind::Predicates if op.lanes() == 1 => Operand::Register(block.output("%p", ty)),
                Kind::Predicates => Operand::Pair(Some(block.output("%p", ty)), Some(block.output("%q", ty))),
                Kind::Carrying => Operand::WithCarry(block.output("%d", ty), block.output(CARRY, Ty::Pred)),
                Kind::Carry => Operand::Register(block.carry_input()),
                Kind::Source | Kind::Register | Kind::Field => {
                    Operand::Register(block.input(format!("%{}", operand.name), ty))
                }
                Kind::Constant => Operand::Constant(constant),
            }
        });
        let operands = operands.collect();
        let opcode = Opcode::Op(op);
        block.code.push(Instruction { guard: None, opcode, operands, span: Span::default() });
        block
    }

    /// Declares the carry flag as an input. It is one register, also for an instruction that writes it.
    fn carry_input(&mut self) -> Reg {
        let register = self.carry();
        self.inputs.push(Port { register, meaning: None });
        register
    }

    /// The carry flag's register.
    fn carry(&mut self) -> Reg {
        let known = self.registers.iter().position(|register| register.name == CARRY);
        known.map_or_else(|| self.temporary(CARRY, Ty::Pred), |at| Reg(at as u32))
    }

    /// Declares a register.
    pub fn register(&mut self, name: impl Into<String>, ty: RegisterType) -> Reg {
        self.registers.push(Register { name: name.into(), ty });
        Reg(self.registers.len() as u32 - 1)
    }

    /// Declares a register for values of `ty` inside the block.
    pub fn temporary(&mut self, name: impl Into<String>, ty: Ty) -> Reg {
        self.register(name, ty.register())
    }

    /// Declares the next input.
    pub fn input(&mut self, name: impl Into<String>, ty: impl Into<PortType>) -> Reg {
        let ty = ty.into();
        let register = self.register(name, ty.register);
        self.inputs.push(Port { register, meaning: ty.meaning });
        register
    }

    /// Declares the next output.
    pub fn output(&mut self, name: impl Into<String>, ty: impl Into<PortType>) -> Reg {
        let ty = ty.into();
        let register = self.register(name, ty.register);
        self.outputs.push(Port { register, meaning: ty.meaning });
        register
    }

    /// Appends an instruction, destination first.
    ///
    /// # Errors
    ///
    /// Fails if the table has no such opcode, or if an operand does not fit it.
    pub fn push(&mut self, opcode: &str, operands: impl IntoIterator<Item = Operand>) -> Result<(), OpError> {
        self.push_guarded(None, opcode, operands)
    }

    /// Appends an instruction under a guard.
    ///
    /// # Errors
    ///
    /// Fails as [`push`](Self::push) does.
    pub fn push_guarded(
        &mut self,
        guard: Option<Guard>,
        opcode: &str,
        operands: impl IntoIterator<Item = Operand>,
    ) -> Result<(), OpError> {
        let opcode: Opcode = opcode.parse()?;
        let operands = self.with_carry(&opcode, operands.into_iter().collect());
        let opcode = check::operands(opcode, &operands, &self.registers).map_err(|e| e.error)?;
        self.code.push(Instruction { guard, opcode, operands, span: Span::default() });
        Ok(())
    }

    /// Adds the carry flag to the written operands of an instruction that reads or writes it.
    pub(crate) fn with_carry(&mut self, opcode: &Opcode, mut operands: Vec<Operand>) -> Vec<Operand> {
        let Opcode::Op(op) = opcode else { return operands };
        let all = op.row().operands;
        let uses = all.iter().any(|o| matches!(o.kind, Kind::Carry | Kind::Carrying));
        if !uses || operands.len() != op.operand_count() {
            return operands;
        }
        let carry = self.carry();
        if let (Kind::Carrying, [Operand::Register(d), ..]) = (all[0].kind, &operands[..]) {
            operands[0] = Operand::WithCarry(*d, carry);
        }
        operands.extend(all.iter().filter(|o| o.kind == Kind::Carry).map(|_| Operand::Register(carry)));
        operands
    }

    /// The registers.
    pub fn registers(&self) -> &[Register] {
        &self.registers
    }

    /// The declaration of a register.
    pub fn declaration(&self, register: Reg) -> &Register {
        &self.registers[register.0 as usize]
    }

    /// The inputs in order.
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    /// The outputs in order.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// The instructions.
    pub fn code(&self) -> &[Instruction] {
        &self.code
    }

    /// True if the manual does not define every bit of an instruction's result.
    pub fn is_approximate(&self) -> bool {
        self.code.iter().any(|i| i.opcode.is_approximate())
    }

    /// The first ISA version at which `target` accepts every instruction; `None` if no version does.
    pub fn since(&self, target: Target) -> Option<IsaVersion> {
        let mut each = self.code.iter().map(|i| i.opcode.since(target));
        each.try_fold(target.introduced(), |first, since| Some(first.max(since?)))
    }

    /// The width of a port in bits.
    pub fn width(&self, port: Port) -> u32 {
        self.declaration(port.register).ty.width
    }

    /// The type of the number in a port, or else of the register: `.f16x2`, `.b32`.
    pub fn kind(&self, port: Port) -> String {
        port.meaning
            .map_or_else(|| self.declaration(port.register).ty.to_string(), |number| number.to_string())
    }

    /// The reader of texts for a port: of its numbers, or of plain bits.
    pub fn reader(&self, port: Port) -> Reader {
        port.meaning.map_or_else(|| Reader::bits(self.width(port)), Meaning::reader)
    }

    /// An operand as PTX writes it.
    pub fn operand_text(&self, operand: &Operand) -> String {
        let name = |r: &Reg| self.declaration(*r).name.clone();
        match operand {
            Operand::Register(r) | Operand::WithCarry(r, _) => name(r),
            Operand::Not(r) => format!("!{}", name(r)),
            Operand::Constant(bits) if *bits < 10 => bits.to_string(),
            Operand::Constant(bits) => format!("{bits:#x}"),
            Operand::Vector(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.operand_text(p)).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Operand::Pair(p, q) => {
                let one = |r: &Option<Reg>| r.as_ref().map_or("_".into(), name);
                format!("{}|{}", one(p), one(q))
            }
            Operand::Sink => "_".into(),
        }
    }

    /// An instruction as PTX writes it, without the semicolon.
    pub fn instruction_text(&self, instruction: &Instruction) -> String {
        let guard = instruction.guard.map_or(String::new(), |g| {
            format!("@{}{} ", if g.negated { "!" } else { "" }, self.declaration(g.register).name)
        });
        // If the type is f32 or f64, PTX does not accept an integer.
        let slots = check::slots(&instruction.opcode);
        let text = |(at, operand): (usize, &Operand)| {
            let format = slots.get(at).and_then(Slot::meaning).filter(|m| m.lanes == 1).map(|m| m.format);
            match (operand, format) {
                (Operand::Constant(bits), Some(Format::F32)) => format!("0f{bits:08X}"),
                (Operand::Constant(bits), Some(Format::F64)) => format!("0d{bits:016X}"),
                _ => self.operand_text(operand),
            }
        };
        // The carry flag is not written.
        let written = match &instruction.opcode {
            Opcode::Op(op) => op.operand_count(),
            Opcode::Convert(_) => slots.len(),
        };
        let operands: Vec<String> = instruction.operands.iter().enumerate().take(written).map(text).collect();
        format!("{guard}{} {}", instruction.opcode, operands.join(", "))
    }
}

impl fmt::Display for Block {
    /// The block in braces, with declarations of all registers but inputs and outputs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{{")?;
        let ports: Vec<Reg> = self.inputs.iter().chain(&self.outputs).map(|p| p.register).collect();
        for (at, register) in self.registers.iter().enumerate() {
            if !ports.contains(&Reg(at as u32)) && register.name != CARRY {
                writeln!(f, "  .reg {} {};", register.ty, register.name)?;
            }
        }
        for instruction in &self.code {
            writeln!(f, "  {};", self.instruction_text(instruction))?;
        }
        write!(f, "}}")
    }
}
