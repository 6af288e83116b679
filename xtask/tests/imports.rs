//! No two files of a crate import each other, directly or through other files.
//!
//! The test reads every crate of the workspace. A file imports another if it names something that is defined there: in
//! a `use` or in the middle of its code, also within macros. A name that a file merely re-exports counts as the file
//! that defines it. Left out are `pub use` in a `mod.rs` or `lib.rs`, which decides where names are visible but needs
//! nothing, and modules for tests alone.
//!
//! A cycle means that none of its files can be understood without the others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path such as `crate::forms::row::Row`, and the module where it was written.
#[derive(Clone, Debug)]
struct Name {
    /// The module around it: `["forms", "rows"]`.
    module: Vec<String>,
    path: Vec<String>,
    /// The new name in a `use`; `*` for all names.
    alias: Option<String>,
    /// It belongs to a `pub use`, `pub(super) use` or the like.
    exported: bool,
}

/// The definitions and imports of one module: a file, or a `mod name { … }` in a file.
#[derive(Default)]
struct Module {
    file: PathBuf,
    items: BTreeSet<String>,
    names: Vec<Name>,
}

/// The modules of a crate by path.
type Modules = BTreeMap<Vec<String>, Module>;

/// Files, and the files that each imports.
type Graph = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

/// Words that are followed by the name of an item.
const ITEMS: &[&str] =
    &["fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules", "mod"];

fn word(token: Option<&TokenTree>) -> Option<String> {
    match token? {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        _ => None,
    }
}

fn is_sign(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

/// True if `::` is at `at`.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    is_sign(tokens.get(at), ':') && is_sign(tokens.get(at + 1), ':')
}

/// Splits a `use` tree into its names: `a::{b, c as d, e::*}` is three.
fn tree(tokens: &[TokenTree], prefix: &[String], names: &mut Vec<(Vec<String>, String)>) {
    for branch in tokens.split(|token| is_sign(Some(token), ',')) {
        let (mut path, mut alias) = (prefix.to_vec(), None);
        let mut at = 0;
        while at < branch.len() {
            match &branch[at] {
                TokenTree::Ident(ident) if ident == "as" => {
                    alias = word(branch.get(at + 1));
                    at += 1;
                }
                TokenTree::Ident(ident) if ident == "self" && !path.is_empty() => {}
                TokenTree::Ident(ident) => path.push(ident.to_string()),
                TokenTree::Punct(punct) if punct.as_char() == '*' => alias = Some("*".to_owned()),
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    tree(&inner, &path, names);
                    path.clear();
                }
                _ => {}
            }
            at += 1;
        }
        if let Some(last) = path.last().cloned() {
            names.push((path, alias.unwrap_or(last)));
        }
    }
}

/// Whether the attribute in these brackets is `cfg(test)`, or `cfg(all(test, …))`.
fn is_for_tests(token: Option<&TokenTree>) -> bool {
    matches!(token, Some(TokenTree::Group(group))
    if ["cfg(test)", "cfg(all(test,"].iter().any(|start| {
        group.stream().to_string().replace(' ', "").starts_with(start)
    }))
}

/// Adds the paths in strings of an attribute, such as `serde(with = "super::named::format")`.
fn named_in_strings(attribute: TokenStream, paths: &mut Vec<Vec<String>>) {
    let tokens: Vec<TokenTree> = attribute.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => named_in_strings(group.stream(), paths),
            TokenTree::Literal(literal) if at >= 2 && is_sign(tokens.get(at - 1), '=') => {
                let text = literal.to_string();
                let key = word(tokens.get(at - 2)).unwrap_or_default();
                if key != "doc" && text.contains("::") {
                    paths.push(text.trim_matches('"').split("::").map(str::to_owned).collect());
                }
            }
            _ => {}
        }
    }
}

