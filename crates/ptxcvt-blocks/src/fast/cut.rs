//! Splits a matrix into bands and chunks, and shares bands between threads.

use std::mem;
use std::ops::Range;

use ptxcvt_parallel::each_part;

use super::rows;
use crate::recipe::Recipe;

/// The number of elements in a chunk of one row, which fits in the first-level cache.
pub(super) const ROW: usize = 8192;
/// The number of elements in a chunk of several rows, which fits in the second-level cache.
const SEVERAL: usize = 1 << 18;

/// A matrix in bands and chunks.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    /// Rows and columns of the matrix.
    pub shape: (usize, usize),
    /// Columns of a chunk: whole blocks, and a multiple of four elements; or the whole row.
    pub columns: usize,
    /// Rows and columns of a block.
    pub block: (usize, usize),
}

impl Cut {
    /// `rows` is the number of rows of a chunk that are read more than once and must stay in a cache in
    /// between.
    pub fn new(recipe: &Recipe, shape: (usize, usize), rows: usize) -> Cut {
        let block = (recipe.block().rows, recipe.block().columns);
        let unit = rows::piece(block.1);
        let wanted = if rows == 1 { ROW } else { SEVERAL / rows };
        let chunk = (wanted / unit).max(1) * unit;
        Cut { shape, columns: chunk.min(shape.1.next_multiple_of(4)).max(1), block }
    }

    /// The number of bands.
    pub fn bands(&self) -> usize {
        self.shape.0.div_ceil(self.block.0)
    }

    /// The rows of a band.
    pub fn rows(&self, band: usize) -> Range<usize> {
        band * self.block.0..self.shape.0.min((band + 1) * self.block.0)
    }

    /// The first column of each chunk, and its number of columns.
    pub fn chunks(&self) -> impl Iterator<Item = (usize, usize)> {
        let (columns, all) = (self.columns, self.shape.1);
        (0..all).step_by(columns).map(move |start| (start, columns.min(all - start)))
    }

    /// The maximum number of blocks of a chunk in one band.
    pub fn blocks(&self) -> usize {
        self.columns.div_ceil(self.block.1)
    }
}

/// Runs `work` on `threads` threads. Each gets a range of bands and its parts of the two outputs. `sizes` are
/// the bytes of a band in each output.
pub(super) fn share(
    bands: usize,
    threads: usize,
    outputs: [&mut [u8]; 2],
    sizes: [usize; 2],
    work: impl Fn(Range<usize>, [&mut [u8]; 2]) + Sync,
) {
    let each = bands.div_ceil(threads.max(1)).max(1);
    if bands <= each {
        return work(0..bands, outputs);
    }
    let [mut data, mut scales] = outputs;
    let parts = (0..bands).step_by(each).map(|first| {
        let part = first..bands.min(first + each);
        let outputs = [take(&mut data, part.len() * sizes[0]), take(&mut scales, part.len() * sizes[1])];
        (part, outputs)
    });
    each_part(parts, |(part, outputs)| work(part, outputs));
}

/// Takes `bytes` bytes off the front of an output, or what is left of it.
fn take<'o>(output: &mut &'o mut [u8], bytes: usize) -> &'o mut [u8] {
    let bytes = bytes.min(output.len());
    let (front, rest) = mem::take(output).split_at_mut(bytes);
    *output = rest;
    front
}
