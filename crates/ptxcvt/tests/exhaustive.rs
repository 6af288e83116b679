//! All 2^32 f32 inputs through every form that takes f32 elements and nothing else, on every tier, against the
//! reference. Hours on a few cores, hence behind a feature:
//!
//! ```sh
//! cargo test --release -p ptxcvt --features exhaustive --test exhaustive -- --nocapture
//! ```
//!
//! `PTXCVT_EXHAUSTIVE` limits it to the opcodes that contain one of its comma-separated parts. The SHA-256 of
//! each form's results, little-endian, is compared with `exhaustive.tsv` and printed where it is not there.
#![cfg(feature = "exhaustive")]

use ptxcvt::bulk::{Column, ColumnMut, Plan, Tier};
use ptxcvt::{Form, Opcode, Type};
use sha2::{Digest, Sha256};

/// Inputs in a block.
const BLOCK: usize = 1 << 20;

fn forms() -> impl Iterator<Item = Form> {
    let wanted = std::env::var("PTXCVT_EXHAUSTIVE").unwrap_or_default();
    Form::all().filter(move |form| {
        let extra = form.extra().is_some();
        let opcode = form.to_string();
        form.opcode() == Opcode::Cvt
            && form.source() == Type::F32
            && !extra
            && wanted.split(',').any(|part| opcode.contains(part))
    })
}

/// The reference's results for the block of inputs from `start` on.
fn reference(form: &Form, start: u64, out: &mut [u8]) {
    let lanes = form.lanes() as u64;
    let width = form.result_width() as usize / 8;
    for (i, result) in out.chunks_exact_mut(width).enumerate() {
        let first = start + i as u64 * lanes;
        // Of a pair, the second element is the first operand.
        let operands = [first + lanes - 1, first];
        let bits = form.eval(&operands[..lanes as usize]).expect("as many operands as elements");
        result.copy_from_slice(&bits.to_le_bytes()[..width]);
    }
}

#[test]
fn all_inputs() {
    let known = include_str!("exhaustive.tsv");
    for form in forms() {
        let bytes = BLOCK / form.lanes() as usize * form.result_width() as usize / 8;
        let tiers: Vec<Tier> = Tier::available().filter(|t| *t != Tier::Reference).collect();
        let (mut expected, mut result) = (vec![0; bytes], vec![0; bytes]);
        let mut digest = Sha256::new();
        for start in (0..1_u64 << 32).step_by(BLOCK) {
            let inputs: Vec<u32> = (0..BLOCK).map(|i| (start + i as u64) as u32).collect();
            reference(&form, start, &mut expected);
            for &tier in &tiers {
                let plan = Plan::with_tier(form, tier).unwrap();
                plan.run_packed(Column::U32(&inputs), None, ColumnMut::Bytes(&mut result)).unwrap();
                assert!(result == expected, "{form} on {tier}: a result from {start:#x} on differs");
            }
            digest.update(&expected);
        }
        let digest: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        match known.lines().find_map(|line| line.strip_prefix(&format!("{form}\t"))) {
            Some(recorded) => assert_eq!(digest, recorded, "{form}"),
            None => println!("{form}\t{digest}"),
        }
    }
}
