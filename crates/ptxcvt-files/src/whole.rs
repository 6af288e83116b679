//! Files that are read as a whole: sources, settings, recipes.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::inputs;

/// Limit on the size of a module or source in bytes: places in it have 32 bits.
const LONGEST_SOURCE: u64 = u32::MAX as u64;
/// Limit on the size of settings, recipes, build files and baselines in bytes.
const LONGEST_SETTINGS: u64 = 256 << 20;

/// The bytes of a module or source.
///
/// # Errors
///
/// Fails if it cannot be read, or if it is larger than 4 GiB; then it is not read.
pub fn source_file(path: &Path) -> io::Result<Vec<u8>> {
    of(inputs::open(path)?, LONGEST_SOURCE)
}

/// The text of settings, a recipe or a baseline, which must be UTF-8.
///
/// # Errors
///
/// Fails if it cannot be read, or if it is larger than 256 MiB; then it is not read.
pub fn settings_file(path: &Path) -> io::Result<String> {
    text(of(inputs::open(path)?, LONGEST_SETTINGS)?)
}

/// The text of a file that an earlier run wrote and that this run may write again; otherwise like [`settings_file`].
///
/// # Errors
///
/// Fails as [`settings_file`] does.
#[cfg(feature = "arrays")]
pub(crate) fn own_file(path: &Path) -> io::Result<String> {
    text(of(inputs::open_own(path)?, LONGEST_SETTINGS)?)
}

/// The text of a file with a line for each of many items, such as recorded vectors, which must be UTF-8.
///
/// # Errors
///
/// Fails if it cannot be read, or if it is larger than 4 GiB; then it is not read.
pub fn list_file(path: &Path) -> io::Result<String> {
    text(source_file(path)?)
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("it is not UTF-8 (first at byte {place})"))
    })
}

/// The text of a build file, with a replacement for bytes that are not UTF-8.
///
/// # Errors
///
/// Fails if it cannot be read, or if it is larger than 256 MiB; then it is not read.
pub fn build_file(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&of(inputs::open(path)?, LONGEST_SETTINGS)?).into_owned())
}

/// The bytes of a source that comes from standard input.
///
/// # Errors
///
/// Fails if it cannot be read, or if it is larger than 4 GiB.
pub fn source_input(input: impl Read) -> io::Result<Vec<u8>> {
    up_to(input, LONGEST_SOURCE)
}

fn of(file: File, limit: u64) -> io::Result<Vec<u8>> {
    // Pipes and devices have no size.
    if file.metadata()?.len() > limit {
        return Err(too_long(limit));
    }
    up_to(file, limit)
}

fn up_to(input: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_long(limit)) } else { Ok(bytes) }
}

fn too_long(limit: u64) -> io::Error {
    let size = match limit {
        LONGEST_SOURCE => "4 GiB",
        _ => "256 MiB",
    };
    io::Error::other(format!("it is larger than {size}, the limit for such a file"))
}
