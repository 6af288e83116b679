//! Shared by the tests that read sources: the files of the libraries, the command and the bindings.

use std::fs;
use std::path::{Path, PathBuf};

/// The workspace's folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// Every Rust file in the `src` of a crate or of a binding.
pub fn rust_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["crates", "bindings"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder of crates").flatten() {
            collect(&entry.path().join("src"), &mut found);
        }
    }
    assert!(found.len() > 300, "{} files", found.len());
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}
