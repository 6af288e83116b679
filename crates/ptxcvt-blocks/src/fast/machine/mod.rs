//! A program ready to run: each register is an array with one lane for each block of a chunk, or one for each element of a
//! piece of a row.

mod blocks;
mod elements;
mod line;

use std::sync::{Mutex, PoisonError};

use ptxcvt::Form;
use ptxcvt_bulk::Plan;

use self::line::{BlockLine, BlockWork, ElementLine, ElementWork, Reader, Slot};
use super::codec::convert;
use super::kernels::{self, Arg};
use super::rows::{self, Row};
use crate::input::Input;
use crate::recipe::{Instruction, Level, One, Operand, Program, Two};

/// The program of a recipe that a machine runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Elements are `x`, and the global scale is given.
    Quantize,
    /// Elements are `q`.
    Dequantize,
}

/// A program ready to run; threads share it.
#[derive(Debug)]
pub(super) struct Machine {
    tensor: Vec<BlockLine>,
    block: Vec<BlockLine>,
    /// The lines of elements that the result needs.
    elements: Vec<ElementLine>,
    /// The place of the result.
    result: Slot,
    registers: usize,
    constants: Vec<f32>,
    input: Input,
    /// Converts f32 to the input's type.
    to_input: Option<Plan>,
    /// The arrays of finished threads. Allocating them takes as long as quantising about ten thousand
    /// elements.
    idle: Mutex<Vec<Scratch>>,
}

/// The arrays of a thread.
#[derive(Debug)]
pub(super) struct Scratch {
    /// The number of lanes and elements that fit.
    size: (usize, usize),
    /// Registers with one value per block, then the constants.
    pub lanes: Vec<Vec<f32>>,
    /// The codes in registers that have codes.
    pub codes: Vec<Vec<u8>>,
    /// Registers with one value per element that a line writes.
    elements: Vec<Vec<f32>>,
    spread: [Vec<f32>; 3],
    words: Vec<u8>,
    bytes: Vec<u8>,
}

impl Machine {
    /// Selects kernels for a program that computes `result` for each element. `input` is the type of the
    /// input.
    pub fn new(program: &Program, direction: Direction, input: Input, result: Operand) -> Machine {
        let given = line::GIVEN[direction as usize];
        let mut reader = Reader { program, input, given, constants: Vec::new() };
        let global_given = direction == Direction::Quantize;
        let of_level = |level| program.of_level(level, global_given);
        let mut block_line = |instruction: &Instruction| reader.block_line(instruction);
        let tensor = of_level(Level::Tensor).map(&mut block_line).collect();
        let block = of_level(Level::Block).map(&mut block_line).collect();
        let elements = program.needed(result, Level::Element).into_iter();
        let elements = elements.map(|instruction| reader.element_line(instruction)).collect();
        let result = reader.slot(result);
        let to_input = match input {
            Input::F32 => None,
            Input::Bf16 => Some("cvt.rn.bf16.f32"),
            Input::F16 => Some("cvt.rn.f16.f32"),
        };
        Machine {
            tensor,
            block,
            elements,
            result,
            registers: program.registers.len(),
            constants: reader.constants,
            input,
            to_input: to_input.map(|opcode| Plan::new(form(opcode))),
            idle: Mutex::default(),
        }
    }

    /// Allocates arrays for `blocks` lanes and pieces of `columns` elements, with the constants in place.
    /// Lines write all other registers before they are read.
    pub fn scratch(&self, blocks: usize, columns: usize) -> Scratch {
        // Packed conversions process up to four at a time.
        let size @ (blocks, columns) = (blocks.next_multiple_of(4), columns.next_multiple_of(4));
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = idle.iter().position(|scratch| scratch.size == size) {
            return idle.swap_remove(at);
        }
        drop(idle);
        let mut lanes = vec![vec![0.0; blocks]; self.registers];
        lanes.extend(self.constants.iter().map(|c| vec![*c; blocks]));
        let summed = self.block.iter().flat_map(|line| match &line.work {
            BlockWork::Sum(lines) => lines.as_slice(),
            _ => &[],
        });
        let mut elements = vec![Vec::new(); self.registers];
        for line in self.elements.iter().chain(summed) {
            elements[line.to] = vec![0.0; columns];
        }
        Scratch {
            size,
            codes: vec![vec![0; blocks]; self.registers],
            elements,
            spread: [(); 3].map(|()| vec![0.0; columns]),
            words: vec![0; 2 * blocks.max(columns)],
            bytes: vec![0; columns],
            lanes,
        }
    }

    /// Returns the arrays to a pool of at most 64.
    pub fn keep(&self, scratch: Scratch) {
        const KEPT: usize = 64;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() == KEPT {
            idle.clear();
        }
        idle.push(scratch);
    }

    /// The register of the block's factor, if the result is only the given element times that factor.
    pub fn factor(&self) -> Option<usize> {
        match &self.elements[..] {
            [ElementLine { to, a: Slot::Input, work: ElementWork::Two(Two::Mul, Slot::Lane(factor)) }]
                if self.result == Slot::Element(*to) =>
            {
                Some(*factor)
            }
            _ => None,
        }
    }

    /// A function of one number.
    fn one(&self, op: One, a: &[f32], words: &mut [u8], to: &mut [f32]) {
        match op {
            One::Log2 => kernels::log2(a, to),
            One::Floor => kernels::floor(a, to),
            One::Ceil => kernels::ceil(a, to),
            One::ToInput => match &self.to_input {
                None => to.copy_from_slice(&a[..to.len()]),
                Some(plan) => {
                    let words = &mut words[..2 * to.len()];
                    convert(plan, a[..to.len()].into(), None, words);
                    rows::load(self.input, words, to);
                }
            },
        }
    }
}

/// A form that exists.
pub(super) fn form(opcode: &str) -> Form {
    opcode.parse().unwrap_or_else(|e| unreachable!("{opcode}: {e}"))
}

/// A piece of a row with the registers that its lines read.
struct Piece<'s> {
    row: Row<'s>,
    /// Columns of a block.
    width: usize,
    lanes: &'s [Vec<f32>],
    elements: &'s [Vec<f32>],
}

impl<'s> Piece<'s> {
    /// An operand as one number for each element; `room` holds it if it is not stored so.
    fn each<'r>(&'r self, slot: Slot, room: &'r mut [f32]) -> &'r [f32] {
        let room = &mut room[..self.row.len()];
        match slot {
            Slot::Element(r) => return &self.elements[r][..self.row.len()],
            Slot::Input => self.row.load(room),
            Slot::All(r) => room.fill(self.lanes[r][0]),
            Slot::Lane(r) => {
                let values = &self.lanes[r][self.row.block(self.width)..];
                kernels::spread(values, self.width, room);
            }
        }
        room
    }

    /// A second operand.
    fn arg<'r>(&'r self, slot: Slot, room: &'r mut [f32]) -> Arg<'r> {
        match slot {
            Slot::All(r) => Arg::All(self.lanes[r][0]),
            slot => Arg::Each(self.each(slot, room)),
        }
    }
}
