//! A signal at any time: the run has completed its outputs and ends as it would without it, or it leaves the old files,
//! one complete message and exit status 2.
#![cfg(unix)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::kill::Kill;
use common::{Bench, files, text};
use ptxcvt::inputs::SplitMix64;

/// Commands that write one file.
const COMMANDS: &[&str] = &[
    "dequantize q.safetensors -o out/OUT.npy",
    "quantize mx-rceil/e4m3 x.npy -o out/OUT.safetensors",
    "vectors f16->e2m1 --as hex -o out/OUT.hex",
    "check --lower --target sm_80 module.ptx -o out/OUT.ptx",
    "eval cvt.rn.satfinite.e4m3x2.f32 1.5 -999 --svg out/OUT.svg",
    "run block.ptx x.npy -o out/OUT.npy",
];

/// The signals for each command.
const ATTEMPTS: u32 = 60;

#[test]
fn a_signal_leaves_a_whole_message_or_none() {
    let bench = Bench::with_inputs(4096);
    let mut kill = Kill::start();
    let mut random = SplitMix64::new(22);
    let mut seen = BTreeSet::new();
    for command in COMMANDS {
        let output = format!("out/OUT.{}", command.rsplit('.').next().expect("the name has an extension"));
        let _ = fs::remove_dir_all(bench.path("out"));
        fs::create_dir(bench.path("out")).unwrap();
        let began = Instant::now();
        let undisturbed = bench.ptxcvt(command).output().unwrap();
        let whole = began.elapsed();
        assert!(undisturbed.status.success(), "{command}: {}", text(&undisturbed.stderr));
        let new = fs::read(bench.path(&output)).unwrap();
        for attempt in 0..ATTEMPTS {
            fs::write(bench.path(&output), "old").unwrap();
            let mut run = bench.ptxcvt(command);
            let child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            // Every other signal comes at a random time of the run, the others after the rename or just before.
            if attempt % 2 == 0 {
                std::thread::sleep(whole.mul_f64((random.next_u64() % 1000) as f64 / 1000.0));
            } else {
                let begin = Instant::now();
                while files(&bench.path("out")).len() == 1 && begin.elapsed() < 2 * whole {
                    std::thread::yield_now();
                }
                std::thread::sleep(Duration::from_micros(random.next_u64() % 2000));
            }
            kill.send("TERM", child.id());
            let ended = child.wait_with_output().unwrap();
            let case = format!("{command}: {}: {}", ended.status, text(&ended.stderr));
            let is_new = fs::read(bench.path(&output)).unwrap() == new;
            assert!(is_new || fs::read(bench.path(&output)).unwrap() == b"old", "{case}");
            assert_eq!(files(&bench.path("out")).len(), 1, "{case}");
            match (ended.status.code(), is_new) {
                (Some(0), true) => {
                    assert_eq!(ended.stderr, undisturbed.stderr, "{case}");
                    assert_eq!(ended.stdout, undisturbed.stdout, "{case}");
                }
                (Some(2), false) => {
                    let message = text(&ended.stderr);
                    let endings = [format!("{output} is unchanged\n"), "no file was written\n".to_owned()];
                    let whole = endings.map(|end| format!("error: interrupted; {end}"));
                    assert!(whole.contains(&message), "{case}");
                }
                // Before the first output is begun, the signal ends the process.
                (None, false) if ended.status.signal() == Some(15) => {
                    assert!(ended.stderr.is_empty(), "{case}")
                }
                _ => panic!("{case}, new: {is_new}"),
            }
            seen.insert((ended.status.code(), is_new));
        }
    }
    // Some came early enough, and some too late.
    assert!(seen.contains(&(Some(0), true)) && seen.contains(&(Some(2), false)), "{seen:?}");
}

/// A pipe without a reader: the run waits when it opens the output. With `--json` the message is an object.
#[test]
fn a_run_that_waits_for_a_reader_ends_with_a_message() {
    let bench = Bench::with_inputs(4096);
    let mut kill = Kill::start();
    assert!(std::process::Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap().success());
    let json =
        "{\"error\":{\"code\":null,\"help\":[],\"message\":\"interrupted; the output is incomplete\"}}\n";
    for (command, message) in [
        ("dequantize q.safetensors -o pipe", "error: interrupted; the output is incomplete\n"),
        ("quantize mx-rceil/e4m3 x.npy --report --json -o pipe", json),
    ] {
        let ended = (1..50).find_map(|attempt| {
            let mut run = bench.ptxcvt(command);
            let child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(20 * attempt));
            kill.send("TERM", child.id());
            let ended = child.wait_with_output().unwrap();
            let ended = (ended.status.code()?, text(&ended.stderr));
            // Until then it had not begun its output.
            (!ended.1.contains("no file was written")).then_some(ended)
        });
        assert_eq!(ended, Some((2, message.to_owned())), "{command}");
    }
}
