//! An array in a file, and what a conversion makes of it.

use std::collections::HashMap;
use std::path::Path;

use ::safetensors::Dtype;
use clap::ValueEnum;
use ptxcvt::Format;

use super::source::Source;
use crate::failure::Failure;

/// An input file and the arrays in it.
pub struct Input {
    pub source: Source,
    pub container: Container,
    pub arrays: Vec<Array>,
    /// The metadata of a safetensors file.
    pub metadata: Metadata,
}

/// What a safetensors file says of itself beside its tensors.
pub type Metadata = Option<HashMap<String, String>>;

/// The file formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Container {
    /// NumPy's format, one array a file
    Npy,
    /// Named tensors
    Safetensors,
    /// Elements and nothing else
    Raw,
}

impl Container {
    /// By the extension, large or small letters; `None` for any other name.
    pub fn of(path: &str) -> Option<Container> {
        let extension = Path::new(path).extension()?.to_str()?;
        match extension.to_ascii_lowercase().as_str() {
            "npy" => Some(Container::Npy),
            "safetensors" => Some(Container::Safetensors),
            _ => None,
        }
    }

    /// By how a file begins, where its name does not say.
    pub fn by_content(first: &[u8]) -> Option<Container> {
        if first.starts_with(b"\x93NUMPY") {
            return Some(Container::Npy);
        }
        // The length of a JSON object, and the object.
        let length = u64::from_le_bytes(first.get(..8)?.try_into().ok()?);
        (first.get(8) == Some(&b'{') && length < 1 << 27).then_some(Container::Safetensors)
    }

    /// How many bytes [`by_content`](Self::by_content) looks at.
    pub const LOOKED_AT: usize = 9;
}

/// An array: where its bytes lie and what the file says of them.
#[derive(Clone, Debug)]
pub struct Array {
    /// A tensor's name; `None` where a file holds one array without a name.
    pub name: Option<String>,
    /// Its first byte.
    pub start: u64,
    /// How many bytes it has; `None` of a raw stream.
    pub len: Option<u64>,
    /// As the file counts; numbers of 4 bits may be counted in bytes.
    pub shape: Vec<u64>,
    /// The first axis is the one that is contiguous.
    pub fortran: bool,
    /// The bytes of an element come the other way round.
    pub big_endian: bool,
    pub dtype: FileType,
}

/// An element type as a file names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileType {
    /// NumPy's type string, such as `<f4`.
    Npy(String),
    /// A safetensors type.
    Safetensors(Dtype),
    /// What the user said.
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

/// What an output array holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// Elements of a format, in memory order; `spread` where one of 4 bits takes a byte.
    Elements { format: Format, spread: bool },
    /// PTX registers of so many bits.
    Registers(u32),
    /// The input's bytes as they are.
    Copied(FileType),
}

/// An array to be written.
#[derive(Clone, Debug)]
pub struct Output {
    pub name: Option<String>,
    pub stored: Stored,
    /// In elements or registers.
    pub shape: Vec<u64>,
    pub fortran: bool,
    /// `None` of a raw stream.
    pub bytes: Option<u64>,
}

impl Output {
    /// The shape for a file that counts 4-bit elements in bytes.
    pub fn byte_shape(&self) -> Result<Vec<u64>, Failure> {
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
                    return Err(Failure::new(message).help("--pad fills it up with zeros"));
                }
            }
        }
        Ok(shape)
    }
}

/// The axis along which neighbours are adjacent in memory.
pub fn contiguous_axis(shape: &mut [u64], fortran: bool) -> Option<&mut u64> {
    if fortran { shape.first_mut() } else { shape.last_mut() }
}
