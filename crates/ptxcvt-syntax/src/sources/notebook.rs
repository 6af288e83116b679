//! Jupyter notebooks: the code cells of `.ipynb` as one text of Python, and cells with a magic such as `%%writefile x.cu` or
//! `%%cu` in its language. Conversions in cells of other languages are counted.
//!
//! "The Jupyter Notebook Format", versions 3 and 4; RFC 8259 for strings.

use super::escape::{Escapes, unescape};
use super::language::Language;
use super::reading::{Embedded, Reading, Wrappers};
use super::scan::Scanner;
use super::text::Joined;
use crate::source::Span;

/// The texts of the cells.
pub(super) fn read(text: &str, _: &Wrappers) -> Reading {
    let mut reading = Reading::default();
    let mut python = Embedded { joined: Joined::default(), language: Language::Python, cells: Vec::new() };
    let mut scanner = Scanner::new(text);
    // A cell is an object with `cell_type` and `source`, in any order; the keys of its outputs are no cells' keys.
    let (mut number, mut code, mut source) = (0, None, None);
    while !scanner.at_end() {
        if scanner.peek() != b'"' {
            scanner.step();
            continue;
        }
        let key = string(&mut scanner).text;
        blanks(&mut scanner);
        if !scanner.take(b':') {
            continue;
        }
        blanks(&mut scanner);
        match &*key {
            "cell_type" if scanner.peek() == b'"' => code = Some(string(&mut scanner).text == "code"),
            // Version 3 has the code of a cell in `input`.
            "source" | "input" => source = Some(value(&mut scanner)),
            // Whatever else has such keys.
            "outputs" | "metadata" | "attachments" => scanner.skip_group(),
            _ => continue,
        }
        if let (Some(is_code), true) = (code, source.is_some()) {
            number += 1;
            let joined = source.take().expect("just tested");
            code = None;
            if is_code {
                cell(joined, number, &mut python, &mut reading);
            }
        }
    }
    reading.embedded.push(python);
    reading
}

/// Adds a cell of code.
fn cell(joined: Joined, number: usize, python: &mut Embedded, reading: &mut Reading) {
    let first = joined.text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    match first.strip_prefix("%%") {
        None => {
            python.cells.push((python.joined.text.len() as u32, number));
            python.joined.append_all(&joined);
            python.joined.push_as("\n", Span::default());
        }
        Some(magic) => {
            // The magic's own line is no text of the language.
            let body = joined.text.find(first).expect("a line of the cell") + first.len();
            let part = |range| {
                let mut part = Joined::default();
                part.append(&joined, range);
                part
            };
            let rest = part(body..joined.text.len());
            reading.unread.push(part(0..body));
            match language(magic) {
                Some(language) => {
                    reading.embedded.push(Embedded { joined: rest, language, cells: vec![(0, number)] });
                }
                None => reading.unread.push(rest),
            }
        }
    }
}

/// The language of a cell by its magic, of which this is the text after `%%`; `None` for one that is not read.
fn language(magic: &str) -> Option<Language> {
    /// Magics that run Python.
    const PYTHON: [&str; 11] =
        ["time", "timeit", "capture", "prun", "debug", "memit", "px", "cython", "python", "python3", "pypy"];
    const CPP: [&str; 7] = ["cu", "cpp", "c++", "cxx", "cling", "hip", "c"];
    let mut words = magic.split_whitespace();
    let of_program = |program: &str| match () {
        () if PYTHON.contains(&program) => Some(Language::Python),
        () if CPP.contains(&program) => Some(Language::Cpp),
        // `%%nvcc`, `%%cuda`, `%%cuda_group_save`, `%%cudaq`, `%%script hipcc -x hip -`
        () if ["nvcc", "cuda", "hipcc", "clang", "gcc", "g++"].iter().any(|part| program.contains(part)) => {
            Some(Language::Cpp)
        }
        () if program.starts_with("python") => Some(Language::Python),
        () => None,
    };
    match words.next()? {
        "writefile" | "file" => Language::of(words.next_back()?.as_ref()),
        "ptx" => Some(Language::Ptx),
        "script" => words.find(|word| !word.starts_with('-')).and_then(of_program),
        name => of_program(name),
    }
}

/// Reads a string of JSON with its escapes decoded.
fn string(scanner: &mut Scanner<'_>) -> Joined {
    let mut joined = Joined::default();
    let start = scanner.at + 1;
    let end = scanner.skip_string(b'"');
    unescape(scanner.text, start, end, Escapes::Json, &mut joined);
    joined
}

/// Reads a string, or a list of strings as one.
fn value(scanner: &mut Scanner<'_>) -> Joined {
    if scanner.peek() == b'"' {
        return string(scanner);
    }
    let mut joined = Joined::default();
    if scanner.take(b'[') {
        loop {
            blanks(scanner);
            match scanner.peek() {
                b'"' => joined.append_all(&string(scanner)),
                b',' => scanner.step(),
                _ => break,
            }
        }
    }
    joined
}

fn blanks(scanner: &mut Scanner<'_>) {
    while scanner.peek().is_ascii_whitespace() {
        scanner.step();
    }
}
