//! Collects an assembler's verdicts, with a script in place of the assembler.
#![cfg(unix)]

use std::path::{Path, PathBuf};

use ptxcvt_conform::assembler::{Assembler, Depth, Frame, Verdict};
use ptxcvt_conform::legality::{self, Options};

/// The script is a committed file. A file written by the test could not be executed while another thread
/// forks ("Text file busy").
fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptxas")
}

#[test]
fn every_class_of_error_and_a_crash_are_found() {
    let assembler = Assembler::open(&script()).unwrap();
    assert_eq!((assembler.version.as_str(), assembler.newest.to_string().as_str()), ("13.5.37", "9.5"));
    let targets: Vec<String> = assembler.targets.iter().map(ToString::to_string).collect();
    assert_eq!(targets, ["sm_90"]);
    let lines: Vec<&str> = (0..7000)
        .map(|n| match n {
            10 | 6999 => "early",
            20 => "late",
            4000 => "crash",
            _ => "fine",
        })
        .collect();
    let frame = |registers: &str| Frame {
        target: assembler.targets[0],
        isa: assembler.newest,
        registers: registers.to_owned(),
    };
    let verdicts = assembler.verdicts(&frame(""), Depth::Code, &lines).unwrap();
    for (at, verdict) in verdicts.iter().enumerate() {
        let expected = match at {
            10 | 6999 => Verdict::Rejected("early again".to_owned()),
            20 => Verdict::Rejected("late again".to_owned()),
            4000 => Verdict::Crashed("internal error".to_owned()),
            _ => Verdict::Accepted,
        };
        assert_eq!(*verdict, expected, "line {at}");
    }
    let refused = assembler.verdicts(&frame("early"), Depth::Code, &lines).unwrap_err();
    assert_eq!(refused.to_string(), "a module `.version 9.5 .target sm_90` is refused: early again");
}

#[test]
fn an_assembler_that_takes_everything_disagrees() {
    let assembler = Assembler::open(&script()).unwrap();
    let options = Options { isa: Some("8.0".parse().unwrap()), quick: true, ..Options::default() };
    let mut steps = 0;
    let report = legality::run(&assembler, &options, &mut |_| steps += 1).unwrap();
    assert_eq!((steps, report.checks.len()), (3, 3));
    assert!(report.checks.iter().all(|check| check.accepted == check.lines && check.lines > 1000));
    let text = report.to_string();
    for line in [
        "sm_90 at ISA 8.0: cvt.f16.f32 %b16, %b32;\n    accepted, but the table does not have it",
        "sm_90 at ISA 8.0: cvt.rn.f16.f32 %f64, %f32;\n    accepted, but the table does not have it",
        "sm_90 at ISA 8.0: cvt.rn.f16.f32 %f16;\n    accepted, but the table does not have it",
        "sm_90 at ISA 8.0: cvt.rn.satfinite.f16.f32 %f16, %f32;\n    accepted, but the table does not have it",
    ] {
        assert!(text.contains(line), "{line}");
    }
    assert!(!text.contains(": cvt.rn.f16.f32 %f16, %f32;"));
}
