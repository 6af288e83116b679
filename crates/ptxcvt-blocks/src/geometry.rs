//! Shapes: the matrices of an array, the blocks of a matrix, and their sizes in bytes.

use ptxcvt::Format;

use crate::error::BlockError;
use crate::recipe::{BlockShape, Layout, Ragged, Recipe};

/// The axis of an array along which blocks of one row run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlocksAlong {
    /// The last axis.
    #[default]
    Rows,
    /// The last axis but one. Each matrix is quantised transposed, so its result has rows and columns
    /// exchanged.
    Columns,
}

/// An array as matrices that are stored one after the other and quantised one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrices {
    /// The number of matrices.
    pub count: usize,
    /// The rows of each, before any transposition.
    pub rows: usize,
    /// The columns of each, before any transposition.
    pub columns: usize,
}

impl Matrices {
    /// The rows and columns of each as they are quantised.
    pub fn quantized(&self, along: BlocksAlong) -> (usize, usize) {
        match along {
            BlocksAlong::Rows => (self.rows, self.columns),
            BlocksAlong::Columns => (self.columns, self.rows),
        }
    }
}

/// A shape without its axes of one element.
fn squeezed(shape: &[usize]) -> Vec<usize> {
    shape.iter().copied().filter(|n| *n != 1).collect()
}

impl Recipe {
    /// The matrices of an array of this shape. No block extends over two matrices.
    ///
    /// - An array with one axis is one row.
    /// - If blocks have one row and run along rows, all axes but the last count rows, and there is one
    ///   matrix.
    /// - Otherwise the last two axes are a matrix, and the others count matrices.
    ///
    /// ```
    /// use ptxcvt_blocks::{BlocksAlong, Matrices, Recipe};
    /// let (rows, squares) = (Recipe::named("nvfp4-te-1x16")?, Recipe::named("nvfp4-te-16x16")?);
    /// let shape = [2, 48, 64];
    /// let one = Matrices { count: 1, rows: 96, columns: 64 };
    /// let two = Matrices { count: 2, rows: 48, columns: 64 };
    /// assert_eq!(rows.matrices(&shape, BlocksAlong::Rows)?, one);
    /// assert_eq!(rows.matrices(&shape, BlocksAlong::Columns)?, two);
    /// assert_eq!(squares.matrices(&shape, BlocksAlong::Rows)?, two);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the shape has no axis or is too large, or if a matrix is not a whole number of blocks and the recipe
    /// requires that.
    pub fn matrices(&self, shape: &[usize], along: BlocksAlong) -> Result<Matrices, BlockError> {
        let (last, before) = shape.split_last().ok_or(BlockError::NoAxis)?;
        check_size(shape)?;
        let (count, rows) = match before {
            [] => (1, 1),
            _ if self.block().rows == 1 && along == BlocksAlong::Rows => (1, before.iter().product()),
            [more @ .., rows] => (more.iter().product(), *rows),
        };
        let matrices = Matrices { count, rows, columns: *last };
        let (rows, columns) = matrices.quantized(along);
        self.check_shape(rows, columns)?;
        Ok(matrices)
    }

