//! A watched run returns the results of an ordinary run, and whether the elements include NaN or infinity, at any
//! position.

use ptxcvt::{Form, Format};
use ptxcvt_bulk::{Array, Chain, ChainArray, NonFinite, Plan, Spread, Tier};

/// Kernels that report, others, and several conversions.
const CHAINS: &[&[&str]] = &[
    &["cvt.rni.s8.f32"],
    &["cvt.rzi.u8.f32"],
    &["cvt.rmi.s16.f32"],
    &["cvt.rpi.u16.f32"],
    &["cvt.rni.ftz.s32.f32"],
    &["cvt.rpi.ftz.s32.f32"],
    &["cvt.rmi.ftz.s8.f32"],
    &["cvt.rzi.u32.f32"],
    &["cvt.rzi.s32.f16"],
    &["cvt.rni.s8.f16"],
    &["cvt.rni.sat.u8.f32"],
    &["cvt.rzi.s32.f64"],
    &["cvt.rni.u32.f64"],
    &["cvt.rmi.s16.f64"],
    &["cvt.rpi.u16.f64"],
    &["cvt.rni.s8.f64"],
    &["cvt.rzi.sat.u8.f64"],
    &["cvt.rn.f16x2.e4m3x2", "cvt.rni.s8.f16"],
    &["cvt.rn.f16x2.e5m2x2", "cvt.rzi.u8.f16"],
    &["cvt.rn.satfinite.e4m3x2.f32"],
    &["cvt.rn.satfinite.e2m1x2.f32"],
    &["cvt.f32.f16", "cvt.rni.s8.f32"],
];

/// Numbers in the range of 32 bits, numbers beyond it, NaN and infinities.
const USUAL: &[f64] = &[0.0, -0.0, 1.5, -2.5, 127.5, -128.5, 300.0, -40_000.0, 65_504.0, 1e-6, 5.9e-8];
const LARGE: &[f64] = &[2_147_483_648.0, -2_147_483_648.0, 2_147_483_520.0, 3e9, -3e9, 1e38, -1e38, f64::MAX];
const SPECIAL: &[f64] = &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

fn bytes(format: Format, x: f64) -> Vec<u8> {
    match format {
        Format::F64 => x.to_le_bytes().to_vec(),
        Format::F32 => (x as f32).to_le_bytes().to_vec(),
        // The nearest code towards zero.
        Format::E4m3 | Format::E5m2 if x.is_nan() => vec![format.nan().expect("NaN") as u8],
        Format::E4m3 | Format::E5m2 => {
            let sign = if x.is_sign_negative() { 0x80 } else { 0 };
            let codes = (0..0x80).filter(|code| !format.decode(*code).is_nan());
            let near = codes.take_while(|code| format.decode(*code).to_f64() <= x.abs()).last();
            vec![near.expect("zero") as u8 | sign]
        }
        _ => {
            let narrow: Form = "cvt.rn.f16.f32".parse().unwrap();
            (narrow.eval(&[u64::from((x as f32).to_bits())]).unwrap() as u16).to_le_bytes().to_vec()
        }
    }
}

#[test]
fn results_and_what_is_found() {
    for chain in CHAINS {
        let forms: Vec<Form> = chain.iter().map(|opcode| opcode.parse().unwrap()).collect();
        let format = forms[0].source().format();
        for count in [0, 2, 62, 1030, 9000] {
            let usual: Vec<Vec<u8>> = (0..count).map(|i| bytes(format, USUAL[i * 7 % USUAL.len()])).collect();
            let rare = [1.0].iter().chain(LARGE).chain(SPECIAL);
            for (number, at) in rare.zip([0, 61, 1029, 4096, 8999].into_iter().cycle()) {
                let mut elements = usual.clone();
                if let Some(element) = elements.get_mut(at) {
                    *element = bytes(format, *number);
                }
                check(&forms, &elements.concat(), count);
            }
        }
    }
}

fn check(forms: &[Form], elements: &[u8], count: usize) {
    let format = forms[0].source().format();
    let bits = |form: &Form| form.destination().format().storage() as usize;
    let mut expected = elements.to_vec();
    for form in forms {
        let mut result = vec![0; count * bits(form) / 8];
        let (extra, result_of, spread) = (None, &mut result[..], false);
        let array = Array { elements: &expected, extra, result: result_of, spread, first: 0 };
        Plan::with_tier(*form, Tier::Reference).unwrap().run_array(array).unwrap();
        expected = result;
    }
    let found = !NonFinite::count(format, elements, 0).is_empty();
    for tier in Tier::available().filter(|tier| *tier != Tier::Reference) {
        for threads in [1, 2] {
            let mut result = vec![0xa5; expected.len()];
            let spread = Spread::default();
            let array = ChainArray { elements, extras: &[], result: &mut result, spread, first: 0 };
            let chain = Chain::with_tier(forms, tier).unwrap();
            assert_eq!(chain.run_watched(array, threads), Ok(found), "{forms:?} on {tier}, {count}");
            assert!(result == expected, "{forms:?} on {tier}, {count}");
        }
    }
}

/// The errors are those of a run.
#[test]
fn lengths_that_do_not_fit() {
    let chain = Chain::new(&["cvt.rni.s8.f32".parse().unwrap()]);
    for (elements, results) in [(&[0; 8][..], 0), (&[0; 8], 3), (&[0; 7], 1), (&[], 1)] {
        let run = |watched: bool| {
            let mut result = vec![0; results];
            let spread = Spread::default();
            let array = ChainArray { elements, extras: &[], result: &mut result, spread, first: 0 };
            if watched { chain.run_watched(array, 1).map(|_| ()) } else { chain.run(array) }
        };
        assert_eq!(run(true), run(false));
        assert!(run(true).is_err());
    }
}
