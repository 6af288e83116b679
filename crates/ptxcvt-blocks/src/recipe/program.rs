//! A recipe's lines as instructions: their operations, operands and frequency (once for the tensor, for each
//! block or for each element).

use ptxcvt::{Form, Format, Rounding};

/// How often something is computed: once for the tensor if it depends on no block, once for the block if it
/// depends on no element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Tensor,
    Block,
    Element,
}

/// The contents of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An f32.
    Number,
    /// A code of a small format; arithmetic uses the number that it encodes.
    Code(Format),
}

/// The source of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operand {
    Register(usize),
    Constant(f32),
    /// A number of the input's type.
    Input(OfInput),
}

/// Numbers that depend on the type of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfInput {
    /// The largest finite number.
    Max,
    /// The smallest normal number.
    Tiny,
    /// The distance from 1 to the next number.
    Epsilon,
}

/// The operation of an instruction on its first operand. Arithmetic is that of f32; each operation rounds
/// once, to nearest even.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Move,
    /// A function of the first operand.
    One(One),
    /// Arithmetic with a second operand.
    Two(Two, Operand),
    /// An operation on the bits of both operands. NaN in a register counts as 0x7fffffff.
    Bits(Bits, Operand),
    /// The integer with the value of a code.
    CodeOf,
    /// The code with the value of an integer.
    FromCode(Format),
    /// A conversion by `cvt`, element by element.
    Convert(Form),
    /// The code of the nearest value; of two, the one with the lower magnitude.
    Nearest(Format, ZeroSign),
    /// The sum of the operand over the elements of the block, in order; each addition rounds.
    Sum,
    /// The first operand if `subject` meets the condition, otherwise the register's former value `otherwise`.
    Where {
        subject: Operand,
        condition: Condition,
        otherwise: usize,
    },
}

/// Functions of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum One {
    /// The f32 nearest to the logarithm.
    Log2,
    Floor,
    Ceil,
    /// Rounded to the input's type and widened again.
    ToInput,
}

/// Arithmetic on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Two {
    Add,
    Sub,
    Mul,
    Div,
    /// PTX's `min.f32`: if one operand is NaN, the other one.
    Min,
    Max,
    /// PTX's `min.NaN.f32`: NaN if either operand is NaN.
    MinNan,
    MaxNan,
}

/// Operations on the bits of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bits {
    /// `add.u32`.
    Add,
    /// `and.b32`.
    And,
}

/// The sign that [`Op::Nearest`] gives to a zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ZeroSign {
    /// A zero never has a sign.
    Never,
    /// The sign is set unless the number is positive.
    UnlessPositive,
}

/// The condition of `where`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The register has this code.
    Code(u8),
    /// The register's number is in one of the classes.
    Number(Classes),
}

/// Classes of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Classes {
    pub zero: bool,
    pub nan: bool,
    pub infinite: bool,
    /// Below zero.
    pub negative: bool,
}

/// One line.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    /// The register that it writes.
    pub to: usize,
    pub op: Op,
    /// The first operand.
    pub a: Operand,
    pub level: Level,
    /// The line as it was written, with the names of formats filled in.
    pub text: String,
}

impl Instruction {
    /// All operands that the instruction reads.
    pub fn operands(&self) -> impl Iterator<Item = Operand> {
        let (b, c) = match self.op {
            Op::Two(_, b) | Op::Bits(_, b) => (Some(b), None),
            Op::Where { subject, otherwise, .. } => (Some(subject), Some(Operand::Register(otherwise))),
            Op::Move
            | Op::One(_)
            | Op::CodeOf
            | Op::Convert(_)
            | Op::Nearest(..)
            | Op::FromCode(_)
            | Op::Sum => (None, None),
        };
        [Some(self.a), b, c].into_iter().flatten()
    }

    /// True if the instruction rounds with random bits.
    pub fn is_random(&self) -> bool {
        matches!(self.op, Op::Convert(form) if form.rounding() == Some(Rounding::Rs))
    }
}

/// A register: one for each assignment.
#[derive(Clone, Debug)]
pub(crate) struct Register {
    pub name: String,
    pub kind: Kind,
    pub level: Level,
}

/// The lines of a recipe in order. The first registers are the program's inputs.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub registers: Vec<Register>,
    pub instructions: Vec<Instruction>,
}

impl Program {
    /// True if both programs compute the same values of these names. The other names and the spelling of the lines may
    /// differ.
    pub fn computes_like(&self, other: &Program, names: &[&str]) -> bool {
        let registers = self.registers.iter().map(|r| (r.kind, r.level));
        let lines = self.instructions.iter().map(|i| (i.to, i.op, i.a, i.level));
        registers.eq(other.registers.iter().map(|r| (r.kind, r.level)))
            && lines.eq(other.instructions.iter().map(|i| (i.to, i.op, i.a, i.level)))
            && names.iter().all(|name| self.find(name) == other.find(name))
    }

    /// The last register of that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.registers.iter().rposition(|r| r.name == name)
    }

    /// The last register of a name that every checked recipe has.
    pub fn result(&self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| unreachable!("a checked recipe makes `{name}`"))
    }

    /// True if an instruction reads the register.
    pub fn reads(&self, register: usize) -> bool {
        let mut operands = self.instructions.iter().flat_map(Instruction::operands);
        operands.any(|operand| operand == Operand::Register(register))
    }

    /// The level of an operand.
    pub fn level(&self, operand: Operand) -> Level {
        match operand {
            Operand::Register(r) => self.registers[r].level,
            Operand::Constant(_) | Operand::Input(_) => Level::Tensor,
        }
    }

    /// The kind of an operand.
    pub fn kind(&self, operand: Operand) -> Kind {
        match operand {
            Operand::Register(r) => self.registers[r].kind,
            Operand::Constant(_) | Operand::Input(_) => Kind::Number,
        }
    }

    /// The instructions of one level, in order; without those that compute the global scale if it is given.
    pub fn of_level(&self, level: Level, global_given: bool) -> impl Iterator<Item = &Instruction> {
        let makes_global = |i: &Instruction| self.registers[i.to].name == "G";
        self.instructions.iter().filter(move |i| i.level == level && !(global_given && makes_global(i)))
    }

    /// The instructions of a level that the operand needs, in order.
    pub fn needed(&self, operand: Operand, level: Level) -> Vec<&Instruction> {
        let mut wanted = vec![false; self.registers.len()];
        let mark = |operand: Operand, wanted: &mut Vec<bool>| {
            if let Operand::Register(r) = operand {
                wanted[r] = true;
            }
        };
        mark(operand, &mut wanted);
        let mut found = Vec::new();
        for instruction in self.instructions.iter().rev().filter(|i| i.level == level) {
            if wanted[instruction.to] {
                instruction.operands().for_each(|operand| mark(operand, &mut wanted));
                found.push(instruction);
            }
        }
        found.reverse();
        found
    }
}

/// The registers of a program's inputs, in order.
pub(crate) mod given {
    /// Inputs of the quantising program.
    pub const AMAX: usize = 0;
    pub const X: usize = 1;
    pub const TENSOR_AMAX: usize = 2;
    pub const ROW_AMAX: usize = 3;
    /// Inputs of the dequantising program.
    pub const Q: usize = 0;
    pub const S: usize = 1;
    pub const G: usize = 2;
}
