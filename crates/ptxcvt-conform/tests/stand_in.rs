//! Tests the path to a GPU and back with a stand-in for the driver's library.

use std::path::PathBuf;

use ptxcvt::Form;
use ptxcvt_conform::cases::Effort;
use ptxcvt_conform::deviations::values::Deviation;
use ptxcvt_conform::driver::{Driver, DriverError};
use ptxcvt_conform::hardware::{self, Options, Recorder};
use ptxcvt_conform::report::Comparison;
use ptxcvt_conform::{replay, vectors};

/// The stand-in's library, which cargo builds next to this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.with_file_name(format!(
        "{}stand_in_driver{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ))
}

fn run(ordinal: u32, options: &Options) -> Comparison {
    let device = Driver::open(Some(&library())).unwrap().device(ordinal).unwrap();
    hardware::run(&device, options, &mut |p| assert!(p.done <= p.total)).unwrap()
}

fn quick(filter: Option<&str>) -> Options {
    Options { effort: Effort::Quick, filter: filter.map(str::to_owned), ..Options::default() }
}

/// The recorded number of a target's forms that an assembler accepted.
fn accepted(target: &str) -> usize {
    let record = include_str!("../../../conformance/records/kernels.tsv");
    let row = record.lines().find_map(|line| line.strip_prefix(target)?.strip_prefix('\t'));
    row.expect("a row for the target").split('\t').nth(2).unwrap().parse().unwrap()
}

#[test]
fn every_form_of_every_honest_gpu() {
    // Stand-in A is an sm_100, F an sm_50, and E has every form of an assembler.
    for (ordinal, expected) in [(0, Some("sm_100a")), (4, None), (5, Some("sm_50"))] {
        let report = run(ordinal, &quick(None));
        let target = report.subject.as_ref().unwrap().target.to_string();
        assert!(expected.is_none_or(|expected| expected == target), "{target}");
        let forms = expected.map_or_else(|| Form::all().filter(|f| !f.is_announced()).count(), accepted);
        assert_eq!((report.forms.len(), report.differences(), report.deviations()), (forms, 0, 0));
        assert!(report.forms.iter().all(|f| f.tally.inputs >= 194));
    }
}

#[test]
fn complete_sources_reach_the_gpu_whole() {
    let report = run(0, &Options { filter: Some(".f16x2.e".to_owned()), ..Options::default() });
    let small = report.forms.iter().filter(|f| f.form.source().width() == 8);
    assert!(small.clone().count() > 0 && small.clone().all(|f| f.tally.inputs == 256));
    let rest = report.forms.iter().filter(|f| f.form.source().width() == 16);
    assert!(rest.clone().count() > 0 && rest.clone().all(|f| f.tally.inputs == 65_536));
    assert_eq!(report.differences(), 0);
}

#[test]
fn one_wrong_bit_is_found_and_explained() {
    let report = run(1, &Options { filter: Some("cvt.f32.f16".to_owned()), ..Options::default() });
    assert_eq!((report.inputs(), report.differences()), (65_536, 1));
    let example = &report.forms[0].tally.examples[0];
    assert_eq!(example.operands, [0x3c01]);
    assert_eq!(example.reference ^ example.found, 1 << 13);
    let text = report.to_string();
    assert!(text.contains("cvt.f32.f16 3c01\n    reference 3f802000, found 3f800000\n"), "{text}");
    assert!(text.contains("f16 0x3c01 (1.0009765625) to f32 0x3f802000 (1.0009765625): exact"), "{text}");
    assert!(text.ends_with("1 form, 65536 inputs: 1 difference, 0 deviations"), "{text}");
}

