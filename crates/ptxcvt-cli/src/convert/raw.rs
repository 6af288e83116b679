//! Raw files: elements and nothing else; the user says which.

use ptxcvt::Format;

use super::array::{Array, FileType};
use super::source::Source;

/// The whole file as one array of `format`.
pub fn read(source: &Source, format: Format, big_endian: bool) -> Array {
    let storage = u64::from(format.storage().max(8));
    Array {
        name: None,
        start: 0,
        len: source.len(),
        shape: source.len().map(|len| len * 8 / storage).into_iter().collect(),
        fortran: false,
        big_endian: big_endian && storage > 8,
        dtype: FileType::Raw(format),
    }
}
