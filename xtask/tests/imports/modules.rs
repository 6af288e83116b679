//! What the modules of a crate define and name, read from their tokens.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path such as `crate::forms::row::Row`, and the module where it was written.
#[derive(Clone, Debug)]
pub struct Name {
    /// The module around it: `["forms", "rows"]`.
    pub module: Vec<String>,
    pub path: Vec<String>,
    /// The new name in a `use`; `*` for all names.
    pub alias: Option<String>,
    /// It belongs to a `pub use`, `pub(super) use` or the like.
    pub exported: bool,
}

/// The definitions and imports of one module: a file, or a `mod name { … }` in a file.
#[derive(Default)]
pub struct Module {
    pub file: PathBuf,
    pub items: BTreeSet<String>,
    pub names: Vec<Name>,
}

/// The modules of a crate by path.
pub type Modules = BTreeMap<Vec<String>, Module>;

/// Words that are followed by the name of an item.
const ITEMS: &[&str] =
    &["fn", "struct", "enum", "union", "trait", "type", "const", "static", "macro_rules", "mod"];

pub fn word(token: Option<&TokenTree>) -> Option<String> {
    match token? {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        _ => None,
    }
}

pub fn is_sign(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

/// True if `::` is at `at`.
pub fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
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
pub fn is_for_tests(token: Option<&TokenTree>) -> bool {
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

/// A file of a crate: its module, its path and its tokens.
pub struct Source {
    pub module: Vec<String>,
    pub file: PathBuf,
    pub tokens: TokenStream,
}

/// The files of the crate whose root is `root`.
pub fn sources(root: &Path) -> Vec<Source> {
    let folder = root.parent().expect("a folder");
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            if entry.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let below = entry.strip_prefix(folder).expect("below src").with_extension("");
            let mut module: Vec<String> =
                below.iter().map(|part| part.to_str().expect("a name in UTF-8").to_owned()).collect();
            let is_root = module.len() == 1 && (module[0] == "lib" || module[0] == "main");
            if is_root && entry != root {
                continue;
            }
            if is_root || module.last().is_some_and(|last| last == "mod") {
                module.pop();
            }
            let text = fs::read_to_string(&entry).expect("a file of Rust");
            let tokens = text.parse().unwrap_or_else(|error| panic!("{}: {error}", entry.display()));
            all.push(Source { module, file: entry, tokens });
        }
    }
    all
}

/// The modules of the crate with these files.
pub fn modules(sources: &[Source]) -> Modules {
    let mut all = Modules::new();
    for source in sources {
        all.entry(source.module.clone()).or_default().file = source.file.clone();
        read(source.tokens.clone(), &source.module, &source.file, true, &mut all);
    }
    all
}
