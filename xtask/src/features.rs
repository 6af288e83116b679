//! `cargo xtask test features`: the command compiles as it is installed, without what only tests need; and with each
//! subcommand alone, which is a cargo feature of `ptxcvt-cli`.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::output_and_messages;

/// Checks the command as it is installed, and with each of its default features alone.
pub fn run(root: &Path) -> Result<(), String> {
    let manifest = root.join("crates/ptxcvt-cli/Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    let features = default_features(&text).ok_or(format!("{}: no default features", manifest.display()))?;
    check(root, &[])?;
    features
        .into_iter()
        .try_for_each(|feature| check(root, &["--no-default-features", "--features", feature]))
}

/// Checks the command with these choices of features. Warnings are errors.
fn check(root: &Path, choice: &[&str]) -> Result<(), String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["check", "--quiet", "--package", "ptxcvt-cli"]);
    let checked = output_and_messages(cargo.args(choice));
    // With `--quiet`, cargo prints nothing but warnings and errors.
    let messages = checked.map_or_else(|error| error, |(_, warnings)| warnings);
    if messages.is_empty() { Ok(()) } else { Err(format!("ptxcvt-cli {}:\n{messages}", choice.join(" "))) }
}

/// The names in `default = ["…", …]`.
fn default_features(manifest: &str) -> Option<Vec<&str>> {
    let (_, list) = manifest.split_once("\ndefault = [")?;
    let (list, _) = list.split_once(']')?;
    Some(list.split('"').skip(1).step_by(2).collect())
}

#[test]
fn features_are_found() {
    let manifest = "[features]\ndefault = [\n    \"check\",\n    \"eval\",\n]\ncheck = [\"dep:a\"]\n";
    assert_eq!(default_features(manifest), Some(vec!["check", "eval"]));
}
