//! Runs a fuzz target with libFuzzer. `PTXCVT_FUZZ` names the target, and `PTXCVT_FUZZ_SEEDS` a folder to which its seeds
//! are written first; `cargo xtask fuzz` builds and starts this program.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use ptxcvt_fuzz::{TARGETS, Target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("PTXCVT_FUZZ").expect("PTXCVT_FUZZ names a target");
    TARGETS.iter().find(|target| target.name == name).expect("a known target")
});

fuzz_target!(init: seeds(), |bytes: &[u8]| (TARGET.run)(bytes));

fn seeds() {
    let Some(folder) = std::env::var_os("PTXCVT_FUZZ_SEEDS") else { return };
    for (number, seed) in TARGET.seeds.iter().enumerate() {
        let path = std::path::Path::new(&folder).join(format!("seed-{number}"));
        std::fs::write(&path, seed).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}
