//! Raw files: little-endian elements and nothing else; the user says which.

use ptxcvt::Format;

use super::array::{Array, FileType};

/// The whole file as one array of `format`.
pub fn read(file: &[u8], format: Format) -> Array {
    let storage = u64::from(format.storage().max(8));
    Array {
        name: String::new(),
        bytes: 0..file.len(),
        shape: vec![file.len() as u64 * 8 / storage],
        fortran: false,
        dtype: FileType::Raw(format),
    }
}
