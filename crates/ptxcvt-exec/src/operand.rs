//! Registers and operands of instructions.
//!
//! PTX ISA sections 6.1 (operand types) and 6.4 (vectors and labels as operands).

use ptxcvt::forms::RegisterType;

/// A register of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reg(pub(crate) u32);

/// A register's declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Its name as in the text: `%r1`, `tmp`, or `%0` for a placeholder.
    pub name: String,
    /// Its declared type.
    pub ty: RegisterType,
}

/// The carry flag's name in the manual. No register of a text can have it.
pub const CARRY: &str = "CC.CF";

/// An operand of an instruction. The carry flag is a register like any other here, although no text names it: the last
/// source of an instruction that reads it, and a part of the destination ([`Operand::WithCarry`]) of one that writes it.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Register(Reg),
    /// `!p`
    Not(Reg),
    /// An immediate: the bits that a register in its place would have.
    Constant(u64),
    /// `{a, b}`, `{a, b, e, f}`; in `mov` the lowest part is first.
    Vector(Vec<Operand>),
    /// `p|q`; `None` is `_`.
    Pair(Option<Reg>, Option<Reg>),
    /// The destination of an instruction that also writes the carry flag, which is the second register.
    WithCarry(Reg, Reg),
    /// `_`
    Sink,
}

impl From<Reg> for Operand {
    fn from(register: Reg) -> Self {
        Operand::Register(register)
    }
}

impl From<u64> for Operand {
    fn from(bits: u64) -> Self {
        Operand::Constant(bits)
    }
}

impl<const N: usize> From<[Reg; N]> for Operand {
    fn from(registers: [Reg; N]) -> Self {
        Operand::Vector(registers.map(Operand::Register).to_vec())
    }
}
