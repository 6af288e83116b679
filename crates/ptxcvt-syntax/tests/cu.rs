//! Drop-a-file tests of sources: a file of CUDA C++, Python or LLVM IR in `tests/cu` at the root, whose first line says
//! how it is run, and beside it what is found (`.out`). `BLESS=1` rewrites what is expected.
//!
//! The first line is `// RUN: check [--target SM] [--isa VERSION]`, in the file's own kind of comment.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::sources::{Language, assemblies, check_source};
use ptxcvt_syntax::{CheckOptions, Source};

fn files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cu");
    let entries = std::fs::read_dir(directory).expect("tests/cu");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e != "out" && e != "md"));
    files.sort();
    files
}

fn options(text: &str) -> CheckOptions {
    let words: Vec<&str> = text.lines().next().unwrap_or_default().split_whitespace().collect();
    assert_eq!(words[1..3], ["RUN:", "check"]);
    let value = |name: &str| words.iter().position(|word| *word == name).map(|at| words[at + 1]);
    CheckOptions::default()
        .target(value("--target").map(|target| target.parse().expect("a target")))
        .isa(value("--isa").map(|isa| isa.parse().expect("a version")))
}

#[test]
fn expected_output() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    let (mut number, mut conversions) = (0, 0);
    for path in files() {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a text");
        let language = Language::of(&path).expect("a language");
        let source = Source::new(&*name, text.as_bytes());
        let found = check_source(&source, language, &options(&text));
        let mut out = Vec::new();
        let mut renderer = Renderer::new(OutputFormat::Concise, false);
        renderer.file(&mut out, &source, &found.diagnostics).expect("memory");
        let mut out = String::from_utf8(out).expect("UTF-8");
        let stats = &found.stats;
        let _ = writeln!(out, "{} assemblies, {} conversions", stats.assemblies, stats.conversions);
        for (reason, count) in &stats.skipped {
            let _ = writeln!(out, "{count} not judged: {reason}");
        }
        // Every place is in the source, and what is to be edited is there.
        for finding in &found.diagnostics {
            assert!(text.get(finding.span().range()).is_some(), "{name}: {finding:?}");
            for edit in finding.fix().into_iter().flat_map(|fix| fix.edits()) {
                let there = text.get(edit.span.range()).expect("a place");
                assert!(!there.contains(['"', '\\', '\n']), "{name}: {there}");
            }
        }
        number += stats.assemblies;
        conversions += stats.conversions;
        assert!(assemblies(&text, language).len() as u64 >= stats.assemblies);
        let beside = path.with_file_name(format!("{name}.out"));
        if bless {
            std::fs::write(&beside, &out).expect("a writable file");
        } else if std::fs::read_to_string(&beside).ok().as_ref() != Some(&out) {
            wrong.push(format!("{name}:\n{out}"));
        }
    }
    assert!(wrong.is_empty(), "BLESS=1 rewrites what is expected\n{}", wrong.join("\n"));
    assert!(number >= 300, "{number} assemblies");
    assert!(conversions >= 300, "{conversions} conversions");
}

/// Texts that end anywhere are read without a panic.
#[test]
fn every_beginning_is_read() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a text");
        let language = Language::of(&path).expect("a language");
        for end in (0..text.len()).step_by(7).filter(|end| text.is_char_boundary(*end)) {
            for language in [language, Language::Cpp, Language::Python, Language::Llvm] {
                let source = Source::new("x", &text.as_bytes()[..end]);
                let found = check_source(&source, language, &CheckOptions::default());
                assert!(found.diagnostics.iter().all(|d| source.text().get(d.span().range()).is_some()));
            }
        }
    }
}
