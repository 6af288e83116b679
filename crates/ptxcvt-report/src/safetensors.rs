//! The header of a `.safetensors` file: named tensors. The command, which reads files larger than memory, and the page,
//! which has no files, read it by these rules.
//!
//! The crate `safetensors` checks the JSON: tensors follow each other without gaps and are as long as their shapes say.

use std::collections::HashMap;
use std::fmt;

pub use ::safetensors::Dtype;
use ::safetensors::tensor::Metadata;
use ptxcvt::{clip, counted};

/// The longest header that the format allows, in bytes.
pub const LONGEST: u64 = 100_000_000;

/// The number of bytes before the header, which hold its length.
pub const PREFIX: usize = 8;

/// Why a header cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderError(String);

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for HeaderError {}

/// The tensors and the metadata of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The tensors in the order of their data.
    pub tensors: Vec<Tensor>,
    /// The metadata: text by key. `None` if the header has none.
    pub metadata: Option<HashMap<String, String>>,
}

/// A tensor in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub dtype: Dtype,
    /// The lengths of its axes, in elements.
    pub shape: Vec<u64>,
    /// The position of its first byte in the file.
    pub start: u64,
    /// Its length in bytes.
    pub len: u64,
}

impl Header {
    /// The length of the header's text, which begins after the first [`PREFIX`] bytes. `file` has these bytes, or all of a
    /// shorter file; `size` is the length of the file, if it is known.
    ///
    /// # Errors
    ///
    /// Fails if the file is shorter than the header, or if the format does not allow such a long one.
    pub fn length(file: &[u8], size: Option<u64>) -> Result<u64, HeaderError> {
        let Some(first) = file.first_chunk::<PREFIX>() else {
            return Err(HeaderError("it is shorter than the length of its header".into()));
        };
        let length = u64::from_le_bytes(*first);
        if length > LONGEST || size.is_some_and(|size| length > size.saturating_sub(PREFIX as u64)) {
            return Err(HeaderError(format!("its header would have {}", counted(length, "byte"))));
        }
        Ok(length)
    }

    /// Reads the text: a JSON object. `size` is the length of the file, if it is known.
    ///
    /// ```
    /// use ptxcvt_report::safetensors::{Dtype, Header};
    /// let text = br#"{"w": {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]}}"#;
    /// let header = Header::read(text, None)?;
    /// let [tensor] = &header.tensors[..] else { panic!("{header:?}") };
    /// assert_eq!((tensor.dtype, tensor.start, tensor.len), (Dtype::F16, 8 + text.len() as u64, 12));
    /// # Ok::<(), ptxcvt_report::safetensors::HeaderError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the text is not such an object, if tensors overlap or leave gaps, if a tensor is not as long as its shape
    /// says, or if the file has another length than the header describes.
    pub fn read(text: &[u8], size: Option<u64>) -> Result<Header, HeaderError> {
        let header: Metadata = serde_json::from_slice(text)
            .map_err(|e| HeaderError(format!("its header: {}", clip(&e.to_string()))))?;
        let begin = (PREFIX + text.len()) as u64;
        let wanted = begin + header.data_len() as u64;
        if let Some(size) = size.filter(|size| *size != wanted) {
            let has = counted(size, "byte");
            return Err(HeaderError(format!("it has {has}, but its header describes {wanted}")));
        }
        let tensor = |name: String| {
            let info = header.info(&name).expect("the header describes each tensor that it names");
            let (from, to) = info.data_offsets;
            Tensor {
                dtype: info.dtype,
                shape: info.shape.iter().map(|n| *n as u64).collect(),
                start: begin + from as u64,
                len: (to - from) as u64,
                name,
            }
        };
        let tensors = header.offset_keys().into_iter().map(tensor).collect();
        let text = |(key, value): (&String, &String)| (key.clone(), value.clone());
        let metadata = header.metadata().as_ref().map(|all| all.iter().map(text).collect());
        Ok(Header { tensors, metadata })
    }
}
