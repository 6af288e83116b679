//! No two files of a crate import each other, directly or through other files.
//!
//! The test reads every crate of the workspace. A file imports another if it names something that is defined there: in
//! a `use` or in the middle of its code, also within macros. A name that a file merely re-exports counts as the file
//! that defines it. Left out are `pub use` in a `mod.rs` or `lib.rs`, which decides where names are visible but needs
//! nothing, and modules for tests alone.
//!
//! A file also needs the file whose method it calls, though it does not name it; `methods.rs` finds the calls that the text
//! decides.
//!
//! A cycle means that none of its files can be understood without the others.

mod graph;
mod methods;
mod modules;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use graph::{Graph, cycles, imports};
use methods::Calls;
use modules::{modules, sources};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace")
}

/// The main file of each crate: libraries, programs, and tests and benchmarks that are folders.
fn crates() -> Vec<(String, PathBuf)> {
    let root = root();
    let (mut packages, mut found) = (Vec::new(), Vec::new());
    find_packages(&root, &mut packages);
    for package in packages {
        let mut mains = vec![package.join("src/lib.rs"), package.join("src/main.rs")];
        for folder in ["tests", "benches"].map(|folder| package.join(folder)) {
            let below = fs::read_dir(folder).into_iter().flatten();
            mains.extend(below.map(|entry| entry.expect("an entry").path().join("main.rs")));
        }
        for main in mains.into_iter().filter(|main| main.exists()) {
            let folder = main.parent().expect("a folder").strip_prefix(&root).expect("below");
            found.push((folder.display().to_string(), main));
        }
    }
    found
}

/// The folders with a `Cargo.toml`, without those of builds.
fn find_packages(folder: &Path, found: &mut Vec<PathBuf>) {
    if folder.join("Cargo.toml").exists() {
        found.push(folder.to_owned());
    }
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if entry.is_dir() && !["target", "node_modules", "src"].contains(&name) && !name.starts_with('.') {
            find_packages(&entry, found);
        }
    }
}

/// The imports of the crate's files, with their calls of methods, and these calls alone.
fn graph_of(main: &Path) -> (Graph, Calls) {
    let sources = sources(main);
    let modules = modules(&sources);
    let mut graph = imports(&modules);
    let calls = methods::calls(&sources, &modules);
    for (from, to) in calls.keys() {
        graph.entry(from.clone()).or_default().insert(to.clone());
    }
    (graph, calls)
}

/// Files whose methods call each other because the language that they read is recursive: a value contains statements, a
/// block contains blocks. Each group is one reader or evaluator, too long for one file. Imports alone never make a
/// cycle.
const RECURSIVE: [(&str, &[&str]); 6] = [
    (
        "crates/ptxcvt-audit/src",
        &["tablegen/expressions.rs", "tablegen/records.rs", "tablegen/statements.rs"],
    ),
    ("crates/ptxcvt-syntax/src", &["sources/exit.rs", "sources/flow.rs", "sources/jumps.rs"]),
    ("crates/ptxcvt-syntax/src", &["sources/choose.rs", "sources/paths.rs", "sources/switch.rs"]),
    // A notebook has cells in other languages.
    ("crates/ptxcvt-syntax/src", &["sources/notebook.rs", "sources/rows.rs"]),
    (
        "crates/ptxcvt-syntax/src",
        &[
            "sources/python/evaluate.rs",
            "sources/python/format.rs",
            "sources/python/replace.rs",
            "sources/python/trim.rs",
        ],
    ),
    (
        "crates/ptxcvt-syntax/src",
        &["sources/python/grammar.rs", "sources/python/items.rs", "sources/python/tuple.rs"],
    ),
];

#[test]
fn no_cycles() {
    let crates = crates();
    assert!(crates.len() >= 24, "{crates:?}");
    let (mut wrong, mut recursive) = (Vec::new(), Vec::<&str>::new());
    for (name, main) in crates {
        let source = main.parent().expect("src");
        let below = |file: &PathBuf| file.strip_prefix(source).expect("below src").display().to_string();
        let (graph, calls) = graph_of(&main);
        for cycle in cycles(&graph) {
            let files: Vec<String> = cycle.iter().map(below).collect();
            let known = RECURSIVE.iter().find(|(of, known)| *of == name && files == *known);
            recursive.extend(known.map(|(of, _)| *of));
            if known.is_some() {
                continue;
            }
            wrong.push(format!("{name}: {}", files.join(", ")));
            for ((from, to), method) in &calls {
                if cycle.contains(from) && cycle.contains(to) {
                    wrong.push(format!("  {} calls `{method}` of {}", below(from), below(to)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "files that import each other:\n{}", wrong.join("\n"));
    assert_eq!(recursive.len(), RECURSIVE.len(), "`RECURSIVE` has groups that are none: {recursive:?}");
}

/// Two files, one of which calls a method of the other.
#[test]
fn calls_are_found() {
    let source = root().join("crates/ptxcvt-bulk/src");
    let (_, calls) = graph_of(&source.join("lib.rs"));
    let called = |from: &str, to: &str| calls.get(&(source.join(from), source.join(to)));
    // `self.result_len(count)`, `Tier::current()`, and `plan` as a parameter.
    assert!(called("packed.rs", "layout.rs").is_some(), "{calls:?}");
    assert_eq!(called("chain/mod.rs", "current.rs").map(String::as_str), Some("Tier::current"));
    assert!(called("current.rs", "variable.rs").is_some() && called("variable.rs", "current.rs").is_none());
}

/// Two files whose imports are known.
#[test]
fn imports_are_found() {
    let imports_of = |name: &str, file: &str| -> BTreeSet<String> {
        let source = root().join("crates").join(name).join("src");
        let (graph, _) = graph_of(&source.join("lib.rs"));
        let strip = |path: &PathBuf| path.strip_prefix(&source).expect("below src").display().to_string();
        graph[&source.join(file)].iter().map(strip).collect()
    };
    // `use super::row::Row`, and `use super::sets::*`.
    let rows = imports_of("ptxcvt", "forms/rows.rs");
    assert!(rows.contains("forms/row.rs") && rows.contains("forms/sets.rs"), "{rows:?}");
    // `crate::formats::Format` is defined in `formats/rows.rs` and re-exported; `formats/mod.rs` is not imported.
    let types = imports_of("ptxcvt", "types/table.rs");
    assert!(types.contains("formats/rows.rs") && !types.contains("formats/mod.rs"), "{types:?}");
}

#[test]
fn cycles_are_found() {
    let graph = |edges: &[(&'static str, &'static str)]| {
        let mut graph: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (from, to) in edges {
            graph.entry(from).or_default().insert(to);
            graph.entry(to).or_default();
        }
        cycles(&graph)
    };
    assert_eq!(graph(&[("a", "b"), ("a", "c"), ("b", "c")]), Vec::<BTreeSet<&str>>::new());
    assert_eq!(graph(&[("a", "b"), ("b", "c"), ("c", "b")]), [BTreeSet::from(["b", "c"])]);
}
