//! `ptxcvt convert` with special files: devices, FIFOs, links, permissions, inputs that are not regular files
//! or change during the run, and leftovers of killed runs.
#![cfg(unix)]

mod common;
#[path = "../../../xtask/src/skip.rs"]
mod skip;

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Bench, bytes, files, floats, write_npy};

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Writes to a FIFO, which opens only when there is a reader.
fn feed(path: &Path, data: Vec<u8>) -> std::thread::JoinHandle<()> {
    let path = path.to_owned();
    std::thread::spawn(move || {
        fs::OpenOptions::new().write(true).open(path).unwrap().write_all(&data).unwrap()
    })
}

/// The reference's result for a regular file.
fn expected(bench: &Bench, data: &[f32]) -> Vec<u8> {
    fs::write(bench.path("reference.raw"), bytes(data)).unwrap();
    bench.succeeds("cvt.rn.bf16x2.f32 reference.raw --dtype f32 -o reference.out");
    fs::read(bench.path("reference.out")).unwrap()
}

#[test]
fn a_fifo_and_a_link_to_a_device_are_written_through() {
    let bench = Bench::new();
    let data = floats(40_001, 1);
    let wanted = expected(&bench, &data);
    fifo(&bench.path("pipe"));
    symlink(bench.path("pipe"), bench.path("link")).unwrap();
    for name in ["pipe", "link"] {
        let path = bench.path("pipe");
        let reader = std::thread::spawn(move || fs::read(path).unwrap());
        bench.succeeds(&format!("cvt.rn.bf16x2.f32 reference.raw --dtype f32 -o {name}"));
        assert!(reader.join().unwrap() == wanted, "{name}");
        assert!(fs::metadata(bench.path(name)).unwrap().file_type().is_fifo(), "{name} is what it was");
    }
    symlink("/dev/null", bench.path("null")).unwrap();
    bench.succeeds("cvt.rn.bf16x2.f32 reference.raw --dtype f32 -o null");
    assert!(fs::symlink_metadata(bench.path("null")).unwrap().is_symlink());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_one_line() {
    let bench = Bench::new();
    expected(&bench, &floats(9, 1));
    symlink("/dev/full", bench.path("full")).unwrap();
    let message = bench.fails("cvt.rn.bf16x2.f32 reference.raw --dtype f32 -o full");
    assert_eq!(message, "error: full: No space left on device\n");
}

#[test]
fn a_link_is_followed_and_permissions_stay() {
    let bench = Bench::new();
    let wanted = expected(&bench, &floats(9, 1));
    let inner = bench.path("inner");
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("real.raw"), "old").unwrap();
    fs::set_permissions(inner.join("real.raw"), fs::Permissions::from_mode(0o640)).unwrap();
    // Two links, the second relative to its own folder.
    symlink("inner/second", bench.path("first")).unwrap();
    symlink("real.raw", inner.join("second")).unwrap();
    bench.succeeds("cvt.rn.bf16x2.f32 reference.raw --dtype f32 -o first");
    assert_eq!(fs::read(inner.join("real.raw")).unwrap(), wanted);
    assert_eq!(fs::metadata(inner.join("real.raw")).unwrap().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(bench.path("first")).unwrap().is_symlink());
    // A link whose target does not exist yet.
    symlink("inner/new.raw", bench.path("dangling")).unwrap();
    bench.succeeds("cvt.rn.bf16x2.f32 reference.raw --dtype f32 -o dangling");
    assert_eq!(fs::read(inner.join("new.raw")).unwrap(), wanted);
    symlink("loop", bench.path("loop")).unwrap();
    assert!(bench.fails("cvt.rn.bf16x2.f32 reference.raw --dtype f32 -o loop").contains("symbolic link"));
}

#[test]
fn an_owner_stays() {
    let bench = Bench::new();
    expected(&bench, &floats(9, 1));
    let path = bench.path("theirs.raw");
    fs::write(&path, "old").unwrap();
    if std::os::unix::fs::chown(&path, Some(12_345), Some(12_346)).is_err() {
        return skip::skip("skipped: an_owner_stays: only root gives files away").unwrap();
    }
    bench.succeeds("cvt.rn.bf16x2.f32 reference.raw --dtype f32 -o theirs.raw");
    let after = fs::metadata(&path).unwrap();
    assert_eq!((after.uid(), after.gid(), after.len()), (12_345, 12_346, 18));
}

