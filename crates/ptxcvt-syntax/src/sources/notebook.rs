//! Jupyter notebooks: the code cells of an `.ipynb` file are one Python text. Cells with a magic such as `%%writefile
//! x.cu` or `%%cu` are read in its language. Conversions in cells in unsupported languages are counted.
//!
//! "The Jupyter Notebook Format", versions 3 and 4; RFC 8259 for strings.

use super::escape::{Escapes, unescape};
use super::json::{self, Json};
use super::language::Language;
use super::python;
use super::reading::{Embedded, Reading, Wrappers};
use super::text::Joined;
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// The keys of a notebook that are read.
const KEYS: &[&str] = &[
    "cells",
    "worksheets",
    "cell_type",
    "source",
    // Version 3 stores the code of a cell under this key.
    "input",
    "metadata",
    "kernelspec",
    "language_info",
    "language",
    "name",
];

/// The texts of the cells.
pub(super) fn read(text: &str, _: &Wrappers) -> Reading {
    let mut reading = Reading::default();
    let (notebook, error) = json::read(text, KEYS);
    let sheets = notebook.get("worksheets").map_or(&[][..], Json::items).iter();
    let lists = notebook.get("cells").into_iter().chain(sheets.filter_map(|sheet| sheet.get("cells")));
    let cells: Vec<&Json> = lists.clone().flat_map(Json::items).collect();
    if let Some(error) = error {
        reading.found.push(invalid(text, error.at, error.what));
    } else if lists.count() == 0 && notebook.get("worksheets").is_none() {
        reading.found.push(invalid(text, 0, "it has no list `cells`"));
    }
    let mut programs = Programs { python: program(), language: language_of(text, &notebook) };
    for (number, cell) in cells.into_iter().enumerate() {
        let kind = cell.get("cell_type").and_then(|kind| string(text, kind));
        let Some(source) = cell.get("source").or(cell.get("input")).and_then(|source| lines(text, source))
        else {
            continue;
        };
        // A cell without a type may be code.
        if kind.is_none_or(|kind| kind.text == "code") {
            programs.cell(source, number + 1, &mut reading);
        }
    }
    reading.embedded.push(programs.python);
    reading
}

/// The finding that a text is not a notebook.
fn invalid(text: &str, at: usize, what: &str) -> Diagnostic {
    let (at, what) = if text.trim().is_empty() { (0, "the file is empty") } else { (at, what) };
    let at = at.min(text.len()) as u32;
    Diagnostic::new(PtxCode::Notebook, Span::new(at, at), format!("this is not a Jupyter notebook: {what}"))
}

/// The language of the code: Python unless the notebook names another one. `None` if that is unsupported.
fn language_of(text: &str, notebook: &Json) -> Option<Language> {
    let metadata = notebook.get("metadata");
    let part = |part: &str, key: &str| metadata?.get(part)?.get(key).and_then(|name| string(text, name));
    let name = part("language_info", "name").or_else(|| part("kernelspec", "language"));
    match name.filter(|name| !name.text.is_empty()) {
        Some(name) => of_program(&name.text.to_ascii_lowercase()),
        None => Some(Language::Python),
    }
}

/// An empty Python program.
fn program() -> Embedded {
    Embedded { joined: Joined::default(), language: Language::Python, template: false, cells: Vec::new() }
}

/// The texts of the cells so far.
struct Programs {
    /// The cells of the Python program, in order.
    python: Embedded,
    /// The language of cells without a magic.
    language: Option<Language>,
}

impl Programs {
    /// Adds a cell of code.
    fn cell(&mut self, joined: Joined, number: usize, reading: &mut Reading) {
        let first = joined.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
        match first.strip_prefix("%%") {
            None if self.language != Some(Language::Python) => {
                self.other(joined, self.language, number, reading)
            }
            // A cell that ends inside a string or brackets does not run, so it does not affect the next cells.
            None if !python::is_complete(&joined.text) => self.other(joined, self.language, number, reading),
            None => {
                self.python.cells.push((self.python.joined.text.len() as u32, number));
                self.python.joined.append_all(&joined);
                self.python.joined.push_as("\n", Span::default());
            }
            Some(magic) => {
                // The magic's own line is not part of the code.
                let body = joined.text.find(first).expect("a line of the cell") + first.len();
                let part = |range| {
                    let mut part = Joined::default();
                    part.append(&joined, range);
                    part
                };
                let rest = part(body..joined.text.len());
                reading.unread.push(part(0..body));
                self.other(rest, language(magic), number, reading);
            }
        }
    }

    /// Adds a cell that is not part of the program.
    fn other(&self, joined: Joined, language: Option<Language>, number: usize, reading: &mut Reading) {
        match language {
            Some(language) => {
                let cells = vec![(0, number)];
                reading.embedded.push(Embedded { joined, language, template: false, cells });
            }
            None => reading.unread.push(joined),
        }
    }
}

/// The language of a cell, from the text after the magic's `%%`. `None` if it is unsupported.
fn language(magic: &str) -> Option<Language> {
    let mut words = magic.split_whitespace();
    match words.next()? {
        "writefile" | "file" => Language::of(words.next_back()?.as_ref()),
        "ptx" => Some(Language::Ptx),
        "script" => words.find(|word| !word.starts_with('-')).and_then(of_program),
        name => of_program(name),
    }
}

/// The language of the code that a program or a kernel of this name runs.
fn of_program(program: &str) -> Option<Language> {
    /// Magics that run Python.
    const PYTHON: [&str; 11] =
        ["time", "timeit", "capture", "prun", "debug", "memit", "px", "cython", "python", "python3", "pypy"];
    const CPP: [&str; 7] = ["cu", "cpp", "c++", "cxx", "cling", "hip", "c"];
    match () {
        () if PYTHON.contains(&program) => Some(Language::Python),
        () if CPP.contains(&program) || program.starts_with("c++") => Some(Language::Cpp),
        () if program == "rust" => Some(Language::Rust),
        // `%%nvcc`, `%%cuda`, `%%cuda_group_save`, `%%cudaq`, `%%script hipcc -x hip -`
        () if ["nvcc", "cuda", "hipcc", "clang", "gcc", "g++"].iter().any(|part| program.contains(part)) => {
            Some(Language::Cpp)
        }
        () if program.contains("python") => Some(Language::Python),
        () => None,
    }
}

/// A string with its escapes decoded.
fn string(text: &str, value: &Json) -> Option<Joined> {
    let Json::String(from, to) = *value else { return None };
    let mut joined = Joined::default();
    unescape(text, from + 1, to, Escapes::Json, &mut joined);
    Some(joined)
}

/// A string, or a list of strings joined to one.
fn lines(text: &str, value: &Json) -> Option<Joined> {
    let Json::Array(items) = value else { return string(text, value) };
    let mut joined = Joined::default();
    items.iter().filter_map(|item| string(text, item)).for_each(|line| joined.append_all(&line));
    Some(joined)
}
