//! Lines of a recipe with resolved operands and selected kernels.
//!
//! Lines of blocks and lines of elements have different types, so neither can have an operation of the other.
//! Recipes are checked when they are parsed; operations that the check excludes are unreachable here.

use ptxcvt_bulk::Plan;

use super::super::codec::{Coder, Numbers, Words};
use crate::input::Input;
use crate::recipe::{
    Bits, Classes, Condition, Instruction, Kind, Level, One, Op, Operand, Program, Two, given,
};

/// The source of an operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::fast) enum Slot {
    /// A register or a constant with one value for the whole tensor.
    All(usize),
    /// A register with one value for each block.
    Lane(usize),
    /// A register with one value for each element.
    Element(usize),
    /// The given elements.
    Input,
}

impl Slot {
    /// The register of a line of blocks.
    pub fn lane(self) -> usize {
        match self {
            Slot::All(r) | Slot::Lane(r) => r,
            Slot::Element(_) | Slot::Input => unreachable!("lines of blocks do not read elements"),
        }
    }
}

/// A line that runs once for each block.
#[derive(Debug)]
pub(super) struct BlockLine {
    pub to: usize,
    pub a: Slot,
    pub work: BlockWork,
}

#[derive(Debug)]
pub(super) enum BlockWork {
    /// Copies a number or, if `code`, a code.
    Move {
        code: bool,
    },
    One(One),
    Two(Two, Slot),
    Bits(Bits, [bool; 2], Slot),
    CodeOf,
    Code(Coder, Numbers),
    /// Sums the operand over the elements; the lines compute the operand.
    Sum(Vec<ElementLine>),
    Where {
        subject: Slot,
        condition: Condition,
        otherwise: Slot,
        /// The result is a code.
        code: bool,
    },
}

/// A line that runs for each element.
#[derive(Debug)]
pub(super) struct ElementLine {
    pub to: usize,
    pub a: Slot,
    pub work: ElementWork,
}

#[derive(Debug)]
pub(super) enum ElementWork {
    Move,
    One(One),
    Two(Two, Slot),
    Bits(Bits, [bool; 2], Slot),
    /// A conversion whose result later lines read as a number, and the bits of a code in memory.
    Convert(Coder, Words, u32),
    Where {
        subject: Slot,
        classes: Classes,
        otherwise: Slot,
    },
}

/// Converts instructions to lines; constants get registers after those of the program.
pub(super) struct Reader<'p> {
    pub program: &'p Program,
    pub input: Input,
    /// The register of the given elements: `x` or `q`.
    pub given: usize,
    pub constants: Vec<f32>,
}

impl Reader<'_> {
    /// The source of an operand.
    pub fn slot(&mut self, operand: Operand) -> Slot {
        let constant = match operand {
            Operand::Register(r) => {
                return match self.program.registers[r].level {
                    Level::Tensor => Slot::All(r),
                    Level::Block => Slot::Lane(r),
                    Level::Element if r == self.given => Slot::Input,
                    Level::Element => Slot::Element(r),
                };
            }
            Operand::Constant(c) => c,
            Operand::Input(which) => self.input.number(which),
        };
        self.constants.push(constant);
        Slot::All(self.program.registers.len() + self.constants.len() - 1)
    }

    /// The format of an instruction's result if it is a code.
    fn code(&self, instruction: &Instruction) -> Option<ptxcvt::Format> {
        match self.program.registers[instruction.to].kind {
            Kind::Code(format) => Some(format),
            Kind::Number => None,
        }
    }

    pub fn block_line(&mut self, instruction: &Instruction) -> BlockLine {
        let a = match instruction.op {
            Op::Sum => self.slot(instruction.a),
            _ => {
                let slot = self.slot(instruction.a);
                let _ = slot.lane();
                slot
            }
        };
        let code = self.code(instruction);
        let work = match instruction.op {
            Op::Move => BlockWork::Move { code: code.is_some() },
            Op::One(op) => BlockWork::One(op),
            Op::Two(op, b) => BlockWork::Two(op, self.slot(b)),
            Op::Bits(op, b) => BlockWork::Bits(op, clean([instruction.a, b]), self.slot(b)),
            Op::CodeOf => BlockWork::CodeOf,
            Op::Convert(_) | Op::Nearest(..) | Op::FromCode(_) => {
                let (coder, format) = (Coder::new(instruction.op), code);
                let (Some(coder), Some(format)) = (coder, format) else {
                    unreachable!("`{}` makes a code", instruction.text)
                };
                BlockWork::Code(coder, Numbers::new(format))
            }
            Op::Sum => {
                let needed = self.program.needed(instruction.a, Level::Element);
                BlockWork::Sum(needed.into_iter().map(|line| self.element_line(line)).collect())
            }
            Op::Where { subject, condition, otherwise } => BlockWork::Where {
                subject: self.slot(subject),
                condition,
                otherwise: self.slot(Operand::Register(otherwise)),
                code: code.is_some(),
            },
        };
        BlockLine { to: instruction.to, a, work }
    }

    pub fn element_line(&mut self, instruction: &Instruction) -> ElementLine {
        let a = self.slot(instruction.a);
        let work = match instruction.op {
            Op::Move => ElementWork::Move,
            Op::One(op) => ElementWork::One(op),
            Op::Two(op, b) => ElementWork::Two(op, self.slot(b)),
            Op::Bits(op, b) => ElementWork::Bits(op, clean([instruction.a, b]), self.slot(b)),
            Op::Convert(form) => {
                let format = form.destination().format();
                let coder = Coder::Convert(Box::new(Plan::new(form)));
                ElementWork::Convert(coder, Words::new(format), format.storage())
            }
            Op::Where { subject, condition: Condition::Number(classes), otherwise } => ElementWork::Where {
                subject: self.slot(subject),
                classes,
                otherwise: self.slot(Operand::Register(otherwise)),
            },
            Op::CodeOf
            | Op::FromCode(_)
            | Op::Nearest(..)
            | Op::Sum
            | Op::Where { condition: Condition::Code(_), .. } => {
                unreachable!("`{}`: checked recipes have no such line of elements", instruction.text)
            }
        };
        ElementLine { to: instruction.to, a, work }
    }
}

/// Whether an operation on bits replaces NaN in its operands: in registers, but not in constants.
fn clean(operands: [Operand; 2]) -> [bool; 2] {
    operands.map(|operand| matches!(operand, Operand::Register(_)))
}

/// The registers of the given elements in a quantising and in a dequantising program.
pub(in crate::fast) const GIVEN: [usize; 2] = [given::X, given::Q];
