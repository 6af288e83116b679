//! Inputs: matrices of f32, bf16 or f16, with strides.

use core::fmt;

use ptxcvt::Format;

use crate::error::BlockError;
use crate::recipe::OfInput;

/// The type of the numbers to quantise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// IEEE single precision.
    F32,
    /// bfloat16.
    Bf16,
    /// IEEE half precision.
    F16,
}

impl Input {
    /// Every type.
    pub const ALL: &'static [Input] = &[Input::F32, Input::Bf16, Input::F16];

    /// The format.
    pub const fn format(self) -> Format {
        match self {
            Input::F32 => Format::F32,
            Input::Bf16 => Format::Bf16,
            Input::F16 => Format::F16,
        }
    }

    /// The input type of a format, or `None` if the format is not supported.
    pub fn of(format: Format) -> Option<Input> {
        Input::ALL.iter().copied().find(|i| i.format() == format)
    }

    /// The bytes of one number.
    pub const fn bytes(self) -> usize {
        self.format().storage() as usize / 8
    }

    /// A number that depends on the type, as an f32.
    pub(crate) fn number(self, which: OfInput) -> f32 {
        let format = self.format();
        let code = match which {
            OfInput::Max => format.max_finite(),
            OfInput::Tiny => format.min_normal(),
            OfInput::Epsilon => return (-f64::from(format.fraction_bits())).exp2() as f32,
        };
        format.decode(code).to_f64() as f32
    }

    /// The bits of the f32 that equals a number of this type.
    pub(crate) fn widen(self, bits: u32) -> u32 {
        match self {
            Input::F32 => bits,
            Input::Bf16 => bits << 16,
            Input::F16 => {
                let magnitude = bits & 0x7fff;
                let sign = (bits & 0x8000) << 16;
                sign | match magnitude {
                    0x7c00 => 0x7f80_0000,
                    0x7c01.. => 0x7f80_0000 | (magnitude & 0x3ff) << 13 | 0x0040_0000,
                    // m · 2^-24, exact.
                    0..0x400 => (magnitude as f32 * f32::from_bits(0x3380_0000)).to_bits(),
                    0x400.. => (magnitude << 13) + (112 << 23),
                }
            }
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.format().name())
    }
}

