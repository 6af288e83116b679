//! `cargo xtask trial`: docs/add-a-form.md followed word by word, on a copy of the sources.
//!
//! `xtask/trial/add-a-form.patch` is the page's made-up format, version, target and forms, with a console session whose
//! results were worked out by hand. The trial applies it to a copy below `target/`, blesses, and runs the tests that look
//! at forms; so it fails once adding a form takes more than the page says.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{output, succeed};

const PATCH: &str = "xtask/trial/add-a-form.patch";
const PAGE: &str = "docs/add-a-form.md";

/// The tests that count, list or enumerate; `--all` runs every other one, too.
const TESTS: &[&[&str]] = &[
    &["-p", "ptxcvt", "--lib", "--test", "formats", "--test", "imports", "--test", "bulk"],
    &["-p", "ptxcvt-syntax", "--test", "ptx", "--test", "codes"],
    &["-p", "ptxcvt-conform", "--lib", "--test", "state", "--test", "kernels", "--test", "stand_in"],
    &["-p", "ptxcvt-conformance", "--lib", "--test", "legality", "--test", "figures"],
    &["-p", "ptxcvt-cli", "--test", "cli", "--test", "conform"],
];

/// Runs the trial.
pub fn run(root: &Path, all: bool) -> Result<(), String> {
    let root = &root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
    page_is_the_patch(root)?;
    let trial = root.join("target/trial");
    let tree = trial.join("tree");
    copy(root, &tree)?;
    let patch = root.join(PATCH);
    println!("== {PAGE} on {}", tree.display());
    // Otherwise git would take the copy for a part of the repository around it.
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(&tree)
            .env("GIT_CEILING_DIRECTORIES", &trial)
            .arg("apply")
            .args(arguments)
            .arg(&patch);
        succeed(&mut git)
    };
    git(&[]).map_err(|error| format!("{PATCH} does not apply ({error}): make it anew by {PAGE}"))?;
    let cargo = |arguments: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        succeed(cargo.current_dir(&tree).env("CARGO_TARGET_DIR", trial.join("build")).args(arguments))
    };
    cargo(&["xtask", "bless"])?;
    // The session's results are the patch's still: blessing has found nothing to rewrite there.
    git(&["--reverse", "--check"])?;
    if all {
        return cargo(&["test", "--quiet", "--workspace"]);
    }
    TESTS.iter().try_for_each(|tests| cargo(&[&["test", "--quiet"], *tests].concat()))
}

/// Makes the copy what git has here; what is the same already keeps its date, so that cargo builds little.
fn copy(root: &Path, tree: &Path) -> Result<(), String> {
    let mut list = Command::new("git");
    list.current_dir(root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let list = output(&mut list)?;
    let files: BTreeSet<&Path> = list.split_terminator('\0').map(Path::new).collect();
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: std::io::Error| format!("{}: {error}", path.display())
    };
    for file in &files {
        let (from, to) = (root.join(file), tree.join(file));
        if !from.is_file() {
            continue; // deleted here, but not yet from git
        }
        let text = fs::read(&from).map_err(failed(&from))?;
        if fs::read(&to).is_ok_and(|there| there == text) {
            continue;
        }
        let folder = to.parent().unwrap_or(tree);
        fs::create_dir_all(folder).map_err(failed(folder))?;
        // With its permissions, for some are programs.
        fs::copy(&from, &to).map_err(failed(&to))?;
    }
    let stale = |path: &PathBuf| path.strip_prefix(tree).is_ok_and(|name| !files.contains(name));
    for path in below(tree).map_err(failed(tree))?.into_iter().filter(stale) {
        fs::remove_file(&path).map_err(failed(&path))?;
    }
    Ok(())
}

/// Every file below a folder.
fn below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// The page shows every line of Rust that the patch adds, and no other.
fn page_is_the_patch(root: &Path) -> Result<(), String> {
    let read = |name| fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"));
    let (page, patch) = (read(PAGE)?, read(PATCH)?);
    let shown: BTreeSet<&str> = fenced(&page).map(str::trim).filter(|line| !line.is_empty()).collect();
    let added: BTreeSet<&str> = added(&patch).map(str::trim).filter(|line| !line.is_empty()).collect();
    match shown.symmetric_difference(&added).next() {
        Some(line) => Err(format!("{PAGE} and {PATCH} differ in this line: {line}")),
        None => Ok(()),
    }
}

/// The lines of a page between "```rust" and "```".
fn fenced(page: &str) -> impl Iterator<Item = &str> {
    let blocks = page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines)
}

/// The lines that a patch adds to Rust files.
fn added(patch: &str) -> impl Iterator<Item = &str> {
    let files =
        patch.split("\n+++ ").skip(1).filter(|file| file.lines().next().is_some_and(|n| n.ends_with(".rs")));
    files.flat_map(|file| file.lines().skip(1).filter_map(|line| line.strip_prefix('+')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_page_and_of_a_patch() {
        assert_eq!(fenced("a\n```rust\nb\nc\n```\nd\n```sh\ne\n```\n").collect::<Vec<_>>(), ["b", "c"]);
        let patch =
            "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1,2 @@\n y\n+z\n--- /dev/null\n+++ b/x.md\n@@ -0,0 +1 @@\n+w\n";
        assert_eq!(added(patch).collect::<Vec<_>>(), ["z"]);
    }
}
