//! Compares the reference with the constants that ptxas folds.

use ptxcvt_conformance::folding::{Line, RECORD};
use ptxcvt_conformance::record;

#[test]
fn the_reference_gives_the_folded_constants() {
    let lines = Line::parse(&record::read(RECORD).unwrap()).unwrap();
    let differences: Vec<String> = lines.iter().flat_map(Line::differences).collect();
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert!(lines.len() > 400, "only {} forms", lines.len());
}

/// Known deviations excuse a few NaNs and negative zeros. A mistake in them would hide many results.
#[test]
fn few_results_need_an_excuse() {
    let lines = Line::parse(&record::read(RECORD).unwrap()).unwrap();
    let results = lines.iter().flat_map(|line| line.results.iter().map(move |result| (line.form, result)));
    let needed = results.filter(|(form, (operands, folded))| form.eval(operands) != Ok(*folded));
    assert_eq!(needed.count(), 18);
}
