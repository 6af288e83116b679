//! `check` and `diff` with closed pipes, full disks, pipes in a directory, and files that are not UTF-8.
#![cfg(unix)]

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn ptxcvt() -> Command {
    Command::new(env!("CARGO_BIN_EXE_ptxcvt"))
}

/// A module whose findings do not fit in the buffer of a pipe.
fn bad_module(directory: &Path) -> std::path::PathBuf {
    let path = directory.join("bad.ptx");
    let text = ".version 9.0\n.target sm_90\n.entry k ()\n{\n".to_owned()
        + &"cvt.f16.f32 %h, %f;\n".repeat(5_000)
        + "ret;\n}\n";
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn a_reader_that_leaves_does_not_hide_errors() {
    let directory = tempfile::tempdir().expect("a directory");
    for format in ["full", "concise", "json", "sarif", "github"] {
        let mut child = ptxcvt()
            .args(["check", "--output-format", format])
            .arg(bad_module(directory.path()))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("ptxcvt");
        let mut stdout = child.stdout.take().expect("a pipe");
        stdout.read_exact(&mut [0; 100]).expect("a hundred bytes");
        drop(stdout);
        let output = child.wait_with_output().expect("an end");
        assert_eq!(output.status.code(), Some(1), "{format}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{format}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_reported_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    for format in ["full", "json"] {
        let mut command = ptxcvt();
        command.args(["check", "--output-format", format]).arg(bad_module(directory.path())).stdout(full());
        let output = command.output().expect("an end");
        assert_eq!(output.status.code(), Some(2), "{format}");
        assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "{format}");
        // Standard error is full, too.
        assert_eq!(command.stderr(full()).status().expect("an end").code(), Some(2), "{format}");
    }
    let status = ptxcvt().args(["check", "no-such.ptx"]).stderr(full()).status().expect("an end");
    assert_eq!(status.code(), Some(2));
}

#[test]
fn a_pipe_in_a_directory_is_passed() {
    let directory = tempfile::tempdir().expect("a directory");
    bad_module(directory.path());
    let pipe = directory.path().join("pipe.ptx");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let output = does_not_wait(ptxcvt().arg("check").arg(directory.path()));
    assert_eq!(output.status.code(), Some(1));
}

/// The output of a command that must not wait for the writer of a pipe.
fn does_not_wait(command: &mut Command) -> std::process::Output {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("ptxcvt");
    let start = Instant::now();
    while child.try_wait().expect("a status").is_none() {
        if start.elapsed() > Duration::from_secs(30) {
            child.kill().expect("an end");
            panic!("it waits for the pipe");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.wait_with_output().expect("its output")
}

#[test]
fn only_regular_files_are_fixed() {
    let directory = tempfile::tempdir().expect("a directory");
    let pipe = directory.path().join("pipe.ptx");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    std::os::unix::fs::symlink("pipe.ptx", directory.path().join("link.ptx")).expect("a link");
    for name in ["pipe.ptx", "link.ptx", "/dev/stdin", "/dev/null", "/dev/fd/0"] {
        let output =
            does_not_wait(ptxcvt().current_dir(directory.path()).args(["check", "--fix", "--snippet", name]));
        assert_eq!(output.status.code(), Some(2), "{name}");
        let message = String::from_utf8(output.stderr).expect("a message");
        let wanted = format!("error: --fix cannot change {name}: it is not a regular file\n");
        assert!(message.starts_with(&wanted), "{message}");
        assert_eq!(message.lines().count(), 2, "{message}");
    }
    let mut lower = ptxcvt();
    lower.args(["check", "--lower", "--target", "sm_80", "pipe.ptx", "-o", "link.ptx"]);
    let output = does_not_wait(lower.current_dir(directory.path()));
    let message = String::from_utf8(output.stderr).expect("a message");
    assert!(message.contains("is the same file as the input pipe.ptx"), "{message}");
}

#[test]
fn fixes_keep_the_text_around_them() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("k.ptx");
    let text = |opcode: &str| {
        format!(
            ".version 9.0\r\n.target sm_90\r\n.entry k ()\r\n{{\r\n.reg .b16 h; .reg .f32 f;\r\n\t{opcode} h, f, f; \
             // ü\r\nret;\r\n}}\r\n"
        )
    };
    std::fs::write(&path, text("cvt.rn.e4m3x2.f32")).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("permissions");
    let run = |arguments: &[&str]| ptxcvt().arg("check").args(arguments).arg(&path).output().expect("an end");
    // `--diff` shows the changes without making them.
    let shown = run(&["--diff"]);
    assert_eq!(shown.status.code(), Some(1));
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("-\tcvt.rn.e4m3x2.f32 h, f, f; // ü\r\n"), "{shown}");
    assert!(shown.contains("+\tcvt.rn.satfinite.e4m3x2.f32 h, f, f; // ü\r\n"), "{shown}");
    assert_eq!(run(&[]).status.code(), Some(1));
    // `--fix` makes them.
    let fixed = run(&["--fix"]);
    assert_eq!(fixed.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&fixed.stdout).starts_with("Fixed 1 finding.\nNo findings"));
    assert_eq!(std::fs::read_to_string(&path).expect("a text"), text("cvt.rn.satfinite.e4m3x2.f32"));
    assert_eq!(std::fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o640);
    assert!(run(&["--diff"]).stdout.is_empty());
    assert_eq!(std::fs::read_dir(directory.path()).expect("a directory").count(), 1);
    // A file that is not UTF-8 has no fixes.
    std::fs::write(&path, b".version 9.0\n.target sm_90 // \xff\n.entry k { cvt.f16.f32.rn h f; }\n")
        .expect("a file");
    assert!(run(&["--diff"]).stdout.is_empty());
    assert_eq!(run(&["--unsafe-fixes"]).status.code(), Some(2));
}

