//! Exit statuses do not depend on the reader: every command returns the same status if the reader reads to
//! the end or has left.
#![cfg(unix)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};

use common::{Bench, MODULE};

/// Command lines, and the standard input of each.
const RUNS: &[(&str, &str)] = &[
    ("eval cvt.rn.f16.f32 1", ""),
    ("eval cvt.rn.f16.f32 one", ""),
    ("eval -", "cvt.rn.f16.f32 1\n"),
    ("eval -", "LINES nonsense\n"),
    ("eval cvt.rn.f16.f32 1 --svg -", ""),
    ("check module.ptx", ""),
    ("check module.ptx bad.ptx", ""),
    ("check module.ptx bad.ptx --output-format json", ""),
    ("check bad.ptx --stats", ""),
    ("check --diff fixable.ptx", ""),
    ("check --lower --target sm_80 module.ptx", ""),
    ("check --lower --target sm_80 bad.ptx", ""),
    ("check --would-need sm_80 module.ptx", ""),
    ("check --would-need sm_80 module.ptx bad.ptx", ""),
    ("check --would-need sm_80 module.ptx --output-format json", ""),
    ("check bad.ptx --output-format sarif", ""),
    ("check bad.ptx --output-format github", ""),
    ("check module.ptx --write-baseline -", ""),
    ("diff module.ptx module.ptx", ""),
    ("diff module.ptx bad.ptx", ""),
    ("diff module.ptx bad.ptx --markdown", ""),
    ("forms", ""),
    ("forms --json", ""),
    ("forms --matrix", ""),
    ("forms --json --target sm_120a --dst e2m1x2", ""),
    ("where cvt.rn.f16.f32", ""),
    ("where cvt.rn.satfinite.e2m1x2.f32 --target sm_80", ""),
    ("where cvt.rn.f16.f32 --json", ""),
    ("convert f32->f16 x.raw --dtype f32 -o -", ""),
    ("convert f32->f16 x.raw --dtype f32 -o y.raw --stats", ""),
    ("convert f32->f16 half.raw --dtype f32 -o -", ""),
    ("convert f32->f16 x.npy -o - --dry-run", ""),
    ("run block.ptx 1", ""),
    ("run block.ptx -", "3f800000\nLINES xyz\n"),
    ("run block.ptx x.npy -o -", ""),
    ("prove cvt.rni.s32.f16 cvt.rzi.s32.f16", ""),
    ("prove cvt.f32.f16 cvt.f32.f16", ""),
    ("lower cvt.rn.satfinite.e4m3x2.f32 --target sm_80 --isa 7.0", ""),
    ("lower --header", ""),
    ("lower cvt.rn.satfinite.e4m3x2.f32 --adapter cutlass", ""),
    ("lower cvt.rn.satfinite.e4m3x2.f32 --adapter triton --target sm_80", ""),
    ("quantize mx-rceil/e4m3 x.npy --report", ""),
    ("quantize mx-rceil/e4m3 x.npy --compare mx-floor/e4m3", ""),
    ("quantize mx-rceil/e4m3 x.npy --compare mx-rceil/e4m3 --json", ""),
    ("quantize mx-rceil/e4m3 x.npy -o -", ""),
    ("dequantize q.safetensors -o -", ""),
    ("recipes", ""),
    ("recipes mx-rceil/e4m3", ""),
    ("recipes --json", ""),
    ("format", ""),
    ("format e4m3", ""),
    ("format e5m2 --json", ""),
    ("format e4m3 1.3", ""),
    ("conform recording.tsv", ""),
    ("conform wrong.tsv", ""),
    ("conform --ptx kernels --target sm_90 --form cvt.rn.satfinite.e4m3x2.f32", ""),
    ("conform --program cat --conversion e4m3->e4m3", ""),
    ("conform --program false --conversion e4m3->e4m3", ""),
    ("vectors f16->e2m1 -o -", ""),
    ("vectors f16->e2m1 --as npy -o -", ""),
    ("vectors f16->e2m1 --digest", ""),
    ("audit llvm llvm", ""),
    ("audit llvm llvm --only test --json", ""),
    ("audit llvm missing", ""),
    ("explain", ""),
    ("explain CVT001", ""),
    ("completions bash", ""),
    ("man", ""),
    ("--help", ""),
    ("--version", ""),
];

/// Commands that run until they are stopped.
const SERVERS: [&str; 3] = ["lsp", "explorer", "help"];

fn bench() -> Bench {
    let bench = Bench::with_inputs(1 << 16);
    // The input ends within an element, which is detected last.
    let data = fs::read(bench.path("x.raw")).unwrap();
    fs::write(bench.path("half.raw"), &data[..data.len() - 2]).unwrap();
    fs::write(bench.path("bad.ptx"), MODULE.replace("sm_89", "sm_80")).unwrap();
    fs::write(bench.path("recording.tsv"), "# ptxcvt-vectors: 1\ncvt.rn.f16.f32\t3f800000\t3c00\n").unwrap();
    fs::write(bench.path("wrong.tsv"), "# ptxcvt-vectors: 1\ncvt.rn.f16.f32\t3f800000\t3c01\n").unwrap();
    fs::create_dir(bench.path("llvm")).unwrap();
    for name in ["NVPTXInstrInfo.td", "NVPTXSubtarget.h", "convert.ll"] {
        fs::copy(format!("../../tests/audit/{name}"), bench.path("llvm").join(name)).unwrap();
    }
    bench
}

