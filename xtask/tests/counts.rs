//! Every number with a noun in a message is written with `ptxcvt::counted`, so no message says "1 targets".

mod common;

use std::fs;

/// Plural nouns that messages count. Numbers of bits are widths, which are never 1.
const NOUNS: &[&str] = &[
    "arrays",
    "assemblies",
    "assignments",
    "bytes",
    "cases",
    "codes",
    "columns",
    "conversions",
    "deviations",
    "differences",
    "disagreements",
    "edits",
    "elements",
    "errors",
    "files",
    "findings",
    "fixes",
    "forms",
    "functions",
    "inputs",
    "instructions",
    "kernels",
    "lines",
    "modules",
    "names",
    "notes",
    "operands",
    "outputs",
    "recipes",
    "registers",
    "results",
    "rows",
    "runs",
    "samples",
    "scales",
    "shards",
    "sources",
    "spellings",
    "steps",
    "targets",
    "tensors",
    "threads",
    "values",
    "verdicts",
    "versions",
    "warnings",
];

/// Lines of messages whose number is never 1, or is not a number.
const EXCEPTIONS: &[&str] = &[
    // Limits.
    "{LONGEST} bytes",
    "{MAX_FAMILY} registers",
    "{MAX_INSTRUCTIONS} instructions",
    "{MAX_TEXT} bytes",
    "{MAX_BODY} bytes",
    "no opcode has {} bytes",
    // Packed types have at least two elements.
    "{lanes} elements",
    "{wanted} elements are packed",
    "{wanted} scales are packed",
    "holds {} elements of {} bits",
    // Every number of a format, of which there are at least sixteen.
    "all {} inputs",
    "of {} inputs",
    "of {} codes",
    // A number of the records of proofs, which try at least 256 inputs.
    "format!(\", {inputs} inputs\")",
    // Names.
    "{codes} codes",
    "two {format} elements",
    "two {destination} elements",
    "multiple of {format} elements",
    "{ty} registers",
    "whole number of {format} elements",
    "{bits}-bit elements",
    "`{ty}` registers",
    // Other numbers, and parts of tables.
    "{MAX_SYNTAX_ERRORS} syntax",
    "{cost} instructions",
    "has 2^{} values",
    "with {} values, and every combination",
    "elements of {element} bits",
    "of {} forms**",
    "names no targets",
    "{} bytes, modified",
    "runs backwards",
    "no lane",
    "panicked",
    "assert",
    "[{}] for {:?} tensor",
];

/// The first `{…} noun` of a line.
fn counts(line: &str) -> Option<&str> {
    line.match_indices("} ").find_map(|(at, _)| {
        let rest = &line[at + 2..];
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        NOUNS.contains(&&rest[..end]).then_some(&rest[..end])
    })
}

#[test]
fn numbers_agree_with_their_nouns() {
    let mut wrong = Vec::new();
    for path in common::rust_files() {
        let text = fs::read_to_string(&path).expect("a source");
        for (number, line) in text.lines().enumerate() {
            let message = !line.trim_start().starts_with("//") && (line.contains('"') || line.contains("{}"));
            let known = EXCEPTIONS.iter().any(|exception| line.contains(exception));
            if let (true, false, Some(noun)) = (message, known, counts(line)) {
                wrong.push(format!("{}:{}: {noun}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "write these with `ptxcvt::counted`:\n{}", wrong.join("\n"));
}

#[test]
fn the_test_finds_what_it_looks_for() {
    assert_eq!(counts(r#"format!("{} targets", targets.len())"#), Some("targets"));
    assert_eq!(counts(r#"format!("{count} errors in {place}")"#), Some("errors"));
    assert_eq!(counts(r#"format!("{} of {bits} bits", x)"#), None);
}
