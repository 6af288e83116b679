//! `conformance/drift.py` without a network: its record answers in place of the newest tools and libraries, and LLVM is
//! the small backend of `tests/audit`, which this command audits.
#![cfg(unix)]

mod common;
#[path = "../../../xtask/src/skip.rs"]
mod skip;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use common::Bench;

/// Changes what a part answers.
type Change = fn(&str) -> String;

struct Drift {
    bench: Bench,
}

impl Drift {
    /// `None`, with the reason printed, if there is no Python.
    fn new() -> Option<Self> {
        if let Err(why) = Command::new("python3").arg("--version").output() {
            skip::skip(&format!("skipped: drift: python3: {why}")).unwrap();
            return None;
        }
        let drift = Drift { bench: Bench::of_any_command() };
        for folder in ["programs", "tools/venv/bin", "llvm"] {
            fs::create_dir_all(drift.path(folder)).unwrap();
        }
        for file in ["NVPTXInstrInfo.td", "NVPTXSubtarget.h", "convert.ll"] {
            fs::copy(format!("../../tests/audit/{file}"), drift.path("llvm").join(file)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_ptxcvt"), drift.path("programs/ptxcvt")).unwrap();
        // `ptxcvt-conformance drift FOLDER ROWS`, and what it needs.
        drift.script("programs/ptxcvt-conformance", "cat \"$HOME/cuda\" > \"$3\"");
        drift.script("programs/unzip", "");
        drift.script("programs/g++", "");
        // `python -m pip install …`, and the scripts that run libraries.
        drift.script(
            "tools/venv/bin/python",
            "case \"$1\" in\n-m) ;;\n*compare.py) cat \"$HOME/recipes\";;\n*) cat \"$HOME/transformers\";;\nesac",
        );
        let record = fs::read_to_string("../../conformance/records/drift.tsv").unwrap();
        drift.answer("cuda", &record, &["ptxas", "headers"], true);
        drift.answer("recipes", &record, &["recipes"], false);
        drift.answer("transformers", &record, &["transformers"], false);
        fs::write(drift.path("record.tsv"), record).unwrap();
        // The verdicts on the small backend in place of those on LLVM.
        let (status, text) = drift.run("--only llvm --bless");
        assert!(status == 1 && text.contains("DRIFT llvm admits: LLVM "), "{text}");
        Some(drift)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.bench.path(name)
    }

    fn script(&self, name: &str, text: &str) {
        fs::write(self.path(name), format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Writes the rows of the record that a part answers with.
    fn answer(&self, part: &str, record: &str, names: &[&str], named: bool) {
        let rows = record.lines().filter_map(|line| {
            let (name, rest) = line.split_once('\t')?;
            names.contains(&name).then_some(if named { line } else { rest })
        });
        let rows: String = rows.map(|row| format!("{row}\n")).collect();
        assert!(!rows.is_empty(), "{part}");
        fs::write(self.path(part), rows).unwrap();
    }

    fn run(&self, arguments: &str) -> (i32, String) {
        let script = fs::canonicalize("../../conformance/drift.py").unwrap();
        let mut python = Command::new("python3");
        python.arg("-B").arg(script).arg(self.path("tools"));
        for (option, name) in [("--programs", "programs"), ("--record", "record.tsv")] {
            python.arg(option).arg(self.path(name));
        }
        let path = format!("{}:{}", self.path("programs").display(), std::env::var("PATH").unwrap());
        python.env("PATH", path).env("HOME", self.bench.folder.path());
        if !arguments.contains("--no-llvm") {
            python.arg("--llvm").arg(self.path("llvm"));
        }
        let words = arguments.split_whitespace().filter(|word| *word != "--no-llvm");
        let output = python.args(words).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!error.contains("Traceback"), "{error}");
        let text = String::from_utf8(output.stdout).unwrap() + &error;
        (output.status.code().unwrap(), text)
    }

    /// The result of a run after `change` was made to a file, which is restored afterwards.
    fn changed(&self, file: &str, change: Change, arguments: &str) -> (i32, String) {
        let before = fs::read_to_string(self.path(file)).unwrap();
        let after = change(&before);
        assert_ne!(before, after, "{file}");
        fs::write(self.path(file), after).unwrap();
        let result = self.run(arguments);
        fs::write(self.path(file), before).unwrap();
        result
    }
}

#[test]
fn recorded_verdicts_are_no_drift() {
    let Some(drift) = Drift::new() else { return };
    let record = fs::read_to_string(drift.path("record.tsv")).unwrap();
    let (status, text) = drift.run("--bless");
    assert_eq!(status, 0, "{text}");
    for part in ["cuda", "llvm", "recipes", "transformers"] {
        assert!(
            text.contains(&format!("{part}: ")) && text.contains("verdicts as recorded, with "),
            "{text}"
        );
    }
    assert_eq!(fs::read_to_string(drift.path("record.tsv")).unwrap(), record);
    let (status, text) = drift.run("--no-llvm --only llvm,recipes");
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("skipped cuda: --only leaves it out"), "{text}");
    assert!(text.contains("skipped llvm: no --llvm SOURCE was given"), "{text}");
}

#[test]
fn a_planted_change_is_drift() {
    let Some(drift) = Drift::new() else { return };
    let planted: [(&str, Change, &[&str]); 9] = [
        (
            "cuda",
            |rows| format!("{rows}ptxas\tcvt.rn.f16.f32 on sm_90\t14.0.1\tdiffers from the table\n"),
            &[
                "DRIFT ptxas cvt.rn.f16.f32 on sm_90 (14.0.1): new: differs from the table",
                "note: cuda: other versions: ",
            ],
        ),
        ("cuda", |rows| rows.replacen("sm_100 sm_100a", "sm_100 sm_100b", 1), &["DRIFT ptxas targets: "]),
        (
            "cuda",
            |rows| rows.replacen("264 compared", "263 compared", 1),
            &["DRIFT headers opcodes: ", ": 263 compared"],
        ),
        (
            "recipes",
            |rows| rows.replacen("0 of 1114112 bytes differ", "1 of 1114112 bytes differ", 1),
            &["DRIFT recipes gguf-mxfp4: gguf ", ": 0 of 1114112 bytes", ": 1 of 1114112 bytes"],
        ),
        (
            "recipes",
            |rows| rows.lines().skip(1).map(|row| format!("{row}\n")).collect(),
            &["DRIFT recipes gguf-mxfp4: gone; gguf "],
        ),
        (
            "transformers",
            |rows| rows.replacen("tensors as they should be", "tensors", 1),
            &["DRIFT transformers "],
        ),
        // A condition that is lost.
        (
            "llvm/NVPTXInstrInfo.td",
            |td| td.replacen("let Predicates = [hasSM<80>] in", "", 1),
            &["DRIFT llvm admits: "],
        ),
        // A test that expects an instruction that no target has.
        (
            "llvm/convert.ll",
            |test| test.replacen("cvt.rn.f16.f32", "cvt.rz.satfinite.f16.f32", 1),
            &["DRIFT llvm test"],
        ),
        // Text that the audit does not read could hide any difference.
        (
            "llvm/NVPTXInstrInfo.td",
            |td| td.replacen("def CvtRN :", "def CvtNew : Unheard<1>;\ndef CvtRN :", 1),
            &["DRIFT llvm not read: ", ": NVPTXInstrInfo.td: "],
        ),
    ];
    for (file, change, expected) in planted {
        let (status, text) = drift.changed(file, change, "");
        assert_eq!(status, 1, "{file}: {text}");
        for words in expected {
            assert!(text.contains(words), "{file}: no {words:?} in {text}");
        }
    }
}

#[test]
fn other_versions_and_other_lines_are_no_drift() {
    let Some(drift) = Drift::new() else { return };
    let (status, text) = drift.changed("recipes", |rows| rows.replace("gguf 0.", "gguf 7."), "");
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("note: recipes: other versions: "), "{text}");
    let (status, text) = drift.changed("llvm/NVPTXInstrInfo.td", |td| format!("\n// New.\n\n{td}"), "");
    assert_eq!(status, 0, "{text}");
}

#[test]
fn what_cannot_run_is_not_called_drift() {
    let Some(drift) = Drift::new() else { return };
    let record = fs::read_to_string(drift.path("record.tsv")).unwrap();
    let failing: [(&str, Change, &str); 7] = [
        ("programs/ptxcvt-conformance", |_| "#!/bin/sh\nexit 3\n".to_owned(), "could not run cuda: "),
        ("programs/ptxcvt-conformance", |_| "#!/bin/sh\nkill $$\n".to_owned(), "could not run cuda: "),
        ("tools/venv/bin/python", |_| "#!/bin/sh\nexit 1\n".to_owned(), "could not run recipes: "),
        (
            "recipes",
            |rows| rows.replacen('\t', " ", 1),
            "could not run recipes: a row should be part, subject",
        ),
        (
            "recipes",
            |rows| format!("{rows}{rows}"),
            "could not run recipes: recipes gguf-mxfp4 has two verdicts",
        ),
        ("cuda", |_| "ptxas\t\t\t\n".to_owned(), "could not run cuda: a row should be part, subject"),
        ("record.tsv", |rows| rows.replacen('\t', " ", 1), "could not run: a row should be part, subject"),
    ];
    for (file, change, expected) in failing {
        let (status, text) = drift.changed(file, change, "");
        assert_eq!(status, 2, "{file}: {text}");
        assert!(text.contains(expected), "{file}: no {expected:?} in {text}");
    }
    // The other parts are compared, and only they are recorded.
    fs::write(drift.path("recipes"), "gguf-mxfp4\tgguf 9\n").unwrap();
    let rows = fs::read_to_string(drift.path("cuda")).unwrap();
    fs::write(drift.path("cuda"), rows.replace("264 compared", "265 compared")).unwrap();
    let (status, text) = drift.run("--bless");
    assert_eq!(status, 2, "{text}");
    assert!(text.contains("DRIFT headers opcodes: ") && text.contains("could not run recipes: "), "{text}");
    let blessed = fs::read_to_string(drift.path("record.tsv")).unwrap();
    assert_eq!(blessed, record.replace("264 compared", "265 compared"));
    // A folder that is not a source of LLVM, a part that does not exist, and no record.
    fs::remove_dir_all(drift.path("llvm")).unwrap();
    let (status, text) = drift.run("--only llvm");
    assert!(status == 2 && text.contains("could not run llvm: "), "{text}");
    let (status, text) = drift.run("--only cuda,gpu");
    assert!(
        status == 2 && text.contains("no part gpu; parts are cuda, llvm, recipes, transformers"),
        "{text}"
    );
    fs::remove_file(drift.path("record.tsv")).unwrap();
    let (status, text) = drift.run("--only cuda");
    assert!(
        status == 1 && text.contains("DRIFT headers opcodes (") && text.contains(": new: 265 compared"),
        "{text}"
    );
}

/// The real libraries, where they are installed.
#[test]
fn installed_gguf_is_as_recorded() {
    let python = Command::new("python3").args(["-c", "import sys, numpy, gguf; print(sys.prefix)"]).output();
    let prefix = match python {
        Ok(output) if output.status.success() => String::from_utf8(output.stdout).unwrap().trim().to_owned(),
        Ok(output) => {
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            // Nothing that the tests need: .ci/prepare does not install it.
            eprintln!("not compared: {}", error.lines().last().unwrap_or("no gguf"));
            return;
        }
        Err(why) => {
            return skip::skip(&format!("skipped: installed_gguf_is_as_recorded: python3: {why}")).unwrap();
        }
    };
    if !PathBuf::from(&prefix).join("bin/python").exists() {
        eprintln!("not compared: {prefix}/bin/python does not exist");
        return;
    }
    let mut compare = Command::new("python3");
    compare.args([
        "-B",
        "../../conformance/blocks/compare.py",
        env!("CARGO_BIN_EXE_ptxcvt"),
        &prefix,
        "--drift",
    ]);
    let output = compare.args(["gguf-mxfp4", "gguf-nvfp4"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found = String::from_utf8(output.stdout).unwrap();
    let verdict =
        |line: &str| Some((line.split('\t').next()?.to_owned(), line.rsplit('\t').next()?.to_owned()));
    let record = fs::read_to_string("../../conformance/records/drift.tsv").unwrap();
    let recorded = record.lines().filter_map(|line| verdict(line.strip_prefix("recipes\t")?));
    let recorded: Vec<_> = recorded.filter(|(recipe, _)| recipe.starts_with("gguf")).collect();
    let found: Vec<_> = found.lines().filter_map(verdict).collect();
    assert!(found == recorded && found.len() == 2, "{found:?}");
}
