//! Columns in memory. They are aligned for the widest vectors, and begin at different offsets in their pages: if the lower
//! twelve bits of two addresses agree, a CPU may delay a load until an unrelated store is done.

use std::ops::{Deref, DerefMut};

use super::lane::{Lane, PIECE, Source};

const PAGE: usize = 4096;
/// A prime number of cache lines.
const APART: usize = 5 * 64;

/// The bytes of a column.
#[derive(Debug, Default)]
pub(super) struct Column {
    /// The column with room before it, so that it can begin at the right offset.
    bytes: Vec<u8>,
    start: usize,
    len: usize,
    is_repeated: bool,
}

impl Column {
    /// The `number`-th column, all zero.
    pub fn new(number: usize, len: usize) -> Column {
        let bytes = vec![0; len + PAGE];
        let start = (number * APART).wrapping_sub(bytes.as_ptr().addr()) % PAGE;
        Column { bytes, start, len, is_repeated: false }
    }

    /// The `number`-th column, for a constant: one piece of the widest lanes, which stands for every piece.
    pub fn repeated(number: usize) -> Column {
        Column { is_repeated: true, ..Column::new(number, PIECE * u64::BYTES) }
    }

    /// The column as a source of a kernel.
    pub fn source(&self) -> Source<'_> {
        if self.is_repeated { Source::repeated(self) } else { Source::new(self) }
    }
}

impl Deref for Column {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }
}

impl DerefMut for Column {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_apart() {
        let columns: Vec<Column> = (0..4).map(|n| Column::new(n, 100)).collect();
        for (n, column) in columns.iter().enumerate() {
            assert_eq!((column.as_ptr().addr() % PAGE, column.len()), (n * APART, 100));
        }
    }
}
