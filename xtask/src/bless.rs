//! `cargo xtask bless`: rewrites everything that is derived from the tables and the records.
//!
//! Each step runs a test that otherwise fails if a committed file is stale. Review the result with `git diff`.

use std::path::Path;
use std::process::Command;

use crate::run::succeed;

/// The files to rewrite and the tests that rewrite them. The order matters: later tests read what earlier ones wrote.
/// Tests are chosen from the whole workspace, because a choice of packages compiles the libraries again.
const STEPS: &[(&str, &[&str])] = &[
    ("the record of apfloat", &["--test", "apfloat"]),
    ("docs/generated/state.md and docs/conform.md", &["--test", "state", "--test", "deviations"]),
    (
        "docs/codes.md, tests/ptx, tests/cu and tests/fix",
        &["--test", "codes", "--test", "ptx", "--test", "cu", "--test", "fix"],
    ),
    ("data/ptxcvt.schema.json", &["--test", "data"]),
    ("the colours and languages of editors", &["--test", "grammar", "--test", "languages"]),
    ("the instructions in docs/run.md", &["--test", "run_page"]),
    ("the figures in the pages", &["--test", "figures"]),
];

/// The console sessions, including those of README.md.
const SESSIONS: &[&str] = &["--test", "cli"];

/// The arguments that choose all these tests.
pub fn tests() -> impl Iterator<Item = &'static str> {
    STEPS.iter().flat_map(|(_, tests)| *tests).chain(SESSIONS).copied()
}

/// Runs all steps, with what `target` has built if it is given. A step that fails for a reason other than stale files is
/// reported at the end, after the other steps.
pub fn run(root: &Path, target: Option<&Path>) -> Result<(), String> {
    let test = |tests: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(root).args(["test", "--quiet", "--workspace"]).args(tests);
        cargo.envs(target.map(|target| ("CARGO_TARGET_DIR", target)));
        cargo
    };
    let mut failed = Vec::new();
    for (what, tests) in STEPS {
        println!("== {what}");
        if succeed(test(tests).env("BLESS", "1")).is_err() {
            failed.push(*what);
        }
    }
    let what = "console sessions";
    println!("== {what}");
    // trycmd may report failure after rewriting a session, so run the sessions again.
    let rewritten = succeed(test(SESSIONS).env("TRYCMD", "overwrite"));
    if rewritten.is_err() && succeed(&mut test(SESSIONS)).is_err() {
        failed.push(what);
    }
    println!("done; `git diff` shows what changed");
    if failed.is_empty() { Ok(()) } else { Err(format!("these tests still fail: {}", failed.join(", "))) }
}

/// A name that two crates have for a test would also run the other one, which need not be about what is written.
#[test]
fn each_name_means_one_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<std::path::PathBuf> =
        vec![root.join("conformance"), root.join("site"), root.join("xtask")];
    for group in ["crates", "bindings"] {
        folders.extend(std::fs::read_dir(root.join(group)).unwrap().map(|entry| entry.unwrap().path()));
    }
    for name in tests().filter(|name| *name != "--test") {
        let is_there = |folder: &&std::path::PathBuf| {
            let tests = folder.join("tests");
            tests.join(format!("{name}.rs")).exists() || tests.join(name).join("main.rs").exists()
        };
        assert_eq!(folders.iter().filter(is_there).count(), 1, "{name}");
    }
}
