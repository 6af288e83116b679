//! The writer of every output file.
//!
//! A regular file is written under a temporary name in the same folder and renamed when it is complete. A run
//! that fails or is interrupted leaves the old file unchanged. Devices, FIFOs, sockets and open descriptors
//! are written at their current position.
//!
//! If a reader closes its end of a pipe, the rest of the output is dropped and the work continues, so that
//! its result does not depend on the reader.

use std::fmt;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, Seek, SeekFrom, Write};
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::descriptor::{self, Target};
use crate::error::{FileError, reason};
use crate::inputs::refuse_replacing_any;
use crate::interrupt::{self, Ticket};
use crate::leftover;
use crate::patient::Patient;
use crate::standard;

/// An output file, or a stream.
pub struct Writer {
    kind: Kind,
    /// The name given by the user.
    name: String,
    written: u64,
    ticket: Ticket,
}

enum Kind {
    /// A temporary file, and the file that it replaces when it is complete.
    Replace { file: NamedTempFile, target: PathBuf, old: Option<Box<Metadata>>, may: May },
    /// A descriptor, a FIFO, a device.
    Through(Stream),
    /// A stream that gets its bytes at the end, because they are not written in order.
    Spooled(File, Stream),
}

/// Whether an output may replace a file that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum May {
    ReplaceInput,
    ReplaceOthers,
}

impl May {
    fn check(self, output: &Path) -> Result<(), FileError> {
        if self == May::ReplaceInput { Ok(()) } else { refuse_replacing_any(output) }
    }
}

/// A stream whose reader may leave.
type Stream = Patient<Box<dyn Write + Send>>;

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Writer {
    /// Creates the output `name`; `-` is standard output.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ptxcvt_files::Writer;
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("out.bin");
    /// let mut writer = Writer::create(&path)?;
    /// writer.write(b"all ")?;
    /// assert!(!path.exists());
    /// writer.write(b"or nothing")?;
    /// writer.finish()?;
    /// assert_eq!(std::fs::read(&path)?, b"all or nothing");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written: a folder, a read-only file, a folder without write permission. Fails if it
    /// would replace a file that the program reads ([`inputs::protect`](crate::inputs::protect)).
    pub fn create(name: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::begin(name.as_ref(), false, May::ReplaceOthers)
    }

    /// Like [`create`](Self::create), for output that is not written in the order of its bytes: a stream gets
    /// them at the end.
    ///
    /// # Errors
    ///
    /// Fails as [`create`](Self::create) does, and if a stream needs a temporary file that cannot be created.
    pub fn create_seekable(name: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::begin(name.as_ref(), true, May::ReplaceOthers)
    }

    fn begin(path: &Path, seekable: bool, may: May) -> Result<Self, FileError> {
        may.check(path)?;
        let name = path.display().to_string();
        let create = || match Kind::of(path, may)? {
            Kind::Through(stream) if seekable => {
                let spool = tempfile::tempfile()
                    .map_err(|e| FileError::new(format!("{name}: no temporary file: {}", reason(&e))))?;
                Ok::<_, FileError>(Kind::Spooled(spool, stream))
            }
            kind => Ok(kind),
        };
        let (kind, ticket) = if is_stream(path) {
            interrupt::begin_stream(create, "the output is incomplete")?
        } else {
            interrupt::begin(create, |kind| match kind {
                Kind::Replace { file, .. } => (Some(file.path().to_owned()), format!("{name} is unchanged")),
                _ => (None, "the output is incomplete".to_owned()),
            })?
        };
        Ok(Writer { kind, name, written: 0, ticket })
    }

    /// Appends bytes.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot hold them.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.written += bytes.len() as u64;
        match &mut self.kind {
            Kind::Through(stream) => stream.write_all(bytes).map_err(|e| FileError::io(&self.name, &e)),
            Kind::Spooled(file, _) => file.write_all(bytes).map_err(|e| FileError::io(&self.name, &e)),
            Kind::Replace { file, .. } => file.write_all(bytes).map_err(|e| {
                let old = match Path::new(&self.name).exists() {
                    true => "the old file is unchanged",
                    false => "no file was made",
                };
                FileError::new(format!("{}: {}; {old}", self.name, reason(&e)))
            }),
        }
    }

    /// Sets the position of the next write. A stream can only be written in order, unless it was made by
    /// [`create_seekable`](Self::create_seekable).
    ///
    /// # Errors
    ///
    /// Fails if the position is not the next one of a stream.
    pub fn seek(&mut self, position: u64) -> Result<(), FileError> {
        let file: &mut dyn Seek = match &mut self.kind {
            Kind::Replace { file, .. } => file,
            Kind::Spooled(file, _) => file,
            Kind::Through(_) if position == self.written => return Ok(()),
            Kind::Through(_) => {
                return Err(FileError::new(format!("{}: a stream is written from front to back", self.name)));
            }
        };
        file.seek(SeekFrom::Start(position)).map(drop).map_err(|e| FileError::io(&self.name, &e))
    }

    /// How many bytes were written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Completes the output: the file gets its name.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be renamed, or the stream cannot hold the rest.
    pub fn finish(self) -> Result<(), FileError> {
        let name = self.name;
        let outcome = match self.kind {
            Kind::Through(mut stream) => self.ticket.end_stream(|| stream.flush()),
            Kind::Spooled(mut file, mut stream) => self.ticket.end_stream(|| {
                file.rewind()?;
                io::copy(&mut file, &mut stream)?;
                stream.flush()
            }),
            Kind::Replace { file, target, old, may } => {
                // Inputs that were opened since the beginning count, too.
                may.check(&target)?;
                let renamed = self.ticket.end(|| {
                    if let Some(old) = old {
                        keep(file.as_file(), &old);
                    }
                    file.persist(&target).map(drop).map_err(|e| e.error)
                });
                // The rename fails in this way if its source is missing, which has another name than the output.
                if renamed.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
                    return Err(FileError::new(format!(
                        "{name}: not written, because its temporary file in the same folder was removed"
                    )));
                }
                renamed
            }
        };
        outcome.map_err(|e| FileError::io(&name, &e))
    }
}

