//! The language guessed from the text of a file equals the language of its name, for the root's tests and the sources
//! of the project.

use std::fs;
use std::path::{Path, PathBuf};

use ptxcvt_syntax::sources::Language;

/// The files in a folder and below.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let skipped = name.starts_with('.') || matches!(&*name, "target" | "node_modules");
        if path.is_symlink() || skipped {
        } else if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn language_of_the_name() {
    let mut all = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for folder in ["benches", "bindings", "conformance", "crates", "tests", "xtask"] {
        files(&root.join(folder), &mut all);
    }
    let (mut wrong, mut number) = (Vec::new(), 0);
    for path in all {
        let Some(language) = Language::of(&path) else { continue };
        let Ok(text) = fs::read_to_string(&path) else { continue };
        // C++ statements, which are read as snippets.
        if path.ends_with("snippet-asm.ptx") || path.ends_with("snippet-operands.ptx") {
            continue;
        }
        number += 1;
        let guessed = Language::guess(&text);
        if guessed != language && !text.trim().is_empty() {
            wrong.push(format!("{}: {guessed:?}", path.display()));
        }
    }
    assert!(number > 500, "{number}");
    assert!(wrong.is_empty(), "{} of {number}:\n{}", wrong.len(), wrong.join("\n"));
}
