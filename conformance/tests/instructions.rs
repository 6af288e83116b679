//! Compares the table of instructions with what ptxas accepts, and the runner with the constants that ptxas
//! folds.

use std::collections::BTreeMap;

use ptxcvt_conformance::instructions::{Line, Places, RECORD, disagreements};
use ptxcvt_conformance::legality::Record;
use ptxcvt_exec::Op;

fn nothing(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

/// Every spelling of the table on every target, and no spelling that the table lacks.
#[test]
fn the_table_says_what_ptxas_says() {
    let record = Record::read(RECORD).unwrap();
    let spellings: usize = record.classes.iter().map(|class| class.opcodes.len()).sum();
    assert!(spellings > 2500 && record.targets.len() > 20, "{spellings} on {}", record.targets.len());
    nothing(disagreements(&record).unwrap());
}

#[test]
fn operands_are_those_that_ptxas_takes() {
    let places = Places::read().unwrap();
    assert!(places.taken.len() > 800, "only {} places", places.taken.len());
    nothing(places.disagreements());
}

#[test]
fn the_runner_gives_the_folded_constants() {
    let lines = Line::read().unwrap();
    nothing(lines.iter().flat_map(Line::differences).collect());
    let folded = lines.iter().flat_map(|line| &line.results).filter(|result| result.is_some()).count();
    assert!(folded > 30_000, "only {folded} results");
    // Most kinds of instructions are folded.
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    lines.iter().for_each(|line| *kinds.entry(line.op.name()).or_default() += 1);
    let all: std::collections::BTreeSet<&str> = Op::all().map(|op| op.name()).collect();
    assert!(kinds.len() * 3 > all.len() * 2, "{kinds:?} of {all:?}");
}
