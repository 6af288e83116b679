//! The input of the fast implementation: parts of rows with adjacent elements, little-endian.

use std::sync::LazyLock;

use ptxcvt::little_endian;
use ptxcvt_bulk::{Column, Plan};

use super::amax;
use super::kernels;
use crate::input::{Input, Matrix};

/// f16 has no loop here, so a plan of the bulk engine widens it.
static F16_TO_F32: LazyLock<Plan> =
    LazyLock::new(|| Plan::new("cvt.f32.f16".parse().unwrap_or_else(|e| unreachable!("cvt.f32.f16: {e}"))));

/// The number of elements of a chunk that pass through the lines of elements together, so that their
/// registers fit in the first-level cache.
pub(super) const PIECE: usize = 2048;

/// The number of rows that are copied together if the elements of a row are not adjacent.
pub(super) const TOGETHER: usize = 32;

/// The number of elements of a piece: whole blocks, and a multiple of four, the most that a packed conversion
/// processes.
pub(super) fn piece(width: usize) -> usize {
    let unit = if width % 4 == 0 { width } else { 4 * width };
    (PIECE / unit).max(1) * unit
}

/// Reads numbers as f32.
pub(super) fn load(input: Input, bytes: &[u8], to: &mut [f32]) {
    match input {
        Input::F32 => kernels::load_f32(bytes, to),
        Input::Bf16 => kernels::widen_bf16(bytes, to),
        Input::F16 => {
            let done = F16_TO_F32.run_packed(Column::Bytes(bytes), None, to.into());
            done.unwrap_or_else(|e| unreachable!("cvt.f32.f16: {e}"));
        }
    }
}

/// A part of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    bytes: &'a [u8],
    input: Input,
    /// The number of elements between the start of the chunk and this part.
    first: usize,
    /// The distance in bytes to the next data, for prefetches.
    ahead: isize,
}

impl<'a> Row<'a> {
    /// A part that starts `first` elements after the start of the chunk.
    pub fn at(input: Input, bytes: &'a [u8], first: usize) -> Row<'a> {
        Row { bytes, input, first, ahead: 0 }
    }

    /// Sets the distance to the next data.
    pub fn before(self, ahead: isize) -> Row<'a> {
        Row { ahead, ..self }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.input.bytes()
    }

    /// The bytes of the elements.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Reads the elements as f32.
    pub fn load(&self, to: &mut [f32]) {
        load(self.input, self.bytes, to);
    }

    /// Reads the elements as f32, multiplied or divided by their block's factor, if one loop does both.
    /// Returns false otherwise.
    pub fn load_by(&self, divides: bool, factors: &[f32], width: usize, to: &mut [f32]) -> bool {
        let Row { bytes, ahead, .. } = *self;
        match self.input {
            Input::F32 => kernels::load_f32_by(divides, bytes, ahead, factors, width, to),
            Input::Bf16 => kernels::widen_bf16_by(divides, bytes, ahead, factors, width, to),
            Input::F16 => return false,
        }
        true
    }

    /// The number of elements before it in the chunk.
    pub fn first(&self) -> usize {
        self.first
    }

    /// The index of its first block in the chunk.
    pub fn block(&self, width: usize) -> usize {
        self.first / width
    }

    /// Splits the row into pieces of whole blocks.
    pub fn pieces(self, width: usize) -> impl Iterator<Item = Row<'a>> {
        let size = piece(width);
        let pieces = self.bytes.chunks(size * self.input.bytes()).enumerate();
        pieces.map(move |(i, bytes)| Row { bytes, first: self.first + i * size, ..self })
    }

    /// Updates `most` with the largest magnitudes of its blocks, as bits of the input's type, in which NaN is
    /// above all numbers.
    pub fn amax(&self, width: usize, most: &mut [u32]) {
        match self.input {
            Input::F32 => amax::of_words(self.bytes, width, most),
            Input::Bf16 | Input::F16 => amax::of_halves(self.bytes, width, most),
        }
    }

    /// An element as the bits of an f32.
    pub fn get(&self, i: usize) -> u32 {
        let size = self.input.bytes();
        let bytes = &self.bytes[i * size..(i + 1) * size];
        self.input.widen(little_endian(bytes) as u32)
    }
}

/// Rows and columns of a matrix, copied if the elements of a row are not adjacent.
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

    /// True if rows are copied. Then several are copied together, because their elements share cache lines.
    pub fn copies(&self) -> bool {
        !self.matrix.is_dense() || self.matrix.swapped()
    }

    /// Selects the rows `row..end` and the columns.
    pub fn go(&mut self, (row, end): (usize, usize), (column, columns): (usize, usize)) {
        (self.first, self.columns) = ((row, column), columns);
        if self.copies() {
            self.copy.resize((end - row) * columns * self.matrix.input().bytes(), 0);
            self.matrix.copy((row, end), (column, column + columns), &mut self.copy);
        }
    }

    /// The distance in bytes from a row's part to the part that starts at `column`, `rows` rows further down.
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
        Row::at(self.matrix.input(), bytes, 0)
    }
}
