//! The lock of an output folder: two runs into one folder would remove and rename each other's files.
//!
//! The system releases the lock when its process ends, so a killed run never blocks the next one.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::FileError;
use crate::{interrupt, leftover};

/// The beginning of the contents of a lock file; the process and the host follow.
const MARK: &str = "ptxcvt: ";

/// A lock file that this process has locked. Dropping it removes the file.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    /// `None` after the file was closed.
    file: Option<File>,
}

impl Lock {
    /// Locks the output `folder`, which must not exist yet, with the file `.FOLDER.part.lock` next to it. The name is hidden
    /// because the model may be in the same folder, and hidden files are not copied. File systems without locks have none.
    ///
    /// # Errors
    ///
    /// Fails if the folder exists, if another run has the lock, or if the file cannot be made or was not made by such a run.
    pub fn take(folder: &Path) -> Result<Lock, FileError> {
        refuse_existing(folder)?;
        let mut name = OsString::from(".");
        name.push(folder.file_name().unwrap_or_default());
        name.push(".part.lock");
        let path = folder.with_file_name(name);
        let failed = |error: &io::Error| FileError::io(path.display(), error);
        loop {
            let file = match open(&path) {
                Ok(file) => file,
                Err(error) if is_held(&error) => return Err(held(folder, "")),
                Err(error) => return Err(failed(&error)),
            };
            let locked = lock(&file);
            let mut text = String::new();
            // Contents that are not text do not begin with the mark, either.
            let read = (&file).take(4096).read_to_string(&mut text);
            if read.is_err() || !(text.is_empty() || text.starts_with(MARK)) {
                return Err(FileError::new(format!("{}: is not the lock of a run", path.display()))
                    .with_help("move it elsewhere, or name another folder"));
            }
            match locked {
                Err(error) if is_held(&error) => {
                    return Err(held(folder, text.strip_prefix(MARK).unwrap_or_default()));
                }
                // The run that held the lock removed this file.
                Ok(()) if !is_named(&file, &path) => continue,
                _ => {}
            }
            interrupt::remember(&path);
            // From here on the file is removed, also if the disk is full.
            let taken = Lock { path: path.clone(), file: Some(file) };
            taken.name_holder().map_err(|e| failed(&e))?;
            // The run that had the lock before may have completed the folder.
            return refuse_existing(folder).map(|()| taken);
        }
    }
}

impl Lock {
    /// Writes which process has the lock. A killed run leaves its contents.
    fn name_holder(&self) -> io::Result<()> {
        let mut file = self.file.as_ref().expect("the file is open until the lock is dropped");
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(format!("{MARK}process {} on {}\n", std::process::id(), leftover::host()).as_bytes())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file is removed while it is locked: a run that has opened it meanwhile finds that its name is gone.
        let _ = fs::remove_file(&self.path);
        self.file = None;
        interrupt::forget(&self.path);
    }
}

/// Checks that the output is a new folder.
fn refuse_existing(folder: &Path) -> Result<(), FileError> {
    match folder.exists() {
        true => Err(FileError::new(format!("{}: exists already", folder.display()))
            .with_help("the output of a checkpoint is a new folder: remove the old one, or name another")),
        false => Ok(()),
    }
}

/// The error for a folder that another run writes.
fn held(folder: &Path, holder: &str) -> FileError {
    let holder = holder.lines().next().filter(|holder| !holder.is_empty());
    let holder = holder.map(|holder| format!(" ({})", ptxcvt::clip(holder))).unwrap_or_default();
    FileError::new(format!("{}: another run{holder} is writing this folder", folder.display()))
        .with_help("wait until that run has ended, or name another folder")
}

#[cfg(not(windows))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Opens the file for this process alone; the system removes it when it is closed.
#[cfg(windows)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt;
    const DELETE_ON_CLOSE: u32 = 0x0400_0000;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.share_mode(0).custom_flags(DELETE_ON_CLOSE).open(path)
}

#[cfg(unix)]
fn lock(file: &File) -> io::Result<()> {
    use rustix::fs::{FlockOperation, flock};
    Ok(flock(file, FlockOperation::NonBlockingLockExclusive)?)
}

#[cfg(not(unix))]
fn lock(_: &File) -> io::Result<()> {
    Ok(())
}

/// True if the error says that another process has the file.
fn is_held(error: &io::Error) -> bool {
    const SHARING_VIOLATION: i32 = 32;
    error.kind() == io::ErrorKind::WouldBlock
        || cfg!(windows) && error.raw_os_error() == Some(SHARING_VIOLATION)
}

/// True if an open file still has its name.
#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(file), Ok(named)) = (file.metadata(), fs::metadata(path)) else { return false };
    (file.dev(), file.ino()) == (named.dev(), named.ino())
}

#[cfg(not(unix))]
fn is_named(_: &File, _: &Path) -> bool {
    true
}