/// Reads the tokens of a module: its items and what it names.
fn read(stream: TokenStream, module: &[String], file: &Path, is_top: bool, modules: &mut Modules) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    let mut skips_next = false;
    while at < tokens.len() {
        let next = tokens.get(at + 1);
        match &tokens[at] {
            TokenTree::Punct(punct) if punct.as_char() == '#' => {
                if let Some(TokenTree::Group(group)) = next {
                    skips_next |= is_for_tests(next);
                    let mut paths = Vec::new();
                    named_in_strings(group.stream(), &mut paths);
                    let entry = modules.entry(module.to_vec()).or_default();
                    entry.names.extend(paths.into_iter().map(|path| Name {
                        module: module.to_vec(),
                        path,
                        alias: None,
                        exported: false,
                    }));
                    at += 1;
                }
            }
            TokenTree::Ident(ident) if ident == "use" => {
                let end = (at..tokens.len()).find(|i| is_sign(tokens.get(*i), ';')).unwrap_or(tokens.len());
                let exported = match at.checked_sub(1).map(|before| &tokens[before]) {
                    Some(TokenTree::Ident(before)) => before == "pub",
                    // `pub(crate) use`
                    Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Parenthesis,
                    _ => false,
                };
                let mut names = Vec::new();
                // `use<'a>` in a bound is not an import.
                if !is_sign(next, '<') {
                    tree(&tokens[at + 1..end], &[], &mut names);
                }
                if !std::mem::take(&mut skips_next) {
                    let entry = modules.entry(module.to_vec()).or_default();
                    entry.names.extend(names.into_iter().map(|(path, alias)| Name {
                        module: module.to_vec(),
                        path,
                        // Within a function, a `use` gives no names to others.
                        alias: is_top.then_some(alias),
                        exported,
                    }));
                }
                at = end;
            }
            TokenTree::Ident(ident) if ident == "mod" && word(next).is_some() => {
                let name = word(next).expect("just looked at");
                if let Some(TokenTree::Group(group)) = tokens.get(at + 2) {
                    if !std::mem::take(&mut skips_next) {
                        let inner = [module, &[name]].concat();
                        modules.entry(inner.clone()).or_default().file = file.to_owned();
                        read(group.stream(), &inner, file, true, modules);
                    }
                    at += 1;
                }
                skips_next = false;
                at += 1;
            }
            TokenTree::Ident(ident) => {
                let text = ident.to_string();
                let name = if text == "macro_rules" { tokens.get(at + 2) } else { next };
                if is_top && ITEMS.contains(&text.as_str()) {
                    if let Some(name) = word(name) {
                        modules.entry(module.to_vec()).or_default().items.insert(name);
                    }
                }
                let follows = at >= 2 && is_separator(&tokens, at - 2);
                if is_separator(&tokens, at + 1) && !follows {
                    let mut path = vec![text];
                    while is_separator(&tokens, at + 1) {
                        let Some(segment) = word(tokens.get(at + 3)) else { break };
                        path.push(segment);
                        at += 3;
                    }
                    let name = Name { module: module.to_vec(), path, alias: None, exported: false };
                    modules.entry(module.to_vec()).or_default().names.push(name);
                }
            }
            TokenTree::Group(group) => {
                let skipped = group.delimiter() == Delimiter::Brace && std::mem::take(&mut skips_next);
                if !skipped {
                    read(group.stream(), module, file, false, modules);
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => skips_next = false,
            _ => {}
        }
        at += 1;
    }
}

/// The modules of the crate whose root is `root`.
fn modules(root: &Path) -> Modules {
    let source = root.parent().expect("a folder");
    let mut all = Modules::new();
    let mut folders = vec![source.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            if entry.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let below = entry.strip_prefix(source).expect("below src").with_extension("");
            let mut path: Vec<String> =
                below.iter().map(|part| part.to_str().expect("a name in UTF-8").to_owned()).collect();
            let is_root = path.len() == 1 && (path[0] == "lib" || path[0] == "main");
            if is_root && entry != root {
                continue;
            }
            if is_root || path.last().is_some_and(|last| last == "mod") {
                path.pop();
            }
            let text = fs::read_to_string(&entry).expect("a file of Rust");
            let stream: TokenStream =
                text.parse().unwrap_or_else(|error| panic!("{}: {error}", entry.display()));
            all.entry(path.clone()).or_default().file = entry.clone();
            read(stream, &path, &entry, true, &mut all);
        }
    }
    all
}

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
fn item<'m>(modules: &'m Modules, module: &[String], path: &[String], depth: usize) -> Option<&'m PathBuf> {
    let found = file(modules, module, path, depth)?;
    let last = path.last()?;
    let has = |module: &&Module| &module.file == found && module.items.contains(last);
    modules.values().any(|module| has(&module)).then_some(found)
}

/// The imports of a crate's files.
fn imports(modules: &Modules) -> Graph {
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
fn cycles<T: Ord + Clone>(graph: &BTreeMap<T, BTreeSet<T>>) -> Vec<BTreeSet<T>> {
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

#[test]
fn no_cycles() {
    let crates = crates();
    assert!(crates.len() >= 24, "{crates:?}");
    let mut wrong = Vec::new();
    for (name, main) in crates {
        let source = main.parent().expect("src");
        for cycle in cycles(&imports(&modules(&main))) {
            let below = |file: &PathBuf| file.strip_prefix(source).expect("below src").display().to_string();
            let files: Vec<String> = cycle.iter().map(below).collect();
            wrong.push(format!("{name}: {}", files.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "files that import each other:\n{}", wrong.join("\n"));
}

/// Two files whose imports are known.
#[test]
fn imports_are_found() {
    let imports_of = |name: &str, file: &str| -> BTreeSet<String> {
        let source = root().join("crates").join(name).join("src");
        let graph = imports(&modules(&source.join("lib.rs")));
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