#[test]
fn documented_deviations_are_counted_apart() {
    let report = run(2, &quick(None));
    assert_eq!(report.subject.as_ref().unwrap().target.to_string(), "sm_90a");
    assert_eq!(report.forms.len(), accepted("sm_90a"));
    assert_eq!(report.differences(), 0);
    let of = |name: &str| report.forms.iter().find(|f| f.form.to_string() == name).unwrap();
    assert!(of("cvt.rn.f32.f64").tally.kinds.contains(&Deviation::NanPayload));
    assert!(of("cvt.f32.bf16").tally.kinds.contains(&Deviation::NanPayload));
    assert!(of("cvt.rp.ftz.f16.f32").tally.kinds.contains(&Deviation::NotFlushed));
    assert_eq!(of("cvt.rn.ftz.f16.f32").tally.deviations, 0);
}

#[test]
fn a_refused_kernel_is_a_problem_of_its_form() {
    let report = run(3, &quick(Some(".tf32.")));
    assert_eq!((report.differences(), report.forms[0].tally.inputs), (1, 0));
    let problem = &report.forms[0].problems[0];
    assert!(problem.contains("CUDA_ERROR_INVALID_PTX") && problem.contains("a stand-in's whim"), "{problem}");
}

#[test]
fn what_is_recorded_replays_without_a_gpu() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("recording");
    let _ = std::fs::remove_dir_all(&folder);
    let options = |filter: &str| Options {
        filter: Some(filter.to_owned()),
        record: Some(Recorder {
            folder: folder.clone(),
            create: |path| Ok(Box::new(std::fs::create_dir_all(path)?)),
            write: |path, bytes| Ok(std::fs::write(path, bytes)?),
        }),
        date: Some("2001-01-01".to_owned()),
        ..Options::default()
    };
    // Stand-in C returns other NaN payloads; its recording contains them and is still accepted.
    let mut recorded = run(2, &options("cvt.f64.f16"));
    recorded.forms.extend(run(2, &options("rz.satfinite.bf16x2.f32")).forms);
    assert_eq!(recorded.forms.len(), 2);
    assert_eq!((recorded.differences(), recorded.deviations() > 0), (0, true));
    let mut digests = 0;
    for report in &recorded.forms {
        let path = folder.join(report.form.identifier()).with_extension("tsv");
        let text = std::fs::read_to_string(&path).unwrap();
        let file = vectors::File::parse("recorded", &text).unwrap();
        assert_eq!(file.header("gpu"), Some("Stand-in C"));
        assert_eq!(file.header("architecture"), Some("sm_90a"));
        assert_eq!(file.header("date"), Some("2001-01-01"));
        assert_eq!(file.header("form"), Some(report.form.to_string().as_str()));
        let replayed = replay::run(&file, &mut |_| {});
        assert_eq!(replayed.differences(), 0, "{replayed}");
        assert!(replayed.inputs() > report.tally.inputs);
        digests += text.matches("sha256").count();
        // One wrong bit is found: in the first line that is not a digest, whose first operand is zero.
        let line = text.lines().find(|line| !line.starts_with('#') && !line.contains("sha256")).unwrap();
        let (rest, result) = line.rsplit_once('\t').unwrap();
        let wrong = format!("{rest}\t{:x}", u64::from_str_radix(result, 16).unwrap() ^ 1);
        let wrong = text.replacen(line, &wrong, 1);
        let replayed = replay::run(&vectors::File::parse("altered", &wrong).unwrap(), &mut |_| {});
        assert_eq!(replayed.differences(), 1, "{line}");
    }
    assert_eq!(digests, recorded.forms.len());
}

#[test]
fn what_is_not_there_is_said_in_a_sentence() {
    let missing = Driver::open(Some("/nowhere/libcuda.so.1".as_ref())).err().unwrap();
    assert!(matches!(missing, DriverError::Library { .. }));
    assert!(missing.to_string().starts_with("no NVIDIA driver here: /nowhere/libcuda.so.1 cannot be loaded"));
    let driver = Driver::open(Some(&library())).unwrap();
    let Err(error) = driver.device(99) else { panic!("there is no GPU 99") };
    assert_eq!(error, DriverError::NoSuchDevice { ordinal: 99, count: 6 });
    assert_eq!(error.to_string(), "there is no GPU 99: the driver numbers its 6 from 0");
}
