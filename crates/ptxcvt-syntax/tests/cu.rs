//! Drop-a-file tests of sources. Each file of CUDA C++, Python or LLVM IR in the root's `tests/cu` has a first line
//! with its options, and a file `.out` with the expected findings. `BLESS=1` rewrites the expected findings.
//!
//! The first line of a file is `RUN: check [--target SM] [--isa VERSION]` in a comment of its language.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ptxcvt::targets::Machine;
use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::sources::{Language, check_source};
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
    let target = value("--target").map(|target| target.parse().expect("a target"));
    let isa = value("--isa").map(|isa| isa.parse().expect("a version"));
    CheckOptions::default().machine(Machine::new(target, isa).expect("a machine"))
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
        // Every place is in the source, and edits replace no quotes.
        for finding in &found.diagnostics {
            assert!(text.get(finding.span().range()).is_some(), "{name}: {finding:?}");
            for edit in finding.fix().into_iter().flat_map(|fix| fix.edits()) {
                let there = text.get(edit.span.range()).expect("a place");
                assert!(!there.contains(['"', '\\', '\n']), "{name}: {there}");
            }
        }
        number += stats.assemblies;
        conversions += stats.conversions;
        let expected = path.with_file_name(format!("{name}.out"));
        if bless {
            std::fs::write(&expected, &out).expect("a writable file");
        } else if std::fs::read_to_string(&expected).ok().as_ref() != Some(&out) {
            wrong.push(format!("{name}:\n{out}"));
        }
    }
    assert!(wrong.is_empty(), "BLESS=1 rewrites the expectations\n{}", wrong.join("\n"));
    assert!(number >= 300, "{number} assemblies");
    assert!(conversions >= 300, "{conversions} conversions");
}

/// Every prefix of a source is read without a panic, and so is every prefix of each of its paragraphs: what can go wrong at
/// the end of a text depends on the tokens before it, which are in its paragraph.
#[test]
fn every_beginning_is_read() {
    let check = |text: &str, language: Language| {
        let source = Source::new("x", text.as_bytes());
        let found = check_source(&source, language, &CheckOptions::default());
        assert!(found.diagnostics.iter().all(|d| source.text().get(d.span().range()).is_some()), "{text}");
    };
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a text");
        let language = Language::of(&path).expect("a language");
        for paragraph in text.split_inclusive("\n\n").flat_map(pieces) {
            for end in (0..=paragraph.len()).filter(|end| paragraph.is_char_boundary(*end)) {
                check(&paragraph[..end], language);
            }
        }
        for end in (0..text.len()).step_by(101).filter(|end| text.is_char_boundary(*end)) {
            for language in Language::ALL {
                let language = *language;
                check(&text[..end], language);
            }
        }
    }
}

/// A long paragraph in pieces of a few lines.
fn pieces(paragraph: &str) -> Vec<&str> {
    let ends = paragraph.match_indices('\n').map(|(at, _)| at + 1).chain([paragraph.len()]);
    let (mut pieces, mut start) = (Vec::new(), 0);
    for end in ends {
        if end - start > 400 || end == paragraph.len() {
            pieces.push(&paragraph[start..end]);
            start = end;
        }
    }
    pieces
}
