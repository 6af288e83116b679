//! Runs the lines of a recipe that compute one number for each element, for a piece of a row.

use super::line::{ElementLine, ElementWork, Slot};
use super::{Machine, Piece, Scratch};
use crate::fast::kernels::{self, Arg, is_in};
use crate::fast::rows::Row;
use crate::recipe::Two;

impl Machine {
    /// Runs all of these lines for a piece of a row, and returns the result of each element.
    pub fn run_elements<'s>(&self, piece: Row<'_>, width: usize, scratch: &'s mut Scratch) -> &'s [f32] {
        self.run_lines(&self.elements, piece, width, scratch);
        self.operand(self.result, piece, width, scratch)
    }

    /// Runs some of these lines for a piece of a row.
    pub(super) fn run_lines(
        &self,
        lines: &[ElementLine],
        piece: Row<'_>,
        width: usize,
        scratch: &mut Scratch,
    ) {
        for line in lines {
            self.element_line(line, piece, width, scratch);
        }
    }

    /// An operand as one number for each element.
    pub(super) fn operand<'s>(
        &self,
        slot: Slot,
        row: Row<'_>,
        width: usize,
        scratch: &'s mut Scratch,
    ) -> &'s [f32] {
        let Scratch { lanes, elements, spread: [room, ..], .. } = scratch;
        if let Slot::Element(r) = slot {
            return &elements[r][..row.len()];
        }
        let piece = Piece { row, width, lanes, elements };
        // Copies the numbers to `room`.
        let _ = piece.each(slot, room);
        &room[..row.len()]
    }

    fn element_line(&self, line: &ElementLine, row: Row<'_>, width: usize, scratch: &mut Scratch) {
        let n = row.len();
        let mut made = core::mem::take(&mut scratch.elements[line.to]);
        let to = &mut made[..n];
        let Scratch { lanes, elements, spread: [for_a, for_b, for_c], words, bytes, .. } = &mut *scratch;
        if !self.scaled(line, row, width, lanes, to) {
            let piece = Piece { row, width, lanes, elements };
            let a = piece.each(line.a, for_a);
            match &line.work {
                ElementWork::Move => to.copy_from_slice(a),
                ElementWork::One(op) => self.one(*op, a, words, to),
                ElementWork::Two(op, b) => kernels::two(*op, a, piece.arg(*b, for_b), to),
                ElementWork::Bits(op, clean, b) => kernels::bits(*op, *clean, a, piece.each(*b, for_b), to),
                ElementWork::Convert(coder, decoder, storage) => {
                    let bytes = &mut bytes[..(n * *storage as usize).div_ceil(8)];
                    coder.codes(a, None, bytes);
                    let words = &mut words[..2 * n];
                    decoder.decode(bytes, words);
                    kernels::widen_bf16(words, to);
                }
                ElementWork::Where { subject, classes, otherwise } => {
                    let no = piece.each(*otherwise, for_c);
                    match (line.a, piece.arg(*subject, for_b)) {
                        (_, Arg::All(x)) => to.copy_from_slice(if is_in(*classes, x) { a } else { no }),
                        (Slot::All(r), Arg::Each(x)) => {
                            kernels::select_number(*classes, x, lanes[r][0], no, to);
                        }
                        (_, Arg::Each(x)) => kernels::select(*classes, x, a, no, to),
                    }
                }
            }
        }
        scratch.elements[line.to] = made;
    }

    /// Runs a line that multiplies or divides the elements of the input by their block's factor: it scales them while
    /// it reads them. Nearly every recipe begins with such a line. Returns false for any other line.
    fn scaled(
        &self,
        line: &ElementLine,
        row: Row<'_>,
        width: usize,
        lanes: &[Vec<f32>],
        to: &mut [f32],
    ) -> bool {
        let (Slot::Input, ElementWork::Two(op @ (Two::Mul | Two::Div), Slot::Lane(b))) = (line.a, &line.work)
        else {
            return false;
        };
        let factors = &lanes[*b][row.block(width)..];
        row.load_by(*op == Two::Div, factors, width, to)
    }
}
