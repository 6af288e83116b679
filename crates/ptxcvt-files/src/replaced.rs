//! An output must not replace a file that the same command reads, or another output.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crate::descriptor::{self, Target};
use crate::error::FileError;

/// Checks that writing `output` would not replace the file `input`, which the command reads. `-` is the standard input
/// or output, which may be a file, too.
///
/// # Errors
///
/// Fails if both are the same regular file or the same FIFO, also by different names. A FIFO would be read before it is
/// written, and wait for ever.
pub fn refuse_replacing(input: impl AsRef<Path>, output: impl AsRef<Path>) -> Result<(), FileError> {
    let (input, output) = (input.as_ref(), output.as_ref());
    let opened = |path, stream| if path == Path::new("-") { Path::new(stream) } else { path };
    if !is_same_file(opened(input, "/dev/stdin"), opened(output, "/dev/stdout")) {
        return Ok(());
    }
    let message = if input == output {
        format!("{}: is the input; the output would replace it", output.display())
    } else {
        let (output, input) = (output.display(), input.display());
        format!("{output}: is the same file as the input {input}, which it would replace")
    };
    Err(FileError::new(message).with_help("name another output file"))
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

/// True if both names refer to the same regular file or the same FIFO.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let (Ok(x), Ok(y)) = (std::fs::metadata(a), std::fs::metadata(b)) else { return false };
    ((x.is_file() && y.is_file()) || (is_fifo(&x) && is_fifo(&y))) && same(a, &x, b, &y)
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

#[cfg(unix)]
fn same(_: &Path, x: &Metadata, _: &Path, y: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (x.dev(), x.ino()) == (y.dev(), y.ino())
}

#[cfg(not(unix))]
fn same(a: &Path, _: &Metadata, b: &Path, _: &Metadata) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(a).is_some_and(|a| real(b) == Some(a))
}
