//! The record of fixed modules covers today's modules in tests/fix.

use ptxcvt_conformance::{fixes, record};

#[test]
fn every_fixed_module_was_taken() {
    let text = record::read("fixes.tsv").expect("the record");
    let rows: Vec<Vec<&str>> = record::rows(&text).collect();
    let modules = fixes::modules().expect("tests/fix");
    let names: Vec<&str> = modules.iter().map(|(name, ..)| &**name).collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), names, "run the oracle `fixes` again");
    assert!(rows.iter().all(|row| row[2] == "taken"));
    assert!(rows.iter().filter(|row| row[1] == "refused").count() >= 20);
}
