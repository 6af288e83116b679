//! Tests the parts of the exhaustive run on a few blocks of inputs: every form is accepted, a wrong result is
//! found at any place, and every line of `record.tsv` is valid.

#[path = "exhaustive/judge.rs"]
mod judge;
#[path = "exhaustive/order.rs"]
mod order;
#[path = "exhaustive/passes.rs"]
mod passes;
#[path = "exhaustive/record.rs"]
mod record;

use judge::{Engine, Questions, judge, tiers};
use passes::{BLOCK, Batch, INPUTS};
use ptxcvt::{Form, Format};
use ptxcvt_bulk::{Plan, Tier};
use record::{Evaluated, Line, Record, forms};

/// The block that holds 1.0.
const ONE: u64 = 0x3f80_0000 / BLOCK as u64;

/// A tier that inverts the last bit of one instruction's result.
struct Faulty {
    plan: Plan,
    input: u32,
}

impl Engine for Faulty {
    fn name(&self) -> String {
        "faulty".to_owned()
    }

    fn convert(&self, batch: &Batch, results: &mut [u8]) {
        self.plan.convert(batch, results);
        let width = self.plan.form().result_width() as usize / 8;
        let found = (0..batch.instructions()).find(|i| batch.input(*i, 0) == self.input);
        if let Some(instruction) = found {
            results[instruction * width] ^= 1;
        }
    }
}

fn form(opcode: &str) -> Form {
    opcode.parse().expect("a form")
}

#[test]
fn every_form_agrees_with_the_reference_at_the_ends_of_its_runs() {
    for form in forms() {
        // Zero, subnormals, numbers about one, and NaN, all of one sign.
        for block in [0, ONE, 0x7f80, 0x8000, 0xbf80] {
            let verdict = judge(form, &tiers(form), Questions::Ends(64), block..block + 1);
            let verdict = verdict.unwrap_or_else(|error| panic!("{form}: {error}"));
            assert!(verdict.evaluated >= u64::from(form.lanes()), "{form}");
        }
    }
}

#[test]
fn a_wrong_result_in_the_middle_of_a_run_is_found() {
    for opcode in [
        "cvt.rn.satfinite.e2m1x2.f32",
        "cvt.rn.satfinite.relu.e4m3x2.f32",
        "cvt.rs.satfinite.e2m3x4.f32",
        "cvt.rp.f16.f32",
        "cvt.rzi.s64.f32",
    ] {
        let form = form(opcode);
        // A multiple of 4 is the first element of its instruction, unless the pass exchanges elements.
        let input = 0x3f80_1230;
        let faulty = || Faulty { plan: Plan::new(form), input };
        let alone = judge(form, &[faulty()], Questions::Ends(BLOCK), ONE..ONE + 1).err().expect(opcode);
        assert!(alone.starts_with("faulty gives 0x") && alone.contains("0x3f801230"), "{alone}");
        let baseline = Plan::with_tier(form, Tier::available().nth(1).expect("a tier")).expect("available");
        let both =
            judge(form, &[faulty(), Faulty { plan: baseline, input: 0 }], Questions::None, ONE..ONE + 1);
        assert_eq!(both.err(), Some(alone), "{opcode}");
        judge(form, &[faulty()], Questions::Ends(BLOCK), 0..1)
            .unwrap_or_else(|error| panic!("{opcode}: {error}"));
    }
}

#[test]
fn the_digest_is_that_of_the_results_and_depends_on_each() {
    let form = form("cvt.rn.bf16.f32");
    let mut results = vec![0; 2 * BLOCK];
    let inputs: Vec<u32> = (0x3f80_0000..).take(BLOCK).collect();
    Plan::new(form).run_packed((&inputs).into(), None, ptxcvt_bulk::ColumnMut::Bytes(&mut results)).unwrap();
    let digest = |questions| judge(form, &tiers(form), questions, ONE..ONE + 1).unwrap().digest;
    let expected = format!("{:032x}", twox_hash::XxHash3_128::oneshot(&results));
    assert_eq!((digest(Questions::None), digest(Questions::All)), (expected.clone(), expected.clone()));
    let faulty = Faulty { plan: Plan::new(form), input: 0x3f80_ffff };
    assert_ne!(judge(form, &[faulty], Questions::None, ONE..ONE + 1).unwrap().digest, expected);
}

