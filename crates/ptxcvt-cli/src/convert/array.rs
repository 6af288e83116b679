//! An array in a file, and what a conversion makes of it.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use ::safetensors::Dtype;
use ptxcvt::Format;

use crate::failure::Failure;

/// A mapped input file and the arrays in it.
pub struct Input {
    pub path: String,
    pub data: filebuffer::FileBuffer,
    pub arrays: Vec<Array>,
    /// The metadata of a safetensors file.
    pub metadata: Metadata,
}

/// What a safetensors file says of itself beside its tensors.
pub type Metadata = Option<HashMap<String, String>>;

/// The file formats, by file name extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    Npy,
    Safetensors,
    Raw,
}

impl Container {
    /// By the extension; anything unknown is raw.
    pub fn of(path: &str) -> Container {
        match Path::new(path).extension().and_then(|e| e.to_str()) {
            Some("npy") => Container::Npy,
            Some("safetensors") => Container::Safetensors,
            _ => Container::Raw,
        }
    }
}

/// An array: where its bytes lie and what the file says of them.
#[derive(Clone, Debug)]
pub struct Array {
    /// A tensor's name; empty where a file holds one array.
    pub name: String,
    pub bytes: Range<usize>,
    /// As the file counts; numbers of 4 bits may be counted in bytes.
    pub shape: Vec<u64>,
    /// The first axis is the one that is contiguous.
    pub fortran: bool,
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
    /// Elements of a format, in memory order.
    Elements(Format),
    /// PTX registers of so many bits.
    Registers(u32),
    /// The input's bytes as they are.
    Copied(FileType),
}

/// An array to be written.
#[derive(Clone, Debug)]
pub struct Output {
    pub name: String,
    pub stored: Stored,
    /// In elements or registers.
    pub shape: Vec<u64>,
    pub fortran: bool,
    pub bytes: u64,
}

impl Array {
    /// The number of elements of `format`.
    pub fn elements(&self, format: Format) -> u64 {
        self.bytes.len() as u64 * 8 / u64::from(format.storage())
    }

    /// The shape in elements of `format`: a file without 4-bit types counts pairs of them as bytes.
    pub fn element_shape(&self, format: Format) -> Vec<u64> {
        let mut shape = self.shape.clone();
        if format.storage() < 8 && !matches!(self.dtype, FileType::Safetensors(Dtype::F4)) {
            if let Some(axis) = contiguous_axis(&mut shape, self.fortran) {
                *axis *= u64::from(8 / format.storage());
            }
        }
        shape
    }
}

impl Output {
    /// The shape for a file that counts 4-bit elements in bytes.
    pub fn byte_shape(&self) -> Result<Vec<u64>, Failure> {
        let mut shape = self.shape.clone();
        let Stored::Elements(format) = self.stored else { return Ok(shape) };
        if format.storage() < 8 {
            let per_byte = u64::from(8 / format.storage());
            match contiguous_axis(&mut shape, self.fortran) {
                Some(axis) if *axis % per_byte == 0 => *axis /= per_byte,
                _ => {
                    return Err(Failure::new(format!(
                        "shape {:?}: two {format} elements are packed in a byte, so the contiguous axis must be even",
                        self.shape
                    )));
                }
            }
        }
        Ok(shape)
    }
}

/// The axis along which neighbours are adjacent in memory.
fn contiguous_axis(shape: &mut [u64], fortran: bool) -> Option<&mut u64> {
    if fortran { shape.first_mut() } else { shape.last_mut() }
}
