//! Errors, tiers, and the types that convert to columns.

use std::process::Command;

use ptxcvt::Form;
use ptxcvt_bulk::{BulkError, Column, ColumnMut, Plan, Tier};

/// Columns that do not fit are refused, and nothing is written.
#[test]
fn misfits_are_errors() {
    let plan = |opcode: &str| Plan::new(opcode.parse().unwrap());
    let (words, mut bytes) = ([0_u32; 8], [0x55_u8; 8]);
    let narrow = plan("cvt.rn.satfinite.e4m3x2.f32");
    let mut check = |plan: &Plan, elements: Column, extra, length: usize, message: &str| {
        let result = ColumnMut::U8(&mut bytes[..length]);
        assert_eq!(plan.run_packed(elements, extra, result).unwrap_err().to_string(), message);
    };
    let all = Column::U32(&words);
    check(&narrow, all, None, 7, "`d` holds 7 bytes, which is not a multiple of 2");
    check(&narrow, all, None, 6, "`d` must hold 8 bytes to match the others, not 6");
    check(&narrow, Column::U32(&words[..7]), None, 7, "`a` holds 28 bytes, which is not a multiple of 8");
    check(&narrow, Column::U16(&[0; 8]), None, 8, "elements of `a` must have 32 bits, not 16");
    check(&narrow, Column::Value(1), None, 8, "`a` must be a slice");
    check(&narrow, all, Some(Column::Value(1)), 8, "this form has neither `rbits` nor a scale");
    let random = plan("cvt.rs.satfinite.e4m3x4.f32");
    check(&random, all, None, 8, "`rbits` is missing");
    check(
        &random,
        all,
        Some(Column::U32(&words[..1])),
        8,
        "`rbits` must hold 8 bytes to match the others, not 4",
    );
    let scaled = plan("cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32");
    let generator = Column::Random { seed: 0, first: 0 };
    check(&scaled, all, Some(generator), 8, "only `rbits` can be a random generator");
    check(
        &plan("cvt.pack.sat.s16.s32"),
        all,
        None,
        8,
        "cvt.pack.sat.s16.s32 needs operand columns, not packed elements",
    );
    let error = narrow.run(&[all], ColumnMut::U16(&mut [0; 8])).unwrap_err();
    assert_eq!(error, BulkError::ColumnCount { expected: 2, given: 1 });
    assert_eq!(bytes, [0x55; 8]);
}

/// A plan names its tier, which is that of `PTXCVT_TIER` or the best one; a missing tier is an error.
#[test]
fn tiers_are_named() {
    let form: Form = "cvt.rn.f16.f32".parse().unwrap();
    for &tier in Tier::ALL {
        match Plan::with_tier(form, tier) {
            Ok(plan) => assert_eq!(plan.tier(), tier),
            Err(error) => assert!(!tier.is_available() && error.to_string().contains(tier.name())),
        }
    }
    let named = Tier::from_env().expect("PTXCVT_TIER names a tier of this machine");
    assert_eq!(Plan::new(form).tier(), named.unwrap_or_else(Tier::best));
    assert!(
        "sse9"
            .parse::<Tier>()
            .unwrap_err()
            .to_string()
            .starts_with("unknown tier; this machine has reference")
    );
}

/// Runs the test above with each value of `PTXCVT_TIER`.
#[test]
fn the_environment_names_the_tier() {
    for tier in Tier::available() {
        let mut this = Command::new(std::env::current_exe().unwrap());
        let output =
            this.args(["--exact", "interface::tiers_are_named"]).env("PTXCVT_TIER", tier.name()).output();
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        assert!(text.contains("1 passed"), "{tier}: {text}");
    }
}

/// Without a program that reports the error, the library stops at the first kernel.
#[test]
fn an_invalid_tier_stops_the_library() {
    let mut this = Command::new(std::env::current_exe().unwrap());
    let output = this.args(["--exact", "interface::misfits_are_errors"]).env("PTXCVT_TIER", "sse9").output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(text.contains("PTXCVT_TIER is `sse9`: unknown tier; this machine has"), "{text}");
}

/// Arrays, slices and vectors of numbers convert to columns with their bits.
#[test]
fn columns_of_every_kind() {
    let form: Form = "cvt.rn.f16.f32".parse().unwrap();
    let plan = Plan::new(form);
    let (array, mut vector, mut result) = ([1.0_f32, -2.0, 0.5], vec![0_u16; 3], [0_i16; 3]);
    plan.run(&[(&array).into()], (&mut vector).into()).unwrap();
    assert_eq!(vector, [0x3c00, 0xc000, 0x3800]);
    plan.run(&[(&array.to_vec()).into()], (&mut result).into()).unwrap();
    assert_eq!(result, [0x3c00, -0x4000, 0x3800]);
    plan.run(&[(&array[1..]).into()], (&mut result[..2]).into()).unwrap();
    assert_eq!(result, [-0x4000, 0x3800, 0x3800]);
    #[cfg(feature = "half")]
    {
        let mut halves = [half::f16::ZERO; 3];
        plan.run(&[(&array).into()], (&mut halves).into()).unwrap();
        assert_eq!(halves.map(f32::from), array);
        let narrow = Plan::new("cvt.rn.satfinite.e5m2x2.f16x2".parse().unwrap());
        let mut codes = vec![0_u8; 2];
        narrow.run_packed((&halves[..2]).into(), None, (&mut codes).into()).unwrap();
        assert_eq!(codes, [0x3c, 0xc0]);
    }
}