fn command(bench: &Bench, arguments: &str) -> Command {
    let mut command = bench.ptxcvt(arguments);
    command.stderr(Stdio::null());
    command
}

/// Who reads the output of a run.
#[derive(Clone, Copy, PartialEq)]
enum Reader {
    Patient,
    /// The other end of standard output's pipe is closed.
    LeftOutput,
    /// That of standard error's is.
    LeftErrors,
    /// Both are closed, as in `2>&1 | true`.
    LeftBoth,
}

/// A pipe whose other end is closed.
fn unread() -> Stdio {
    let (this_end, other_end) = UnixStream::pair().unwrap();
    drop(other_end);
    Stdio::from(OwnedFd::from(this_end))
}

/// The exit status of a run.
fn status(bench: &Bench, (arguments, input): (&str, &str), reader: Reader) -> Option<i32> {
    let mut command = command(bench, arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    if matches!(reader, Reader::LeftOutput | Reader::LeftBoth) {
        command.stdout(unread());
    }
    if matches!(reader, Reader::LeftErrors | Reader::LeftBoth) {
        command.stderr(unread());
    }
    let mut child = command.spawn().unwrap();
    // More lines than any buffer holds, so that the reader has left before the failing line.
    let many = match arguments.starts_with("run") {
        true => "3f800000\n".repeat(20_000),
        false => "cvt.rn.f16.f32 3f800000\n".repeat(20_000),
    };
    let input = input.replace("LINES ", &many);
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait().unwrap().code()
}

#[test]
fn a_reader_that_left_changes_no_status() {
    let bench = bench();
    let mut seen = BTreeSet::new();
    for run in RUNS {
        let patient = status(&bench, *run, Reader::Patient);
        for reader in [Reader::LeftOutput, Reader::LeftErrors, Reader::LeftBoth] {
            assert_eq!(status(&bench, *run, reader), patient, "{run:?}");
        }
        seen.insert(patient);
    }
    assert!(seen.is_superset(&BTreeSet::from([Some(0), Some(1), Some(2)])), "{seen:?}");
}

/// Output to a closed descriptor is lost, so that it is a failure, as on a full disk. A command without output does not
/// need one.
#[cfg(any(target_os = "linux", target_os = "macos"))]
#[test]
fn a_closed_standard_output_is_a_failure_unless_it_is_not_needed() {
    let bench = bench();
    let mut kinds = BTreeSet::new();
    for (arguments, input) in RUNS {
        fs::write(bench.path("input"), input.replace("LINES ", "")).unwrap();
        let run = |redirection: &str| {
            let script = format!("\"$ptxcvt\" {} {redirection}", arguments.replace("->", "-\\>"));
            bash(&bench, &script, fs::File::open(bench.path("input")).unwrap().into())
        };
        let (open, closed) = (run(""), run(">&-"));
        let message = String::from_utf8_lossy(&closed.stderr);
        let is_needed = !open.stdout.is_empty();
        let wanted = if is_needed { Some(2) } else { open.status.code() };
        assert_eq!(closed.status.code(), wanted, "{arguments}: {message}");
        assert_eq!(message.contains("standard output is closed"), is_needed, "{arguments}: {message}");
        kinds.insert(is_needed);
    }
    assert_eq!(kinds.len(), 2);
}

/// A closed standard input is not an empty one.
#[cfg(any(target_os = "linux", target_os = "macos"))]
#[test]
fn a_closed_standard_input_is_a_failure() {
    let bench = bench();
    for arguments in [
        "eval -",
        "run block.ptx -",
        "check --lang ptx -",
        "check /dev/stdin",
        "convert cvt.rn.f16.f32 - --dtype f32 -o y",
        "convert cvt.rn.f16.f32 /dev/fd/0 --dtype f32 -o y",
        "quantize mx-rceil/e4m3 - -o y.safetensors",
        "lsp",
    ] {
        let output = bash(&bench, &format!("\"$ptxcvt\" {arguments} <&-"), Stdio::null());
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
        assert!(message.contains("standard input is closed"), "{arguments}: {message}");
    }
}

/// Runs a script in which `$ptxcvt` is the command.
fn bash(bench: &Bench, script: &str, input: Stdio) -> std::process::Output {
    let mut command = Command::new("bash");
    command.args(["-c", script]).env("ptxcvt", env!("CARGO_BIN_EXE_ptxcvt"));
    command.current_dir(bench.folder.path()).stdin(input).output().unwrap()
}

#[test]
fn every_command_is_tried() {
    let bench = Bench::new();
    let help = command(&bench, "--help").output().unwrap().stdout;
    let help = String::from_utf8(help).unwrap();
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    // Names are indented by two columns, the rest of their descriptions by more.
    let names = commands.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 15, "{help}");
    for name in names.into_iter().filter(|name| !SERVERS.contains(name)) {
        assert!(RUNS.iter().any(|(run, _)| run.split(' ').next() == Some(name)), "{name}");
    }
}
