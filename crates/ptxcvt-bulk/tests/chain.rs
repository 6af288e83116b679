//! A chain returns what its conversions return one after the other: on every tier, at every length around the size of a
//! block, for any part of an array, on any number of threads.

use ptxcvt::Form;
use ptxcvt::forms::Role;
use ptxcvt::inputs::SplitMix64;
use ptxcvt_bulk::{Array, BulkError, Chain, ChainArray, Column, Plan, Spread, Tier, pack_codes};

/// Chains with one kernel, with several, with operands, and with 4-bit numbers at either end and between.
const CHAINS: &[&[&str]] = &[
    &["cvt.rn.f16x2.e4m3x2", "cvt.f32.f16"],
    &["cvt.rn.f16x2.e5m2x2", "cvt.f32.f16"],
    &["cvt.rn.f16x2.e2m3x2", "cvt.f32.f16"],
    &["cvt.rn.f16x2.e3m2x2", "cvt.f32.f16"],
    &["cvt.rn.f16x2.e2m1x2", "cvt.f32.f16"],
    &["cvt.rn.relu.f16x2.e4m3x2", "cvt.f32.f16"],
    &["cvt.rn.bf16x2.ue8m0x2", "cvt.f32.bf16"],
    &["cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.f16x2.e4m3x2", "cvt.f32.f16"],
    &["cvt.rn.satfinite.e2m1x2.f32", "cvt.rn.f16x2.e2m1x2", "cvt.f32.f16"],
    &["cvt.rn.satfinite.e2m1x2.f32", "cvt.rn.f16x2.e2m1x2"],
    &["cvt.rs.satfinite.e4m3x4.f32", "cvt.rn.f16x2.e4m3x2", "cvt.f32.f16"],
    &["cvt.rs.satfinite.e2m1x4.f32", "cvt.rn.f16x2.e2m1x2", "cvt.f32.f16", "cvt.rn.bf16.f32"],
    &["cvt.rn.f32.f64", "cvt.rs.bf16x2.f32", "cvt.f32.bf16"],
    &["cvt.rn.f16.f32", "cvt.f32.f16"],
    &["cvt.rni.f16.f16", "cvt.f32.f16"],
    &["cvt.rn.bf16.f32", "cvt.f32.bf16"],
    &["cvt.rn.f16.s8", "cvt.f32.f16"],
    &["cvt.f32.f16", "cvt.rn.bf16.f32"],
    &["cvt.f64.f32"],
];
const SEED: u64 = 11;
/// The elements of a block; twice as many where a byte each is between two conversions.
const BLOCK: usize = 4096;

fn forms(chain: &[&str]) -> Vec<Form> {
    chain.iter().map(|opcode| opcode.parse().unwrap()).collect()
}

/// `count` random elements, with 4-bit numbers in a byte each.
fn elements(form: &Form, count: usize) -> Vec<u8> {
    let mut random = SplitMix64::new(3);
    let format = form.source().format();
    let mask = u8::MAX >> (8 - format.bits().min(8));
    (0..count * (format.storage() as usize).div_ceil(8)).map(|_| random.next_u64() as u8 & mask).collect()
}

fn extras(forms: &[Form]) -> Vec<Option<Column<'static>>> {
    let extra = |(number, form): (usize, &Form)| {
        (form.extra()?.role == Role::RandomBits)
            .then_some(Column::Random { seed: SEED + number as u64, first: 0 })
    };
    forms.iter().enumerate().map(extra).collect()
}

/// One conversion after the other, over the whole array, by the reference.
fn composed(forms: &[Form], elements: &[u8], first: u64) -> Vec<u8> {
    let mut current = elements.to_vec();
    for (form, extra) in forms.iter().zip(extras(forms)) {
        let unit = |bits: u32| (bits as usize).div_ceil(8);
        let (from, to) =
            (unit(form.source().format().storage()), unit(form.destination().format().storage()));
        let mut result = vec![0; current.len() / from * to];
        let array = Array { elements: &current, extra, result: &mut result, spread: true, first };
        Plan::with_tier(*form, Tier::Reference).unwrap().run_array(array).unwrap();
        current = result;
    }
    current
}

