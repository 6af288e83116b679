//! All 2^32 f32 through `from_f32` of every number type, compared with a record that was compared with the reference.
//!
//! The test is ignored because it takes minutes:
//! `cargo test --release -p ptxcvt --test types_exhaustive -- --ignored --nocapture`. `types.tsv` has a digest of each type's
//! results, SHA-256 of the codes in the order of the inputs' bits, little-endian, and the inputs at which the reference was
//! asked. `BLESS=ends` asks it at both ends of every run of equal results and writes the record: for one sign, the magnitude
//! of a result never falls as that of the input rises, so a run is right everywhere if it is right at its ends. `BLESS=every`
//! asks it at every input, which takes an hour of one core.

use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

use ptxcvt::types::Number;
use ptxcvt::{Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, Form, S2f6, Tf32, Ue5m3, Ue8m0};
use sha2::{Digest, Sha256};

/// The inputs at which results are compared with the reference.
#[derive(Clone, Copy, PartialEq)]
enum Asked {
    Nowhere,
    Ends,
    Everywhere,
}

/// The first inputs after positive numbers, after positive NaN, and after negative numbers: runs end before them.
const BOUNDARIES: [u64; 3] = [0x7f80_0001, 0x8000_0000, 0xff80_0001];

/// A type's line of the record.
fn line<N: Number>(asked: Asked) -> String {
    let opcode = N::FROM_F32;
    let conversion = opcode.parse::<Form>().expect("the form is legal").conversion();
    let bytes = N::FORMAT.storage().div_ceil(8) as usize;
    let check = |bits: u64, code: u64| assert_eq!(code, conversion.eval(bits), "{opcode} {bits:#010x}");
    let (mut digest, mut block, mut run) = (Sha256::new(), Vec::new(), None);
    for bits in 0..1_u64 << 32 {
        let code = N::from_f32(f32::from_bits(bits as u32)).to_code();
        if asked == Asked::Everywhere {
            check(bits, code);
        } else if asked == Asked::Ends && (run != Some(code) || BOUNDARIES.contains(&bits)) {
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
    digest.finalize().iter().fold(format!("{opcode}\t"), |mut line, byte| {
        write!(line, "{byte:02x}").expect("a string accepts text");
        line
    })
}

#[test]
#[ignore = "minutes"]
fn all_f32() {
    let types = [
        line::<F16>,
        line::<Bf16>,
        line::<Tf32>,
        line::<E5m2>,
        line::<E4m3>,
        line::<E3m2>,
        line::<E2m3>,
        line::<E2m1>,
        line::<S2f6>,
        line::<Ue5m3>,
        line::<Ue8m0>,
    ];
    let asked = match std::env::var("BLESS").as_deref() {
        Ok("ends") => Asked::Ends,
        Ok("every") => Asked::Everywhere,
        _ => Asked::Nowhere,
    };
    let (left, lines) = (Mutex::new(types.iter()), Mutex::new(Vec::new()));
    let next = || left.lock().expect("no thread panicked").next();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                while let Some(line) = next() {
                    let line = line(asked);
                    println!("{line}");
                    lines.lock().expect("no thread panicked").push(line);
                }
            });
        }
    });
    let mut lines = lines.into_inner().expect("no thread panicked");
    lines.sort();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/types.tsv");
    let record = std::fs::read_to_string(&path).unwrap_or_default();
    if asked == Asked::Nowhere {
        let recorded = record.lines().map(|line| line.rsplit_once('\t').expect("three columns").0);
        assert!(recorded.eq(lines.iter().map(String::as_str)), "{lines:#?} differ from types.tsv");
        return;
    }
    let whole = |line: &String| {
        let every = format!("{line}\tevery input");
        let keep = asked == Asked::Everywhere || record.lines().any(|known| known == every);
        if keep { every + "\n" } else { format!("{line}\tends\n") }
    };
    std::fs::write(path, lines.iter().map(whole).collect::<String>()).expect("a file of the crate");
}
