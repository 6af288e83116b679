//! The search: a list of all pages, and the script that looks through it. It needs no server.

use std::collections::BTreeMap;
use std::fmt::Write;

use ptxcvt::forms::Part;
use ptxcvt::{Form, Format, Spelling, Type};

use crate::page::{File, Page, Section};

const SCRIPT: &str = include_str!("search.js");

/// The script with the list of pages: title, path, kind, and further search words. The meanings of opcode parts are a
/// separate list.
pub fn script(pages: &[Page], sections: &[Section]) -> File {
    let mut contents = String::from("const PARTS = {\n");
    for (part, meaning) in parts() {
        writeln!(contents, "{}:{},", quoted(&part), quoted(&meaning))
            .expect("writing to a string cannot fail");
    }
    contents += "};\nconst NAMES = {\n";
    for (name, names) in names() {
        writeln!(contents, "{}:{},", quoted(&name), quoted(&names)).expect("writing to a string cannot fail");
    }
    contents += "};\nconst PAGES = [\n";
    for page in pages {
        // A form's opcode says everything that its sentence says.
        let about = if page.kind == "form" { "" } else { &page.about };
        let about = format!("{about} {}", page.words);
        let cells = [&page.title, &page.path, page.kind, about.trim()].map(quoted).join(",");
        writeln!(contents, "[{cells}],").expect("writing to a string cannot fail");
    }
    for section in sections {
        let kind = format!("in {}", section.guide);
        let cells = [&section.title, &section.path, &kind, &section.words].map(|cell| quoted(cell)).join(",");
        writeln!(contents, "[{cells}],").expect("writing to a string cannot fail");
    }
    contents += "];\n";
    File { path: "search.js".to_owned(), contents: contents + SCRIPT }
}

/// The meaning of roundings, modifiers and types.
fn parts() -> BTreeMap<String, String> {
    let mut parts = BTreeMap::new();
    for form in Form::all() {
        let opcode = form.to_string();
        for (part, _) in Spelling::new(&opcode).parts() {
            let Some(mut meaning) = ptxcvt_syntax::meaning(part) else { continue };
            if let Part::Type(ty) = part {
                meaning = format!("{meaning} {}", ty.format().parameters().about);
            }
            parts.insert(part.name().to_owned(), meaning);
        }
    }
    parts
}

/// The names of the format of each type, and of each format, as libraries write them.
fn names() -> BTreeMap<String, String> {
    let types = Type::ALL.iter().map(|ty| (ty.name(), ty.format()));
    let formats = Format::ALL.iter().map(|format| (format.name(), *format));
    let names = |format: Format| [&[format.name()], format.parameters().aliases].concat().join(" ");
    types.chain(formats).map(|(name, format)| (name.to_owned(), names(format))).collect()
}

/// A string of JavaScript.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            other => out.push(other),
        }
    }
    out + "\""
}
