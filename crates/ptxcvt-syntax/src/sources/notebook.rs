//! Jupyter notebooks: the code cells of `.ipynb` as one text of Python, and cells with the magic `%%writefile x.cu` or
//! `%%cu` as C++. A cell with another magic is judged if it is PTX, and counted otherwise.
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
            // In version 3, code is the input of its cell.
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
            let words = || magic.split_whitespace();
            let file = words().last().and_then(|name| Language::of(name.as_ref()));
            let language = match words().next() {
                Some("writefile" | "file") => file.unwrap_or_default(),
                Some("cu" | "cuda") => Language::Cpp,
                Some("time" | "timeit" | "capture") => Language::Python,
                // Another language.
                _ => Language::default(),
            };
            // The magic's own line is no text of the language.
            let body = joined.text.find(first).expect("a line of the cell") + first.len();
            let mut rest = Joined::default();
            rest.append(&joined, body..joined.text.len());
            reading.embedded.push(Embedded { joined: rest, language, cells: vec![(0, number)] });
        }
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
