//! Finds out how an array stores elements of a format: from its type, the user's options, or its content.

use ::safetensors::Dtype;
use ptxcvt::Format;

use crate::array::{Array, FileType, Input};
use crate::error::FileError;
use crate::{npy, safetensors};

/// How arrays of bytes store FP4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Fp4 {
    /// Two elements in a byte, the first in the low half
    Packed,
    /// One element per byte, as in ml_dtypes
    Bytes,
}

/// The user's options for reading inputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// How arrays of bytes store FP4, if the user says so.
    pub fp4: Option<Fp4>,
    /// Whether to accept any type of the same width.
    pub reinterpret: bool,
}

/// How an array stores a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Whether a 4-bit element occupies a byte.
    pub spread: bool,
    /// How many elements one unit of the array's shape has.
    pub per_unit: u64,
}

impl Reading {
    /// True if the array's type implies `format`, so that it is converted without being named.
    pub fn is_certain(&self, array: &Array, format: Format) -> bool {
        match &array.dtype {
            FileType::Safetensors(Dtype::U8) if format.storage() < 8 => self.fp4.is_some(),
            dtype => is_own(dtype, format),
        }
    }

    /// How `array` stores elements of `format`.
    ///
    /// # Errors
    ///
    /// Fails if the array's type cannot store them, or if its bytes may be one FP4 element or two.
    pub fn held(&self, input: &Input, array: &Array, format: Format) -> Result<Held, FileError> {
        let name = array.label(&input.source.name);
        let wide = Held { spread: false, per_unit: 1 };
        if format.storage() < 8 {
            let bytes = matches!(array.dtype.width(), Some(8));
            let fp4 = match (&array.dtype, self.fp4) {
                (FileType::Safetensors(Dtype::F4), _) => return Ok(wide),
                (FileType::Raw(raw), fp4) if *raw == format => fp4.unwrap_or(Fp4::Packed),
                (dtype, Some(fp4)) if is_own(dtype, format) || bytes && self.reinterpret => fp4,
                // NumPy stores the types of ml_dtypes as opaque bytes.
                (FileType::Npy(dtype), None) if dtype.ends_with("V1") => Fp4::Bytes,
                (dtype, None) if is_own(dtype, format) || bytes && self.reinterpret => {
                    by_content(input, array)?.ok_or_else(|| {
                        FileError::new(format!("{name}: a byte may be one {format} element or two"))
                            .with_help("give --fp4 packed or --fp4 bytes")
                    })?
                }
                _ => return Err(self.refused(array, &name, format)),
            };
            return Ok(match fp4 {
                Fp4::Packed => Held { spread: false, per_unit: u64::from(8 / format.storage()) },
                Fp4::Bytes => Held { spread: true, per_unit: 1 },
            });
        }
        let same_width = array.dtype.width() == Some(format.storage());
        if !(is_own(&array.dtype, format) || self.reinterpret && same_width) {
            return Err(self.refused(array, &name, format));
        }
        match array.len {
            Some(len) if len * 8 % u64::from(format.storage()) != 0 => Err(FileError::new(format!(
                "{name}: holds {}, which is not a whole number of {format} elements",
                ptxcvt::counted(len, "byte")
            ))),
            _ => Ok(wide),
        }
    }

    fn refused(&self, array: &Array, name: &str, format: Format) -> FileError {
        let failure = FileError::new(format!("{name}: holds {}, not {format}", array.dtype));
        let failure = failure.with_help(match array.dtype {
            FileType::Npy(_) => format!("{format} is stored as {}", npy::name(format)),
            FileType::Safetensors(_) => format!("{format} is stored as {}", safetensors::dtype(format)),
            FileType::Raw(_) => format!("give --dtype {format} if that is its format"),
        });
        let wide_enough = array.dtype.width() == Some(format.storage().max(8));
        if !wide_enough || matches!(array.dtype, FileType::Raw(_)) {
            return failure;
        }
        failure.with_help(format!("--reinterpret reads its bits as {format}"))
    }
}

/// True if `dtype` is the type under which a file stores `format`.
fn is_own(dtype: &FileType, format: Format) -> bool {
    match dtype {
        FileType::Npy(name) => npy::holds(name, format),
        FileType::Safetensors(Dtype::U8) if format.storage() < 8 => true,
        FileType::Safetensors(dtype) => safetensors::holds(*dtype, format),
        FileType::Raw(raw) => *raw == format,
    }
}

/// Two elements per byte if a byte is greater than 15; `None` if no byte is.
fn by_content(input: &Input, array: &Array) -> Result<Option<Fp4>, FileError> {
    const STEP: u64 = 1 << 16;
    let Some(len) = array.len.filter(|_| input.source.size().is_some()) else { return Ok(None) };
    let mut buffer = Vec::new();
    for at in (0..len).step_by(STEP as usize) {
        buffer.resize(STEP.min(len - at) as usize, 0);
        input.source.read_exact(array.start + at, &mut buffer)?;
        if buffer.iter().any(|byte| *byte > 0xf) {
            return Ok(Some(Fp4::Packed));
        }
    }
    Ok((len == 0).then_some(Fp4::Packed))
}

impl FileType {
    /// The width of an element in bits, if the type has one.
    pub fn width(&self) -> Option<u32> {
        match self {
            FileType::Npy(name) => npy::width(name),
            FileType::Safetensors(dtype) => u32::try_from(dtype.bitsize()).ok(),
            FileType::Raw(format) => Some(format.storage()),
        }
    }

    /// Whether the elements are numbers with an exponent.
    pub(crate) fn is_float(&self) -> bool {
        match self {
            FileType::Npy(name) => name.trim_start_matches(['<', '>', '|', '=']).starts_with('f'),
            FileType::Safetensors(dtype) => {
                let name = dtype.to_string();
                name.starts_with('F') || name.starts_with("BF")
            }
            FileType::Raw(_) => true,
        }
    }
}

impl Array {
    /// The name in messages: the file, or a tensor of it.
    pub fn label(&self, file: &str) -> String {
        match &self.name {
            None => file.to_owned(),
            Some(name) => format!("{file}: tensor `{}`", ptxcvt::clip(name)),
        }
    }
}