#[test]
fn the_reference_is_asked_as_often_as_is_said() {
    let all = |opcode| judge(form(opcode), &tiers(form(opcode)), Questions::All, ONE..ONE + 1).unwrap();
    assert_eq!(all("cvt.rn.bf16.f32").evaluated, BLOCK as u64);
    assert_eq!(all("cvt.rn.satfinite.e4m3x2.f32").evaluated, 2 * BLOCK as u64);
    let ends = |most| {
        judge(form("cvt.f64.f32"), &tiers(form("cvt.f64.f32")), Questions::Ends(most), ONE..ONE + 1).unwrap()
    };
    let (some, every) = (ends(100), ends(BLOCK));
    assert!(some.thinned && (90..=116).contains(&some.evaluated), "{}", some.evaluated);
    assert!(!every.thinned && every.evaluated == BLOCK as u64, "{}", every.evaluated);
}

#[test]
fn answers_that_fall_are_noticed() {
    let falls = |format: Format, answers: [(u32, u64); 2]| {
        let mut order = order::Order::new(format);
        !answers.into_iter().all(|(input, code)| order.takes(0, input, code))
    };
    assert!(falls(Format::E4m3, [(0x3f80_0000, 0x39), (0x3f80_0001, 0x38)]));
    assert!(!falls(Format::E4m3, [(0x3f80_0000, 0x38), (0x3f80_0001, 0x39)]));
    // NaN and a change of sign start a new comparison. Results of negative numbers fall while their magnitudes rise.
    assert!(!falls(Format::E4m3, [(0x7f80_0000, 0x7e), (0x8000_0000, 0x80)]));
    assert!(!falls(Format::F16, [(0x7f80_0000, 0x7c00), (0x7f80_0001, 0)]));
    assert!(!falls(Format::S8, [(0xbf80_0000, 0xff), (0xc000_0000, 0xfe)]));
    assert!(falls(Format::S8, [(0xbf80_0000, 0xfe), (0xc000_0000, 0xff)]));
}

#[test]
fn the_record_is_well_formed() {
    let record = Record::read(Record::path()).unwrap();
    for form in forms() {
        let Some(Line { evaluated, results, .. }) = record.get(form) else { continue };
        let all = INPUTS * passes::Pass::all(&form).len() as u64;
        match evaluated {
            // Each at least once.
            Evaluated::Everywhere => assert!((INPUTS..=all).contains(results), "{form}: {results}"),
            Evaluated::Ends | Evaluated::SomeEnds => {
                // Both ends of each block.
                assert!((2 * INPUTS / BLOCK as u64..=all).contains(results), "{form}: {results}");
            }
        }
    }
    assert!(record.get(form("cvt.rn.satfinite.e4m3x2.f32")).is_some());
}

#[test]
fn a_damaged_record_is_refused_and_the_better_of_two_lines_kept() {
    let head = "form\tdigest\treference evaluated at\tresults of the reference\n";
    let good = "cvt.rn.bf16.f32\t00112233445566778899aabbccddeeff\tends\t12\n";
    assert_eq!(Record::parse(&format!("{head}{good}")).unwrap().len(), 1);
    for (text, fault) in [
        (good.to_owned(), "the first line is not"),
        (format!("{head}{good}{good}"), "line 3: the form was there before"),
        (format!("{head}{}", good.replace("bf16", "bf17")), "line 2: no form from f32"),
        (format!("{head}{}", good.replace("00", "")), "line 2: a digest has 32"),
        (format!("{head}{}", good.replace("ends", "some")), "`some` is not one of the places"),
        (format!("{head}{}", good.replace("\t12", "\t-1")), "the last column is not a number"),
        (format!("{head}{}", good.replace("\t12", "")), "not four columns"),
    ] {
        let error = Record::parse(&text).unwrap_err();
        assert!(error.contains(fault), "{error}");
    }
    let file = std::env::temp_dir().join(format!("ptxcvt-exhaustive-{}.tsv", std::process::id()));
    let mut record = Record::read(file.clone()).unwrap();
    let (bf16, line) =
        (form("cvt.rn.bf16.f32"), |evaluated, results| Line { digest: "0".repeat(32), evaluated, results });
    record.keep(bf16, line(Evaluated::Ends, 20)).unwrap();
    record.keep(bf16, line(Evaluated::SomeEnds, 30)).unwrap();
    assert_eq!(Record::read(file.clone()).unwrap().get(bf16), Some(&line(Evaluated::Ends, 20)));
    record.keep(bf16, line(Evaluated::Everywhere, INPUTS)).unwrap();
    assert_eq!(Record::read(file.clone()).unwrap().get(bf16), Some(&line(Evaluated::Everywhere, INPUTS)));
    // Another run that started before that line was written keeps it.
    let mut other = Record::read(file.clone()).unwrap();
    record.keep(form("cvt.rz.bf16.f32"), line(Evaluated::Ends, 1)).unwrap();
    other.keep(form("cvt.rn.f16.f32"), line(Evaluated::Ends, 1)).unwrap();
    assert_eq!(Record::parse(&std::fs::read_to_string(&file).unwrap()).unwrap().len(), 3);
    std::fs::remove_file(file).unwrap();
}
