//! Opening an input file.

use ptxcvt::Format;

use crate::array::{Container, Input};
use crate::error::FileError;
use crate::source::Source;
use crate::{npy, raw, safetensors};

/// The user's declarations about inputs.
#[derive(Clone, Copy, Debug)]
pub struct Declared {
    /// The format of the elements of raw inputs.
    pub dtype: Option<Format>,
    /// Whether raw inputs have the most significant byte first.
    pub big_endian: bool,
    /// The source format of the first conversion, for the help of errors.
    pub wanted: Format,
}

/// Opens a file and reads its header. The extension determines the format. If it is unknown, or the file is a
/// stream, the first bytes do. A file with a header is not read as numbers, even if the elements of raw inputs are declared;
/// a stream is then.
///
/// # Errors
///
/// Fails if the file cannot be read, if a raw file is not declared, or if a file with a header is.
pub fn open(path: &str, declared: Declared) -> Result<Input, FileError> {
    let source = Source::open(path)?;
    let container = Container::of_file(path, &source, declared.dtype.is_some())?;
    let (arrays, metadata) = match container {
        Container::Npy => (vec![npy::read(&source)?], None),
        Container::Safetensors => safetensors::read(&source)?,
        Container::Raw => {
            let format = declared.dtype.ok_or_else(|| {
                FileError::new(format!("{path}: the format of a raw file is unknown"))
                    .with_help(format!("give --dtype {}", declared.wanted))
            })?;
            (vec![raw::read(&source, format, declared.big_endian)], None)
        }
    };
    if container != Container::Raw && (declared.dtype.is_some() || declared.big_endian) {
        let option = if declared.dtype.is_some() { "--dtype" } else { "--big-endian" };
        let held = arrays.first().map_or(String::new(), |array| format!(" ({})", array.dtype));
        let failure = FileError::new(format!(
            "{path}: its header declares its contents{held}; {option} is for raw files"
        ));
        return Err(failure.with_help("--reinterpret reads its bits as the type that the conversion needs"));
    }
    Ok(Input { source, container, arrays, metadata, in_checkpoint: false })
}
