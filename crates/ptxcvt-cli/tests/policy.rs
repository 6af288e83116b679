//! Which findings of `check` count: settings, comments in the source, a baseline.

use std::path::Path;
use std::process::Command;

const MODULE: &str = ".version 9.0\n.target sm_90\n.entry k {\n.reg .b16 h; .reg .f32 f; .reg .s32 s;\n\
    cvt.f16.f32 h, f;\ncvt.rzi.sat.s32.f32 s, f;\nret;\n}\n";

fn ptxcvt(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    command.current_dir(directory);
    command
}

/// The exit status, and the output without the summary.
fn check(directory: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = ptxcvt(directory);
    let output =
        command.args(["check", "--output-format", "concise"]).args(arguments).output().expect("an end");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text.lines().filter(|line| line.contains('[')).map(|l| format!("{l}\n")).collect())
}

/// Guards that admit plain targets, in a project that builds only some with `a`.
#[test]
fn a_target_in_the_settings_says_what_guarded_code_is_built_for() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("a file");
    let fp4 = "asm(\"{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, %1, %2; cvt.u16.u8 %0, t; }\"\n\
        : \"=h\"(d) : \"f\"(a), \"f\"(b));\n";
    let text = format!("#if __CUDA_ARCH__ >= 1000\n{fp4}#endif\n#if __CUDA_ARCH__ == 1030\n{fp4}#endif\n");
    write("k.cu", &text);
    let plain = "k.cu:2:20: error[CVT011]";
    let (status, found) = check(directory.path(), &["k.cu"]);
    assert!(
        status == Some(1) && found.starts_with(plain) && found.contains("\nk.cu:6:20: error[CVT011]"),
        "{found}"
    );
    // `== 1030` is judged for the targets with `a`, as sm_103a.
    let none = (Some(0), String::new());
    assert_eq!(check(directory.path(), &["k.cu", "--target", "sm_100a"]), none);
    write("ptxcvt.toml", "target = \"sm_100a\"\n");
    assert_eq!(check(directory.path(), &["k.cu"]), none);
    write("ptxcvt.toml", "target = \"sm_100\"\n");
    let (status, found) = check(directory.path(), &["k.cu"]);
    assert!(status == Some(1) && found.starts_with(plain), "{found}");
}

#[test]
fn settings_comments_and_baselines() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    let write = |name: &str, text: &str| std::fs::write(at(name), text).expect("a file");
    std::fs::create_dir_all(at("src/generated")).expect("a directory");
    write("src/k.ptx", MODULE);
    write("src/generated/k.ptx", MODULE);
    let run = |arguments: &[&str]| check(&at("src"), arguments);
    let (status, all) = run(&["k.ptx"]);
    assert_eq!((status, all.lines().count()), (Some(1), 2), "{all}");
    // Settings in a directory above.
    write(
        "ptxcvt.toml",
        "ignore = [\"CVT006\"]\nexclude = [\"src/generated/*\"]\nseverity = { CVT302 = \"error\" }\n",
    );
    let (status, found) = run(&["."]);
    assert_eq!(status, Some(1));
    assert!(found.contains("k.ptx:6:8: error[CVT302]") && found.lines().count() == 1, "{found}");
    write("ptxcvt.toml", "ignores = []\n");
    assert_eq!(run(&["k.ptx"]).0, Some(2));
    write("ptxcvt.toml", "select = [\"CVT3\"]\n");
    assert_eq!(run(&["k.ptx"]).0, Some(0));
    assert_eq!(run(&["--select", "CVT0", "k.ptx"]).0, Some(1));
    std::fs::remove_file(at("ptxcvt.toml")).expect("a file");
    // Comments.
    let excused = MODULE.replace("h, f;\n", "h, f; // ptxcvt: ignore[CVT006, CVT1]\n// ptxcvt: ignore\n");
    write("src/k.ptx", &excused);
    assert_eq!(run(&["k.ptx"]), (Some(0), String::new()));
    write("src/k.ptx", &excused.replace("CVT006", "CVT007"));
    assert_eq!(run(&["k.ptx"]).0, Some(1));
    // A baseline: lines may move, and an additional finding is reported.
    write("src/k.ptx", MODULE);
    assert_eq!(run(&["k.ptx", "--write-baseline", "old.json"]), (Some(0), String::new()));
    write("src/k.ptx", &MODULE.replace(".entry", "// moved\n\n.entry"));
    assert_eq!(run(&["k.ptx", "--baseline", "old.json"]), (Some(0), String::new()));
    write("src/k.ptx", &MODULE.replace("ret;", "cvt.f16.f32 h, f;\nret;"));
    let (status, found) = run(&["k.ptx", "--baseline", "old.json"]);
    assert_eq!((status, found.lines().count()), (Some(1), 1), "{found}");
    assert!(found.starts_with("k.ptx:7:1: error[CVT006]"), "{found}");
    assert_eq!(run(&["k.ptx", "--baseline", "no-such.json"]).0, Some(2));
}

