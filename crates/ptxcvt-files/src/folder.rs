//! Folders that commands write into.

use std::fs;
use std::path::Path;

use crate::error::{FileError, reason};
use crate::writer::is_stream;

/// Makes a folder for outputs with the folders above it. An existing folder is accepted.
///
/// # Errors
///
/// Fails for `-`, a pipe, a device and every other file, and if the folder cannot be made.
pub fn create_folder(path: impl AsRef<Path>) -> Result<(), FileError> {
    let path = path.as_ref();
    refuse_file(path)?;
    fs::create_dir_all(path).map_err(|e| FileError::new(format!("{}: {}", path.display(), reason(&e))))
}

/// Checks that a folder may have this name.
///
/// # Errors
///
/// Fails for `-` and for names of files, pipes and devices.
pub(crate) fn refuse_file(path: &Path) -> Result<(), FileError> {
    let name = path.to_string_lossy();
    if name == "-" {
        return Err(FileError::new("-: is standard output; the output must be a folder")
            .help("`./-` is a folder of this name"));
    }
    if is_stream(&name) || (path.exists() && !path.is_dir()) {
        return Err(FileError::new(format!("{name}: is a file; the output must be a folder")));
    }
    Ok(())
}
