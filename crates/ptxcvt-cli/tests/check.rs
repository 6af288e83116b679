//! `check` where the world does not play along: readers that leave, disks that are full, pipes in a directory.
#![cfg(unix)]

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn ptxcvt() -> Command {
    Command::new(env!("CARGO_BIN_EXE_ptxcvt"))
}

/// A module with so many findings that no pipe holds them.
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
fn a_full_disk_is_said_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    for format in ["full", "json"] {
        let mut command = ptxcvt();
        command.args(["check", "--output-format", format]).arg(bad_module(directory.path())).stdout(full());
        let output = command.output().expect("an end");
        assert_eq!(output.status.code(), Some(2), "{format}");
        assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1, "{format}");
        // Nothing can be said at all.
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
    let mut child = ptxcvt()
        .arg("check")
        .arg(directory.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("ptxcvt");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a status") {
            break status;
        }
        if start.elapsed() > Duration::from_secs(30) {
            child.kill().expect("an end");
            panic!("it waits for the pipe");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(1));
}
