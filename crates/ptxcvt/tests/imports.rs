//! No two files import each other, neither directly nor by way of others.
//!
//! An import is a `use super::x` of a neighbour in the same folder, or a `use crate::x` of a module at the crate's
//! root. What a `mod.rs` re-exports is no import.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

type Graph = BTreeMap<String, BTreeSet<String>>;

/// The names that directly follow `prefix` in the file's `use` lines, braces opened.
fn imported(text: &str, prefix: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let line = line.trim_start().trim_start_matches("pub(crate) ").trim_start_matches("pub(super) ");
        let Some(path) = line.strip_prefix("use ").and_then(|path| path.strip_prefix(prefix)) else {
            continue;
        };
        let first = |path: &str| path.split([':', ';', ',', '}', ' ']).next().unwrap_or("").to_owned();
        match path.strip_prefix('{') {
            Some(list) => names.extend(list.split(',').map(|path| first(path.trim()))),
            None => {
                names.insert(first(path));
            }
        }
    }
    names
}

/// Adds the imports of every Rust file below `folder`: files by `super`, the crate's modules by `crate`.
fn read(folder: &Path, module: Option<&str>, files: &mut Graph, modules: &mut Graph) {
    for entry in fs::read_dir(folder).expect("a folder of the crate").map(|e| e.expect("an entry").path()) {
        let name = entry.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let module = module.unwrap_or(&name);
        if entry.is_dir() {
            read(&entry, Some(module), files, modules);
        } else if entry.extension().is_some_and(|e| e == "rs") && name != "lib" {
            let text = fs::read_to_string(&entry).expect("a file of the crate");
            let text = text.split("#[cfg(test)]").next().unwrap_or("");
            let used = imported(text, "crate::");
            modules.entry(module.to_owned()).or_default().extend(used.into_iter().filter(|m| m != module));
            if name != "mod" {
                let neighbours = imported(text, "super::").into_iter();
                let neighbours =
                    neighbours.filter(|n| folder.join(n).exists() || folder.join(format!("{n}.rs")).exists());
                let path = |name: &str| folder.join(name).display().to_string();
                files.insert(path(&name), neighbours.map(|n| path(&n)).collect());
            }
        }
    }
}

/// A way from a node back to itself.
fn circle(graph: &Graph) -> Option<Vec<String>> {
    fn visit(graph: &Graph, node: &str, way: &mut Vec<String>, done: &mut BTreeSet<String>) -> bool {
        if let Some(at) = way.iter().position(|earlier| earlier == node) {
            way.drain(..at);
            return true;
        }
        if done.contains(node) {
            return false;
        }
        way.push(node.to_owned());
        if graph.get(node).is_some_and(|next| next.iter().any(|next| visit(graph, next, way, done))) {
            return true;
        }
        way.pop();
        done.insert(node.to_owned());
        false
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|node| {
        let mut way = Vec::new();
        visit(graph, node, &mut way, &mut done).then_some(way)
    })
}

/// The imports of a crate's files and modules, in which no circle is. Two of them that stand in the code show that the
/// reading works.
fn no_circles(name: &str, module: (&str, &str), file: Option<(&str, &str)>) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
    let (mut files, mut modules) = (Graph::new(), Graph::new());
    read(&source, None, &mut files, &mut modules);
    assert!(modules[module.0].contains(module.1), "{modules:#?}");
    if let Some((from, to)) = file {
        assert!(files.iter().any(|(f, all)| f.ends_with(from) && all.iter().any(|t| t.ends_with(to))));
    }
    assert_eq!(circle(&files), None, "files of {name} that import each other");
    assert_eq!(circle(&modules), None, "modules of {name} that import each other");
}

#[test]
fn no_circles_in_the_library() {
    no_circles("ptxcvt", ("forms", "round"), Some(("forms/rows", "forms/row")));
}

#[test]
fn no_circles_in_the_syntax() {
    no_circles("ptxcvt-syntax", ("sources", "check"), Some(("check/placeholder", "check/filler")));
}

#[test]
fn no_circles_in_the_server() {
    no_circles("ptxcvt-lsp", ("hover", "document"), None);
}

#[test]
fn circles_are_found() {
    let graph = |edges: &[(&str, &str)]| {
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        graph
    };
    assert_eq!(circle(&graph(&[("a", "b"), ("a", "c"), ("b", "c")])), None);
    assert_eq!(
        circle(&graph(&[("a", "b"), ("b", "c"), ("c", "b")])).map(|way| way.join(" ")),
        Some("b c".into())
    );
}
