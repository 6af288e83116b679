//! Every published package has the full texts of both licences.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// The folders with a manifest that is published: crates, and the Python package.
fn published(root: &Path) -> BTreeSet<PathBuf> {
    let mut git = Command::new("git");
    let listed = git.current_dir(root).args(["ls-files", "--", "*/Cargo.toml", "*/pyproject.toml"]).output();
    let listed = String::from_utf8(listed.expect("git runs").stdout).expect("paths are text");
    let manifests = listed.lines().map(|path| root.join(path)).filter(|path| {
        let text = fs::read_to_string(path).expect("a manifest");
        let is_package = text.contains("\n[project]") || text.lines().any(|line| line == "[package]");
        is_package && !text.lines().any(|line| line == "publish = false")
    });
    manifests.map(|path| path.parent().expect("a folder").to_owned()).collect()
}

#[test]
fn every_published_package_has_both_licences() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let folders = published(root);
    assert!(folders.len() > 12, "{folders:?}");
    let mut wrong = Vec::new();
    for (folder, name) in folders.iter().flat_map(|folder| LICENCES.map(|name| (folder, name))) {
        let whole = fs::read(root.join(name)).expect("the licence of the repository");
        // Follows links, as packaging does; a link that was committed as a file holds only a path.
        if fs::read(folder.join(name)).ok().as_ref() != Some(&whole) {
            wrong.push(folder.join(name).display().to_string());
        }
    }
    assert!(wrong.is_empty(), "make these links to the repository's licences:\n{}", wrong.join("\n"));
}

/// The extension's marketplace shows one file, which contains both texts.
#[test]
fn the_extension_has_both_licences() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let read = |path: &str| words(fs::read_to_string(root.join(path)).expect(path));
    let both = read("editors/vscode/LICENSE.md");
    for name in LICENCES {
        assert!(both.contains(&read(name)), "editors/vscode/LICENSE.md lacks the text of {name}");
    }
}
