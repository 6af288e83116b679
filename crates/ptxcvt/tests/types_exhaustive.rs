//! All 2^32 f32 through `from_f32` of every number type, compared with a record that was compared with the reference.
//!
//! The test is ignored because it takes minutes:
//! `cargo test --release -p ptxcvt --test types_exhaustive -- --ignored --nocapture`. `types.tsv` has, for each type, a
//! digest of the results (SHA-256 of the little-endian codes, in the order of the inputs' bits) and the inputs that were
//! compared with the reference.
//!
//! `BLESS=ends` compares both ends of every run of equal results and writes the record. For one sign, the magnitude of a
//! result never falls as that of the input rises, so a run is right everywhere if it is right at its ends. `BLESS=every`
//! compares every input, for types whose recorded digest was not made in this way. It takes five minutes or more per type.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

use ptxcvt::types::Number;
use ptxcvt::{Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, Form, S2f6, Tf32, Ue5m3, Ue8m0};
use sha2::{Digest, Sha256};

/// The inputs at which results are compared with the reference.
#[derive(Clone, Copy, PartialEq)]
enum Evaluated {
    Nowhere,
    Ends,
    Everywhere,
}

/// The first inputs after positive numbers, after positive NaN, and after negative numbers: runs end before them.
const BOUNDARIES: [u64; 3] = [0x7f80_0001, 0x8000_0000, 0xff80_0001];

/// A type's line of the record.
fn line<N: Number>(evaluated: Evaluated) -> String {
    let opcode = N::FROM_F32;
    let conversion = opcode.parse::<Form>().expect("the form is legal").conversion();
    let bytes = N::FORMAT.storage().div_ceil(8) as usize;
    let check = |bits: u64, code: u64| assert_eq!(code, conversion.eval(bits), "{opcode} {bits:#010x}");
    let (mut digest, mut block, mut run) = (Sha256::new(), Vec::new(), None);
    for bits in 0..1_u64 << 32 {
        let code = N::from_f32(f32::from_bits(bits as u32)).to_code();
        if evaluated == Evaluated::Everywhere {
            check(bits, code);
        } else if evaluated == Evaluated::Ends && (run != Some(code) || BOUNDARIES.contains(&bits)) {
            if let Some(last) = run {
                check(bits - 1, last);
            }
            check(bits, code);
            run = Some(code);
        }
        block.extend_from_slice(&code.to_le_bytes()[..bytes]);
        if block.len() >= 1 << 16 {
            digest.update(&block);
            block.clear();
        }
    }
    if let Some(last) = run {
        check((1 << 32) - 1, last);
    }
    digest.update(&block);
    format!("{opcode}\t{:x}", digest.finalize())
}

/// A type's line, with the comparison that the record of the same digest had if that was at every input.
fn recorded_line<N: Number>(evaluated: Evaluated, record: &str) -> String {
    let every = |line: &str| format!("{line}\tevery input");
    let has_every = record.lines().any(|line| line.starts_with(N::FROM_F32) && line.ends_with("every input"));
    if evaluated == Evaluated::Nowhere || has_every {
        let line = line::<N>(Evaluated::Nowhere);
        if evaluated == Evaluated::Nowhere {
            return line;
        }
        if record.lines().any(|known| known == every(&line)) {
            return every(&line);
        }
    }
    let line = line::<N>(evaluated);
    if evaluated == Evaluated::Everywhere { every(&line) } else { format!("{line}\tends") }
}

#[test]
#[ignore = "minutes"]
fn all_f32() {
    let types = [
        recorded_line::<F16>,
        recorded_line::<Bf16>,
        recorded_line::<Tf32>,
        recorded_line::<E5m2>,
        recorded_line::<E4m3>,
        recorded_line::<E3m2>,
        recorded_line::<E2m3>,
        recorded_line::<E2m1>,
        recorded_line::<S2f6>,
        recorded_line::<Ue5m3>,
        recorded_line::<Ue8m0>,
    ];
    let evaluated = match std::env::var("BLESS").as_deref() {
        Ok("ends") => Evaluated::Ends,
        Ok("every") => Evaluated::Everywhere,
        _ => Evaluated::Nowhere,
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/types.tsv");
    let record = std::fs::read_to_string(&path).unwrap_or_default();
    let opcode = |line: &str| line.split('\t').next().expect("columns").to_owned();
    // The lines that are written: a run that is interrupted keeps those that it has made.
    let written: BTreeMap<String, String> =
        record.lines().map(|line| (opcode(line), line.to_owned())).collect();
    let (left, written) = (Mutex::new(types.iter()), Mutex::new(written));
    let next = || left.lock().expect("no thread panicked").next();
    let made = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some(line) = next() {
                    let line = line(evaluated, &record);
                    println!("{line}");
                    made.lock().expect("no thread panicked").insert(line.clone());
                    if evaluated != Evaluated::Nowhere {
                        let mut written = written.lock().expect("no thread panicked");
                        written.insert(opcode(&line), line);
                        let text: String = written.values().map(|line| format!("{line}\n")).collect();
                        std::fs::write(&path, text).expect("a file of the crate");
                    }
                }
            });
        }
    });
    let made = made.into_inner().expect("no thread panicked");
    assert_eq!(made.len(), types.len());
    if evaluated == Evaluated::Nowhere {
        let recorded = record.lines().map(|line| line.rsplit_once('\t').expect("three columns").0);
        assert!(recorded.eq(made.iter().map(String::as_str)), "{made:#?} differ from types.tsv");
    }
}
