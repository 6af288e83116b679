//! Compares the reference with the recorded digests of results from the CUDA headers and from an x86-64 CPU.

use ptxcvt::Form;
use ptxcvt_conformance::headers::{Depth, Line, RECORD, operands};
use ptxcvt_conformance::record::{self, Digest};

/// The error in a line, if any.
fn check(line: &Line, depth: Depth) -> Option<String> {
    let form: Form = line.opcode.parse().expect("recorded opcodes are forms");
    let (mut inputs, mut results) = (Digest::default(), Digest::default());
    for tuple in operands(&form, depth) {
        tuple.iter().for_each(|word| inputs.push(*word));
        if !line.oracle.leaves_out(&form, &tuple) {
            results.push(form.eval(&tuple).expect("the operands fit the form"));
        }
    }
    let expected = if depth == Depth::Quick { line.quick } else { line.full };
    if depth == Depth::Quick && inputs != line.inputs {
        return Some(format!("{form}: other inputs than recorded; run `ptxcvt-conformance headers` again"));
    }
    (results != expected).then(|| format!("{form}: digest {results}, recorded {expected}"))
}

/// Checks all lines, on all cores.
fn check_all(depth: Depth) {
    let text = record::read(RECORD).unwrap();
    let lines = Line::parse(&text).unwrap();
    assert!(lines.len() > 250, "only {} lines", lines.len());
    let cores = ptxcvt_parallel::thread_count(0);
    let complaints: Vec<String> = std::thread::scope(|scope| {
        let work = |core: usize| lines.iter().skip(core).step_by(cores).filter_map(|line| check(line, depth));
        let threads: Vec<_> =
            (0..cores).map(|core| scope.spawn(move || work(core).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a check panicked")).collect()
    });
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn the_reference_gives_the_recorded_results() {
    check_all(Depth::Quick);
}

#[test]
#[ignore = "takes a minute: a million random operands for each opcode"]
fn the_reference_gives_all_recorded_results() {
    check_all(Depth::Full);
}

#[test]
fn nothing_differed_when_the_record_was_made() {
    for line in Line::parse(&record::read(RECORD).unwrap()).unwrap() {
        assert_eq!(line.differences, 0, "{}", line.opcode);
        // Only NaN inputs are excluded.
        assert!(line.excluded * 20 < line.tried, "{}: {} left out", line.opcode, line.excluded);
    }
}
