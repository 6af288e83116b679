//! The lines that run once for the tensor and once for each block.

use super::line::{BlockLine, BlockWork};
use super::{Machine, Scratch};
use crate::fast::kernels::{self, Arg, is_in};
use crate::fast::rows::Row;
use crate::recipe::Condition;

impl Machine {
    /// Runs the lines that are computed once for the tensor.
    pub fn run_tensor(&self, scratch: &mut Scratch) {
        for line in &self.tensor {
            self.block_line(line, scratch);
        }
    }

    /// Runs the block's lines; sums run over `rows`.
    pub fn run_block<'r>(&self, width: usize, scratch: &mut Scratch, rows: impl Fn() -> Vec<Row<'r>>) {
        for line in &self.block {
            match &line.work {
                BlockWork::Sum(_) => self.sum(line, width, scratch, rows()),
                _ => self.block_line(line, scratch),
            }
        }
    }

    /// Sums over the elements of each block in order; each addition rounds.
    fn sum(&self, line: &BlockLine, width: usize, scratch: &mut Scratch, rows: Vec<Row<'_>>) {
        let BlockWork::Sum(lines) = &line.work else { unreachable!("the line is a sum") };
        let mut sums = core::mem::take(&mut scratch.lanes[line.to]);
        sums.fill(0.0);
        for row in rows {
            for piece in row.pieces(width) {
                self.run_lines(lines, piece, width, scratch);
                let numbers = self.operand(line.a, piece, width, scratch);
                let first = piece.block(width);
                for (block, sum) in numbers.chunks(width).zip(&mut sums[first..]) {
                    *sum = block.iter().fold(*sum, |sum, x| sum + x);
                }
            }
        }
        scratch.lanes[line.to] = sums;
    }

    fn block_line(&self, line: &BlockLine, scratch: &mut Scratch) {
        let mut to = core::mem::take(&mut scratch.lanes[line.to]);
        let mut made = core::mem::take(&mut scratch.codes[line.to]);
        let Scratch { lanes, codes, words, .. } = &mut *scratch;
        let a = line.a.lane();
        match &line.work {
            BlockWork::Move { code } => {
                to.copy_from_slice(&lanes[a]);
                if *code {
                    made.copy_from_slice(&codes[a]);
                }
            }
            BlockWork::One(op) => self.one(*op, &lanes[a], words, &mut to),
            BlockWork::Two(op, b) => kernels::two(*op, &lanes[a], Arg::Each(&lanes[b.lane()]), &mut to),
            BlockWork::Bits(op, clean, b) => kernels::bits(*op, *clean, &lanes[a], &lanes[b.lane()], &mut to),
            BlockWork::CodeOf => kernels::numbers_of_codes(&codes[a], &mut to),
            BlockWork::Code(coder, numbers) => {
                coder.codes(&lanes[a], None, &mut made);
                numbers.decode(&made, &mut to);
            }
            BlockWork::Where { subject, condition, otherwise, code } => {
                let (subject, otherwise) = (subject.lane(), otherwise.lane());
                let (yes, no) = (&lanes[a], &lanes[otherwise]);
                match *condition {
                    Condition::Code(c) => kernels::select_code(c, &codes[subject], yes, no, &mut to),
                    Condition::Number(classes) => {
                        kernels::select(classes, &lanes[subject], yes, no, &mut to);
                    }
                }
                if *code {
                    let holds = |lane: usize| match *condition {
                        Condition::Code(c) => codes[subject][lane] == c,
                        Condition::Number(classes) => is_in(classes, lanes[subject][lane]),
                    };
                    for (lane, made) in made.iter_mut().enumerate() {
                        *made = codes[if holds(lane) { a } else { otherwise }][lane];
                    }
                }
            }
            BlockWork::Sum(_) => unreachable!("`run_block` computes sums"),
        }
        scratch.codes[line.to] = made;
        scratch.lanes[line.to] = to;
    }
}
