//! `cargo xtask trial`: follows the guides docs/add-*.md on a copy of the sources.
//!
//! Each guide has a patch, xtask/trial/add-*.patch, with the example of the guide and results that were computed by
//! hand. The trial copies the sources below `target/`, applies the patches, runs `bless` once, and runs the tests that
//! the patches name. It fails if an example needs more changes than its guide describes.
//!
//! A patch begins with the tests that must still pass: the line `test formats types` names files of tests of any crate.
//! The line `after add-a-target` means that this patch must be applied before.
//! Patches are applied in order of names, each after those that it requires.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bless;
use crate::run::{output, succeed};

/// A guide and the patch that follows it.
struct Guide {
    /// The page, such as `docs/add-a-form.md`.
    page: String,
    /// The page's text.
    text: String,
    /// The patch's path, relative to the repository.
    path: String,
    /// The patch's text.
    patch: String,
}

/// Follows the guides of these names (`add-a-form`), or all of them if there are none.
pub fn run(root: &Path, names: &[String], all: bool) -> Result<(), String> {
    let root = &root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
    let trial = root.join("target/trial");
    let tree = trial.join("tree");
    let guides = applied(root, names, &tree)?;
    let by_hand = created(&guides, &tree)?;
    // A folder of its own: in that of the repository, cargo would take programs of the copy for those of the repository.
    let build = trial.join("build");
    let mut arguments = Vec::new();
    if !all {
        let named: BTreeSet<&str> = guides.iter().flat_map(|guide| tests(&guide.patch)).collect();
        arguments.extend(named.into_iter().flat_map(|test| ["--test", test]));
    }
    // One command for the whole workspace: a choice of packages would compile the libraries again.
    let cargo = |options: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(&tree).env("CARGO_TARGET_DIR", &build).args(["test", "--quiet", "--workspace"]);
        succeed(cargo.args(options).args(&arguments))
    };
    // Crates compile at the same time if all tests are built before the first one runs.
    let blessing: Vec<&str> = bless::tests().collect();
    cargo(&[&["--no-run"], &blessing[..]].concat())?;
    bless::run(&tree, Some(&build))?;
    let blessed = created(&guides, &tree)?;
    if let Some(((name, _), _)) = by_hand.iter().zip(&blessed).find(|(before, after)| before != after) {
        return Err(format!("{name}: blessing rewrote results that were worked out by hand"));
    }
    cargo(&[])
}

/// Copies the sources to `tree` and applies the patches of these guides, which it returns in their order.
fn applied(root: &Path, names: &[String], tree: &Path) -> Result<Vec<Guide>, String> {
    let guides = guides(root, names)?;
    guides.iter().try_for_each(Guide::is_its_patch)?;
    copy(root, tree)?;
    for Guide { page, path, .. } in &guides {
        println!("== {page} on {}", tree.display());
        let mut git = Command::new("git");
        git.current_dir(tree)
            // Without its own repository, git would treat the copy as part of the surrounding one.
            .env("GIT_CEILING_DIRECTORIES", tree.parent().unwrap_or(tree))
            .arg("apply")
            .arg(root.join(path));
        succeed(&mut git)
            .map_err(|error| format!("{path} does not apply ({error}): make it again by following {page}"))?;
    }
    Ok(guides)
}

/// The guides of these names with those that they need, or every one, in the order of their patches. A page without a
/// patch, or a patch without a page, is an error.
fn guides(root: &Path, names: &[String]) -> Result<Vec<Guide>, String> {
    let in_folder = |folder: &str, ending: &str| -> Result<BTreeSet<String>, String> {
        let entries = fs::read_dir(root.join(folder)).map_err(|error| format!("{folder}: {error}"))?;
        let mut names = BTreeSet::new();
        for entry in entries {
            let name = entry.map_err(|error| format!("{folder}: {error}"))?.file_name();
            let stem = name.to_str().and_then(|name| name.strip_suffix(ending));
            names.extend(stem.filter(|stem| stem.starts_with("add-")).map(str::to_owned));
        }
        Ok(names)
    };
    let (pages, patches) = (in_folder("docs", ".md")?, in_folder("xtask/trial", ".patch")?);
    if let Some(name) = pages.symmetric_difference(&patches).next() {
        return Err(format!("docs/{name}.md needs xtask/trial/{name}.patch, and the patch needs the page"));
    }
    if let Some(name) = names.iter().find(|name| !pages.contains(*name)) {
        let known: Vec<&str> = pages.iter().map(String::as_str).collect();
        return Err(format!("no guide `{name}`; the guides are {}", known.join(", ")));
    }
    let mut guides = Vec::new();
    for name in pages.iter().filter(|name| names.is_empty() || names.contains(name)) {
        add(root, name, &mut guides)?;
    }
    Ok(guides)
}

