//! An output must not replace a file that the same command reads.

use std::fs::Metadata;
use std::path::Path;

use crate::error::FileError;

/// Checks that writing `output` would not replace the file `input`, which the command reads. `-` is the standard input or
/// output, which may be a file, too.
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
    Err(FileError::new(message).help("name another output file"))
}

/// True if both names are those of one regular file or one FIFO.
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
