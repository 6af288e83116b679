//! `check --would-need` judges a module for the given target only; the module's own target and version do not count.
#![cfg(feature = "lower")]

use std::path::Path;
use std::process::Command;

/// A module whose version does not have its target, and whose target has the form.
fn module(version: &str, target: &str, opcode: &str, more: &str) -> String {
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n.visible .entry k()\n{{\n\
         .reg .b16 h; .reg .f32 f; {more}\n{opcode};\nret;\n}}\n"
    )
}

fn check(directory: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    let output = command.current_dir(directory).arg("check").args(arguments).output().expect("an end");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn the_module_s_own_machine_does_not_count() {
    let directory = tempfile::tempdir().expect("a directory");
    let half = "cvt.rn.f16.f32 h, f";
    for (text, target, isa, status) in [
        (module("8.0", "sm_90a", half, ""), "sm_80", Some("7.0"), 0),
        (module("7.0", "sm_120", half, ""), "sm_80", None, 0),
        (module("7.0", "sm_120", half, ""), "sm_120", Some("9.1"), 0),
        (module("7.0", "sm_999", half, ""), "sm_80", None, 0),
        // A register's type and a special register are judged for the target in question, too.
        (module("8.3", "sm_60", half, ".reg .b128 q;"), "sm_80", None, 0),
        (module("8.3", "sm_80", half, ".reg .b128 q;"), "sm_60", None, 1),
        // Pairs of f16 are replaced; other lines, too, are checked for the target.
        (module("8.3", "sm_90", half, ".reg .f16x2 q;"), "sm_50", None, 0),
        (module("9.9", "sm_90", half, ""), "sm_80", None, 0),
        (module("8.0", "sm_90a", "cvt.f16.f32 h, f", ""), "sm_80", Some("7.0"), 1),
        (module("8.0", "sm_90a", "cvt.rn.f16.f32 g, f", ""), "sm_80", Some("7.0"), 1),
    ] {
        std::fs::write(directory.path().join("k.ptx"), &text).expect("a file");
        let mut arguments = vec!["--would-need", target, "k.ptx"];
        arguments.extend(isa.iter().flat_map(|isa| ["--isa", *isa]));
        let (found, output) = check(directory.path(), &arguments);
        assert_eq!(found, Some(status), "{arguments:?} of {text}: {output}");
        assert!(!output.contains("CVT209"), "{arguments:?} of {text}: {output}");
        arguments.extend(["--output-format", "json"]);
        assert_eq!(check(directory.path(), &arguments).0, Some(status), "{arguments:?} of {text}");
    }
}

/// The settings and `--target` do not replace the module's own target and version.
#[test]
fn other_ways_to_name_a_machine() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = module("7.0", "sm_120", "cvt.rn.f16.f32 h, f", "");
    std::fs::write(directory.path().join("k.ptx"), text).expect("a file");
    std::fs::write(directory.path().join("ptxcvt.toml"), "target = 'sm_90'\nisa = '8.0'\n")
        .expect("settings");
    let (status, output) = check(directory.path(), &["--would-need", "sm_80", "k.ptx"]);
    assert_eq!(status, Some(0), "{output}");
    assert!(output.contains("k.ptx on sm_80: ISA 7.0 or newer"), "{output}");
    // The settings limit the version as `--isa` does.
    assert_eq!(check(directory.path(), &["--would-need", "sm_120", "k.ptx"]).0, Some(2));
    assert_eq!(check(directory.path(), &["--would-need", "sm_120", "--isa", "9.1", "k.ptx"]).0, Some(0));
    let both = ["--would-need", "sm_80", "--target", "sm_90", "k.ptx"];
    assert_eq!(check(directory.path(), &both).0, Some(2), "one target is in question");
}

/// `--isa` limits the version of the target in question; it does not replace the version that the module declares.
#[test]
fn a_version_of_the_command_line_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = module("8.0", "sm_90a", "cvt.rn.f16.f32 h, f", "");
    std::fs::write(directory.path().join("k.ptx"), text).expect("a file");
    let (status, output) = check(directory.path(), &["--isa", "7.0", "k.ptx"]);
    assert_eq!(status, Some(1));
    assert!(output.contains("PTX ISA 7.0 does not have sm_90a, which exists from ISA 8.0 on"), "{output}");
    assert!(output.contains("choose version 8.0 or later"), "{output}");
}
