//! Every public error type implements `Error` and can grow: it is `#[non_exhaustive]` or has private fields. Its advice
//! is a method, `help() -> Option<&str>`. No public function fails with a text.

mod common;

use std::fs;

/// A public type whose name ends in `Error`, or that implements `Error`.
#[derive(Debug, PartialEq, Eq)]
struct ErrorType {
    name: String,
    implements: bool,
    can_grow: bool,
    /// It has no `help`, or the one method.
    help: bool,
}

/// The public error types that a file declares.
fn errors(text: &str) -> Vec<ErrorType> {
    let lines: Vec<&str> = text.lines().collect();
    let declared = lines.iter().enumerate().filter_map(|(at, line)| {
        let (kind, rest) = ["struct", "enum"]
            .iter()
            .find_map(|kind| Some((*kind, line.strip_prefix(&format!("pub {kind} "))?)))?;
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
        let implements = lines.iter().any(|line| {
            let of = line.strip_prefix("impl").and_then(|line| line.split_once("Error for "));
            of.is_some_and(|(_, of)| of.split(|c: char| !c.is_alphanumeric()).next() == Some(&name))
        });
        if !implements && !name.ends_with("Error") {
            return None;
        }
        let attributes = lines[..at].iter().rev().take_while(|line| line.starts_with(['#', '/']));
        let marked = attributes.into_iter().any(|line| *line == "#[non_exhaustive]");
        let body = lines[at + 1..].iter().take_while(|line| !line.starts_with('}')).map(|line| line.trim());
        let methods = lines.iter().skip_while(|line| **line != format!("impl {name} {{"));
        let methods = methods.take_while(|line| !line.starts_with('}')).map(|line| line.trim());
        let is_help = |line: &str| line.starts_with("pub ") && line.contains("fn help(");
        let help = !body.clone().any(|line| line.starts_with("pub help:"))
            && methods
                .filter(|line| is_help(line))
                .all(|line| line.ends_with("fn help(&self) -> Option<&str> {"));
        let is_field = |line: &&str| !line.starts_with(['/', '#']);
        let has_private_field = match kind {
            "struct" if rest.ends_with('{') => {
                body.into_iter().filter(is_field).any(|line| !line.starts_with("pub "))
            }
            "struct" => rest.split_once('(').is_some_and(|(_, fields)| !fields.starts_with("pub ")),
            _ => false,
        };
        Some(ErrorType { name, implements, can_grow: marked || has_private_field, help })
    });
    declared.collect()
}

#[test]
fn public_errors_implement_error_and_can_grow() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for path in common::rust_files() {
        for error in errors(&fs::read_to_string(&path).expect("a source")) {
            seen += 1;
            if !error.implements || !error.can_grow || !error.help {
                wrong.push(format!("{}: {error:?}", path.display()));
            }
        }
    }
    assert!(seen > 25, "{seen} errors");
    assert!(
        wrong.is_empty(),
        "implement `Error`, add `#[non_exhaustive]`, return help as `Option<&str>`:\n{}",
        wrong.join("\n")
    );
}

/// Conversions return such an error type, too, and not a text.
#[test]
fn no_conversion_fails_with_a_text() {
    let mut wrong = Vec::new();
    for path in common::rust_files() {
        let text = fs::read_to_string(&path).expect("a source");
        let is_text = |line: &&str| {
            let error =
                ["type Err = ", "type Error = "].iter().find_map(|start| line.trim().strip_prefix(start));
            error.is_some_and(|error| error == "String;" || error.starts_with('&'))
        };
        wrong.extend(text.lines().filter(is_text).map(|line| format!("{}: {}", path.display(), line.trim())));
    }
    assert!(wrong.is_empty(), "implement `Error` for a type of its own:\n{}", wrong.join("\n"));
}

/// `Result<T, String>` in a signature of the public API.
fn fails_with_a_text(signature: &str) -> bool {
    signature.match_indices("Result<").any(|(at, start)| {
        let mut depth = 1;
        let end = signature[at + start.len()..].find(|c| {
            depth += match c {
                '<' | '(' => 1,
                '>' | ')' => -1,
                _ => 0,
            };
            depth == 0
        });
        end.is_some_and(|end| signature[..at + start.len() + end].ends_with(", String"))
    })
}

#[test]
fn no_public_function_fails_with_a_text() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for folder in fs::read_dir(common::root().join("crates")).expect("a folder of crates").flatten() {
        let Ok(api) = fs::read_to_string(folder.path().join("api.txt")) else { continue };
        seen += api.lines().filter(|line| line.contains("Result<")).count();
        wrong.extend(api.lines().filter(|line| fails_with_a_text(line)).map(str::to_owned));
    }
    assert!(seen > 100, "{seen} functions that can fail");
    assert!(wrong.is_empty(), "give each an error type of its own:\n{}", wrong.join("\n"));
}

#[test]
fn the_test_finds_what_it_looks_for() {
    let text = "#[non_exhaustive]\npub enum A {\n    X,\n}\nimpl std::error::Error for A {}\n\
                pub struct BError {\n    /// Why.\n    pub what: u8,\n}\n\
                /// Opaque.\npub struct C(String);\nimpl core::error::Error for C {}\npub struct D;\n\
                impl C {\n    pub const fn help(&self) -> String {\n    }\n}\n";
    let error =
        |name: &str, implements, can_grow, help| ErrorType { name: name.into(), implements, can_grow, help };
    let expected =
        [error("A", true, true, true), error("BError", false, false, true), error("C", true, true, false)];
    assert_eq!(errors(text), expected);
    let texts =
        ["fn a() -> Result<u8, String>", "fn b() -> impl Iterator<Item = Result<(u8, A<u8>), String>>"];
    assert!(texts.into_iter().all(fails_with_a_text));
    assert!(!fails_with_a_text("fn c() -> Result<Vec<u8, String>, Error>"));
}
