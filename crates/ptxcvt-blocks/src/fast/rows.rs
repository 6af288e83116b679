//! What the fast rail reads: parts of rows whose elements are neighbours, little-endian.

use std::sync::LazyLock;

use ptxcvt::bulk::{Column, Plan};

use super::{amax, kernels};
use crate::input::{Input, Matrix};

static HALF: LazyLock<Option<Plan>> = LazyLock::new(|| "cvt.f32.f16".parse().ok().map(Plan::new));

/// Elements of a chunk that pass through the lines of elements at once: what these need stays in the first-level cache.
pub(super) const PIECE: usize = 2048;

/// Elements of a piece: whole blocks, and a multiple of four, as many as packed conversions take.
pub(super) fn piece(width: usize) -> usize {
    let unit = if width % 4 == 0 { width } else { 4 * width };
    (PIECE / unit).max(1) * unit
}

/// A part of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    bytes: &'a [u8],
    input: Input,
    /// Elements between the beginning of the chunk and this.
    first: usize,
    /// How many bytes from here that lies which is read next.
    ahead: isize,
}

impl<'a> Row<'a> {
    pub fn new(input: Input, bytes: &'a [u8]) -> Row<'a> {
        Row::at(input, bytes, 0)
    }

    /// A part that begins `first` elements after the chunk does.
    pub fn at(input: Input, bytes: &'a [u8], first: usize) -> Row<'a> {
        Row { bytes, input, first, ahead: 0 }
    }

    /// The same, with `ahead` for kernels that ask for memory ahead of time.
    pub fn before(self, ahead: isize) -> Row<'a> {
        Row { ahead, ..self }
    }

    pub fn len(&self) -> usize {
        self.bytes.len() / self.input.bytes()
    }

    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Elements before it in the chunk.
    pub fn first(&self) -> usize {
        self.first
    }

    /// The number of its first block in the chunk.
    pub fn block(&self, width: usize) -> usize {
        self.first / width
    }

    /// The row in pieces of whole blocks.
    pub fn pieces(self, width: usize) -> impl Iterator<Item = Row<'a>> {
        let size = piece(width);
        let pieces = self.bytes.chunks(size * self.input.bytes()).enumerate();
        pieces.map(move |(i, bytes)| Row { bytes, first: self.first + i * size, ..self })
    }

    /// The elements as f32.
    pub fn load(&self, to: &mut [f32]) {
        match (self.input, &*HALF) {
            (Input::F32, _) => kernels::load_f32(self.bytes, to),
            (Input::F16, Some(plan)) => {
                let done = plan.run_packed(Column::Bytes(self.bytes), None, to.into());
                debug_assert!(done.is_ok(), "{done:?}");
            }
            _ => kernels::widen_bf16(self.bytes, to),
        }
    }

    /// The same, times or over each block's factor.
    pub fn load_by(&self, divides: bool, factors: &[f32], width: usize, to: &mut [f32]) -> bool {
        match self.input {
            Input::F32 => kernels::load_f32_by(divides, self.bytes, self.ahead, factors, width, to),
            Input::Bf16 => kernels::widen_bf16_by(divides, self.bytes, self.ahead, factors, width, to),
            Input::F16 => return false,
        }
        true
    }

    /// Joins the largest magnitudes of its blocks with `most`: bits of the input's type, NaN above all.
    pub fn amax(&self, width: usize, most: &mut [u32]) {
        match self.input {
            Input::F32 => amax::of_words(self.bytes, width, most),
            Input::Bf16 | Input::F16 => amax::of_halves(self.bytes, width, most),
        }
    }

    /// The bits of the f32 that equals an element.
    pub fn get(&self, i: usize) -> u32 {
        let size = self.input.bytes();
        let bytes = &self.bytes[i * size..(i + 1) * size];
        self.input.widen(bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u32::from(*byte)))
    }
}

/// Rows and columns of a matrix, copied if its elements are no neighbours.
pub(super) struct Tile<'a> {
    matrix: &'a Matrix<'a>,
    copy: Vec<u8>,
    first: (usize, usize),
    columns: usize,
}

impl<'a> Tile<'a> {
    pub fn new(matrix: &'a Matrix<'a>) -> Tile<'a> {
        Tile { matrix, copy: Vec::new(), first: (0, 0), columns: 0 }
    }

    /// True where rows are copied: then some of them together, as what is copied lies across them.
    pub fn copies(&self) -> bool {
        !self.matrix.is_dense() || self.matrix.swapped()
    }

    /// Goes to the rows from `row` to before `end`, and `columns` of them.
    pub fn go(&mut self, (row, end): (usize, usize), (column, columns): (usize, usize)) {
        (self.first, self.columns) = ((row, column), columns);
        if self.copies() {
            self.copy.resize((end - row) * columns * self.matrix.input().bytes(), 0);
            self.matrix.copy((row, end), (column, column + columns), &mut self.copy);
        }
    }

    /// How far ahead of a row's part, in bytes, lies that of the row `rows` further down which begins at `column`.
    pub fn ahead(&self, rows: usize, column: usize) -> isize {
        match self.copies() {
            true => 0,
            false => self.matrix.distance(rows, column as isize - self.first.1 as isize),
        }
    }

    /// A row of the part.
    pub fn row(&self, row: usize) -> Row<'_> {
        let bytes = if self.copies() {
            let size = self.columns * self.matrix.input().bytes();
            &self.copy[(row - self.first.0) * size..][..size]
        } else {
            self.matrix.run(row, self.first.1, self.columns)
        };
        Row::new(self.matrix.input(), bytes)
    }
}
