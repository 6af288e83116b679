//! Which file defines a name, and the files that import each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::modules::{Module, Modules, Name};

/// Files, and the files that each imports.
pub type Graph = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

/// The file that defines what `path` means in `module`; `None` for names from outside the crate.
fn file<'m>(modules: &'m Modules, module: &[String], path: &[String], depth: usize) -> Option<&'m PathBuf> {
    if depth > 8 {
        return None;
    }
    let mut here = module.to_vec();
    let mut rest = path;
    match rest.first().map(String::as_str) {
        Some("crate") => {
            here.clear();
            rest = &rest[1..];
        }
        Some("self") => rest = &rest[1..],
        Some("super") => {
            while rest.first().is_some_and(|part| part == "super") {
                here.pop();
                rest = &rest[1..];
            }
        }
        // A name of this module: a module below it, or what it has imported by that name.
        Some(first) if !modules.contains_key(&[module, &[first.to_owned()]].concat()) => {
            let imported = |name: &&Name| name.alias.as_deref() == Some(first) && name.path != path;
            let name = modules.get(module)?.names.iter().find(imported)?;
            return file(modules, &name.module, &[&name.path, &path[1..]].concat(), depth + 1);
        }
        _ => {}
    }
    while let Some(first) = rest.first() {
        let below = [&here[..], std::slice::from_ref(first)].concat();
        if modules.contains_key(&below) {
            (here, rest) = (below, &rest[1..]);
            continue;
        }
        let this = modules.get(&here)?;
        if this.items.contains(first) {
            break;
        }
        let aliased = |name: &&Name| name.alias.as_ref() == Some(first) && name.path != path;
        if let Some(name) = this.names.iter().find(aliased) {
            return file(modules, &name.module, &name.path, depth + 1);
        }
        let globs = this.names.iter().filter(|name| name.alias.as_deref() == Some("*"));
        for glob in globs {
            let longer = [&glob.path[..], std::slice::from_ref(first)].concat();
            if let Some(target) = item(modules, &glob.module, &longer, depth + 1) {
                return Some(target);
            }
        }
        break;
    }
    modules.get(&here).map(|module| &module.file)
}

/// As [`file`], but only if that file has an item of this name.
pub fn item<'m>(
    modules: &'m Modules,
    module: &[String],
    path: &[String],
    depth: usize,
) -> Option<&'m PathBuf> {
    let found = file(modules, module, path, depth)?;
    let last = path.last()?;
    let has = |module: &&Module| &module.file == found && module.items.contains(last);
    modules.values().any(|module| has(&module)).then_some(found)
}

/// The imports of a crate's files.
pub fn imports(modules: &Modules) -> Graph {
    let mut graph = Graph::new();
    for (path, module) in modules {
        let edges = graph.entry(module.file.clone()).or_default();
        let is_list = module
            .file
            .file_name()
            .is_some_and(|name| name == "mod.rs" || name == "lib.rs" || name == "main.rs");
        for name in &module.names {
            if is_list && name.exported {
                continue;
            }
            if let Some(target) = file(modules, path, &name.path, 0) {
                if *target != module.file {
                    edges.insert(target.clone());
                }
            }
        }
    }
    graph
}

/// The groups of nodes that reach each other.
pub fn cycles<T: Ord + Clone>(graph: &BTreeMap<T, BTreeSet<T>>) -> Vec<BTreeSet<T>> {
    let reached = |from: &T| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(node) = open.pop() {
            for next in graph.get(&node).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&T, BTreeSet<T>> = graph.keys().map(|node| (node, reached(node))).collect();
    let mut found: Vec<BTreeSet<T>> = Vec::new();
    for (node, all) in &reached {
        if all.contains(*node) && !found.iter().any(|cycle| cycle.contains(*node)) {
            found.push(all.iter().filter(|other| reached[other].contains(*node)).cloned().collect());
        }
    }
    found
}
