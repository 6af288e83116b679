//! `check` on sources: the targets that build files name, counts, and notes.

use std::path::Path;
use std::process::{Command, Output};

fn check(folder: &Path, arguments: &[&str]) -> Output {
    ptxcvt(folder, &[&["check"], arguments].concat())
}

fn ptxcvt(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    command.current_dir(folder).args(arguments);
    command.output().expect("ptxcvt")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const KERNEL: &str = r#"
#if __CUDA_ARCH__ >= 1000
asm("cvt.rp.satfinite.ue8m0x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a), "f"(b));
#endif
"#;

#[test]
fn targets_of_build_files_are_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("src")).expect("a folder");
    std::fs::write(at("src/kernel.cu"), KERNEL).expect("a file");
    let plain = check(folder.path(), &["src"]);
    assert_eq!((plain.status.code(), text(&plain.stderr)), (Some(1), String::new()));
    assert!(text(&plain.stdout).contains("the target is sm_100"), "{}", text(&plain.stdout));
    assert_eq!(check(folder.path(), &["src", "--target", "sm_100a"]).status.code(), Some(0));

    std::fs::write(at("build.mk"), "NVCCFLAGS = -gencode arch=compute_120f,code=sm_120f\n").expect("a file");
    assert_eq!(check(folder.path(), &["src", "--targets-from", "build.mk"]).status.code(), Some(0));
    std::fs::write(at("empty.mk"), "all:\n").expect("a file");
    let empty = check(folder.path(), &["src", "--targets-from", "empty.mk"]);
    assert_eq!(empty.status.code(), Some(2));
    assert!(text(&empty.stderr).contains("empty.mk names no targets"), "{}", text(&empty.stderr));

    // Found within the repository, and reported in one line.
    std::fs::create_dir_all(at(".git")).expect("a folder");
    std::fs::write(at("CMakeLists.txt"), "set(CMAKE_CUDA_ARCHITECTURES 90a 100a)\n").expect("a file");
    let found = check(folder.path(), &["src"]);
    assert_eq!(found.status.code(), Some(0), "{}", text(&found.stdout));
    let line = text(&found.stderr);
    assert!(line.ends_with("CMakeLists.txt: sm_90a, sm_100a\n") && line.lines().count() == 1, "{line}");
}

/// Each source is judged for the targets of the nearest build files, whatever the argument is.
#[test]
fn the_nearest_build_files_of_each_source_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for (name, list) in [("one", "100a"), ("two", "80 100"), ("one/inner", "103a")] {
        std::fs::create_dir_all(at(name).join("src")).expect("a folder");
        let list = format!("set(CMAKE_CUDA_ARCHITECTURES {list})\n");
        std::fs::write(at(name).join("CMakeLists.txt"), list).expect("a file");
        std::fs::write(at(name).join("src/k.cu"), KERNEL).expect("a file");
    }
    std::fs::create_dir_all(at("three")).expect("a folder");
    std::fs::write(at("three/k.cu"), KERNEL).expect("a file");
    for arguments in [&["."][..], &["one", "two", "three"], &["three", "two", "one/src/k.cu", "one"]] {
        let found = check(folder.path(), &[arguments, &["--output-format", "concise"]].concat());
        let out = text(&found.stdout);
        let errors: Vec<&str> = out.lines().filter_map(|line| Some(line.split_once(".cu:")?.0)).collect();
        let mut errors: Vec<&str> = errors.iter().map(|path| path.trim_start_matches("./")).collect();
        errors.sort_unstable();
        // Without a build file, code is judged for every target.
        assert_eq!(errors, ["three/k", "two/src/k"], "{out}");
        let line = text(&found.stderr);
        let files: Vec<&str> =
            line.split("; of ").map(|part| part.rsplit_once('/').expect("a path").1).collect();
        let expected =
            ["CMakeLists.txt: sm_100a", "CMakeLists.txt: sm_103a", "CMakeLists.txt: sm_80, sm_100\n"];
        assert_eq!(files, expected, "{line}");
    }
    // Build files of an argument apply to all sources below it, also in another repository.
    std::fs::create_dir_all(at("three/.git")).expect("a folder");
    std::fs::write(at("setup.py"), "args = [\"-arch=sm_100a\"]\n").expect("a file");
    assert_eq!(check(folder.path(), &["three"]).status.code(), Some(1));
    let all = check(folder.path(), &[".", "--output-format", "concise"]);
    assert!(!text(&all.stdout).contains("three/k"), "{}", text(&all.stdout));
}

