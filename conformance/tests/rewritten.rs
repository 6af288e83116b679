//! The record covers the modules that `check --lower` writes today.

use std::collections::BTreeMap;

use ptxcvt::Target;
use ptxcvt_conformance::record;
use ptxcvt_conformance::rewritten::{RECORD, line, modules};

#[test]
fn every_rewritten_module_has_been_assembled() {
    let text = record::read(RECORD).unwrap();
    let recorded: BTreeMap<&str, String> =
        record::rows(&text).map(|row| (row[0], row[2..].join("\t"))).collect();
    let modules = modules().unwrap();
    let mut replaced = 0;
    for target in Target::all().filter(|t| t.sm() >= 50) {
        let Some(known) = recorded.get(target.to_string().as_str()) else { continue };
        assert_eq!(
            *known,
            line(&modules, target).unwrap(),
            "{target}: run `ptxcvt-conformance -- rewritten DIR`"
        );
        replaced += known.split('\t').nth(1).unwrap().parse::<usize>().unwrap();
    }
    assert!(recorded.len() >= 30 && replaced > 1000, "{} targets, {replaced} conversions", recorded.len());
}
