//! Drop-a-file tests of fixes. Each file in the root's `tests/fix` has a first line with its options, and a file
//! `.fixed` with the expected result, which `BLESS=1` rewrites.
//!
//! The first line is `// RUN: check --fix [--unsafe-fixes] [--snippet] [--target SM] [--isa VERSION]`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ptxcvt::targets::Machine;
use ptxcvt_syntax::fix::{Applicability, Fixed, fix};
use ptxcvt_syntax::sources::{Language, check_source};
use ptxcvt_syntax::{CheckOptions, Code, Findings, Source, check};

fn files(directory: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(directory);
    let entries = std::fs::read_dir(directory).expect("a directory of tests");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "ptx"));
    files.sort();
    files
}

/// The options in the first line.
fn options(text: &str) -> (CheckOptions, Applicability) {
    let (mut options, mut limit) = (CheckOptions::default(), Applicability::Safe);
    let (mut target, mut isa) = (None, None);
    let mut words = text.lines().next().unwrap_or_default().split_whitespace().skip(3);
    while let Some(word) = words.next() {
        match word {
            "--fix" => {}
            "--unsafe-fixes" => limit = Applicability::Unsafe,
            "--snippet" => options.snippet = true,
            "--target" => target = words.next().expect("a target").parse().ok(),
            "--isa" => isa = words.next().expect("a version").parse().ok(),
            "--output-format" => drop(words.next()),
            other => panic!("{other}"),
        }
    }
    (options.machine(Machine::new(target, isa).expect("a machine")), limit)
}

fn run(name: &str, text: &str, limit: Applicability) -> (Findings, Fixed) {
    let (options, _) = options(text);
    let source = Source::new(name, text.as_bytes());
    (check(&source, &options), fix(&source, limit, |source| check(source, &options)))
}

/// The codes of findings with a fix.
fn fixable(found: &Findings, limit: Applicability) -> BTreeSet<Code> {
    let fits = |d: &&ptxcvt_syntax::Diagnostic| d.fix().is_some_and(|fix| fix.applicability() <= limit);
    found.diagnostics.iter().filter(fits).map(|d| d.code()).collect()
}

#[test]
fn expected_output() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for path in files("fix") {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a text");
        let (_, limit) = options(&text);
        let (before, fixed) = run(&name, &text, limit);
        if fixed.count() == 0 || !fixed.left.diagnostics.is_empty() {
            wrong.push(format!("{name}: {:?}\n{}", before.diagnostics, fixed.text));
        }
        if limit == Applicability::Unsafe && run(&name, &text, Applicability::Safe).1.text == fixed.text {
            wrong.push(format!("{name}: it needs no --unsafe-fixes"));
        }
        let expected = path.with_extension("fixed");
        if bless {
            std::fs::write(&expected, &fixed.text).expect("a writable file");
        } else if std::fs::read_to_string(&expected).ok().as_ref() != Some(&fixed.text) {
            wrong.push(format!("{name}:\n{}", fixed.text));
        }
    }
    assert!(wrong.is_empty(), "BLESS=1 rewrites what is expected\n{}", wrong.join("\n"));
}

/// No edit of the option makes this module one that `ptxas` accepts: its doubles have no `.f64` without the option.
#[test]
fn an_option_of_old_targets_has_no_fix() {
    let text = ".version 8.0\n.target sm_90, map_f64_to_f32\n.address_size 64\n\
        .visible .entry k() {\n.reg .f32 f; .reg .f64 d;\ncvt.f32.f64 f, d;\nret;\n}\n";
    let (before, fixed) = run("k.ptx", text, Applicability::Unsafe);
    let option: Vec<_> = before.diagnostics.iter().filter(|d| d.code().as_str() == "CVT208").collect();
    assert!(option.len() == 1 && option[0].fix().is_none(), "{option:?}");
    assert!(fixed.text.contains(", map_f64_to_f32") && fixed.left.diagnostics.len() == 1, "{}", fixed.text);
}