/// Targets in variables are not followed, which is said.
#[test]
fn build_files_with_variables_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("kernel.cu"), KERNEL).expect("a file");
    std::fs::write(at("Makefile"), "SM=100a\nF=-gencode arch=compute_$(SM),code=sm_$(SM)\n").expect("a file");
    let found = check(folder.path(), &["kernel.cu"]);
    let line = text(&found.stderr);
    assert!(
        line.contains("Makefile: some targets are values of variables") && line.lines().count() == 1,
        "{line}"
    );
    let given = check(folder.path(), &["kernel.cu", "--targets-from", "Makefile"]);
    assert_eq!(given.status.code(), Some(2));
    assert!(text(&given.stderr).contains("values of variables"), "{}", text(&given.stderr));
    // Code is judged for `arch=`; `code=` is for the assembler.
    std::fs::write(at("Makefile"), "F=-gencode arch=compute_100f,code=sm_103\n").expect("a file");
    let found = check(folder.path(), &["kernel.cu"]);
    assert_eq!(found.status.code(), Some(0), "{}", text(&found.stdout));
    assert!(text(&found.stderr).ends_with("Makefile: sm_100f\n"), "{}", text(&found.stderr));
}

/// Defaults are judged, and a note says that a build may override them.
#[test]
fn build_files_with_defaults_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("kernel.cu"), KERNEL).expect("a file");
    let set = |value: &str| format!("set(CMAKE_CUDA_ARCHITECTURES {value} CACHE STRING \"e.g. 80\")\n");
    std::fs::write(at("CMakeLists.txt"), set("100a")).expect("a file");
    for options in [&["kernel.cu"][..], &["kernel.cu", "--targets-from", "CMakeLists.txt"]] {
        let found = check(folder.path(), options);
        let lines = text(&found.stderr);
        assert_eq!(found.status.code(), Some(0), "{lines}");
        assert!(lines.contains("CMakeLists.txt: some targets are defaults"), "{lines}");
        assert!(!lines.contains("values of variables"), "{lines}");
    }
    std::fs::write(at("CMakeLists.txt"), set("\"\"")).expect("a file");
    let given = check(folder.path(), &["kernel.cu", "--targets-from", "CMakeLists.txt"]);
    assert_eq!(given.status.code(), Some(2));
    assert!(text(&given.stderr).contains("its targets are chosen for each build"), "{}", text(&given.stderr));
}

/// A baseline on standard output is alone there.
#[test]
fn a_baseline_may_be_standard_output() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("kernel.cu"), KERNEL).expect("a file");
    let output = check(folder.path(), &["kernel.cu", "--write-baseline", "-"]);
    let entries: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(entries.as_array().map(Vec::len), Some(1));
    assert!(text(&output.stderr).contains("1 conversion checked"), "{}", text(&output.stderr));
}

#[test]
fn notes_and_conversions_that_are_not_judged_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let guarded = KERNEL.replace("#if ", "#if defined(FLAG) && ");
    std::fs::write(folder.path().join("kernel.cu"), guarded).expect("a file");
    std::fs::write(folder.path().join("kernel.rs"), "fn k() { say(\"cvt.f16.f32 is wrong\"); }")
        .expect("a file");
    let output = check(folder.path(), &["kernel.cu", "kernel.rs", "--output-format", "concise"]);
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{out}");
    assert!(out.contains("kernel.cu:3:6: note[CVT011]"), "{out}");
    assert!(out.contains("1 note in 2 files, 1 conversion checked."), "{out}");
    assert!(out.contains("\n1 not judged: its string is not known to be inline assembly."), "{out}");
    let json = check(folder.path(), &["kernel.rs", "--stats", "--output-format", "json"]);
    assert!(
        text(&json.stdout).contains("its string is not known to be inline assembly\":"),
        "{}",
        text(&json.stdout)
    );
}

