//! The reference against results measured on an NVIDIA B200, without a GPU.

use ptxcvt::Form;
use sha2::{Digest, Sha256};

/// Opcode, operands and result of each line of `conformance/vectors/b200-cvt.tsv`.
fn vectors() -> impl Iterator<Item = (&'static str, Vec<u64>, u64)> {
    let hex = |text: &str| u64::from_str_radix(text, 16).expect("hexadecimal");
    include_str!("../../../conformance/vectors/b200-cvt.tsv").lines().filter(|l| !l.starts_with('#')).map(
        move |line| {
            let mut columns = line.split('\t');
            let mut next = || columns.next().expect("three columns");
            (next(), next().split(' ').map(hex).collect(), hex(next()))
        },
    )
}

#[test]
fn every_b200_vector() {
    let (mut count, mut forms) = (0, std::collections::BTreeSet::new());
    let mut differences = Vec::new();
    for (opcode, operands, expected) in vectors() {
        let form: Form = opcode.parse().unwrap_or_else(|e| panic!("{opcode}: {e}"));
        assert_eq!(form.to_string(), opcode, "the vectors spell canonically");
        let result = form.eval(&operands).unwrap();
        if result != expected {
            differences.push(format!("{opcode} {operands:x?}: {result:x}, hardware {expected:x}"));
        }
        count += 1;
        forms.insert(opcode);
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    assert_eq!((count, forms.len()), (17_248, 133));
}

/// SHA-256 of a stream of results published for a B200 in hibouwu/PTX-Instruction-Accuracy-Test:
/// a = 0x33000000..=0x34800000, b = 0xDEADBEEF, rbits = 0x1FFF1FFF, results as little-endian u32.
fn published_stream(opcode: &str) -> String {
    let form: Form = opcode.parse().unwrap();
    let mut hash = Sha256::new();
    for a in 0x3300_0000..=0x3480_0000 {
        let d = form.eval(&[a, 0xdead_beef, 0x1fff_1fff]).unwrap();
        hash.update((d as u32).to_le_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn b200_hash_of_stochastic_f16x2() {
    assert_eq!(
        published_stream("cvt.rs.satfinite.f16x2.f32"),
        "225d47353206381d2b38c2dfabd1f51538b0473f193866e09a16ad13464fba44"
    );
}

#[test]
fn b200_hash_of_stochastic_bf16x2() {
    assert_eq!(
        published_stream("cvt.rs.satfinite.bf16x2.f32"),
        "93c6e6c45b3333ed85c0e69648ccaeae80e28000c5706485fcf0279f89506126"
    );
}
