//! The project's own vectors in their documented format.

use std::path::Path;

use ptxcvt_conform::{replay, vectors::File};
use sha2::{Digest, Sha256};

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

/// The library's own test replays the two streams. This one tests that a range varies its operand while the
/// others are constant, and which bytes are hashed.
#[test]
fn a_range_runs_through_its_operand() {
    assert_eq!(file("b200-rs.tsv").entries.len(), 2);
    let form: ptxcvt::Form = "cvt.rs.satfinite.f16x2.f32".parse().unwrap();
    let mut hash = Sha256::new();
    for a in 0x3300_0000..=0x3300_0fff {
        let d = form.eval(&[a, 0xdead_beef, 0x1fff_1fff]).unwrap();
        hash.update((d as u32).to_le_bytes());
    }
    let digest = format!("{:x}", hash.finalize());
    let line = format!("{form}\t33000000..33000fff deadbeef 1fff1fff\tsha256:{digest}");
    let text = format!("# ptxcvt-vectors: 1\n{line}\n");
    let mut steps = 0;
    let report = replay::run(&File::parse("range.tsv", &text).unwrap(), &mut |_| steps += 1);
    assert_eq!((report.inputs(), report.differences(), steps), (0x1000, 0, 1), "{report}");
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

/// Mutations of valid files, made by a seeded generator: an error names the file, and nothing panics.
#[test]
fn mutated_files_are_read_or_refused() {
    let digest = "0123456789abcdef".repeat(4);
    let good = format!(
        "# ptxcvt-vectors: 1\n# gpu: x\n\ncvt.rn.f16.f32\t3f800000\t3c00\n\
         cvt.f32.f16\t0..ff\tsha256:{digest}\ncvt.rs.f16x2.f32\tlattice+4@1\tsha256-numbers:{digest}\n\
         cvt.rs.satfinite.e4m3x4.f32\t1 2 3 4 5\t6\n"
    );
    assert!(File::parse("good.tsv", &good).is_ok());
    let mut random = ptxcvt::inputs::SplitMix64::new(11);
    let mut pick = |n: usize| random.next_u64() as usize % n;
    let (mut read, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = good.as_bytes().to_vec();
        for _ in 0..1 + pick(6) {
            let at = pick(bytes.len());
            match pick(4) {
                0 => bytes[at] = b"\t\n .:#@+-0fxg\xc3"[pick(14)],
                1 => bytes.insert(at, b"\t\n .:#@+-0fxg9"[pick(14)]),
                2 => drop(bytes.remove(at)),
                _ => {
                    let piece = bytes[at..(at + 12).min(bytes.len())].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        match File::parse("fuzz.tsv", &String::from_utf8_lossy(&bytes)) {
            Ok(_) => read += 1,
            Err(error) => {
                refused += 1;
                assert!(error.to_string().starts_with("fuzz.tsv:"), "{error}");
            }
        }
    }
    assert!(read > 100 && refused > 1000, "{read} read, {refused} refused");
}
