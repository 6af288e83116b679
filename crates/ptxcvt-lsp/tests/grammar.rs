//! The grammar of editors/vscode has the roundings, modifiers and types of the table.
//!
//! `BLESS=1 cargo test -p ptxcvt-lsp --test grammar` writes them.

use std::collections::BTreeSet;
use std::path::Path;

use ptxcvt::forms::Part;
use ptxcvt::{Form, Spelling};

/// The pattern for a part of an opcode with one of these names.
fn pattern(names: &BTreeSet<String>) -> String {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    format!("\\.(?:{})(?![\\w:])", names.join("|"))
}

#[test]
fn the_grammar_knows_every_part() {
    let mut kinds = [const { BTreeSet::new() }; 3];
    for form in Form::all() {
        for (part, _) in Spelling::new(&form.to_string()).parts() {
            let kind = match part {
                Part::Rounding(_) => 0,
                Part::Modifier(_) => 1,
                _ => 2,
            };
            kinds[kind].insert(part.name().expect("a part of a form").to_owned());
        }
    }
    assert!(kinds.iter().all(|names| names.len() > 4), "{kinds:?}");
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode/syntaxes/ptx.tmLanguage.json");
    let text = std::fs::read_to_string(&path).expect("the grammar");
    let scopes =
        ["constant.language.rounding.ptx", "storage.modifier.conversion.ptx", "support.type.conversion.ptx"];
    let mut after = text.clone();
    for (scope, names) in scopes.iter().zip(&kinds) {
        let before = format!("\"name\": \"{scope}\", \"match\": \"");
        let start = after.find(&before).expect("a rule of that name") + before.len();
        let end = start + after[start..].find('"').expect("its end");
        after.replace_range(start..end, &pattern(names).replace('\\', "\\\\"));
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &after).expect("to write the grammar");
    }
    assert!(text == after || std::env::var_os("BLESS").is_some(), "stale: cargo xtask bless");
    serde_json::from_str::<serde_json::Value>(&after).expect("JSON");
}