/// A file that is not UTF-8 is unchanged, its findings are not counted as fixable, and a warning says why.
#[test]
fn a_file_that_is_not_utf_8_is_not_fixed() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("latin1.ptx");
    let mut bytes =
        b".version 9.0\n.target sm_90\n// caf\xe9\n.entry k ()\n{\n.reg .b16 h; .reg .f32 f;\n".to_vec();
    bytes.extend(b"cvt.rn.e4m3x2.f32 h, f, f;\nret;\n}\n");
    std::fs::write(&path, &bytes).expect("a file");
    for (option, count) in
        [("--fix", "1 fixable finding not fixed"), ("--diff", "1 fixable finding not fixed")]
    {
        let output = ptxcvt().arg("check").arg(option).arg(&path).output().expect("ptxcvt");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(err.contains(count) && err.contains("latin1.ptx") && err.contains("not UTF-8"), "{err}");
        assert!(!out.contains("fixable with"), "{out}");
        assert_eq!(std::fs::read(&path).expect("a file"), bytes);
        assert_eq!(output.status.code(), Some(1), "{option}");
    }
    let output = ptxcvt().arg("check").arg(&path).output().expect("ptxcvt");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("fixable with"));
    assert!(output.stderr.is_empty());
}

/// The exit status of `diff` does not depend on the reader.
#[test]
fn diff_has_the_same_status_if_its_reader_leaves() {
    let directory = tempfile::tempdir().expect("a directory");
    let module = |name: &str, opcode: &str| {
        let path = directory.path().join(name);
        let functions = (0..3_000).map(|n| format!(".entry k{n} ()\n{{\n{opcode} a, b;\nret;\n}}\n"));
        let text = ".version 9.0\n.target sm_90\n".to_owned() + &functions.collect::<String>();
        std::fs::write(&path, text).expect("a file");
        path
    };
    let (a, b) = (module("a.ptx", "cvt.u32.u64"), module("b.ptx", "cvt.u32.u16"));
    for json in [&[][..], &["--json"]] {
        let mut command = ptxcvt();
        command.arg("diff").arg(&a).arg(&b).args(json).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("ptxcvt");
        let mut stdout = child.stdout.take().expect("a pipe");
        stdout.read_exact(&mut [0; 10]).expect("ten bytes");
        drop(stdout);
        let output = child.wait_with_output().expect("an end");
        assert_eq!(
            (output.status.code(), &*String::from_utf8_lossy(&output.stderr)),
            (Some(1), ""),
            "{json:?}"
        );
    }
    // One of the modules can be standard input.
    let input = std::fs::File::open(&a).expect("a file");
    let status = ptxcvt().arg("diff").arg("-").arg(&a).stdin(input).stdout(Stdio::null()).status();
    assert_eq!(status.expect("ptxcvt").code(), Some(0));
    let output = ptxcvt().args(["diff", "-", "-"]).output().expect("ptxcvt");
    assert_eq!(output.status.code(), Some(2));
}

