//! Help of every subcommand, completions, manual pages, and standard output that is full or gone.

use std::process::{Command, Output, Stdio};

fn ptxcvt(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxcvt"));
    command.args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    ptxcvt(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The subcommands that the help lists.
fn subcommands() -> Vec<String> {
    let help = text(&run(&["--help"]).stdout);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap().to_owned();
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next().map(str::to_owned));
    names.filter(|name| !name.is_empty() && name != "help").collect()
}

#[test]
fn every_help_has_examples_and_exit_statuses() {
    let names = subcommands();
    assert!(names.len() >= 9, "{names:?}");
    for name in names {
        let output = run(&[&name, "--help"]);
        let help = text(&output.stdout);
        assert!(output.status.success(), "{name}");
        assert!(help.contains("Examples:") && help.contains("Exit status:"), "{name}: {help}");
        assert_eq!(help, text(&run(&["help", &name]).stdout), "{name}");
    }
}

#[test]
fn completions_of_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&["completions", shell]);
        assert!(
            output.status.success()
                && text(&output.stdout).contains("satfinite") | text(&output.stdout).contains("convert")
        );
    }
}

#[test]
fn a_manual_page_for_every_subcommand() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run(&["man", folder.path().to_str().unwrap()]).status.success());
    for name in subcommands() {
        let page = std::fs::read_to_string(folder.path().join(format!("ptxcvt-{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
    }
    assert!(text(&run(&["man"]).stdout).contains(".TH ptxcvt"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_output_is_status_2_and_never_a_panic() {
    let full = || Stdio::from(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
    for arguments in [
        &["eval", "cvt.rn.f16.f32", "1"][..],
        &["eval", "cvt.rn.f16.f32", "1", "--json"],
        &["forms"],
        &["forms", "--count"],
        &["forms", "--matrix"],
        &["where", "cvt.rn.f16.f32"],
        &["format"],
        &["format", "e4m3"],
        &["format", "e4m3", "1"],
        &["explain"],
        &["explain", "CVT001"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["--version"],
    ] {
        let output = ptxcvt(arguments).stdout(full()).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        let output = ptxcvt(arguments).stdout(full()).stderr(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    let output = ptxcvt(&["eval", "nonsense"]).stderr(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn an_answer_comes_when_the_input_waits() {
    use std::io::{BufRead, BufReader, Write};
    let mut child = ptxcvt(&["eval", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut answers = BufReader::new(stdout).lines();
    for (line, answer) in [("cvt.rn.f16.f32 1.0", "3c00"), ("# nothing", ""), ("cvt.rn.f16.f32 2.0", "4000")]
    {
        writeln!(stdin, "{line}").unwrap();
        assert_eq!(answers.next().unwrap().unwrap(), answer);
    }
    writeln!(stdin, "nonsense").unwrap();
    assert!(answers.next().unwrap().unwrap().starts_with("error"));
    // The reader goes; that a line had failed is still said.
    drop(answers);
    let _ = writeln!(stdin, "cvt.rn.f16.f32 1");
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn wrong_command_lines_of_json_modes_are_json() {
    let output = run(&["where", "cvt.rn.f16.f32", "--target", "sm_1", "--json"]);
    let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error["error"]["message"].as_str().unwrap().starts_with("invalid value 'sm_1'"), "{error}");
}
