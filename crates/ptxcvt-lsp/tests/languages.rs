//! The files of editors and of pre-commit name every language that the server and `check` read.
//!
//! `BLESS=1 cargo test -p ptxcvt-lsp --test languages` writes the lists.

use std::fs;
use std::path::{Path, PathBuf};

use ptxcvt_syntax::sources::Language;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

/// The lists: the file, the text before and after each, and what is between.
fn lists() -> [(&'static str, &'static str, &'static str, String); 5] {
    let ids = Language::ALL.iter().flat_map(|language| language.ids());
    let quoted: Vec<String> = ids.map(|id| format!("\"{id}\"")).collect();
    let events: Vec<String> = quoted.iter().map(|id| format!("    \"onLanguage:{}", &id[1..])).collect();
    let extensions: Vec<&str> =
        Language::ALL.iter().flat_map(|language| language.extensions()).copied().collect();
    [
        ("editors/vscode/src/extension.ts", "const LANGUAGES = [", "];", quoted.join(", ")),
        ("editors/vscode/package.json", "\"activationEvents\": [\n", "\n  ],", events.join(",\n")),
        ("editors/neovim/ptxcvt.lua", "  pattern = { ", " },", quoted.join(", ")),
        ("docs/editors.md", "  pattern = { ", " },", quoted.join(", ")),
        (".pre-commit-hooks.yaml", "  files: \\.(", ")$", extensions.join("|")),
    ]
}

#[test]
fn lists_are_complete() {
    for (name, before, after, list) in lists() {
        let old = fs::read_to_string(path(name)).expect("a file of the repository");
        let mut parts = old.split(before);
        let mut new = parts.next().expect("the first part").to_owned();
        assert!(old.contains(before), "{name} does not contain `{before}`");
        for part in parts {
            let (_, rest) = part.split_once(after).expect("the end of the list");
            new += &format!("{before}{list}{after}{rest}");
        }
        if std::env::var_os("BLESS").is_some() {
            fs::write(path(name), new).expect("to write the file");
        } else {
            assert!(old == new, "{name} is stale: cargo xtask bless");
        }
    }
}

/// A sentence about the extension names each language that editors know.
#[test]
fn sentences_are_complete() {
    for name in ["editors/vscode/package.json", "editors/vscode/README.md"] {
        let text = fs::read_to_string(path(name)).expect("a file of the repository");
        for language in Language::ALL.iter().filter(|language| !language.ids().is_empty()) {
            assert!(text.contains(language.title()), "{name} does not name {}", language.title());
        }
    }
}
