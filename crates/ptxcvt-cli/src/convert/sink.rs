//! The output file: written beside the target and renamed when whole, so that a run that fails or is
//! interrupted leaves what was there before.

use std::fs::Permissions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// A file that does not exist under its name yet.
pub struct Sink {
    file: NamedTempFile,
    target: PathBuf,
}

impl Sink {
    /// Begins the file that shall become `target`.
    pub fn create(target: &str) -> Result<Self, Failure> {
        let target = PathBuf::from(target);
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if target.is_dir() {
            return Err(Failure::new(format!(
                "{}: is a directory; the output must be a file",
                target.display()
            )));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".ptxcvt-").suffix(".part");
        if let Some(permissions) = ordinary_permissions() {
            builder.permissions(permissions);
        }
        let file = builder
            .tempfile_in(folder)
            .map_err(|e| Failure::new(format!("{}: cannot write there: {e}", folder.display())))?;
        Ok(Sink { file, target })
    }

    /// Appends bytes, unless the run was interrupted.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if interrupted().load(Ordering::Relaxed) {
            return Err(Failure::new(format!("interrupted; {} is as it was", self.target.display())));
        }
        self.file
            .write_all(bytes)
            .map_err(|e| Failure::new(format!("{}: {e}; the old file is as it was", self.target.display())))
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<(), Failure> {
        let target = self.target;
        self.file
            .persist(&target)
            .map(drop)
            .map_err(|e| Failure::new(format!("{}: {}", target.display(), e.error)))
    }
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

/// Set when the user or the system asks the run to end; the handler is installed on first use.
pub fn interrupted() -> &'static AtomicBool {
    static FLAG: AtomicBool = AtomicBool::new(false);
    static HANDLER: OnceLock<()> = OnceLock::new();
    HANDLER.get_or_init(|| {
        // Without a handler the process ends at once, and leaves the temporary file: worse, not wrong.
        let _ = ctrlc::set_handler(|| FLAG.store(true, Ordering::Relaxed));
    });
    &FLAG
}
