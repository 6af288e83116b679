//! `cargo xtask fuzz TARGET`: runs a fuzz target with coverage feedback, by libFuzzer.
//!
//! The flags are those of cargo-fuzz without a sanitizer, which work with stable Rust. New inputs that reach new code are
//! kept in `target/fuzz/TARGET`; a failing input is written there, too.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::run::succeed;

/// Instrumentation for libFuzzer.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 -Cdebug-assertions -Coverflow-checks";

/// Options of the run.
#[derive(clap::Args)]
pub struct Arguments {
    /// The target: a name in `fuzz/src/lib.rs`, such as `module`
    target: String,
    /// Seconds to run
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Further arguments for libFuzzer
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Builds and runs the target.
pub fn run(root: &Path, arguments: &Arguments) -> Result<(), String> {
    let Arguments { target, seconds, arguments } = arguments;
    let build = root.join("target/fuzz-build");
    let mut cargo = Command::new(env!("CARGO"));
    // With `--target`, the flags are not those of build scripts, which are not linked with libFuzzer.
    let host = crate::toolchain::host()?;
    cargo.current_dir(root.join("fuzz/libfuzzer")).args(["build", "--release", "--target", &host]);
    succeed(cargo.env("RUSTFLAGS", FLAGS).env("CARGO_TARGET_DIR", &build))?;
    let found = root.join("target/fuzz").join(target);
    fs::create_dir_all(&found).map_err(|error| format!("{}: {error}", found.display()))?;
    let mut fuzzer = Command::new(build.join(&host).join("release/ptxcvt-libfuzzer"));
    fuzzer.env("PTXCVT_FUZZ", target).env("PTXCVT_FUZZ_SEEDS", &found).arg(&found);
    fuzzer.args(seeds(root, target).iter().filter(|folder| folder.is_dir()));
    fuzzer.arg(format!("-max_total_time={seconds}")).args(["-timeout=30", "-rss_limit_mb=2048"]);
    fuzzer.arg(format!("-artifact_prefix={}/", found.display())).args(arguments);
    succeed(&mut fuzzer)
}

/// Folders with inputs to begin with.
fn seeds(root: &Path, target: &str) -> Vec<std::path::PathBuf> {
    let mut folders = vec![root.join("fuzz/corpus").join(target)];
    match target {
        "module" => folders.push(root.join("tests/ptx")),
        "source" => folders.push(root.join("tests/cu")),
        _ => {}
    }
    folders
}