/// A file whose name has no known extension is a module if it begins like one; otherwise it is refused with a clear message.
#[test]
fn files_of_unknown_languages_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let module = "/* by hand */ // a module\n.version 9.0\n.target sm_90\n";
    let snippet = "cvt.rn.f16.f32 %0, %1;\n";
    let go = "package main\n// .version 9.0\nasm(\"cvt.f16.f32 %0, %1;\")\n";
    let check = |name: &str, text: &str, options: &[&str]| {
        std::fs::write(directory.path().join(name), text).expect("a file");
        let output = ptxcvt().args(["check", name]).args(options).current_dir(directory.path()).output();
        let output = output.expect("the command");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    for (name, text) in
        [("k.go", go), ("k.txt", snippet), ("k", ""), ("k.zig", "/* open"), ("k.s", "// no end")]
    {
        let (status, message) = check(name, text, &[]);
        assert_eq!(status, Some(2), "{name}");
        let start = format!("error: cannot read {name}: its name is that of no language");
        assert!(message.starts_with(&start) && message.contains("--lang"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    assert_eq!(check("k.txt", module, &[]).0, Some(0));
    assert_eq!(check("k", module, &[]).0, Some(0));
    assert_eq!(check("k.txt", snippet, &["--snippet"]).0, Some(0));
    assert_eq!(check("k.go", go, &["--lang", "c++"]).0, Some(1));
}

/// A function that has lost its conversions is still in both modules. A prototype defines no function.
#[test]
fn diff_knows_functions_without_conversions() {
    let directory = tempfile::tempdir().expect("a directory");
    let module = |name: &str, functions: &str| {
        let text = format!(".version 7.8\n.target sm_90\n.address_size 64\n{functions}");
        std::fs::write(directory.path().join(name), text).expect("a file");
    };
    module("a.ptx", ".visible .entry k() { .reg .f32 a; .reg .b16 h; cvt.rn.f16.f32 h, a; }\n");
    module("empty.ptx", ".visible .entry k() { }\n");
    module("other.ptx", ".visible .entry other() { }\n");
    module("prototype.ptx", ".extern .func k ();\n");
    for (names, expected) in [
        (["a.ptx", "empty.ptx"], "k\n  -     1  cvt.rn.f16.f32\n1 function with different conversions.\n"),
        (["empty.ptx", "a.ptx"], "k\n  +     1  cvt.rn.f16.f32\n1 function with different conversions.\n"),
        (
            ["a.ptx", "other.ptx"],
            "k (only before)\n  -     1  cvt.rn.f16.f32\n1 function with different conversions.\n",
        ),
        (
            ["a.ptx", "prototype.ptx"],
            "k (only before)\n  -     1  cvt.rn.f16.f32\n1 function with different conversions.\n",
        ),
        (["empty.ptx", "other.ptx"], "The conversions are the same.\n"),
    ] {
        let output = ptxcvt().arg("diff").args(names).current_dir(directory.path()).output().expect("ptxcvt");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{names:?}");
    }
}

/// `--lower` judges nothing by a policy, so it accepts none.
#[test]
fn lower_refuses_options_that_it_does_not_use() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("m.ptx"), ".version 7.8\n.target sm_89\n").expect("a file");
    for option in [
        &["--baseline", "b.json"][..],
        &["--config", "c.toml"],
        &["--select", "CVT001"],
        &["--ignore", "CVT001"],
        &["--wrapper", "f"],
        &["--unsafe-fixes"],
    ] {
        let mut command = ptxcvt();
        command.args(["check", "--lower", "--target", "sm_80", "m.ptx"]).args(option);
        let output = command.current_dir(directory.path()).output().expect("ptxcvt");
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{option:?}: {message}");
        assert!(message.contains("cannot be used with") && message.contains(option[0]), "{message}");
    }
}