/// A matrix of numbers in memory: rows and columns, with strides counted in elements.
///
/// ```
/// use ptxcvt_blocks::Matrix;
/// let numbers = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let matrix = Matrix::f32(&numbers, 2, 3)?;
/// assert_eq!((matrix.rows(), matrix.columns()), (2, 3));
/// assert_eq!((matrix.transposed().rows(), matrix.transposed().columns()), (3, 2));
/// // Every second column.
/// assert!(Matrix::strided(ptxcvt_blocks::Input::F32, bytemuck::bytes_of(&numbers), (2, 2), (3, 2)).is_ok());
/// # Ok::<(), ptxcvt_blocks::BlockError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    bytes: &'a [u8],
    input: Input,
    /// Whether the bytes are in the machine's byte order rather than little-endian.
    native: bool,
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    /// Rows of f32 numbers, stored one after the other.
    ///
    /// # Errors
    ///
    /// Fails if the slice does not have `rows * columns` elements.
    pub fn f32(numbers: &'a [f32], rows: usize, columns: usize) -> Result<Self, BlockError> {
        Self::contiguous(bytemuck::cast_slice(numbers), Input::F32, true, rows, columns)
    }

    /// Rows of bf16 numbers, given as bits.
    ///
    /// # Errors
    ///
    /// Fails if the slice does not have `rows * columns` elements.
    pub fn bf16(bits: &'a [u16], rows: usize, columns: usize) -> Result<Self, BlockError> {
        Self::contiguous(bytemuck::cast_slice(bits), Input::Bf16, true, rows, columns)
    }

    /// Rows of f16 numbers, given as bits.
    ///
    /// # Errors
    ///
    /// Fails if the slice does not have `rows * columns` elements.
    pub fn f16(bits: &'a [u16], rows: usize, columns: usize) -> Result<Self, BlockError> {
        Self::contiguous(bytemuck::cast_slice(bits), Input::F16, true, rows, columns)
    }

    /// Little-endian bytes at any alignment, such as a mapped file.
    ///
    /// # Errors
    ///
    /// Fails if the slice does not have `rows * columns` elements.
    pub fn bytes(input: Input, bytes: &'a [u8], rows: usize, columns: usize) -> Result<Self, BlockError> {
        Self::contiguous(bytes, input, false, rows, columns)
    }

    /// Little-endian bytes; the element in row r and column c has the index `r * strides.0 + c * strides.1`.
    /// `shape` is rows and columns.
    ///
    /// # Errors
    ///
    /// Fails if an element would be outside the bytes.
    pub fn strided(
        input: Input,
        bytes: &'a [u8],
        shape: (usize, usize),
        strides: (usize, usize),
    ) -> Result<Self, BlockError> {
        let (rows, columns) = shape;
        let last = |count: usize, stride: usize| count.saturating_sub(1).checked_mul(stride);
        let elements = match (last(rows, strides.0), last(columns, strides.1)) {
            _ if rows == 0 || columns == 0 => Some(0),
            (Some(r), Some(c)) => r.checked_add(c).and_then(|n| n.checked_add(1)),
            _ => None,
        };
        let needed = elements.and_then(|n| n.checked_mul(input.bytes()));
        if needed.is_none_or(|needed| needed > bytes.len()) {
            return Err(BlockError::Outside { rows, columns, bytes: bytes.len() });
        }
        Ok(Matrix {
            bytes,
            input,
            native: false,
            rows,
            columns,
            row_stride: strides.0,
            column_stride: strides.1,
        })
    }

    fn contiguous(
        bytes: &'a [u8],
        input: Input,
        native: bool,
        rows: usize,
        columns: usize,
    ) -> Result<Self, BlockError> {
        let expected = rows.checked_mul(columns).and_then(|n| n.checked_mul(input.bytes()));
        if expected != Some(bytes.len()) {
            return Err(BlockError::Elements { rows, columns, given: bytes.len() / input.bytes() });
        }
        Ok(Matrix { bytes, input, native, rows, columns, row_stride: columns, column_stride: 1 })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The type of the numbers.
    pub fn input(&self) -> Input {
        self.input
    }

    /// The transposed matrix, without copying.
    #[must_use]
    pub fn transposed(self) -> Self {
        let Matrix { rows, columns, row_stride, column_stride, .. } = self;
        Matrix { rows: columns, columns: rows, row_stride: column_stride, column_stride: row_stride, ..self }
    }

    /// The rows `first..end`.
    ///
    /// # Panics
    ///
    /// Panics if the matrix does not have these rows.
    #[must_use]
    pub fn part(self, first: usize, end: usize) -> Self {
        assert!(first <= end && end <= self.rows, "rows {first} to {end} of {}", self.rows);
        let start = if first < end { first * self.row_stride * self.input.bytes() } else { 0 };
        Matrix { bytes: &self.bytes[start..], rows: end - first, ..self }
    }

    /// True if the elements of a row are adjacent.
    pub(crate) fn is_dense(&self) -> bool {
        self.column_stride == 1
    }

    /// True if the bytes of numbers must be swapped.
    pub(crate) fn swapped(&self) -> bool {
        self.native && cfg!(target_endian = "big")
    }

    /// The distance in bytes to the element `rows` rows down and `columns` columns to the right.
    pub(crate) fn distance(&self, rows: usize, columns: isize) -> isize {
        ((rows * self.row_stride) as isize + columns) * self.input.bytes() as isize
    }

    /// The bytes of `count` adjacent elements of a row.
    pub(crate) fn run(&self, row: usize, first: usize, count: usize) -> &'a [u8] {
        let start = (row * self.row_stride + first) * self.input.bytes();
        &self.bytes[start..start + count * self.input.bytes()]
    }

    /// Copies rows and columns, little-endian and one row after the other.
    pub(crate) fn copy(&self, rows: (usize, usize), columns: (usize, usize), to: &mut [u8]) {
        match self.input {
            Input::F16 | Input::Bf16 => self.copy_elements::<2>(rows, columns, to),
            Input::F32 => self.copy_elements::<4>(rows, columns, to),
        }
    }

    fn copy_elements<const N: usize>(&self, rows: (usize, usize), columns: (usize, usize), to: &mut [u8]) {
        let width = columns.1 - columns.0;
        // Copies squares, whose cache lines stay in the first-level cache even if the matrix is transposed.
        const SIDE: usize = 32;
        for c in (columns.0..columns.1).step_by(SIDE) {
            let end = columns.1.min(c + SIDE);
            for row in rows.0..rows.1 {
                let to = &mut to[((row - rows.0) * width + c - columns.0) * N..];
                let from = (row * self.row_stride + c * self.column_stride) * N;
                let from = self.bytes[from..].chunks(self.column_stride.max(1) * N);
                for (from, to) in from.zip(to.chunks_exact_mut(N)).take(end - c) {
                    to.copy_from_slice(&from[..N]);
                    if self.swapped() {
                        to.reverse();
                    }
                }
            }
        }
    }

    /// The elements as one row, or `None` if they are not stored one after the other.
    pub(crate) fn flat(self) -> Option<Self> {
        let dense = self.column_stride == 1 && (self.row_stride == self.columns || self.rows <= 1);
        let columns = self.rows * self.columns;
        dense.then_some(Matrix { rows: 1, columns, row_stride: columns, ..self })
    }

    /// Splits a row into `rows` rows of `columns`, and a row with the rest.
    pub(crate) fn cut(self, rows: usize, columns: usize) -> (Self, Self) {
        let split = rows * columns;
        let rest = Matrix {
            bytes: &self.bytes[split * self.input.bytes()..],
            columns: self.columns - split,
            ..self
        };
        (Matrix { rows, columns, row_stride: columns, ..self }, rest)
    }

    /// An element as an f32, which represents every number of every input type.
    ///
    /// # Panics
    ///
    /// Panics if there is no such row or column.
    pub fn value(&self, row: usize, column: usize) -> f32 {
        assert!(row < self.rows && column < self.columns, "there is no row {row}, column {column}");
        f32::from_bits(self.get(row, column))
    }

    /// The bits of the f32 that equals an element.
    pub(crate) fn get(&self, row: usize, column: usize) -> u32 {
        let at = (row * self.row_stride + column * self.column_stride) * self.input.bytes();
        let bits = match (self.input.bytes(), self.native) {
            (2, false) => u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]).into(),
            (2, true) => u16::from_ne_bytes([self.bytes[at], self.bytes[at + 1]]).into(),
            (_, false) => u32::from_le_bytes(self.four(at)),
            (_, true) => u32::from_ne_bytes(self.four(at)),
        };
        self.input.widen(bits)
    }

    fn four(&self, at: usize) -> [u8; 4] {
        [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2], self.bytes[at + 3]]
    }
}
