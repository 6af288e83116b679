//! `PTXCVT_TIER` selects the kernels of every command, and an invalid value is an error.

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
fn every_tier_runs_a_block() {
    for tier in Tier::available() {
        let output =
            ptxcvt(tier.name(), &["run", "--constraints", "=f,f,f", "add.rn.f32 $0, $1, $2;", "1.5", "2.25"]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("0x40700000"), "{tier}: {output:?}");
    }
}