/// The formats for machines have no place for what was not judged, so it is on standard error.
#[test]
fn what_was_not_judged_is_said_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("kernel.cu"),
        "void f() { asm(OP \" %0, %1;\" : \"=h\"(h) : \"f\"(x)); }",
    )
    .expect("a file");
    for format in ["full", "concise", "json", "sarif", "github"] {
        let output = check(folder.path(), &["kernel.cu", "--output-format", format]);
        let (stderr, line) = (text(&output.stderr), "1 not judged: its opcode is not known");
        let prose = ["full", "concise"].contains(&format);
        assert_eq!(stderr.contains(line), !prose, "{format}: {stderr}");
        assert_eq!(text(&output.stdout).contains(line), prose, "{format}");
    }
}

/// `check`, its options and `diff` count the same conversions, also where a statement has several values.
#[test]
fn conversions_with_several_values_are_counted_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    let python = |t: &str| {
        format!(
            "def k(x, half):\n    t = {t}\n    inline_asm(f'cvt.rn.{{t}}.f32 $0, $1;', '=h,f', [x])\n    inline_asm('cvt.f16.f32 $0, $1;', '=h,f', [x])\n"
        )
    };
    write("one.py", &python("'f16'"));
    write("two.py", &python("'f16' if half else 'bf16'"));
    let macros = "#define DEF(n, t) __device__ short n(float x) { short d; asm(\"cvt.rn.\" t \".f32 %0, %1;\" : \"=h\"(d) : \"f\"(x)); return d; }\n";
    write("one.cu", &format!("{macros}DEF(a, \"f16\")\n"));
    write("two.cu", &format!("{macros}DEF(a, \"f16\")\nDEF(b, \"bf16\")\n"));
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&ptxcvt(folder.path(), arguments).stdout).expect("JSON")
    };
    for (name, one, two, wrong) in [("py", 2, 3, 1), ("cu", 1, 2, 0)] {
        let [before, after] = ["one", "two"].map(|file| format!("{file}.{name}"));
        let found = json(&["diff", &before, &after, "--json"]);
        assert_eq!(found["before"]["conversions"], one);
        assert_eq!(
            (&found["after"]["conversions"], &found["after"]["not_legal"]),
            (&two.into(), &wrong.into())
        );
        assert_eq!(found["files"][0]["came"][0]["opcode"], "cvt.rn.bf16.f32");
        let stats = json(&["check", "--stats", "--output-format", "json", &after]);
        assert_eq!(stats[0]["conversions"], two);
        let need = json(&["check", "--would-need", "sm_75", "--output-format", "json", &after]);
        assert_eq!((&need[0]["conversions"], &need[0]["unknown"]), (&two.into(), &wrong.into()));
        assert_eq!(need[0]["missing"][0]["count"], 1);
    }
}

/// Conversions that `check` counts as not judged are not reported as the same.
#[test]
fn conversions_that_were_not_judged_are_not_said_to_be_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    let text = |opcode: &str| format!("def f(op):\n    inline_asm(f'{opcode} $0, $1;', '=h,f', [x])\n");
    write("before.py", &text("{op}"));
    write("after.py", &text("{op}.x"));
    for style in ["--json", "--markdown", ""] {
        let arguments = ["diff", "before.py", "after.py", style];
        let output = ptxcvt(folder.path(), &arguments[..4 - usize::from(style.is_empty())]);
        let found = self::text(&output.stdout);
        assert!(!found.contains("The conversions are the same"), "{found}");
        assert!(found.contains("its opcode is not known, so it may be a conversion"), "{found}");
    }
}

