//! The project's own vectors in their documented format.

use std::path::Path;

use ptxcvt_conform::{replay, vectors::File};

fn file(name: &str) -> File {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/vectors").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    File::parse(name, &text).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn b200_results_replay() {
    let file = file("b200-cvt.tsv");
    let report = replay::run(&file, &mut |_| {});
    assert_eq!((report.forms.len(), report.inputs()), (133, 17_248));
    assert_eq!((report.differences(), report.deviations()), (0, 0), "{report}");
}

#[test]
fn b200_digests_replay() {
    let file = file("b200-rs.tsv");
    let mut steps = 0;
    let report = replay::run(&file, &mut |_| steps += 1);
    assert_eq!((report.forms.len(), report.inputs(), steps), (2, 2 * 0x0180_0001, 2));
    assert_eq!(report.differences(), 0, "{report}");
}

#[test]
fn a_wrong_digest_is_a_difference() {
    let digest = "0".repeat(64);
    let text = format!("# ptxcvt-vectors: 1\ncvt.f32.f16\t0..ff\tsha256:{digest}\n");
    let report = replay::run(&File::parse("wrong.tsv", &text).unwrap(), &mut |_| {});
    assert_eq!((report.inputs(), report.differences()), (256, 1));
    assert!(report.forms[0].problems[0].starts_with("wrong.tsv:2: the results of operands 0..ff"));
}

#[test]
fn every_file_names_its_source_and_licence() {
    for name in ["b200-cvt.tsv", "b200-rs.tsv"] {
        let file = file(name);
        assert_eq!(file.header("gpu"), Some("NVIDIA B200"));
        assert_eq!(file.header("license"), Some("CC0-1.0"));
        assert!(file.header("source").is_some_and(|source| source.contains("public repository")));
    }
}