fn run(
    chain: &Chain,
    forms: &[Form],
    elements: &[u8],
    first: u64,
    threads: usize,
) -> Result<Vec<u8>, BulkError> {
    let unit = |bits: u32| (bits as usize).div_ceil(8);
    let from = unit(forms[0].source().format().storage());
    let to = unit(forms[forms.len() - 1].destination().format().storage());
    let mut result = vec![0; elements.len() / from * to];
    let spread = Spread { source: true, result: true };
    let array = ChainArray { elements, extras: &extras(forms), result: &mut result, spread, first };
    chain.run_on(array, threads).map(|()| result)
}

#[test]
fn a_chain_is_the_composition_of_its_conversions() {
    let lengths = (0..=70).chain(BLOCK - 3..=BLOCK + 67).chain([2 * BLOCK - 1, 2 * BLOCK + 1, 3 * BLOCK + 5]);
    let lengths: Vec<usize> = lengths.collect();
    for chain in CHAINS {
        let forms = forms(chain);
        let unit = (forms[0].source().format().storage() as usize).div_ceil(8);
        let all = elements(&forms[0], 4 * BLOCK);
        for first in 0..4 {
            let whole = composed(&forms, &all, first);
            let to = whole.len() / (all.len() / unit);
            for tier in Tier::available() {
                let chain = Chain::with_tier(&forms, tier).unwrap();
                for &count in lengths.iter().filter(|n| tier != Tier::Reference || **n < 300) {
                    let made = run(&chain, &forms, &all[..count * unit], first, 1).unwrap();
                    assert!(
                        made == whole[..count * to],
                        "{forms:?} on {tier}, {count} elements from {first} on"
                    );
                }
            }
        }
    }
}

/// Every code, and each pair of 4-bit numbers, in every place of a register.
#[test]
fn every_code_has_its_value_in_every_place() {
    for chain in
        CHAINS.iter().filter(|chain| chain[0].contains(".rn.f16x2.e") || chain[0].contains("ue8m0x2"))
    {
        let forms = forms(chain);
        let bits = forms[0].source().format().bits();
        for tier in Tier::available() {
            let chain = Chain::with_tier(&forms, tier).unwrap();
            for place in 0..64_usize {
                let mut codes = vec![0; place];
                codes.extend((0..1_u16 << bits).map(|code| code as u8));
                let expected = composed(&forms, &codes, 0);
                assert!(run(&chain, &forms, &codes, 0, 1).unwrap() == expected, "{forms:?} on {tier}");
                if bits == 4 && place % 2 == 0 {
                    let mut packed = vec![0; codes.len() / 2];
                    pack_codes(&codes, &mut packed).unwrap();
                    let mut result = vec![0; expected.len()];
                    let (extras, spread) = (&[][..], Spread::default());
                    let elements = &packed[..];
                    chain
                        .run(ChainArray { elements, extras, result: &mut result, spread, first: 0 })
                        .unwrap();
                    assert!(result == expected, "{forms:?} on {tier}");
                }
            }
        }
    }
}

#[test]
fn threads_do_not_change_a_chain() {
    for chain in CHAINS {
        let forms = forms(chain);
        let all = elements(&forms[0], (5 << 16) + 7);
        let chain = Chain::new(&forms);
        let one = run(&chain, &forms, &all, 8, 1).unwrap();
        for threads in [2, 3, 16] {
            assert!(run(&chain, &forms, &all, 8, threads).unwrap() == one, "{forms:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_written() {
    let forms = forms(&["cvt.rs.satfinite.e4m3x4.f32", "cvt.rn.f16x2.e4m3x2"]);
    let chain = Chain::new(&forms);
    let run = |extras: &[Option<Column<'_>>], results: usize| {
        let mut result = vec![1; results];
        let (elements, spread) = (&[0; 40][..], Spread::default());
        let outcome = chain.run(ChainArray { elements, extras, result: &mut result, spread, first: 0 });
        assert!(outcome.is_ok() || result.iter().all(|byte| *byte == 1));
        outcome
    };
    assert_eq!(run(&[Some(Column::Value(1))], 20), Ok(()));
    assert!(matches!(run(&[], 20), Err(BulkError::Extra { .. })));
    assert!(matches!(run(&[Some(Column::U32(&[1; 2]))], 20), Err(BulkError::Length { .. })));
    assert!(matches!(run(&[Some(Column::Value(1))], 19), Err(BulkError::Length { .. })));
    let codes = self::forms(&["cvt.rn.f16x2.e2m1x2", "cvt.f32.f16"]);
    let outcome = self::run(&Chain::new(&codes), &codes, &[16], 0, 1);
    assert_eq!(outcome, Err(BulkError::NotACode { code: 16 }));
}
