//! The keys of the metadata, and digests over them.

use std::collections::HashMap;

use ptxcvt_blocks::Recipe;
use sha2::{Digest, Sha256};

/// The prefix of all keys.
pub(in crate::quantize) const PREFIX: &str = "ptxcvt.";
/// The version of the keys. A file with a higher number was written by a newer version of ptxcvt.
pub(super) const METADATA: u32 = 2;
/// The first version with a digest of the other keys. Files of older versions are read without one.
pub(super) const WITH_DIGEST: u32 = 2;
/// The key of the digest of the other keys.
pub(super) const DIGEST: &str = "sha256";
/// The beginning of the keys of tensors, which their names follow.
pub(super) const INPUT: &str = "input.";
/// Keys that describe the recipe. They have a digest of their own, because a recipe that the user names overrides them.
const OF_RECIPE: [&str; 5] = ["recipe", "recipe.sha256", "recipe.toml", "global_scale", "dequantize"];

/// The digest of the keys that say how the tensors are stored: their shapes, the axis of the blocks, the order of the
/// scales. For a square matrix, another axis gives the same shapes, so only the digest shows the change.
pub(super) fn digest_of_layout(all: &HashMap<String, String>) -> String {
    let is_covered = |key: &str| key != DIGEST && !OF_RECIPE.contains(&key);
    let covered = all.iter().filter(|(key, _)| key.strip_prefix(PREFIX).is_some_and(is_covered));
    digest_of(&covered.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// The lines of the recipe that the metadata repeat for readers who know no recipes. Two conventions of the global scale are
/// reciprocals of each other; these lines show which one it is.
pub(super) fn excerpts(recipe: &Recipe) -> [(&'static str, String); 2] {
    let global: Vec<&str> = recipe.quantize_lines().filter(|line| line.starts_with("G = ")).collect();
    let back: Vec<&str> = recipe.dequantize_lines().collect();
    [("global_scale", global.join("; ")), ("dequantize", back.join("; "))]
}

/// Two digests of the metadata of a file before it is written: of the options with the recipe, and of the chosen tensors.
/// They cover everything that decides the content except the numbers.
pub(in crate::quantize) fn digests(all: HashMap<String, String>) -> (String, String) {
    let is_of_tensor = |key: &str| key.strip_prefix(PREFIX).is_some_and(|key| key.starts_with(INPUT));
    let (of_tensors, of_options) = all.into_iter().partition(|(key, _)| is_of_tensor(key));
    (digest_of(&of_options), digest_of(&of_tensors))
}

/// The digest of some metadata.
fn digest_of(all: &HashMap<String, String>) -> String {
    let mut lines: Vec<String> = all.iter().map(|(key, value)| format!("{key:?} {value:?}\n")).collect();
    lines.sort();
    digest(&lines.concat())
}

/// SHA-256 in hexadecimal.
pub(in crate::quantize) fn digest(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))
}
