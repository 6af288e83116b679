//! Vector files (docs/vectors.md): reading never panics.

use ptxcvt_conform::vectors::File;

/// A valid file with every kind of line.
pub const SEEDS: &[&str] = &[concat!(
    "# ptxcvt-vectors: 1\n# gpu: x\n\ncvt.rn.f16.f32\t3f800000\t3c00\ncvt.f32.f16\t0..ff\tsha256:",
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n",
    "cvt.rs.f16x2.f32\tlattice+4@1\tsha256-numbers:",
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n",
)];

/// Parses the bytes as a vector file.
///
/// # Panics
///
/// Panics if the parser does.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match File::parse("fuzz.tsv", &text) {
        Ok(file) => assert!(file.entries.len() <= text.lines().count()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
