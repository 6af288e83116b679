//! Raw files: elements without a header, in a format that the user gives.

use ptxcvt::Format;

use crate::array::{Array, FileType};
use crate::source::Source;

/// Describes the whole file as one array of `format`.
pub fn read(source: &Source, format: Format, big_endian: bool) -> Array {
    let storage = u64::from(format.storage().max(8));
    Array {
        name: None,
        start: 0,
        len: source.size(),
        shape: source.size().map(|len| len * 8 / storage).into_iter().collect(),
        fortran: false,
        big_endian: big_endian && storage > 8,
        dtype: FileType::Raw(format),
    }
}
