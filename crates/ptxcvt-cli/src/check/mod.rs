//! The parts of `ptxcvt check`: which findings count, how files are checked and fixed, and the summary.

pub mod baseline;
pub mod fixes;
pub mod judge;
#[cfg(feature = "lower")]
pub mod need;
pub mod place;
pub mod policy;
pub mod printed;
pub mod sources;
pub mod stats;
pub mod targets;
pub mod totals;

use std::io;
use std::path::Path;

pub use totals::Totals;

use ptxcvt_files::{standard, whole};
use ptxcvt_syntax::sources::Language;

use crate::failure::{self, Failure};
use crate::output;

/// The name of a file in messages; `-` is standard input.
pub fn name_of(path: &Path) -> String {
    if path.as_os_str() == "-" { "<stdin>".into() } else { path.display().to_string() }
}

/// The bytes of a file; `-` is standard input. A file that is too long is not read.
pub fn input(path: &Path) -> io::Result<Vec<u8>> {
    standard::check_input(path)?;
    match path.as_os_str() == "-" {
        true => whole::source_input(standard::input()?.lock()),
        false => whole::source_file(path),
    }
}

/// The bytes of a file whose name or text says its language, or of standard input.
///
/// # Errors
///
/// Fails if the file cannot be read, or if neither says what it is; that message ends with `help`.
pub fn known_input(path: &Path, help: &str) -> io::Result<Vec<u8>> {
    let bytes = input(path)?;
    if path.as_os_str() != "-" {
        let unknown = |unknown| io::Error::other(format!("{unknown}{help}"));
        Language::known(path, &String::from_utf8_lossy(&bytes)).map_err(unknown)?;
    }
    Ok(bytes)
}

/// Reports a file that cannot be read. The run continues with the other files.
pub fn unreadable(path: &Path, error: &io::Error, totals: &mut Totals) {
    totals.unreadable = true;
    failure::report(Failure::cannot_read(path.display(), output::reason(error)));
}