/// `diff` has the options of `check`, and its settings.
#[test]
fn sources_are_compared_as_they_are_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(at(name).parent().expect("a folder")).expect("a folder");
        std::fs::write(at(name), text).expect("a file");
    };
    let text = |opcode: &str| format!("emit(\"{opcode} %0, %1\", d, x);\n");
    write("old/a.cu", &text("cvt.rn.f16.f32"));
    write("new/a.cu", &text("cvt.rz.f16.f32"));
    let diff = |arguments: &[&str]| {
        let done = ptxcvt(folder.path(), &[&["diff"], arguments].concat());
        (done.status.code(), self::text(&done.stdout) + &self::text(&done.stderr))
    };
    let (status, found) = diff(&["old", "new"]);
    assert!(status == Some(0) && found.contains("lowest target: not known"), "{found}");
    let (status, found) =
        diff(&["old", "new", "--wrapper", "emit", "--ignore", "CVT008", "--target", "sm_90a"]);
    assert!(status == Some(1) && found.contains("+     1  cvt.rz.f16.f32"), "{found}");

    // A name that says no language.
    let assembly = |opcode: &str| format!("asm(\"{opcode} %0, %1;\" : \"=h\"(h) : \"f\"(x));\n");
    write("old/b.tmpl", &assembly("cvt.rn.f16.f32"));
    write("new/b.tmpl", &assembly("cvt.rm.f16.f32"));
    assert_eq!(diff(&["old/b.tmpl", "new/b.tmpl"]).0, Some(2));
    let (status, found) = diff(&["old/b.tmpl", "new/b.tmpl", "--lang", "c++"]);
    assert!(status == Some(1) && found.contains("+     1  cvt.rm.f16.f32"), "{found}");

    // The settings name folders of the tree that is checked; its counterpart has another name.
    write("new/other/c.cu", &assembly("cvt.rn.f16.f32"));
    assert_eq!(diff(&["old", "new"]).0, Some(1));
    write("ptxcvt.toml", "exclude = [\"new/other/*\"]\n");
    assert_eq!(diff(&["old", "new"]).0, Some(0));
    assert_eq!(diff(&["new", "old"]).0, Some(0));
    write("old/other/c.cu", &assembly("cvt.rz.f16.f32"));
    assert_eq!(diff(&["old", "new"]).0, Some(0));
    write("ptxcvt.toml", "exclude = 3\n");
    assert_eq!(diff(&["old", "new"]).0, Some(2));
}

/// Conversions that were not judged may need any target.
#[test]
fn nothing_is_claimed_of_targets_if_nothing_was_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.py"), "s = f'cvt.{mode}.f16.f32 {x}, {y};'\nprint(s)\n")
        .expect("a file");
    std::fs::write(folder.path().join("none.cu"), "int x;\n").expect("a file");
    let stats = text(&check(folder.path(), &["a.py", "--stats"]).stdout);
    assert!(stats.contains("no conversion was judged") && !stats.contains("every target"), "{stats}");
    let need = text(&check(folder.path(), &["a.py", "--would-need", "sm_80"]).stdout);
    assert!(need.contains("a.py on sm_80: no conversion was judged"), "{need}");
    let none = text(&check(folder.path(), &["none.cu", "--stats"]).stdout);
    assert!(none.contains("no conversion in inline PTX") && !none.contains("every target"), "{none}");
    let refused = check(folder.path(), &["none.cu", "--wrapper", ""]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
}

/// A file that is named several ways is one file.
#[test]
fn a_file_is_checked_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let wrong = "inline_asm_elementwise('cvt.f16.f32 $0, $1;', '=h,f')\n";
    std::fs::write(at("a.py"), wrong).expect("a file");
    for arguments in [&["a.py", "a.py", "./a.py"][..], &[".", "a.py"], &["a.py", "."]] {
        let found = check(folder.path(), arguments);
        let summary = text(&found.stdout);
        assert!(summary.contains("1 error in 1 file"), "{arguments:?}: {summary}");
    }
}

/// Build files whose targets are all too old or unknown restrict nothing, and a message says so.
#[test]
fn unknown_targets_of_build_files_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("kernel.cu"), KERNEL).expect("a file");
    for (number, name) in [("35", "sm_35"), ("999", "999")] {
        let list = format!("set(CMAKE_CUDA_ARCHITECTURES {number})\n");
        std::fs::write(at("CMakeLists.txt"), &list).expect("a file");
        let found = check(folder.path(), &["kernel.cu"]);
        let stderr = text(&found.stderr);
        let expected = format!("CMakeLists.txt: its targets are not judged: {name};");
        assert!(stderr.contains(&expected) && stderr.lines().count() == 1, "{stderr}");
        assert_eq!(found.status.code(), Some(1), "every target counts");
        let found = check(folder.path(), &["kernel.cu", "--targets-from", "CMakeLists.txt"]);
        assert_eq!(found.status.code(), Some(2));
        let expected = format!(": its targets are not judged: {name}");
        assert!(text(&found.stderr).contains(&expected), "{}", text(&found.stderr));
    }
}