#[test]
fn streams_are_read_to_their_end() {
    let bench = Bench::new();
    let data = floats(200_001, 2);
    let wanted = expected(&bench, &data);
    fifo(&bench.path("in"));
    for output in ["y.raw", "y.npy"] {
        let writer = feed(&bench.path("in"), bytes(&data));
        bench.succeeds(&format!("cvt.rn.bf16x2.f32 in --dtype f32 -o {output} --memory 300KB"));
        writer.join().unwrap();
        let out = fs::read(bench.path(output)).unwrap();
        assert!(out.ends_with(&wanted) && !wanted.is_empty(), "{output}");
    }
    // Standard input by each of its names, to standard output.
    for name in ["-", "/dev/stdin"] {
        let arguments = format!("cvt.rn.bf16x2.f32 {name} --dtype f32 -o -");
        let mut child =
            bench.command(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = bytes(&data);
        let writer = std::thread::spawn(move || stdin.write_all(&input).unwrap());
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        assert!(output.status.success() && output.stdout == wanted, "{name}");
    }
}

#[test]
fn a_pipe_says_what_it_holds() {
    let bench = Bench::new();
    write_npy(&bench.path("x.npy"), &floats(6, 3), &[2, 3]);
    bench.succeeds("cvt.rn.bf16x2.f32 x.npy -o y.npy");
    let wanted = fs::read(bench.path("y.npy")).unwrap();
    let input = fs::File::open(bench.path("x.npy")).unwrap();
    // A regular file as standard input; the output has NumPy's format because the input has.
    let output = bench.command("cvt.rn.bf16x2.f32 - -o -").stdin(input).output().unwrap();
    assert!(output.status.success() && output.stdout == wanted);
    let short = fs::read(bench.path("x.npy")).unwrap();
    fifo(&bench.path("in"));
    let writer = feed(&bench.path("in"), short[..short.len() - 1].to_vec());
    let output = bench.run("cvt.rn.bf16x2.f32 in -o z.npy");
    writer.join().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("in: ends after 151 bytes; expected 152"));
}

#[test]
fn half_an_element_in_a_stream_leaves_the_old_output() {
    let bench = Bench::new();
    fifo(&bench.path("in"));
    fs::write(bench.path("y.raw"), "old").unwrap();
    let writer = feed(&bench.path("in"), vec![0; 7]);
    let output = bench.run("cvt.rn.bf16x2.f32 in --dtype f32 -o y.raw");
    writer.join().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&output.stderr)
            .contains("7 bytes, which is not a whole number of 32-bit elements")
    );
    assert_eq!(fs::read_to_string(bench.path("y.raw")).unwrap(), "old");
}

/// Starts a long run and waits until it has started to write.
fn begun(bench: &Bench) -> std::process::Child {
    fs::File::create(bench.path("x.raw")).unwrap().set_len(1 << 31).unwrap();
    let arguments = "cvt.rn.satfinite.e4m3x2.f32 x.raw --dtype f32 -o y.raw --memory 1MB --threads 1";
    let child = bench.command(arguments).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while partial(bench).is_none_or(|len| len == 0) {
        assert!(started.elapsed() < Duration::from_secs(60), "the run never began to write");
        std::thread::yield_now();
    }
    child
}

/// The length of the temporary file, if there is one.
fn partial(bench: &Bench) -> Option<u64> {
    let part = files(bench.folder.path()).into_iter().find(|p| p.extension().is_some_and(|e| e == "part"))?;
    Some(part.metadata().ok()?.len())
}

#[test]
fn an_input_cut_short_during_the_run_is_one_line() {
    let bench = Bench::new();
    fs::write(bench.path("y.raw"), "old").unwrap();
    let child = begun(&bench);
    fs::OpenOptions::new().write(true).open(bench.path("x.raw")).unwrap().set_len(4096).unwrap();
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("error: x.raw: was truncated during the run: "), "{message}");
    assert_eq!((message.lines().count(), partial(&bench)), (1, None));
    assert_eq!(fs::read_to_string(bench.path("y.raw")).unwrap(), "old");
}

