//! Headers of `.npy` and `.safetensors`: a header that is accepted describes arrays inside the file.
//!
//! The input is the text of a header. The target adds the bytes before it, and as many bytes of data as the
//! description needs, up to a page.

use ptxcvt_files::{Source, npy, safetensors};

/// Valid headers.
pub const SEEDS: &[&str] = &[
    "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
    "{'descr': '>f2', 'fortran_order': True, 'shape': (7,), }\n",
    "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (), }\n",
    r#"{"__metadata__":{"a":"b"},"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}"#,
    r#"{"a":{"dtype":"F4","shape":[4],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}}"#,
];

/// The maximum number of bytes after a header.
const DATA: usize = 4096;

/// Reads the bytes as both kinds of header, with data of several lengths.
///
/// # Panics
///
/// Panics if a reader does, or if an array extends beyond its file.
pub fn run(bytes: &[u8]) {
    let Ok(length) = u16::try_from(bytes.len()) else { return };
    for data in [0, 2, 4, 14, 24, DATA] {
        let file = [b"\x93NUMPY\x01\x00", &length.to_le_bytes()[..], bytes, &vec![0; data]].concat();
        let len = file.len() as u64;
        if let Ok(array) = npy::read(&Source::memory("x", file)) {
            assert_eq!(array.len.map(|bytes| array.start + bytes), Some(len));
        }
        let file = [&u64::from(length).to_le_bytes()[..], bytes, &vec![0; data]].concat();
        let len = file.len() as u64;
        if let Ok((arrays, _)) = safetensors::read(&Source::memory("x", file)) {
            assert!(arrays.iter().all(|a| a.len.is_some_and(|bytes| a.start + bytes <= len)));
        }
    }
}
