//! docs/conform.md has the table of deviations as in the code. `BLESS=1` rewrites it.

use std::path::Path;

use ptxcvt_conform::deviations;

const BEGIN: &str = "<!-- deviations: begin -->\n";
const END: &str = "<!-- deviations: end -->\n";

#[test]
fn page_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conform.md");
    let written = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = written.split_once(BEGIN).expect("the page marks where the table begins");
    let (_, after) = rest.split_once(END).expect("the page marks where the table ends");
    let fresh = format!("{before}{BEGIN}\n{}\n{END}{after}", deviations::page());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written == fresh, "docs/conform.md is out of date; run this test with BLESS=1");
}

#[test]
fn every_row_says_something() {
    for row in deviations::page().lines() {
        assert_eq!(row.matches('|').count(), 5, "{row}");
        assert!(row.split('|').all(|cell| !cell.trim().is_empty() || cell.is_empty()), "{row}");
    }
}
