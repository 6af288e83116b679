//! The output: a file written beside its target and renamed when whole, so that a run that fails or is interrupted
//! leaves what was there before; or what is no regular file, written through.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::interrupt::{self, Ticket};
use super::leftover;
use crate::failure::Failure;
use crate::output::reason;

/// Where the bytes go.
pub struct Sink {
    kind: Kind,
    /// As the user named it.
    name: String,
    written: u64,
    ticket: Ticket,
}

enum Kind {
    /// A file that does not exist under its name yet, and the one that it replaces.
    Replace { file: NamedTempFile, target: PathBuf, old: Option<Box<Metadata>> },
    /// Standard output, a FIFO, a device.
    Through(Box<dyn Write + Send>),
}

impl Sink {
    /// Begins what shall become `name`; `-` is standard output.
    pub fn create(name: &str) -> Result<Self, Failure> {
        let create = || match name {
            "-" => Ok(Kind::Through(Box::new(io::stdout()))),
            _ => Sink::file(name),
        };
        let (kind, ticket) = interrupt::begin(create, |kind| match kind {
            Kind::Replace { file, .. } => (Some(file.path().to_owned()), format!("{name} is as it was")),
            Kind::Through(_) => (None, "the output is not whole".to_owned()),
        })?;
        Ok(Sink { kind, name: name.to_owned(), written: 0, ticket })
    }

    fn file(name: &str) -> Result<Kind, Failure> {
        let fail = |path: &Path, what: &str, error: &io::Error| {
            Failure::new(format!("{}: {what}{}", path.display(), reason(error)))
        };
        let target = followed(Path::new(name)).map_err(|e| fail(Path::new(name), "", &e))?;
        let old = std::fs::metadata(&target).ok();
        match &old {
            Some(old) if old.is_dir() => {
                return Err(Failure::new(format!("{name}: is a directory; the output must be a file")));
            }
            Some(old) if !old.is_file() => {
                let file = OpenOptions::new().write(true).open(&target).map_err(|e| fail(&target, "", &e))?;
                return Ok(Kind::Through(Box::new(file)));
            }
            // A file that may not be written must not be replaced either.
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
        let file = builder.tempfile_in(folder).map_err(|e| fail(folder, "cannot write there: ", &e))?;
        Ok(Kind::Replace { file, target, old: old.map(Box::new) })
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.written += bytes.len() as u64;
        match &mut self.kind {
            Kind::Through(file) => file.write_all(bytes).map_err(|e| failed(&self.name, e)),
            Kind::Replace { file, .. } => file.write_all(bytes).map_err(|e| {
                Failure::new(format!("{}: {}; the old file is as it was", self.name, reason(&e)))
            }),
        }
    }

    /// The next bytes are written from this place on; what is written through cannot go back.
    pub fn seek(&mut self, place: u64) -> Result<(), Failure> {
        match &mut self.kind {
            Kind::Replace { file, .. } => {
                file.seek(SeekFrom::Start(place)).map(drop).map_err(|e| failed(&self.name, e))
            }
            Kind::Through(_) if place == self.written => Ok(()),
            Kind::Through(_) => Err(Failure::new(format!(
                "{}: is no regular file, and the tensors are not made in the order in which they lie",
                self.name
            ))),
        }
    }

    /// How many bytes were written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<(), Failure> {
        let name = self.name;
        let failed = |e: io::Error| failed(&name, e);
        match self.kind {
            Kind::Through(mut file) => self.ticket.end(|| file.flush()).map_err(failed),
            Kind::Replace { file, target, old } => self.ticket.end(|| match old {
                Some(old) if !keep(file.as_file(), &old) => copy_into(file, &target).map_err(failed),
                _ => file.persist(&target).map(drop).map_err(|e| failed(e.error)),
            }),
        }
    }
}

/// A reader that went away ends the run quietly.
fn failed(name: &str, error: io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return error.into();
    }
    Failure::new(format!("{name}: {}", reason(&error)))
}

/// The path itself, or where the chain of symbolic links that it names ends, whether something is there or not.
fn followed(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match std::fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Gives the new file the permissions and the owner of the old one; false where that is not allowed.
#[cfg(unix)]
fn keep(file: &File, old: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(new) = file.metadata() else { return false };
    let owned = (new.uid(), new.gid()) == (old.uid(), old.gid())
        || std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid())).is_ok();
    // Last, because a change of owner takes some permissions away.
    owned && file.set_permissions(old.permissions()).is_ok()
}

#[cfg(not(unix))]
fn keep(file: &File, old: &Metadata) -> bool {
    file.set_permissions(old.permissions()).is_ok()
}

/// Writes the whole file over the old one: its name, owner and permissions stay. For a moment it is in pieces, which
/// is why this is done only where it cannot be replaced.
fn copy_into(file: NamedTempFile, target: &Path) -> io::Result<()> {
    let mut whole = File::open(file.path())?;
    let mut old = OpenOptions::new().write(true).truncate(true).open(target)?;
    io::copy(&mut whole, &mut old).map(drop)
}

/// What an ordinary new file has (the umask still applies); temporary files are private by default.
fn ordinary_permissions() -> Option<Permissions> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        Some(Permissions::from_mode(0o666))
    }
    #[cfg(not(unix))]
    None
}
