//! Programs as codecs: one that is right, one with a mistake, and programs that cannot be judged.
#![cfg(unix)]

use std::time::{Duration, Instant};

use ptxcvt_conform::judge::{Class, Judge, Unjudged, Verdict, program};

fn judged(command: &str, conversion: &str, patience: Duration) -> Result<Verdict, Unjudged> {
    program::judge(&Judge::parse(conversion).unwrap(), command, patience, &mut |_, _| {})
}

/// With a limit that only a program that hangs reaches.
fn patiently(command: &str, conversion: &str) -> Result<Verdict, Unjudged> {
    judged(command, conversion, Duration::from_secs(120))
}

fn refused(command: &str) -> String {
    patiently(command, "e4m3->e4m3").unwrap_err().to_string()
}

#[test]
fn a_copy_is_equal() {
    let verdict = patiently("cat", "e4m3->e4m3").unwrap();
    assert_eq!((verdict.inputs, verdict.equal.len()), (256, 1), "{verdict}");
    // 256 KiB pass through the pipes in both directions.
    let verdict = patiently("cat", "bf16->bf16").unwrap();
    assert_eq!(
        verdict.equal,
        ["bf16->bf16, overflow to infinity, NaN to NaN with the source's sign and payload"]
    );
}

#[test]
fn a_mistake_is_named() {
    let verdict = patiently(r"LC_ALL=C tr '\200' '\000'", "e5m2->e5m2").unwrap();
    let difference = verdict.difference(Class::ZeroSign).unwrap();
    assert_eq!((difference.count, verdict.count(), difference.mistake.as_str()), (1, 1, "-0 becomes +0"));
}

#[test]
fn programs_that_fail() {
    let error = refused("cat; echo no >&2; exit 3");
    assert_eq!(
        error,
        "the program failed: exit status 3, after it wrote 256 of 256 codes; its standard error:\nno"
    );
    let error = refused("head -c 7; kill -SEGV $$");
    assert!(
        error.starts_with("the program failed: it was ended by signal 11, after it wrote 7 of 256 codes"),
        "{error}"
    );
    let error = refused("/no/such/program");
    assert!(
        error.starts_with("the program failed: exit status 127") && error.contains("/no/such/program"),
        "{error}"
    );
}

#[test]
fn too_little_and_too_much() {
    let error = refused("head -c 100");
    assert_eq!(
        error,
        "the program wrote too little: 100 of 256 codes (1 byte each); its standard error is empty"
    );
    let error = patiently("head -c 101", "f16->f16").unwrap_err().to_string();
    assert!(
        error.starts_with("the program wrote too little: 50 and 1 byte of 65,536 codes (2 bytes each)"),
        "{error}"
    );
    let error = refused("cat; printf more");
    assert!(
        error.starts_with("the program wrote too much: 4 bytes after the codes of all 256 inputs"),
        "{error}"
    );
    let error = refused("yes");
    assert!(error.starts_with("the program wrote too much: at least "), "{error}");
}

#[test]
fn programs_that_hang() {
    let since = Instant::now();
    for command in ["sleep 600", "cat; sleep 600", "cat > /dev/null; sleep 600 & wait", "exec >&-; sleep 600"]
    {
        let error = judged(command, "e4m3->e4m3", Duration::from_millis(700)).unwrap_err().to_string();
        assert!(
            error.starts_with("the program hung: in 0.7 s it neither read nor wrote; "),
            "{command}: {error}"
        );
    }
    assert!(since.elapsed() < Duration::from_secs(300));
}

/// All codes were written, but a process that the program started holds the output open.
#[test]
fn an_output_that_stays_open() {
    let command = "sleep 1000 & head -c 256 /dev/zero";
    let error = judged(command, "e4m3->e4m3", Duration::from_millis(700)).unwrap_err().to_string();
    let end = "wrote 256 of 256 codes, but it or a process that it started has not ended; its standard error is empty";
    assert!(error.ends_with(end), "{error}");
}

/// If there is much standard error, its last lines are shown, each of them completely.
#[test]
fn the_end_of_a_long_standard_error() {
    let error = refused("seq 100000 >&2; exit 3");
    let (what, lines) = error.split_once(":\n").unwrap();
    assert!(what.ends_with("; the end of its standard error"), "{what}");
    let lines: Vec<u32> = lines.lines().map(|line| line.parse().unwrap()).collect();
    assert!(lines.len() > 500 && lines.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{lines:?}");
    assert_eq!(lines.last(), Some(&100_000));
    let error = refused("printf '%05000d\\n' 7 >&2; exit 3");
    assert!(error.ends_with("00007") && error.contains("; the end of its standard error:\n0000"), "{error}");
}
