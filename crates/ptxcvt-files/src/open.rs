//! Opening an input file.

use ptxcvt::{Format, one_of};

use crate::array::{Array, Container, Input};
use crate::error::FileError;
use crate::source::Source;
use crate::{npy, raw, safetensors};

/// The user's declarations about an input, and what the input is for.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// The format of the elements of raw inputs.
    pub dtype: Option<Format>,
    /// Whether raw inputs have the most significant byte first.
    pub big_endian: bool,
    /// The use of the input.
    pub purpose: Purpose,
}

/// The use of an input. It decides which inputs are read into memory, and what a declaration means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The array of a conversion from this format. A stream is read from front to back.
    Convert(Format),
    /// Tensors to be quantised. `dtype` is also the format of numbers whose bits a `.npy` file holds as integers.
    Quantize,
    /// Tensors that were quantised; raw files have none.
    Dequantize,
    /// The random bits or the scales of a conversion, in bytes. A stream is read from front to back.
    Operand,
}

impl Declared {
    /// An input about which the user has declared nothing.
    pub fn nothing(purpose: Purpose) -> Declared {
        Declared { dtype: None, big_endian: false, purpose }
    }
}

impl Purpose {
    /// Whether the bytes of an input are read in another order than that of the file.
    fn needs_any_order(self) -> bool {
        matches!(self, Purpose::Quantize | Purpose::Dequantize)
    }

    /// The format of the elements of a raw file that the user has not declared.
    fn undeclared(self, path: &str) -> Result<Format, FileError> {
        let help = match self {
            Purpose::Dequantize | Purpose::Operand => return Ok(Format::U8),
            Purpose::Convert(format) => format!("give --dtype {format}"),
            Purpose::Quantize => format!("give --dtype {}", one_of(ptxcvt_blocks::Input::ALL)),
        };
        Err(FileError::new(format!("{path}: the format of a raw file is unknown")).with_help(help))
    }
}

/// Opens a file and reads its header. The extension determines the format. If it is unknown, or the file is a
/// stream, the first bytes do. A file with a header is not read as numbers, even if the elements of raw inputs are declared;
/// a stream is then, unless it is read into memory.
///
/// # Errors
///
/// Fails if the file cannot be read, if a raw file is not declared, or if a file with a header is.
pub fn open(path: &str, declared: Declared) -> Result<Input, FileError> {
    let Declared { dtype, big_endian, purpose } = declared;
    let source = Source::open(path)?;
    let source = if purpose.needs_any_order() { source.in_memory()? } else { source };
    let is_numbers = dtype.is_some() || purpose == Purpose::Operand;
    let container = Container::of_file(path, &source, is_numbers)?;
    let (arrays, metadata) = match container {
        Container::Npy => (vec![npy::read(&source)?], None),
        Container::Safetensors => safetensors::read(&source)?,
        Container::Raw => {
            let format = dtype.map_or_else(|| purpose.undeclared(path), Ok)?;
            (vec![raw::read(&source, format, big_endian)], None)
        }
    };
    declared.check(path, container, &arrays)?;
    Ok(Input { source, container, arrays, metadata, in_checkpoint: false })
}

impl Declared {
    /// Checks that the header of a file does not say what the user has declared.
    fn check(&self, path: &str, container: Container, arrays: &[Array]) -> Result<(), FileError> {
        let names_bits = self.purpose == Purpose::Quantize && container == Container::Npy;
        let option = match (self.dtype, self.big_endian) {
            _ if container == Container::Raw => return Ok(()),
            (Some(_), _) if !names_bits => "--dtype",
            (_, true) => "--big-endian",
            _ => return Ok(()),
        };
        let held = arrays.first().map_or(String::new(), |array| format!(" ({})", array.dtype));
        let also = match self.purpose {
            Purpose::Quantize if option == "--dtype" => " and for integers of .npy",
            _ => "",
        };
        let failure = FileError::new(format!(
            "{path}: its header declares its contents{held}; {option} is for raw files{also}"
        ));
        Err(match self.purpose {
            Purpose::Convert(_) => {
                failure.with_help("--reinterpret reads its bits as the type that the conversion needs")
            }
            _ => failure,
        })
    }
}
