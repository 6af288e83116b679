//! Records: results of an oracle as text that is committed and compared.
//!
//! Lines that begin with `#` state the record's origin. The other lines are fields separated by tabs.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

/// The path of a record.
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("records").join(name)
}

/// Writes a record: the origin, then the lines.
pub fn write(name: &str, provenance: &[String], lines: impl IntoIterator<Item = String>) -> Result<()> {
    let head = provenance.iter().map(|line| format!("# {line}\n"));
    let text: String = head.chain(lines.into_iter().map(|line| line + "\n")).collect();
    let path = path(name);
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// A record's text.
pub fn read(name: &str) -> Result<String> {
    let path = path(name);
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// The text of a record that is about to be rewritten; empty if there is none yet.
pub fn earlier(name: &str) -> Result<String> {
    if path(name).try_exists()? { read(name) } else { Ok(String::new()) }
}

/// The fields of each line that does not state the origin.
pub fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

/// The 64-bit FNV-1a hash of a sequence of little-endian words, for noticing changed results.
///
/// ```
/// use ptxcvt_conformance::record::Digest;
/// assert_eq!(Digest::default().to_string(), "cbf29ce484222325");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Adds one word.
    pub fn push(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    /// The digest of a text, byte by byte.
    pub fn of_text(text: &str) -> Self {
        Digest::of(text.bytes().map(u64::from))
    }

    /// The digest of all of these.
    pub fn of(words: impl IntoIterator<Item = u64>) -> Self {
        let mut digest = Digest::default();
        words.into_iter().for_each(|word| digest.push(word));
        digest
    }
}

impl std::str::FromStr for Digest {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(Digest)
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
