//! Runs a fuzz target with libFuzzer. `PTXCVT_FUZZ` names the target; `cargo xtask fuzz` builds and starts this program.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use ptxcvt_fuzz::TARGETS;

static RUN: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("PTXCVT_FUZZ").expect("PTXCVT_FUZZ names a target");
    TARGETS.iter().find(|target| target.name == name).expect("a known target").run
});

fuzz_target!(|bytes: &[u8]| RUN(bytes));
