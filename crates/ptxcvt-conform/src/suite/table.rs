//! Columns of codes, which `write` puts into files.

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name: `input`, `result`, or that of an operand, as an identifier.
    pub name: &'static str,
    /// The width of a code in bits.
    pub bits: u32,
}

impl Column {
    /// The hexadecimal digits of a code.
    pub(super) fn digits(&self) -> usize {
        self.bits.div_ceil(4) as usize
    }

    /// The bytes of a code.
    pub(super) fn bytes(&self) -> usize {
        self.bits.div_ceil(8) as usize
    }
}

/// Vectors as a table: a row each, the result last.
#[derive(Clone, Debug)]
pub struct Table {
    /// A description of the conversion, in one line.
    pub(super) title: String,
    /// The array's name in C.
    pub(super) name: String,
    /// The keys and values that describe the conversion in a JSON object.
    pub(super) head: Vec<(&'static str, String)>,
    pub(super) columns: Vec<Column>,
    /// The codes, row by row.
    pub(super) codes: Vec<u64>,
}

impl Table {
    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The rows, with a code for each column.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.codes.chunks_exact(self.columns.len())
    }
}
