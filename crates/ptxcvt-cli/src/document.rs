//! Documents that commands write: pictures.

use std::path::Path;
use std::process::ExitCode;

use crate::convert::sink::Sink;
use crate::failure::Failure;

/// Writes a document to a file, or to standard output where the file is `-`; it stands there whole or not at all.
pub fn write(path: &Path, text: &str) -> Result<ExitCode, Failure> {
    let mut sink = Sink::create(&path.to_string_lossy())?;
    sink.write(text.as_bytes())?;
    sink.write(b"\n")?;
    sink.finish()?;
    Ok(ExitCode::SUCCESS)
}
