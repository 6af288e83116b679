//! `PTXCVT_TIER` selects the kernels of every command that has some, and an invalid value is an error there.

use std::process::{Command, Output};

use ptxcvt_bulk::Tier;

fn ptxcvt(tier: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    command.env("PTXCVT_TIER", tier).args(arguments).output().expect("the command runs")
}

const COMMANDS: &[&[&str]] = &[
    &["convert", "cvt.rn.f16.f32", "missing.npy", "-o", "missing-too.npy"],
    &["quantize", "mx-rceil/e4m3", "missing.npy", "-o", "missing.safetensors"],
    &["dequantize", "missing.safetensors", "-o", "missing.npy"],
    &["run", "missing.ptx", "1.0"],
    &["prove", "cvt.rn.f16.f32", "cvt.rn.f16.f32"],
    &["recipes", "mx-rceil/e4m3"],
];

/// Commands without kernels.
const OTHERS: &[&[&str]] = &[
    &["eval", "cvt.rn.f16.f32", "1"],
    &["check", "../../tests/ptx/legal.ptx"],
    &["diff", "../../tests/ptx/legal.ptx", "../../tests/ptx/legal.ptx"],
    &["forms", "--dst", "e2m1x2"],
    &["where", "cvt.rn.f16.f32"],
    &["lower", "cvt.rn.satfinite.e4m3x2.f32", "--target", "sm_80", "--isa", "7.0"],
    &["check", "--lower", "--target", "sm_80", "../../tests/ptx/legal.ptx"],
    &["format", "e4m3", "1.3"],
    &["vectors", "f16->e2m1", "--digest"],
    &["conform", "--program", "cat", "--conversion", "e4m3->e4m3"],
    &["conform", "../../conformance/vectors/b200-cvt.tsv"],
    &["explain", "CVT001"],
    &["--version"],
];

#[test]
fn an_invalid_tier_is_an_error_that_lists_the_valid_ones() {
    for command in COMMANDS {
        let output = ptxcvt("sse9", command);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command:?}: {message}");
        assert!(message.contains("PTXCVT_TIER") && output.stdout.is_empty(), "{command:?}: {message}");
        for tier in Tier::available() {
            assert!(message.contains(tier.name()), "{command:?}: {message}");
        }
    }
}

#[test]
fn commands_without_kernels_ignore_the_variable() {
    for command in OTHERS {
        let output = ptxcvt("sse9", command);
        let usual = ptxcvt("reference", command);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!message.contains("PTXCVT_TIER") && !message.contains("panicked"), "{command:?}: {message}");
        assert_eq!((output.status, output.stdout), (usual.status, usual.stdout), "{command:?}");
    }
}

#[test]
fn every_tier_runs_a_block() {
    for tier in Tier::available() {
        let output =
            ptxcvt(tier.name(), &["run", "--constraints", "=f,f,f", "add.rn.f32 $0, $1, $2;", "1.5", "2.25"]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("0x40700000"), "{tier}: {output:?}");
    }
}
