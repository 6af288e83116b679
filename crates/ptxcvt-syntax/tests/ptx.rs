//! Drop-a-file tests. Each PTX file in the root's `tests/ptx` has a first line with its options, and a file `.out`
//! with the expected output. `BLESS=1` rewrites the expected output.
//!
//! The first line is `// RUN: check [--snippet] [--target SM] [--isa VERSION] [--output-format FORMAT]`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ptxcvt::counted;
use ptxcvt::targets::Machine;
use ptxcvt_syntax::render::{OutputFormat, Renderer};
use ptxcvt_syntax::sources::check_named;
use ptxcvt_syntax::{CheckOptions, Code, Findings, PtxCode, Source, check, suppress};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ptx")
}

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory()).expect("tests/ptx");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "ptx"));
    files.sort();
    files
}

/// Runs a file with the options in its first line, and returns the findings and the output.
fn run(path: &Path) -> (Findings, String) {
    let bytes = std::fs::read(path).expect("a readable file");
    let first = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first).into_owned();
    let mut words = first.split_whitespace();
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    assert_eq!(words.by_ref().take(3).collect::<Vec<_>>(), ["//", "RUN:", "check"], "{name}");
    let mut options = CheckOptions::default();
    let (mut target, mut isa) = (None, None);
    let mut format = OutputFormat::Full;
    while let Some(word) = words.next() {
        match word {
            "--snippet" => options.snippet = true,
            "--target" => target = Some(words.next().expect("a target").parse().expect("a target")),
            "--isa" => isa = Some(words.next().expect("a version").parse().expect("a version")),
            "--output-format" => {
                let wanted = words.next();
                format =
                    OutputFormat::ALL.iter().copied().find(|f| Some(f.name()) == wanted).expect("a format");
            }
            other => panic!("{name}: {other}"),
        }
    }
    options = options.machine(Machine::new(target, isa).expect("a machine"));
    let source = Source::new(name, &bytes);
    let mut report = check_named(&source, None, &options);
    suppress(&source, &mut report.diagnostics);
    let mut renderer = Renderer::new(format, false);
    let mut out = Vec::new();
    renderer.file(&mut out, &source, &report.diagnostics).expect("memory");
    renderer.finish(&mut out).expect("memory");
    let mut out = String::from_utf8(out).expect("UTF-8");
    if format == OutputFormat::Sarif {
        // The rules are the pages of all codes, which are tested elsewhere.
        assert!(out.contains("\"rules\":"));
        let line =
            |l: &str| if l.starts_with("\"tool\":") { "\"tool\": …,\n".into() } else { format!("{l}\n") };
        out = out.lines().map(line).collect();
    }
    if format.is_prose() {
        let (errors, warnings) = (counted(report.errors(), "error"), counted(report.warnings(), "warning"));
        out += &format!("{errors}, {warnings}\n");
    }
    (report, out)
}

#[test]
fn expected_output() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    let files = files();
    assert!(files.len() >= 100, "{} files", files.len());
    for path in files {
        let (_, out) = run(&path);
        let expected = path.with_extension("out");
        if bless {
            std::fs::write(&expected, &out).expect("a writable file");
        } else if std::fs::read_to_string(&expected).ok().as_ref() != Some(&out) {
            wrong.push(format!("{}:\n{out}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "BLESS=1 rewrites what is expected\n{}", wrong.join("\n"));
}

/// The prefix of a file's name: `good-`, `read-` and `real-` have no finding, `bad-` has an error, `warn-` has only
/// warnings.
#[test]
fn names_match_the_findings() {
    for path in files() {
        let (report, out) = run(&path);
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let fits = match name.split('-').next() {
            Some("good" | "read" | "real") => report.diagnostics.is_empty(),
            Some("bad") => report.errors() > 0,
            Some("warn") => report.errors() == 0 && report.warnings() > 0,
            _ => true,
        };
        assert!(fits, "{name}:\n{out}");
    }
}

#[test]
fn every_code_is_covered() {
    // The library's codes from CVT020 on are about values and arrays; some codes are about sources (tests/cu).
    let sources = [PtxCode::Notebook, PtxCode::NoOperand, PtxCode::Constraint].map(Code::from);
    let elsewhere = |code: &Code| {
        matches!(code, Code::Opcode(code) if code.as_str() >= "CVT020") || sources.contains(code)
    };
    let found: BTreeSet<Code> =
        files().iter().flat_map(|path| run(path).0.diagnostics).map(|d| d.code()).collect();
    let missing: Vec<Code> = Code::all().filter(|code| !found.contains(code) && !elsewhere(code)).collect();
    assert!(missing.is_empty(), "no file in tests/ptx has {missing:?}");
}

/// ptxas 12.9 and 13.5 skip these bytes between tokens, and no other.
#[test]
fn blanks() {
    let blanks = [b'\t', b'\n', b'\r', b' ', 0x0c, 0x1a];
    for byte in 1..0x80_u8 {
        let gap = char::from(byte);
        let text = format!(
            ".version 8.6\n.target sm_90\n.entry k(){{.reg .u16 a;.reg .u32 b;\n{gap}cvt{gap}.u16{gap}.u32{gap}a{gap},{gap}b;{gap}\nret;}}"
        );
        let found = check(&Source::new("b.ptx", text.as_bytes()), &CheckOptions::default());
        let counts = (found.diagnostics.is_empty(), found.stats.conversions);
        assert_eq!(counts == (true, 1), blanks.contains(&byte), "{byte:#x} {:?}", found.diagnostics);
    }
}
