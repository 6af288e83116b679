//! Comments of Rust files: lines have at most 125 columns, and a few words that hide what is meant do not occur.
//!
//! rustfmt limits code to 110 columns and leaves comments alone.

use std::fs;
use std::path::{Path, PathBuf};

/// The most columns of a line that is a comment.
const COLUMNS: usize = 125;

/// Words that name a person where there is none, or for which English has a usual one.
const WORDS: [&str; 9] =
    ["nobody", "somebody", "whoever", "beside", "beneath", "is asked", "are asked", "told", "is none of"];

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_built = ["target", "node_modules"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && !is_built {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The comment in a line, without the space before it; `None` for other lines.
fn comment(line: &str) -> Option<&str> {
    Some(line.trim_start()).filter(|line| line.starts_with("//"))
}

/// What is wrong with a line.
fn fault(line: &str) -> Option<String> {
    let comment = comment(line)?;
    let columns = line.chars().count();
    // A row of a table cannot be divided.
    let is_row = comment.trim_start_matches(['/', '!']).trim_start().starts_with('|');
    if columns > COLUMNS && !is_row {
        return Some(format!("{columns} columns"));
    }
    let text =
        format!(" {} ", comment.to_lowercase().replace(|c: char| !c.is_alphanumeric() && c != '_', " "));
    WORDS.iter().find(|word| text.contains(&format!(" {word} "))).map(|word| format!("`{word}`"))
}

#[test]
fn comments_are_narrow_and_plain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut files = Vec::new();
    for folder in ["benches", "bindings", "conformance", "crates", "fuzz", "site", "xtask"] {
        collect(&root.join(folder), &mut files);
    }
    let (mut seen, mut wrong) = (0, Vec::new());
    // This file lists the words.
    for path in files.iter().filter(|path| !path.ends_with("xtask/tests/comments.rs")) {
        let text = fs::read_to_string(path).expect("a source");
        for (number, line) in (1..).zip(text.lines()) {
            seen += usize::from(comment(line).is_some());
            wrong.extend(fault(line).map(|fault| format!("{}:{number}: {fault}", path.display())));
        }
    }
    assert!(seen > 15_000, "{seen} lines");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_test_finds_what_it_looks_for() {
    let long = format!("    // {}", "word ".repeat(25));
    assert_eq!(fault(&long).as_deref(), Some("132 columns"));
    assert_eq!(fault(&long.replace("// ", "")), None);
    assert_eq!(fault("/// What Nobody knows.").as_deref(), Some("`nobody`"));
    assert_eq!(fault("//! Besides, the untold is asked_for."), None);
}
