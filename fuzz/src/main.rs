//! A mutation fuzzer on stable Rust.
//!
//! ```text
//! ptxcvt-fuzz SECONDS [SEED] [CORPUS…]
//! ptxcvt-fuzz vectors|batch|blocks|arrays SECONDS SEED COMMAND
//! ```
//!
//! The second way gives mutated vector files or blocks to the library, or lines and arrays to the command `ptxcvt`, which is
//! named by its path.
//!
//! Mutates the files of the corpora (`tests/ptx` and `fuzz/corpus` unless others are named), keeps what makes the
//! checker say something new, and stops at the first input that panics or takes longer than half a minute; it is then
//! in `fuzz/finding.ptx`. There is no coverage feedback: the codes of a report stand for it.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ptxcvt::inputs::SplitMix64;
use ptxcvt_fuzz::exercise;
use ptxcvt_fuzz::files::Input;
use ptxcvt_fuzz::mutate::mutate;
use ptxcvt_syntax::{CheckOptions, Source, check};

/// Inputs no longer than this.
const LONGEST: usize = 1 << 16;

/// What takes longer is a finding, on a machine that does other things besides.
const SLOWEST: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    let named: Vec<String> = std::env::args().skip(1).collect();
    if let Some(input) = named.first().and_then(|name| Input::from_name(name)) {
        return files(input, &named[1..]);
    }
    let mut arguments = named.into_iter();
    let Some(seconds) = arguments.next().and_then(|s| s.parse().ok()) else {
        eprintln!("usage: ptxcvt-fuzz SECONDS [SEED] [CORPUS…]");
        return ExitCode::from(2);
    };
    let seed = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut directories: Vec<String> = arguments.collect();
    if directories.is_empty() {
        directories = vec!["tests/ptx".into(), "fuzz/corpus".into()];
    }
    let mut corpus: Vec<Vec<u8>> = Vec::new();
    for directory in &directories {
        let entries = std::fs::read_dir(Path::new(directory)).into_iter().flatten().flatten();
        corpus.extend(entries.filter_map(|entry| std::fs::read(entry.path()).ok()));
    }
    corpus.push(Vec::new());
    let mut random = SplitMix64::new(seed);
    let mut seen = HashSet::new();
    let start = Instant::now();
    let (mut runs, mut slowest) = (0_u64, Duration::ZERO);
    while start.elapsed() < Duration::from_secs(seconds) {
        let mut text = corpus[random.below(corpus.len())].clone();
        let other = random.below(corpus.len());
        mutate(&mut random, &mut text, &corpus[other]);
        text.truncate(LONGEST);
        let begun = Instant::now();
        let survived = catch_unwind(AssertUnwindSafe(|| exercise(&text))).is_ok();
        let took = begun.elapsed();
        slowest = slowest.max(took);
        runs += 1;
        if !survived || took > SLOWEST {
            let saved = std::fs::write("fuzz/finding.ptx", &text);
            println!("run {runs}, seed {seed}: {took:?}; the input is in fuzz/finding.ptx ({saved:?})");
            return ExitCode::FAILURE;
        }
        // New: a sequence of codes that no input had before.
        let source = Source::new("fuzz.ptx", &text);
        let report = check(&source, &CheckOptions::default());
        let codes: Vec<_> = report.diagnostics.iter().take(6).map(|d| d.code()).collect();
        if corpus.len() < 20_000 && text.len() < 4_096 && seen.insert(codes) {
            corpus.push(text);
        }
    }
    let elapsed = start.elapsed().as_secs();
    println!(
        "{runs} runs in {elapsed} s, seed {seed}, {} inputs kept, slowest {slowest:?}: no finding",
        corpus.len()
    );
    ExitCode::SUCCESS
}

/// Files and lines instead of modules.
fn files(input: Input, arguments: &[String]) -> ExitCode {
    let [seconds, seed, command] = arguments else {
        eprintln!("usage: ptxcvt-fuzz vectors|batch|blocks|arrays SECONDS SEED COMMAND");
        return ExitCode::from(2);
    };
    let (Ok(seconds), Ok(seed)) = (seconds.parse(), seed.parse()) else {
        eprintln!("SECONDS and SEED are numbers");
        return ExitCode::from(2);
    };
    let command = std::path::absolute(command).unwrap_or_default();
    let folder = std::env::temp_dir().join(format!("ptxcvt-fuzz-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&folder) {
        eprintln!("{}: {error}", folder.display());
        return ExitCode::from(2);
    }
    let mut random = SplitMix64::new(seed);
    let (start, mut runs) = (Instant::now(), 0_u64);
    while start.elapsed() < Duration::from_secs(seconds) {
        let bytes = input.next(&mut random);
        let begun = Instant::now();
        let survived = catch_unwind(AssertUnwindSafe(|| input.exercise(&bytes, &command, &folder))).is_ok();
        runs += 1;
        if !survived || begun.elapsed() > SLOWEST {
            let saved = std::fs::write("fuzz/finding.bin", &bytes);
            println!("run {runs}, seed {seed}; the input is in fuzz/finding.bin ({saved:?})");
            return ExitCode::FAILURE;
        }
    }
    // What is left there is small, and the system's to remove.
    let _ = std::fs::remove_dir_all(&folder);
    println!("{runs} runs in {seconds} s, seed {seed}: no finding");
    ExitCode::SUCCESS
}
