//! A recipe's lines as instructions: what each computes, from what, and how often (once a tensor, a block or
//! an element).

use ptxcvt::{Form, Format};

/// How often something is computed. What depends on no block is the same for the whole tensor, what depends
/// on no element the same for the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Tensor,
    Block,
    Element,
}

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An f32.
    Number,
    /// A code of a small format; in arithmetic it is the number that it stands for.
    Code(Format),
}

/// Where an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operand {
    Register(usize),
    Constant(f32),
    /// The largest finite number of the input's type.
    InputMax,
}

/// What an instruction does. Arithmetic is f32's, each operation rounded to nearest even.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    Move,
    Add,
    Sub,
    Mul,
    Div,
    /// PTX's `min.f32`: of a number and NaN, the number.
    Min,
    Max,
    /// PTX's `min.NaN.f32`: NaN if either is.
    MinNan,
    MaxNan,
    /// `add.u32` on the bits.
    AddBits,
    /// `and.b32` on the bits.
    AndBits,
    /// The f32 nearest to the logarithm.
    Log2,
    Floor,
    Ceil,
    /// Rounded to the input's type and widened again.
    ToInput,
    /// A code as the integer that it is.
    CodeOf,
    /// The code that is this integer.
    FromCode(Format),
    /// A conversion by `cvt`, element by element.
    Convert(Form),
    /// The code whose value is nearest, of two the one with the lower magnitude. `true`: the sign is set unless the
    /// number is positive; `false`: never for 0.
    Nearest(Format, bool),
    /// The sum of an element's number over the block, in order, each addition rounded.
    Sum,
    /// `a` where `b` is of one of the classes, else the register's former value `otherwise`.
    Where {
        classes: Classes,
        otherwise: usize,
    },
}

/// What a condition asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Classes {
    pub zero: bool,
    pub nan: bool,
    pub infinite: bool,
    /// Below zero.
    pub negative: bool,
    /// This very code.
    pub code: Option<u8>,
}

/// One line.
#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub to: usize,
    pub op: Op,
    pub a: Operand,
    pub b: Option<Operand>,
    pub level: Level,
    /// The line as it was written, with the names of formats filled in.
    pub text: String,
}

/// A register: one for each assignment.
#[derive(Clone, Debug)]
pub(crate) struct Register {
    pub name: String,
    pub kind: Kind,
    pub level: Level,
}

/// The lines of a recipe in order. The first registers are what the program is given.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub registers: Vec<Register>,
    pub instructions: Vec<Instruction>,
}

impl Program {
    /// The last register of that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.registers.iter().rposition(|r| r.name == name)
    }

    /// The level of an operand.
    pub fn level(&self, operand: Operand) -> Level {
        match operand {
            Operand::Register(r) => self.registers[r].level,
            _ => Level::Tensor,
        }
    }

    /// The kind of an operand.
    pub fn kind(&self, operand: Operand) -> Kind {
        match operand {
            Operand::Register(r) => self.registers[r].kind,
            _ => Kind::Number,
        }
    }

    /// The instructions of one level, in order. `global` is false where the global scale is given and the
    /// lines that make it are left out.
    pub fn of_level(&self, level: Level, global: bool) -> impl Iterator<Item = &Instruction> {
        self.instructions
            .iter()
            .filter(move |i| i.level == level && (global || self.registers[i.to].name != "G"))
    }

    /// The instructions of a level that `operand` needs, in order.
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
            if !wanted[instruction.to] {
                continue;
            }
            mark(instruction.a, &mut wanted);
            instruction.b.into_iter().for_each(|b| mark(b, &mut wanted));
            if let Op::Where { otherwise, .. } = instruction.op {
                wanted[otherwise] = true;
            }
            found.push(instruction);
        }
        found.reverse();
        found
    }
}
