//! Files that the program reads. All are opened here and remembered, so that no output replaces one of them.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::descriptor;
use crate::error::FileError;
use crate::replaced::{Identity, would_replace};

/// The name of standard input and output.
const STANDARD: &str = "-";

/// The inputs, each with the name under which it was first opened; `None` if they are not remembered.
static READ: Mutex<Option<HashMap<Identity, PathBuf>>> = Mutex::new(None);

/// The number of inputs in [`READ`].
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn read() -> MutexGuard<'static, Option<HashMap<Identity, PathBuf>>> {
    READ.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on no output may replace a file that was read. For programs that run one command: one that runs for
/// longer may read a file and replace it later for another purpose.
pub fn protect() {
    read().get_or_insert_default();
}

/// Opens an input.
///
/// # Errors
///
/// Fails if it cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    let file = open_own(path)?;
    remember(path, &file.metadata()?);
    Ok(file)
}

/// Opens a file that an earlier run wrote and that this run may write again.
///
/// # Errors
///
/// Fails if it cannot be opened.
pub(crate) fn open_own(path: &Path) -> io::Result<File> {
    #[expect(clippy::disallowed_methods, reason = "this is where the others get it from")]
    File::open(path)
}

/// Remembers that standard input is read, which may be a file.
pub(crate) fn remember_standard() {
    if let Ok(metadata) = descriptor::duplicate(0).and_then(|file| file.metadata()) {
        remember(Path::new(STANDARD), &metadata);
    }
}

fn remember(path: &Path, metadata: &Metadata) {
    let Some(identity) = Identity::of(path, metadata) else { return };
    if let Some(inputs) = read().as_mut() {
        inputs.entry(identity).or_insert_with(|| path.to_owned());
        COUNT.store(inputs.len(), Ordering::Release);
    }
}

/// Checks that `output` would not replace a file that was read since [`protect`]. [`Writer`](crate::Writer) does so
/// itself; a command that works for long before it writes checks it earlier.
///
/// # Errors
///
/// Fails if it would.
pub fn refuse_replacing_any(output: impl AsRef<Path>) -> Result<(), FileError> {
    let output = output.as_ref();
    replaced(output).map_or(Ok(()), |input| Err(would_replace(&input, output)))
}

/// The input that `output` would replace.
fn replaced(output: &Path) -> Option<PathBuf> {
    // Without inputs, the output is not examined.
    if COUNT.load(Ordering::Acquire) == 0 {
        return None;
    }
    let identity = Identity::of_output(output)?;
    read().as_ref()?.get(&identity).cloned()
}

/// Checks that standard output is not a file that was read, before something is printed.
///
/// # Errors
///
/// Fails if it is one.
pub(crate) fn check_standard_output() -> io::Result<()> {
    /// The number of inputs among which standard output is not.
    static CHECKED: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.load(Ordering::Acquire);
    if CHECKED.load(Ordering::Relaxed) != count {
        if let Some(input) = replaced(Path::new(STANDARD)) {
            let input = input.display();
            let message =
                format!("standard output is the same file as the input {input}, which it would replace");
            return Err(io::Error::other(message));
        }
        CHECKED.store(count, Ordering::Relaxed);
    }
    Ok(())
}
