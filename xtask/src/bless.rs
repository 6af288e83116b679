//! `cargo xtask bless`: rewrites everything that is derived from the tables and the records.
//!
//! Each step is a test that otherwise fails where what is committed is stale. `git diff` shows what changed; whether it
//! should have is for a reader to say.

use std::path::Path;
use std::process::Command;

use crate::run::succeed;

/// What is rewritten and the tests that do it; in this order, for later ones read what earlier ones wrote.
const STEPS: &[(&str, &[&str])] = &[
    ("the record of apfloat", &["-p", "ptxcvt", "--test", "apfloat"]),
    (
        "docs/state.md and docs/conform.md",
        &["-p", "ptxcvt-conform", "--test", "state", "--test", "deviations"],
    ),
    (
        "docs/codes.md, tests/ptx and tests/fix",
        &["-p", "ptxcvt-syntax", "--test", "codes", "--test", "ptx", "--test", "fix"],
    ),
    ("the colours of VS Code", &["-p", "ptxcvt-lsp", "--test", "grammar"]),
    ("the figures in the pages", &["-p", "ptxcvt-conformance", "--test", "figures"]),
];

/// The console sessions, README.md's among them.
const SESSIONS: &[&str] = &["-p", "ptxcvt-cli", "--test", "cli"];

/// Rewrites, step by step. A step that fails (for another reason than stale files) does not keep the rest from being
/// rewritten, but is named at the end.
pub fn run(root: &Path) -> Result<(), String> {
    let mut failed = Vec::new();
    for (what, tests) in STEPS {
        println!("== {what}");
        if succeed(test(root, tests).env("BLESS", "1")).is_err() {
            failed.push(*what);
        }
    }
    let what = "console sessions";
    println!("== {what}");
    // Whether rewriting fails where there was something to rewrite is trycmd's choice; that they pass then is ours.
    let rewritten = succeed(test(root, SESSIONS).env("TRYCMD", "overwrite"));
    if rewritten.is_err() && succeed(&mut test(root, SESSIONS)).is_err() {
        failed.push(what);
    }
    println!("done; `git diff` shows what changed");
    if failed.is_empty() { Ok(()) } else { Err(format!("tests fail still: {}", failed.join(", "))) }
}

fn test(root: &Path, tests: &[&str]) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["test", "--quiet"]).args(tests);
    cargo
}
