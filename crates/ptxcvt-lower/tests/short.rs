//! Compares every short sequence with each of its forms on the inputs of its contract: on all of them if `prove` can try
//! them in reasonable time, otherwise on edges and random ones.

mod common;

use ptxcvt_exec::prove::{Options, prove};
use ptxcvt_exec::{Block, read};
use ptxcvt_lower::short::{self, Row};

/// Sweeps of up to this many inputs are complete here; the conformance harness does longer ones.
const FEW: u64 = 1 << 24;

/// The first problem of a row, or `None`.
fn problem(row: &Row, opcode: &str) -> Option<String> {
    let Ok(form) = opcode.parse() else { return Some("no form".to_owned()) };
    let lowering = match row.lowering(form) {
        Ok(lowering) => lowering,
        Err(read::Error { message, .. }) => return Some(message),
    };
    let form = Block::of_form(lowering.form());
    let whole: u32 = form.inputs().iter().map(|port| form.width(*port)).sum();
    let options = Options { samples: 1 << 20, threads: 1, ..row.contract.options() };
    if 1_u64.checked_shl(whole).is_none_or(|inputs| inputs > FEW) {
        return common::difference(&lowering, 1 << 18, 1);
    }
    match prove(&form, lowering.block(), &options, &|_| {}) {
        Ok(answer) => answer.difference.is_some().then(|| answer.to_string()),
        Err(mismatch) => Some(mismatch.to_string()),
    }
}

#[test]
fn rows_return_what_the_instruction_returns() {
    let mut wrong = Vec::new();
    for row in short::rows() {
        for opcode in row.serves {
            if let Some(problem) = problem(row, opcode) {
                wrong.push(format!("{} {opcode}: {problem}", row.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Wrong sequences are found by complete sweeps and by samples.
#[test]
fn wrong_rows_are_found() {
    let first = *short::rows().next().unwrap();
    let row = Row { text: "mov.b32 %0, {%1, %1};", ..first };
    assert!(problem(&row, "cvt.f32.bf16").is_some());
    let row = Row { text: "{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b16 %0, h; }", ..first };
    assert!(problem(&row, "cvt.rn.bf16.f32").is_some());
    assert!(problem(&row, "cvt.rz.bf16.f32").unwrap().contains("not 0x7fff"));
    let row = Row { contract: ptxcvt_lower::Contract::NUMBERS, ..row };
    assert_eq!(problem(&row, "cvt.rz.bf16.f32"), None);
}

/// `--variant list` prints the ideas next to contracts, where half a sentence such as "as without .relu" has no subject.
#[test]
fn ideas_are_sentences() {
    for row in short::rows() {
        let idea = row.idea;
        assert!(idea.starts_with(|c: char| c.is_ascii_uppercase()) && idea.ends_with('.'), "{idea}");
        assert!(!idea.starts_with("As ") && !idea.contains(';') && !idea.contains("  "), "{idea}");
        assert!(idea.split(". ").all(|sentence| sentence.split(' ').count() > 2), "{idea}");
    }
}

/// `--variant` takes names, so the variants of a form have different ones.
#[test]
fn names_are_unique_for_a_form() {
    let mut names: Vec<(&str, &str)> =
        short::rows().flat_map(|row| row.serves.iter().map(|opcode| (*opcode, row.name))).collect();
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}
