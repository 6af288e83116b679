//! An array in a file, and the array that a conversion writes.

use std::collections::HashMap;
use std::path::Path;

use ::safetensors::Dtype;
use ptxcvt::Format;

use crate::error::FileError;
use crate::npy_header::SIGNATURE;
use crate::source::Source;

/// An input file and the arrays in it.
#[derive(Debug)]
pub struct Input {
    /// The source of its bytes.
    pub source: Source,
    /// Its format.
    pub container: Container,
    /// The arrays, in the order of their data.
    pub arrays: Vec<Array>,
    /// The metadata of a safetensors file.
    pub metadata: Metadata,
    /// True if it is a file of a checkpoint, in which other files have tensors, too.
    pub in_checkpoint: bool,
}

/// The metadata of a safetensors file: text by key.
pub type Metadata = Option<HashMap<String, String>>;

/// The file formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Container {
    /// NumPy's format: one array per file
    Npy,
    /// Named tensors
    Safetensors,
    /// Elements without a header
    Raw,
}

impl Container {
    /// The format that a file name's extension says, in any case; `None` for other names.
    pub fn of(path: &str) -> Option<Container> {
        let extension = Path::new(path).extension()?.to_str()?;
        match extension.to_ascii_lowercase().as_str() {
            "npy" => Some(Container::Npy),
            "safetensors" => Some(Container::Safetensors),
            _ => None,
        }
    }

    /// The format that the first bytes of a file show, if its name does not say.
    pub fn by_content(first: &[u8]) -> Option<Container> {
        if first.starts_with(SIGNATURE) {
            return Some(Container::Npy);
        }
        // The length of a JSON object, and the object.
        let length = u64::from_le_bytes(*first.first_chunk()?);
        // A name or the end follows `{`, which numbers of 16 bits and more that equal it do not have.
        let is_object =
            matches!(first.get(8..), Some([b'{', b'"' | b'}' | b' ' | b'\t' | b'\r' | b'\n', ..]));
        (is_object && length < 1 << 27).then_some(Container::Safetensors)
    }

    /// The format of an input: that of its name or, without one, of its first bytes. A stream whose elements are
    /// `declared` is raw: to wait for its first bytes would delay what an interrupt ends.
    pub(crate) fn of_file(path: &str, source: &Source, declared: bool) -> Result<Container, FileError> {
        match Container::of(path) {
            Some(container) => Ok(container),
            None if declared && source.size().is_none() => Ok(Container::Raw),
            None => Ok(Self::by_content(&source.peek(Self::LOOKED_AT)?).unwrap_or(Container::Raw)),
        }
    }

    /// The number of bytes that [`by_content`](Self::by_content) examines.
    pub const LOOKED_AT: usize = 10;
}

/// An array in a file: the place of its bytes and what the header says about them.
#[derive(Clone, Debug)]
pub struct Array {
    /// A tensor's name; `None` for the one array of a file without names.
    pub name: Option<String>,
    /// The position of its first byte.
    pub start: u64,
    /// Its length in bytes; `None` for a raw stream.
    pub len: Option<u64>,
    /// The shape in the header; it may count numbers of 4 bits in bytes.
    pub shape: Vec<u64>,
    /// Whether the first axis is the contiguous one.
    pub fortran: bool,
    /// Whether elements are stored with the most significant byte first.
    pub big_endian: bool,
    /// The type of its elements.
    pub dtype: FileType,
}

impl Array {
    /// Its length in bytes, for an array that is not a raw stream.
    ///
    /// # Panics
    ///
    /// Panics if the array is a raw stream.
    pub fn known_len(&self) -> u64 {
        self.len.expect("every array has a length except a raw stream")
    }
}

/// An element type as a file names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileType {
    /// NumPy's type string, such as `<f4`.
    Npy(String),
    /// A safetensors type.
    Safetensors(Dtype),
    /// The format that the user gave for a raw file.
    Raw(Format),
}

impl std::fmt::Display for FileType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FileType::Npy(name) => f.write_str(name),
            FileType::Safetensors(dtype) => write!(f, "{dtype}"),
            FileType::Raw(format) => write!(f, "raw {format}"),
        }
    }
}

/// The contents of an output array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Elements in memory order.
    Elements {
        /// The format of an element.
        format: Format,
        /// Whether a 4-bit element occupies a byte.
        spread: bool,
    },
    /// PTX registers with this many bits.
    Registers(u32),
    /// A copy of the input's bytes, of this type.
    Copied(FileType),
}

/// An array of the output.
#[derive(Clone, Debug)]
pub struct Output {
    /// A tensor's name, if the file has names.
    pub name: Option<String>,
    /// Its contents.
    pub stored: Stored,
    /// The shape, in elements or registers.
    pub shape: Vec<u64>,
    /// Whether the first axis is the contiguous one.
    pub fortran: bool,
    /// Its length in bytes; `None` for a raw stream.
    pub bytes: Option<u64>,
}

impl Output {
    /// The shape for a file format that counts 4-bit elements in bytes.
    ///
    /// # Errors
    ///
    /// Fails if the contiguous axis has an odd number of such elements.
    pub fn byte_shape(&self) -> Result<Vec<u64>, FileError> {
        let mut shape = self.shape.clone();
        let Stored::Elements { format, spread: false } = self.stored else { return Ok(shape) };
        if format.storage() < 8 {
            let per_byte = u64::from(8 / format.storage());
            match contiguous_axis(&mut shape, self.fortran) {
                Some(axis) if *axis % per_byte == 0 => *axis /= per_byte,
                _ => {
                    let name = self.name.as_ref().map_or(String::new(), |name| format!("tensor `{name}`: "));
                    let message = format!(
                        "{name}shape {:?}: two {format} elements are packed in a byte, so the contiguous axis must be even",
                        self.shape
                    );
                    return Err(FileError::new(message).with_help("--pad fills it with zeros"));
                }
            }
        }
        Ok(shape)
    }
}

/// The axis along which neighbours are adjacent in memory; `None` for a single number.
pub fn contiguous_axis(shape: &mut [u64], fortran: bool) -> Option<&mut u64> {
    if fortran { shape.first_mut() } else { shape.last_mut() }
}