#[cfg(target_os = "linux")]
#[test]
fn the_next_run_removes_what_a_killed_one_left() {
    let bench = Bench::new();
    let mut child = begun(&bench);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(partial(&bench).is_some());
    fs::write(bench.path("small.raw"), [0; 8]).unwrap();
    bench.succeeds("cvt.rn.bf16x2.f32 small.raw --dtype f32 -o z.raw");
    assert_eq!(partial(&bench), None);
}

/// Starts a command and waits until its temporary file exists.
fn opened(command: &mut Command, bench: &Bench) -> std::process::Child {
    let child = command.stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while partial(bench).is_none() {
        assert!(started.elapsed() < Duration::from_secs(60), "the run never began");
        std::thread::yield_now();
    }
    child
}

/// Sends a signal, such as `-INT`, to a process.
fn signal(child: &std::process::Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Waits for the end of an interrupted run, which leaves nothing.
fn ends_interrupted(mut child: std::process::Child, bench: &Bench, case: &str) {
    let started = Instant::now();
    let status = child.wait().unwrap();
    assert!(started.elapsed() < Duration::from_secs(30), "{case}: {:?}", started.elapsed());
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    let wanted = (Some(2), "error: interrupted; y.raw is unchanged\n");
    assert_eq!((status.code(), message.as_str()), wanted, "{case}");
    assert_eq!(partial(bench), None, "{case}");
}

const WAITS: &str = "convert cvt.rn.bf16x2.f32 in --dtype f32 -o y.raw";

#[test]
fn an_interrupt_ends_a_run_that_waits_and_one_that_counts() {
    let bench = Bench::new();
    fifo(&bench.path("in"));
    fs::File::create(bench.path("x.raw")).unwrap().set_len(1 << 28).unwrap();
    let counts = "convert cvt.rn.bf16x2.f32 x.raw --dtype f32 -o y.raw --stats";
    let computes = "vectors f32->e4m3 --random 100000000 -o y.raw";
    let waiting = ["INT", "TERM", "HUP", "QUIT", "XCPU", "ALRM", "VTALRM", "PROF", "USR1", "USR2"];
    let others = [(counts, "INT"), (counts, "TERM"), (computes, "INT")];
    for (arguments, name) in waiting.map(|name| (WAITS, name)).into_iter().chain(others) {
        // Both ends are open, so that the run waits for the first byte.
        let fifo = fs::OpenOptions::new().read(true).write(true).open(bench.path("in")).unwrap();
        let child = opened(&mut bench.ptxcvt(arguments), &bench);
        signal(&child, &format!("-{name}"));
        ends_interrupted(child, &bench, &format!("{arguments}: {name}"));
        drop(fifo);
    }
}

/// `nohup` ignores SIGHUP; shells ignore SIGINT and SIGQUIT for what runs in the background of a script.
#[test]
fn a_signal_that_is_ignored_from_the_start_stays_ignored() {
    let bench = Bench::new();
    fifo(&bench.path("in"));
    for (name, ends) in [("HUP", "TERM"), ("INT", "HUP"), ("TERM", "QUIT"), ("QUIT", "INT"), ("PIPE", "INT")]
    {
        let fifo = fs::OpenOptions::new().read(true).write(true).open(bench.path("in")).unwrap();
        let mut command = Command::new("bash");
        let script = format!("trap '' {name}; exec \"$ptxcvt\" {WAITS}");
        command.args(["-c", &script]).env("ptxcvt", env!("CARGO_BIN_EXE_ptxcvt"));
        let mut child = opened(command.current_dir(bench.folder.path()), &bench);
        // Long enough for the handlers to be set, and for a handled signal to end the run.
        std::thread::sleep(Duration::from_millis(200));
        signal(&child, &format!("-{name}"));
        std::thread::sleep(Duration::from_millis(200));
        assert!(child.try_wait().unwrap().is_none() && partial(&bench).is_some(), "{name}");
        signal(&child, &format!("-{ends}"));
        ends_interrupted(child, &bench, name);
        drop(fifo);
    }
}