/// After fixes no finding is left that has a fix.
#[test]
fn nothing_fixable_is_left() {
    let (mut fixed_files, mut codes, mut covered) = (0, BTreeSet::new(), BTreeSet::new());
    for directory in ["ptx", "fix"] {
        for path in files(directory) {
            let bytes = std::fs::read(&path).expect("a file");
            let Ok(text) = String::from_utf8(bytes) else { continue };
            for limit in [Applicability::Safe, Applicability::Unsafe] {
                let (before, fixed) = run("x.ptx", &text, limit);
                let left = fixable(&fixed.left, limit);
                assert!(left.is_empty(), "{}: {left:?}\n{}", path.display(), fixed.text);
                fixed_files += usize::from(fixed.count() > 0);
                let into = if directory == "fix" { &mut covered } else { &mut codes };
                into.extend(fixable(&before, limit).into_iter().map(|code| (code, limit)));
            }
        }
    }
    assert!(fixed_files >= 100, "{fixed_files}");
    let missing: Vec<_> = codes.difference(&covered).collect();
    assert!(missing.is_empty(), "no file in tests/fix has {missing:?}");
}

/// The text around an edit is unchanged, with any line ends.
#[test]
fn ends_of_lines_and_marks_stay() {
    let text = "\u{feff}// ü\r\ncvt.rn.e4m3x2.f32 %0, %1, %2; // ü\r\n\tcvt.rzi.sat.u8.f32 %0, %1;\r\n";
    let options = CheckOptions::default().snippet(true);
    let source = Source::new("x", text.as_bytes());
    let fixed = fix(&source, Applicability::Safe, |source| check(source, &options));
    assert_eq!(
        fixed.text,
        "\u{feff}// ü\r\ncvt.rn.satfinite.e4m3x2.f32 %0, %1, %2; // ü\r\n\tcvt.rzi.u8.f32 %0, %1;\r\n"
    );
}

/// A missing semicolon at the end of a text or a block.
#[test]
fn the_last_semicolon_is_added() {
    for (before, after) in [
        ("cvt.rn.f16.f32 %0, %1", "cvt.rn.f16.f32 %0, %1;"),
        ("cvt.rn.f16.f32 %0, %1 // the end", "cvt.rn.f16.f32 %0, %1; // the end"),
        ("{cvt.rn.f16.f32 %0, %1}", "{cvt.rn.f16.f32 %0, %1;}"),
        ("{.reg .f32 a}", "{.reg .f32 a;}"),
    ] {
        let options = CheckOptions::default().snippet(true);
        let source = Source::new("snippet", before.as_bytes());
        let found = check(&source, &options);
        assert!(found.diagnostics[0].message().starts_with("expected `;` after"), "{:?}", found.diagnostics);
        let fixed = fix(&source, Applicability::Safe, |source| check(source, &options));
        assert_eq!(fixed.text, after);
    }
    // Something else is missing before the end.
    for text in ["cvt.rn.f16.f32 %0,", "cvt.rn.f16.f32 {%0", "cvt."] {
        let source = Source::new("snippet", text.as_bytes());
        let fixed =
            fix(&source, Applicability::Safe, |source| check(source, &CheckOptions::default().snippet(true)));
        assert_eq!(fixed.text, text);
    }
    let module = ".version 8.0\n.target sm_90\n.func g() { .reg .f32 a; .reg .b16 h; cvt.rz.f16.f32 h, a }\n";
    let fixed = fix(&Source::new("m.ptx", module.as_bytes()), Applicability::Safe, |source| {
        check(source, &CheckOptions::default())
    });
    assert_eq!(fixed.text, module.replace("h, a }", "h, a; }"));
    let kernel = "asm(\"cvt.rn.f16.f32 %0, %1\" : \"=h\"(h) : \"f\"(a));";
    let fixed = fix(&Source::new("k.cu", kernel.as_bytes()), Applicability::Safe, |source| {
        check_source(source, Language::Cpp, &CheckOptions::default())
    });
    assert_eq!(fixed.text, kernel.replace("%1\"", "%1;\""));
}

/// An integer that may be the bits of a number has no fix: one of the two meanings would be lost.
#[test]
fn integers_that_may_be_bits_stay() {
    let options = CheckOptions::default().snippet(true);
    for (constant, expected) in [
        ("0x3f800000", "0x3f800000"),
        ("017", "017"),
        ("(0x3 + 1)", "(0x3 + 1)"),
        ("-3", "-3.0"),
        ("0", "0.0"),
    ] {
        let text = format!("cvt.f64.f32 d, {constant};");
        let fixed =
            fix(&Source::new("x", text.as_bytes()), Applicability::Unsafe, |source| check(source, &options));
        assert_eq!(fixed.text, format!("cvt.f64.f32 d, {expected};"));
    }
}
