//! The two ways in which `ptxcvt diff` compares: modules function by function, sources and folders file by file.

pub mod modules;
pub mod trees;

use std::io::{self, Write};

use serde::Serialize;

/// How differences are printed.
#[derive(Clone, Copy)]
pub enum Style {
    Text,
    Markdown,
    Json,
}

/// How often a conversion was added or removed.
#[derive(Serialize)]
struct Count {
    opcode: String,
    count: u64,
}

/// A row for each conversion that a file or a function gained or lost, of a table of Markdown with three columns.
fn rows(out: &mut impl Write, name: &str, removed: &[Count], added: &[Count]) -> io::Result<()> {
    let name = cell(name);
    for (sign, counts) in [('\u{2212}', removed), ('+', added)] {
        for Count { opcode, count } in counts {
            writeln!(out, "| {name} | {} | {sign}{count} |", code(opcode))?;
        }
    }
    Ok(())
}

/// A name as the text of a cell of a table: Markdown and HTML in it have no effect.
fn cell(name: &str) -> String {
    let mut out = String::new();
    let mut before = None;
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let is_within = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            // The mention of a person.
            '@' => out += "&#64;",
            '|' | '\\' | '`' | '*' | '[' | ']' | '~' | '#' => out.extend(['\\', c]),
            // Within a word it has no effect.
            '_' if !is_within(before) || !is_within(rest.peek().copied()) => out += "\\_",
            // The end of a line would end the row.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
        before = Some(c);
    }
    out
}

/// An opcode as code in a cell.
fn code(opcode: &str) -> String {
    format!("`{}`", opcode.replace('|', "\\|").replace(['`', '\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_tables() {
        for (name, expected) in [
            ("src/a_b-c.cu", "src/a_b-c.cu"),
            ("a|b.cu", "a\\|b.cu"),
            ("<img src=x onerror=y>&amp;", "&lt;img src=x onerror=y&gt;&amp;amp;"),
            ("[x](y)`*z*`", "\\[x\\](y)\\`\\*z\\*\\`"),
            ("__init__.py", "\\_\\_init\\_\\_.py"),
            ("a\nb\tc\\", "a b c\\\\"),
            ("@person #1", "&#64;person \\#1"),
        ] {
            assert_eq!(cell(name), expected);
        }
        assert_eq!(code("cvt|`x"), "`cvt\\| x`");
    }
}
