//! Opens an input and reads its header.

use ptxcvt::Format;

use super::array::{Container, Input};
use super::source::Source;
use super::{npy, raw, safetensors};
use crate::failure::Failure;

/// What the user says of inputs.
#[derive(Clone, Copy)]
pub struct Declared {
    /// Raw inputs hold elements of this format.
    pub dtype: Option<Format>,
    /// And the bytes of an element come the other way round.
    pub big_endian: bool,
    /// What the first conversion takes, for advice.
    pub wanted: Format,
}

/// Opens a file and reads its header; of a name without an extension that is known, and of a stream, the first bytes
/// say what it is.
pub fn open(path: &str, declared: Declared) -> Result<Input, Failure> {
    let source = Source::open(path)?;
    let container = match (Container::of(path), declared.dtype) {
        (Some(container), _) => container,
        (None, Some(_)) => Container::Raw,
        (None, None) => Container::by_content(&source.peek(Container::LOOKED_AT)?).unwrap_or(Container::Raw),
    };
    let (arrays, metadata) = match container {
        Container::Npy => (vec![npy::read(&source)?], None),
        Container::Safetensors => safetensors::read(&source)?,
        Container::Raw => {
            let format = declared.dtype.ok_or_else(|| {
                Failure::new(format!("{path}: a raw file does not say what it holds"))
                    .help(format!("give --dtype {}", declared.wanted))
            })?;
            (vec![raw::read(&source, format, declared.big_endian)], None)
        }
    };
    if container != Container::Raw && (declared.dtype.is_some() || declared.big_endian) {
        let option = if declared.dtype.is_some() { "--dtype" } else { "--big-endian" };
        let held = arrays.first().map_or(String::new(), |array| format!(" ({})", array.dtype));
        let failure =
            Failure::new(format!("{path}: says itself what it holds{held}; {option} is for raw files"));
        return Err(failure.help("--reinterpret takes its bits as the type that the conversion needs"));
    }
    Ok(Input { source, container, arrays, metadata })
}