/// Adds the guide `name`, and before it those that it needs.
fn add(root: &Path, name: &str, guides: &mut Vec<Guide>) -> Result<(), String> {
    let (page, path) = (format!("docs/{name}.md"), format!("xtask/trial/{name}.patch"));
    let read = |name: &str| fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"));
    if guides.iter().any(|guide| guide.page == page) {
        return Ok(());
    }
    let (text, patch) = (read(&page)?, read(&path)?);
    lines(&patch, "after ").try_for_each(|other| add(root, other, guides))?;
    guides.push(Guide { text, patch, page, path });
    Ok(())
}

impl Guide {
    /// Checks that the page shows exactly the lines of Rust that the patch adds.
    fn is_its_patch(&self) -> Result<(), String> {
        let lines = |lines: &mut dyn Iterator<Item = &str>| -> BTreeSet<String> {
            lines.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
        };
        let (shown, added) = (lines(&mut fenced(&self.text)), lines(&mut added(&self.patch)));
        match shown.symmetric_difference(&added).next() {
            Some(line) => Err(format!("{} and {} differ in this line: {line}", self.page, self.path)),
            None => Ok(()),
        }
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

/// The lines of a patch before its first file that begin with `prefix`, without it.
fn lines<'p>(patch: &'p str, prefix: &'static str) -> impl Iterator<Item = &'p str> {
    let head = patch.lines().take_while(|line| !line.starts_with("diff "));
    head.filter_map(move |line| line.strip_prefix(prefix))
}

/// The files of tests that a patch names.
fn tests(patch: &str) -> impl Iterator<Item = &str> {
    lines(patch, "test ").flat_map(str::split_whitespace)
}

/// The names and contents of the files that the patches create, such as results that were worked out by hand.
fn created(guides: &[Guide], tree: &Path) -> Result<Vec<(String, String)>, String> {
    let names = guides.iter().flat_map(|guide| guide.patch.split("\n--- /dev/null\n+++ b/").skip(1));
    names
        .filter_map(|file| file.lines().next())
        .map(|name| {
            let text = fs::read_to_string(tree.join(name)).map_err(|error| format!("{name}: {error}"))?;
            Ok((name.to_owned(), text))
        })
        .collect()
}

/// Makes the copy equal to the working tree. Unchanged files keep their dates, so that cargo rebuilds little.
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
            continue; // Deleted in the working tree, but still in git's index.
        }
        let text = fs::read(&from).map_err(failed(&from))?;
        if fs::read(&to).is_ok_and(|old| old == text) {
            continue;
        }
        let folder = to.parent().unwrap_or(tree);
        fs::create_dir_all(folder).map_err(failed(folder))?;
        // `fs::copy` keeps permissions, and some files are programs.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_page_and_of_a_patch() {
        assert_eq!(fenced("a\n```rust\nb\nc\n```\nd\n```sh\ne\n```\n").collect::<Vec<_>>(), ["b", "c"]);
        let patch = "test x y\ntest z\ndiff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1,2 @@\n y\n+z\n\
            --- /dev/null\n+++ b/x.md\n@@ -0,0 +1 @@\n+w\n";
        assert_eq!(added(patch).collect::<Vec<_>>(), ["z"]);
        assert_eq!(super::tests(patch).collect::<Vec<_>>(), ["x", "y", "z"]);
    }

    #[test]
    fn a_guide_is_after_those_that_it_needs() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let pages = |names: &[String]| -> Vec<String> {
            guides(&root, names).unwrap().into_iter().map(|guide| guide.page).collect()
        };
        assert_eq!(pages(&["add-a-form".into()]), ["docs/add-a-target.md", "docs/add-a-form.md"]);
        let mut all = pages(&[]);
        assert_eq!(all[..2], ["docs/add-a-target.md", "docs/add-a-form.md"]);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), pages(&[]).len());
    }

    /// Every guide in docs has its patch, which applies to today's sources, and shows what the patch adds.
    #[test]
    fn guides_and_patches_agree() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
        let guides = applied(&root, &[], &root.join("target/trial/applied")).unwrap();
        assert!(!guides.is_empty());
        for guide in guides {
            assert!(super::tests(&guide.patch).next().is_some(), "{} names no test", guide.path);
        }
    }
}
