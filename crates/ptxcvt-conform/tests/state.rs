//! docs/generated/state.md matches the records. `BLESS=1` rewrites it.

use std::path::{Path, PathBuf};

use ptxcvt_conform::state::Evidence;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn evidence() -> Evidence {
    Evidence::read(&root()).unwrap()
}

#[test]
fn page_is_fresh() {
    let (path, page) = (root().join("docs/generated/state.md"), evidence().page());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/generated/state.md is out of date; run this test with BLESS=1");
}

#[test]
fn hardware_counts_every_published_result() {
    let evidence = evidence();
    // 133 forms line by line; the two with digests are not among them.
    assert_eq!(evidence.hardware.len(), 135);
    assert_eq!(evidence.hardware.values().sum::<u64>(), 17_248 + 2 * 0x0180_0001);
}