    /// The shape of a part of the result for an array of this shape, such as its scales, if the part of each matrix has
    /// these rows and columns. Axes that [`matrices`](Self::matrices) merges into rows are restored.
    ///
    /// ```
    /// use ptxcvt_blocks::{BlocksAlong, Recipe};
    /// let rows = Recipe::named("nvfp4-te-1x16")?;
    /// assert_eq!(rows.part_shape(&[2, 48, 64], BlocksAlong::Rows, (96, 4)), [2, 48, 4]);
    /// assert_eq!(rows.part_shape(&[2, 48, 64], BlocksAlong::Columns, (64, 3)), [2, 64, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn part_shape(
        &self,
        shape: &[usize],
        along: BlocksAlong,
        (rows, columns): (usize, usize),
    ) -> Vec<usize> {
        let by_rows = along == BlocksAlong::Rows;
        match shape {
            [_] if by_rows => vec![columns],
            [before @ .., _] if self.block().rows == 1 && by_rows => [before, &[columns]].concat(),
            [before @ .., _, _] => [before, &[rows, columns]].concat(),
            _ => vec![rows, columns],
        }
    }

    /// Checks that numbers of this type can be quantised.
    ///
    /// # Errors
    ///
    /// Fails if the recipe does not accept them.
    pub fn check_input(&self, input: Format) -> Result<(), BlockError> {
        if self.accepts(input) {
            return Ok(());
        }
        Err(BlockError::Input { recipe: self.name().into(), given: input })
    }

    /// Checks that a matrix of this shape can be quantised.
    pub(crate) fn check_shape(&self, rows: usize, columns: usize) -> Result<(), BlockError> {
        let block = self.block();
        let whole = rows % block.rows == 0 && columns % block.columns == 0;
        if !whole && self.ragged() == Ragged::Refused {
            return Err(BlockError::Ragged { recipe: self.name().into(), block, rows, columns });
        }
        self.check_layout(rows, columns)
    }

    /// The fewest columns, at least this many, that a matrix of one row of blocks can have. Zeros may fill them up.
    ///
    /// ```
    /// use ptxcvt_blocks::Recipe;
    /// assert_eq!(Recipe::named("mx-rceil/e4m3").unwrap().fitting_columns(33), 64);
    /// // Four blocks of 16 are stored together.
    /// assert_eq!(Recipe::named("gguf-nvfp4").unwrap().fitting_columns(33), 64);
    /// ```
    pub fn fitting_columns(&self, columns: usize) -> usize {
        /// More elements than any block or group has, except one that is the whole row.
        const MOST: usize = 1 << 16;
        let rows = if self.block().rows == BlockShape::ALL { 1 } else { self.block().rows };
        let fits = |columns: &usize| self.check_shape(rows, *columns).is_ok();
        (columns..columns.saturating_add(MOST)).find(fits).unwrap_or(columns)
    }

    /// The rows and columns of the smallest matrix that holds this many numbers one after the other, so that neighbours stay
    /// together: blocks of one row make one long row, and square blocks are stacked. Zeros may fill it up.
    ///
    /// ```
    /// use ptxcvt_blocks::Recipe;
    /// assert_eq!(Recipe::named("mx-rceil/e4m3")?.fitting_shape(33), (1, 64));
    /// assert_eq!(Recipe::named("nvfp4-te-16x16")?.fitting_shape(257), (32, 16));
    /// # Ok::<(), ptxcvt_blocks::RecipeError>(())
    /// ```
    pub fn fitting_shape(&self, numbers: usize) -> (usize, usize) {
        let block = self.block();
        let is_row =
            block.rows == 1 || (block.columns == BlockShape::ALL && self.ragged() == Ragged::Partial);
        let columns = if is_row { self.fitting_columns(numbers) } else { block.columns };
        let rows = if block.rows == BlockShape::ALL { 1 } else { block.rows };
        (numbers.next_multiple_of(columns * rows) / columns, columns)
    }

    /// The rows and columns of the smallest matrix with blocks of this recipe that holds a matrix. Zeros may fill it up.
    ///
    /// ```
    /// use ptxcvt_blocks::Recipe;
    /// assert_eq!(Recipe::named("mx-rceil/e4m3")?.fitting_rows(3, 33), (3, 64));
    /// assert_eq!(Recipe::named("nvfp4-te-16x16")?.fitting_rows(3, 33), (16, 48));
    /// # Ok::<(), ptxcvt_blocks::RecipeError>(())
    /// ```
    pub fn fitting_rows(&self, rows: usize, columns: usize) -> (usize, usize) {
        let block = self.block().rows;
        let rows = if block == BlockShape::ALL { rows } else { rows.next_multiple_of(block) };
        (rows, self.fitting_columns(columns))
    }

    /// The block of an element of a matrix with this many columns, by its row and column among the blocks, and the index
    /// of the element in the block.
    ///
    /// ```
    /// use ptxcvt_blocks::Recipe;
    /// let rows = Recipe::named("nvfp4-te-1x16")?;
    /// assert_eq!(rows.place(64, (2, 33)), ((2, 2), 1));
    /// # Ok::<(), ptxcvt_blocks::RecipeError>(())
    /// ```
    pub fn place(&self, columns: usize, (row, column): (usize, usize)) -> ((usize, usize), usize) {
        let block = self.block();
        let at = (row / block.rows, column / block.columns);
        // The last block of a row may be narrower.
        let width = block.columns.min(columns - at.1 * block.columns);
        (at, row % block.rows * width + column % block.columns)
    }

    /// Checks that the layout supports a matrix of this shape.
    pub(crate) fn check_layout(&self, rows: usize, columns: usize) -> Result<(), BlockError> {
        check_size(&[rows, columns])?;
        if let Some(group) = self.layout().group().filter(|group| columns % group.elements != 0) {
            let block = BlockShape { rows: 1, columns: group.elements };
            return Err(BlockError::Ragged { recipe: self.name().into(), block, rows, columns });
        }
        if self.element().storage() == 4 && columns % 2 != 0 {
            return Err(BlockError::OddColumns { columns });
        }
        if self.layout() == Layout::Packed && columns % 4 != 0 {
            let block = BlockShape { rows: 1, columns: 4 };
            return Err(BlockError::Ragged { recipe: self.name().into(), block, rows, columns });
        }
        Ok(())
    }

    /// The rows and columns of the scales of a matrix.
    pub fn scale_shape(&self, rows: usize, columns: usize) -> (usize, usize) {
        (rows.div_ceil(self.block().rows), columns.div_ceil(self.block().columns))
    }

    /// Checks the shape of the scales of an array of elements of this shape. Axes of one element do not count.
    ///
    /// ```
    /// use ptxcvt_blocks::Recipe;
    /// let squares = Recipe::named("nvfp4-te-16x16")?;
    /// assert!(squares.check_scales(&[2, 48, 64], &[2, 3, 4]).is_ok());
    /// let wrong = squares.check_scales(&[2, 48, 64], &[2, 4, 3]).unwrap_err();
    /// assert_eq!(wrong.to_string(), "the scales have shape [2, 4, 3], not [2, 3, 4]");
    /// assert!(squares.check_scales(&[2, 48, 64], &[24]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the scales have another shape.
    pub fn check_scales(&self, elements: &[usize], scales: &[usize]) -> Result<(), BlockError> {
        let Some((last, before)) = elements.split_last() else { return Ok(()) };
        let (rows, columns) = self.scale_shape(before.last().copied().unwrap_or(1), *last);
        let mut expected = before.to_vec();
        if let Some(last) = expected.last_mut().filter(|_| self.block().rows > 1) {
            *last = rows;
        }
        expected.push(columns);
        match self.scale_bytes() > 0 && squeezed(scales) != squeezed(&expected) {
            true => Err(BlockError::ScalesShape { expected, given: scales.to_vec() }),
            false => Ok(()),
        }
    }

    /// Checks the shape of the bytes of an array of elements of this shape. Axes of one byte do not count. Bytes without
    /// axes are in the same order.
    ///
    /// ```
    /// use ptxcvt_blocks::Recipe;
    /// let recipe = Recipe::named("mx-rceil/e2m1")?;
    /// assert!(recipe.check_data(&[48, 64], &[48, 32]).is_ok());
    /// let wrong = recipe.check_data(&[48, 64], &[32, 48]).unwrap_err();
    /// assert_eq!(wrong.to_string(), "the data has shape [32, 48], not [48, 32]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the bytes have axes that do not fit.
    pub fn check_data(&self, elements: &[usize], data: &[usize]) -> Result<(), BlockError> {
        let Some((last, before)) = elements.split_last() else { return Ok(()) };
        let mut expected = before.to_vec();
        expected.push(self.row_bytes(*last));
        let given = squeezed(data);
        match given.len() > 1 && given != squeezed(&expected) {
            true => Err(BlockError::DataShape { expected, given: data.to_vec() }),
            false => Ok(()),
        }
    }

    /// The bytes of the elements of one row; in layouts of GGUF including the scales.
    pub fn row_bytes(&self, columns: usize) -> usize {
        match self.layout().group() {
            Some(group) => columns / group.elements * group.bytes,
            // The bits of a row may be more than a `usize` counts; its bytes are not more than its elements.
            None => {
                let bits = self.layout().element_bits(self.element());
                columns / 8 * bits + (columns % 8 * bits).div_ceil(8)
            }
        }
    }

    /// The bytes of the elements and of the scales of a matrix with these rows and columns.
    pub(crate) fn part_lens(&self, (rows, columns): (usize, usize)) -> (usize, usize) {
        let (scale_rows, scale_columns) = self.scale_shape(rows, columns);
        (rows * self.row_bytes(columns), scale_rows * scale_columns * self.scale_bytes())
    }

    /// The number of columns with this many bytes: the inverse of [`row_bytes`](Self::row_bytes). It is smaller if the
    /// number of bits exceeds the address space; [`matrices`](Self::matrices) rejects such a shape.
    pub fn row_columns(&self, bytes: usize) -> usize {
        match self.layout().group() {
            Some(group) => (bytes / group.bytes).saturating_mul(group.elements),
            None => bytes.saturating_mul(8) / self.layout().element_bits(self.element()),
        }
    }

    /// The bytes of one scale; 0 if scales are stored among the elements.
    pub fn scale_bytes(&self) -> usize {
        match self.layout().group() {
            Some(_) => 0,
            None => self.scale().storage() as usize / 8,
        }
    }
}

/// Checks that the bits of an array can be counted. An axis of length 0 does not make it smaller, as in NumPy: sizes of
/// parts are products of some of the axes.
fn check_size(shape: &[usize]) -> Result<(), BlockError> {
    let bits = shape.iter().try_fold(8_usize, |bits, n| bits.checked_mul((*n).max(1)));
    bits.map(drop).ok_or(BlockError::TooLarge)
}
