//! The record of inline assembly covers today's sources in tests/cu.

use ptxcvt_conformance::{record, sources};

#[test]
fn every_source_was_judged_alike() {
    let text = record::read("sources.tsv").expect("the record");
    assert!(text.contains("all judged alike") && !text.contains("NOT all"));
    let rows: Vec<Vec<&str>> = record::rows(&text).collect();
    let files = sources::files().expect("tests/cu");
    let names: Vec<_> = files.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), names, "run the oracle `sources` again");
    let kernels: usize = rows.iter().map(|row| row[1].parse::<usize>().expect("a number")).sum();
    assert!(kernels >= 250, "{kernels}");
}
