//! Folders that commands write into.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::descriptor::{self, Target};
use crate::error::{FileError, reason};
use crate::interrupt;
use crate::writer::is_stream;

/// The folders that [`create_folder`] made. Those that are still empty when this is dropped are removed, so that a
/// failed run leaves none.
#[derive(Debug)]
#[must_use = "an empty folder is removed when this is dropped"]
pub struct Folder {
    /// Each after the folder that it is in.
    made: Vec<PathBuf>,
}

impl Drop for Folder {
    fn drop(&mut self) {
        for path in self.made.iter().rev() {
            // Fails if the folder has files, or was renamed because it is complete.
            let _ = fs::remove_dir(path);
            interrupt::forget(path);
        }
    }
}

/// Makes a folder for outputs with the folders above it. An existing folder is accepted.
///
/// ```
/// let above = tempfile::tempdir()?;
/// let path = above.path().join("pages");
/// let folder = ptxcvt_files::create_folder(&path)?;
/// assert!(path.is_dir());
/// drop(folder); // nothing was written to it
/// assert!(!path.exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Fails for `-`, a pipe, a device, every other file, a link that leads nowhere, and if the folder cannot be made.
pub fn create_folder(path: impl AsRef<Path>) -> Result<Folder, FileError> {
    let path = path.as_ref();
    refuse_file(path)?;
    let mut folder = Folder { made: Vec::new() };
    match create(path, &mut folder.made) {
        Ok(()) => Ok(folder),
        Err(error) => Err(FileError::new(format!("{}: {}", path.display(), reason(&error)))),
    }
}

/// Like [`fs::create_dir_all`], but tells the folders that did not exist before.
fn create(path: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent() {
        create(above, made)?;
    }
    match fs::create_dir(path) {
        Ok(()) => {
            interrupt::remember(path);
            made.push(path.to_owned());
            Ok(())
        }
        // Another program made it.
        Err(_) if path.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Checks that a folder may have this name.
///
/// # Errors
///
/// Fails for `-`, for names of files, pipes and devices, and for a link that leads nowhere.
pub(crate) fn refuse_file(path: &Path) -> Result<(), FileError> {
    let name = path.to_string_lossy();
    if name == "-" {
        return Err(FileError::new("-: is standard output; the output must be a folder")
            .with_help("`./-` is a folder of this name"));
    }
    if is_stream(path) || (path.exists() && !path.is_dir()) {
        return Err(FileError::new(format!("{name}: is a file; the output must be a folder")));
    }
    // The path without its final slash, so that a link is not taken for its destination.
    let path: PathBuf = path.components().collect();
    match descriptor::follow(&path) {
        Ok(Target::Path(end)) if end != path && !end.exists() => {
            Err(FileError::new(format!("{name}: is a link to {}, which does not exist", end.display()))
                .with_help("remove the link, or name another folder"))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(FileError::io(name, &error)),
    }
}
