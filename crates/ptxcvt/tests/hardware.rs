//! Compares the reference with results measured on an NVIDIA B200; needs no GPU.

use ptxcvt::Form;
use sha2::{Digest, Sha256};

/// The three columns of each line of a vector file (docs/vectors.md).
fn lines(text: &'static str) -> impl Iterator<Item = [&'static str; 3]> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let columns: Vec<_> = line.split('\t').collect();
        columns.try_into().expect("three columns")
    })
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text, 16).expect("hexadecimal")
}

#[test]
fn every_b200_vector() {
    let (mut count, mut forms) = (0, std::collections::BTreeSet::new());
    let mut differences = Vec::new();
    for [opcode, operands, expected] in lines(include_str!("../../../conformance/vectors/b200-cvt.tsv")) {
        let (operands, expected): (Vec<u64>, u64) = (operands.split(' ').map(hex).collect(), hex(expected));
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

/// Streams of stochastic results: the first operand takes every value of a range, and the results are hashed
/// as little-endian u32.
#[test]
fn b200_streams_of_stochastic_rounding() {
    let mut forms = Vec::new();
    for [opcode, operands, published] in lines(include_str!("../../../conformance/vectors/b200-rs.tsv")) {
        let form: Form = opcode.parse().unwrap();
        let [range, b, rbits] = operands.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let (first, last) = range.split_once("..").unwrap();
        let mut hash = Sha256::new();
        for a in hex(first)..=hex(last) {
            let d = form.eval(&[a, hex(b), hex(rbits)]).unwrap();
            hash.update((d as u32).to_le_bytes());
        }
        let digest = format!("{:x}", hash.finalize());
        assert_eq!(format!("sha256:{digest}"), published, "{opcode}");
        forms.push(opcode);
    }
    assert_eq!(forms, ["cvt.rs.satfinite.f16x2.f32", "cvt.rs.satfinite.bf16x2.f32"]);
}
