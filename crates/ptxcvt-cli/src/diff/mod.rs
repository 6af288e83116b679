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
    // A vertical line would end the cell, and the end of a line the row.
    let name = name.replace('|', "\\|").replace(['\n', '\r'], " ");
    for (sign, counts) in [('\u{2212}', removed), ('+', added)] {
        for Count { opcode, count } in counts {
            writeln!(out, "| {name} | `{opcode}` | {sign}{count} |")?;
        }
    }
    Ok(())
}