/// A wrong value of the settings is named with its line, and a name of the library with its code and help.
#[test]
fn wrong_settings_are_named() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("k.ptx"), MODULE).expect("a file");
    for (text, expected) in [
        (
            "# a\ntarget = \"sm_999\"\n",
            "error[CVT023]: ptxcvt.toml:2: no target `sm_999`; targets are sm_50 ",
        ),
        ("isa = \"8\"\n", "error[CVT024]: ptxcvt.toml:1: no PTX ISA version `8`; write 8.0"),
        ("\nisa = 'x'", "error[CVT024]: ptxcvt.toml:2: no PTX ISA version `x`; "),
        ("select = [\n  \"CVT3\",\n  \"CVT9\",\n]\n", "error: ptxcvt.toml:3: no code begins with `CVT9`"),
        ("ignore = [\"nothing\"]\n", "error: ptxcvt.toml:1: no code begins with `NOTHING`"),
        ("severity = { CVT302 = \"grave\" }\n", "error: ptxcvt.toml:1: invalid severity `grave`"),
        ("\n[severity]\nCVT9 = \"note\"\n", "error: ptxcvt.toml:3: no code begins with `CVT9`"),
        ("isa = \"7.0\"\ntarget = \"sm_90\"\n", "error[CVT012]: PTX ISA 7.0 does not have sm_90"),
    ] {
        std::fs::write(directory.path().join("ptxcvt.toml"), text).expect("a file");
        let output =
            ptxcvt(directory.path()).args(["check", "--config", "ptxcvt.toml", "k.ptx"]).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.starts_with(expected), "{error}");
        assert_eq!(error.contains("\nhelp: "), text.contains("sm_999") || text.contains("'x'"), "{error}");
        let output = ptxcvt(directory.path())
            .args(["check", "--config", "ptxcvt.toml", "k.ptx", "--output-format", "json"])
            .output()
            .unwrap();
        let json: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
        let code = expected.strip_prefix("error[").map(|rest| &rest[..6]);
        assert_eq!(json["error"]["code"].as_str(), code, "{json}");
    }
    // An option is not in the settings.
    std::fs::write(directory.path().join("ptxcvt.toml"), "").expect("a file");
    let output = ptxcvt(directory.path())
        .args(["check", "--config", "ptxcvt.toml", "k.ptx", "--select", "CVT9"])
        .output();
    let error = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(error.starts_with("error: --select: no code begins with `CVT9`"), "{error}");
}

/// Patterns and baselines mean the same wherever the command runs, and however the path is spelled.
#[test]
fn paths_are_relative_to_the_settings_and_to_the_baseline() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    std::fs::create_dir_all(at("src/old")).expect("a directory");
    for name in ["src/old/k.ptx", "src/k.ptx"] {
        std::fs::write(at(name), MODULE).expect("a file");
    }
    let whole = at("src/old/k.ptx");
    let settings = |text: &str| std::fs::write(at("ptxcvt.toml"), text).expect("a file");
    let places =
        [("", "src/old/k.ptx"), ("src", "old/k.ptx"), ("src/old", "./k.ptx"), ("src/old", "../old/k.ptx")];
    settings("exclude = [\"src/old/*\"]\n");
    for (folder, path) in places.into_iter().chain([("", whole.to_str().expect("UTF-8"))]) {
        let output = ptxcvt(&at(folder)).args(["check", path]).output().expect("an end");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{folder} {path}: {text}");
        assert!(
            text.contains("No findings in 0 files") && text.contains("1 not judged: `exclude`"),
            "{text}"
        );
    }
    assert_eq!(check(&at("src"), &["."]).1.lines().count(), 2);
    settings("baseline = \"known.json\"\n");
    for (folder, path) in places {
        let known = at("known.json");
        let written = ptxcvt(&at(folder)).args(["check", path, "--write-baseline"]).arg(known).status();
        assert!(written.expect("an end").success());
        for (folder, path) in places.into_iter().chain([("src", whole.to_str().expect("UTF-8"))]) {
            assert_eq!(check(&at(folder), &[path]), (Some(0), String::new()), "{folder} {path}");
        }
        assert_eq!(check(&at("src"), &["k.ptx"]).0, Some(1));
    }
}
