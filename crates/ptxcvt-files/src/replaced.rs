//! An output must not replace a file that the same command reads, or another output.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crate::descriptor::{self, Target};
use crate::error::FileError;

/// Checks that writing `output` would not replace the file `input`, before the command reads it. `-` is the standard
/// input or output, which may be a file, too.
///
/// # Errors
///
/// Fails if both are the same regular file or the same FIFO, also by different names. A FIFO would be read before it is
/// written, and wait for ever.
pub fn refuse_replacing(input: impl AsRef<Path>, output: impl AsRef<Path>) -> Result<(), FileError> {
    let (input, output) = (input.as_ref(), output.as_ref());
    let read = Identity::of_name(if input == Path::new("-") { Path::new("/dev/stdin") } else { input });
    match read.is_some() && read == Identity::of_output(output) {
        true => Err(would_replace(input, output)),
        false => Ok(()),
    }
}

/// The error for an output that is the same file as an input.
pub(crate) fn would_replace(input: &Path, output: &Path) -> FileError {
    let message = if input == output && input != Path::new("-") {
        format!("{}: is the input; the output would replace it", output.display())
    } else {
        let (output, input) = (output.display(), input.display());
        format!("{output}: is the same file as the input {input}, which it would replace")
    };
    FileError::new(message).with_help("name another output file")
}

/// Checks that no two of the outputs, which one command writes, have the same place: a file, also one that does not
/// exist yet, a FIFO or an open stream. Names of one file that are hard links are separate places, because a complete
/// output replaces only the name. Devices such as `/dev/null` may be shared.
///
/// # Errors
///
/// Fails if a later output would replace an earlier one, or if their bytes would mix.
pub fn refuse_sharing(outputs: &[impl AsRef<Path>]) -> Result<(), FileError> {
    let places: Vec<Option<Place>> = outputs.iter().map(|output| Place::of(output.as_ref())).collect();
    for (n, output) in outputs.iter().enumerate() {
        if places[n].is_some() && places[..n].contains(&places[n]) {
            let message = format!("{}: another output writes the same file", output.as_ref().display());
            return Err(FileError::new(message).with_help("give each output a separate file"));
        }
    }
    Ok(())
}

/// Where an output goes.
#[derive(PartialEq, Eq)]
enum Place {
    /// A name in a folder, with symbolic links followed.
    Name(PathBuf),
    /// The device and the number of an open file or a FIFO.
    #[cfg(unix)]
    File(u64, u64),
}

impl Place {
    /// `None` for devices, and for places that cannot be written.
    fn of(path: &Path) -> Option<Place> {
        let path = if path == Path::new("-") { Path::new("/dev/stdout") } else { path };
        match descriptor::follow(path).ok()? {
            Target::Descriptor(_) => Place::of_stream(path),
            Target::Path(path) if std::fs::metadata(&path).is_ok_and(|file| is_fifo(&file)) => {
                Place::of_stream(&path)
            }
            Target::Path(path) if path.is_file() || !path.exists() => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
                Some(Place::Name(folder.join(path.file_name()?)))
            }
            Target::Path(_) => None,
        }
    }

    #[cfg(unix)]
    fn of_stream(path: &Path) -> Option<Place> {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        let file = std::fs::metadata(path).ok().filter(|file| !file.file_type().is_char_device())?;
        Some(Place::File(file.dev(), file.ino()))
    }

    #[cfg(not(unix))]
    fn of_stream(path: &Path) -> Option<Place> {
        Some(Place::Name(path.to_owned()))
    }
}

/// Which regular file or FIFO it is, under any name.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum Identity {
    /// The device and the number.
    #[cfg(unix)]
    Number(u64, u64),
    /// The path without links.
    #[cfg(not(unix))]
    Path(PathBuf),
}

impl Identity {
    /// The identity of an open file; `None` for devices and sockets.
    pub(crate) fn of(path: &Path, file: &Metadata) -> Option<Identity> {
        (file.is_file() || is_fifo(file)).then(|| Identity::of_place(path, file)).flatten()
    }

    /// The identity of the file that has the name of an output; `-` is standard output.
    pub(crate) fn of_output(path: &Path) -> Option<Identity> {
        Identity::of_name(if path == Path::new("-") { Path::new("/dev/stdout") } else { path })
    }

    fn of_name(path: &Path) -> Option<Identity> {
        Identity::of(path, &std::fs::metadata(path).ok()?)
    }

    #[cfg(unix)]
    fn of_place(_: &Path, file: &Metadata) -> Option<Identity> {
        use std::os::unix::fs::MetadataExt;
        Some(Identity::Number(file.dev(), file.ino()))
    }

    #[cfg(not(unix))]
    fn of_place(path: &Path, _: &Metadata) -> Option<Identity> {
        std::fs::canonicalize(path).ok().map(Identity::Path)
    }
}

#[cfg(unix)]
fn is_fifo(file: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    file.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_fifo(_: &Metadata) -> bool {
    false
}