/// Writes a whole file, or standard output for `-`.
///
/// # Errors
///
/// Fails as [`Writer::create`] and [`Writer::write`] do.
pub fn write(name: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
    let mut writer = Writer::create(name)?;
    writer.write(bytes)?;
    writer.finish()
}

/// Like [`write()`], for a command that changes a file that it has read.
///
/// # Errors
///
/// Fails as [`write()`] does.
pub fn rewrite(name: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
    let mut writer = Writer::begin(name.as_ref(), false, May::ReplaceInput)?;
    writer.write(bytes)?;
    writer.finish()
}

/// Checks that `output` is not a folder, before an error about its name.
///
/// # Errors
///
/// Fails if it is one.
#[cfg(feature = "arrays")]
pub(crate) fn refuse_folder(output: &str) -> Result<(), FileError> {
    if Path::new(output).is_dir() { Err(is_folder(Path::new(output))) } else { Ok(()) }
}

fn is_folder(path: &Path) -> FileError {
    FileError::new(format!("{}: is a directory; the output must be a file", path.display()))
}

/// True if `name` is written through: standard output, an open descriptor, a FIFO, a device.
pub fn is_stream(name: impl AsRef<Path>) -> bool {
    match descriptor::follow(name.as_ref()) {
        _ if name.as_ref() == Path::new("-") => true,
        Ok(Target::Descriptor(_)) => true,
        Ok(Target::Path(path)) => std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()),
        Err(_) => false,
    }
}

impl Kind {
    fn of(path: &Path, may: May) -> Result<Kind, FileError> {
        let fail = |path: &Path, what: &str, error: &io::Error| {
            FileError::new(format!("{}: {what}{}", path.display(), reason(error)))
        };
        let target = match descriptor::follow(path).map_err(|e| fail(path, "", &e))? {
            _ if path.as_os_str() == "-" => return standard_output().map_err(|e| fail(path, "", &e)),
            Target::Descriptor(1) => return standard_output().map_err(|e| fail(path, "", &e)),
            Target::Descriptor(number) => {
                standard::refuse_closed(number).map_err(|e| fail(path, "", &e))?;
                let file = descriptor::duplicate(number).map_err(|e| fail(path, "", &e))?;
                return Ok(Kind::Through(Patient::new(Box::new(file))));
            }
            Target::Path(target) => target,
        };
        let old = std::fs::metadata(&target).ok();
        match &old {
            Some(old) if old.is_dir() => return Err(is_folder(path)),
            Some(old) if !old.is_file() => {
                let file = OpenOptions::new().write(true).open(&target).map_err(|e| fail(&target, "", &e))?;
                return Ok(Kind::Through(Patient::new(Box::new(file))));
            }
            // A file without write permission must not be replaced, either.
            Some(_) => {
                OpenOptions::new()
                    .append(true)
                    .open(&target)
                    .map_err(|e| fail(&target, "cannot be written: ", &e))?;
            }
            None => {}
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        leftover::remove(folder);
        let prefix = leftover::prefix();
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(leftover::SUFFIX);
        if let Some(permissions) = ordinary_permissions() {
            builder.permissions(permissions);
        }
        let file = builder.tempfile_in(folder).map_err(|e| {
            let folder = format!("no file can be made in {}: ", folder.display());
            let link = format!("is a link to {}; {folder}", target.display());
            fail(path, if target == path { &folder } else { &link }, &e)
        })?;
        Ok(Kind::Replace { file, target, old: old.map(Box::new), may })
    }
}

/// Standard output without line buffering; the standard library's buffer is empty.
fn standard_output() -> io::Result<Kind> {
    standard::check_output()?;
    let _ = io::stdout().flush();
    Ok(Kind::Through(Patient::new(match descriptor::duplicate(1) {
        Ok(file) => Box::new(file),
        Err(_) => Box::new(io::stdout()),
    })))
}

/// Gives the new file the owner, the group and the permissions of the old one, as far as the system allows.
/// Permissions apply to a group, so they are not copied without it.
#[cfg(unix)]
fn keep(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let Ok(new) = file.metadata() else { return };
    let owned = new.uid() == old.uid() || fchown(file, Some(old.uid()), None).is_ok();
    let grouped = new.gid() == old.gid() || fchown(file, None, Some(old.gid())).is_ok();
    // Last, because changing the owner removes some permissions.
    if grouped && (owned || old.permissions().mode() & 0o7000 == 0) {
        let _ = file.set_permissions(old.permissions());
    }
}

#[cfg(not(unix))]
fn keep(file: &File, old: &Metadata) {
    let _ = file.set_permissions(old.permissions());
}

/// The permissions of an ordinary new file, less the umask; temporary files are private by default.
fn ordinary_permissions() -> Option<Permissions> {
    #[cfg(unix)]
    {
        Some(Permissions::from_mode(0o666))
    }
    #[cfg(not(unix))]
    None
}
