//! `convert_slice` between all types returns the same results as the functions of the types, on every code and on many
//! f32 and f64.

use ptxcvt::inputs::{SplitMix64, edges};
use ptxcvt::types::Number;
use ptxcvt::{Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, Format, S2f6, Tf32, Ue5m3, Ue8m0};
use ptxcvt_bulk::{BulkError, Element, convert_slice};

/// Edge cases and random numbers: enough for the kernels, and an odd count, so that an incomplete step remains.
fn f32s() -> Vec<f32> {
    let mut random = SplitMix64::new(2);
    let edges = edges(Format::F32).map(|bits| bits as u32);
    edges.chain((0..10_001).map(|_| random.next_u64() as u32)).map(f32::from_bits).collect()
}

fn f64s() -> Vec<f64> {
    let mut random = SplitMix64::new(2);
    let edges = edges(Format::F64).step_by(31);
    let near = f32s().into_iter().map(|x| f64::from(x).to_bits() + 1);
    edges.chain(near).chain((0..1001).map(|_| random.next_u64())).map(f64::from_bits).collect()
}

fn codes<N: Number>() -> Vec<N> {
    let format = N::FORMAT;
    let step = if format.bits() > 16 { 7 } else { 1 };
    let all =
        (0..1_u64 << format.bits()).step_by(step).map(|code| N::from_code(code << format.low_padding()));
    let repeated = if format.bits() <= 8 { 21 } else { 1 };
    let codes: Vec<N> = all.collect();
    codes.repeat(repeated)[1..].to_vec()
}

fn converted<S: Element, D: Element + Default>(source: &[S]) -> Vec<D> {
    let mut result = vec![D::default(); source.len()];
    convert_slice(source, &mut result).expect("the lengths agree");
    result
}

/// Checks conversions from f32, f64 and the other types to `N`, and from `N` to f32 and f64.
fn check<N: Number + Element>() {
    let format = N::FORMAT;
    for (x, got) in f32s().iter().zip(converted::<f32, N>(&f32s())) {
        assert_eq!(got.to_code(), N::from_f32(*x).to_code(), "{format} {:#x}", x.to_bits());
    }
    for (x, got) in f64s().iter().zip(converted::<f64, N>(&f64s())) {
        assert_eq!(got.to_code(), N::from_f64(*x).to_code(), "{format} {:#x}", x.to_bits());
    }
    let all = codes::<N>();
    for (x, got) in all.iter().zip(converted::<N, f32>(&all)) {
        assert_eq!(got.to_bits(), x.to_f32().to_bits(), "{format} {:#x}", x.to_code());
    }
    for (x, got) in all.iter().zip(converted::<N, f64>(&all)) {
        assert_eq!(got.to_bits(), x.to_f64().to_bits(), "{format} {:#x}", x.to_code());
    }
    fn between<N: Number + Element, D: Number + Element>(all: &[N]) {
        for (x, got) in all.iter().zip(converted::<N, D>(all)) {
            let expected = D::from_f32(x.to_f32());
            assert_eq!(
                got.to_code(),
                expected.to_code(),
                "{} to {}: {:#x}",
                N::FORMAT,
                D::FORMAT,
                x.to_code()
            );
        }
    }
    between::<N, F16>(&all);
    between::<N, Bf16>(&all);
    between::<N, E4m3>(&all);
    between::<N, E2m1>(&all);
}

#[test]
fn every_type() {
    check::<F16>();
    check::<Bf16>();
    check::<Tf32>();
    check::<E5m2>();
    check::<E4m3>();
    check::<E3m2>();
    check::<E2m3>();
    check::<E2m1>();
    check::<S2f6>();
    check::<Ue5m3>();
    check::<Ue8m0>();
}

#[test]
fn host_floats() {
    for (x, got) in f64s().iter().zip(converted::<f64, f32>(&f64s())).filter(|(x, _)| !x.is_nan()) {
        assert_eq!(got.to_bits(), (*x as f32).to_bits());
    }
    for (x, got) in f32s().iter().zip(converted::<f32, f64>(&f32s())).filter(|(x, _)| !x.is_nan()) {
        assert_eq!(got.to_bits(), f64::from(*x).to_bits());
    }
}

/// A column of packed numbers is the results of instructions.
#[test]
fn packed_types_are_columns() {
    let plan = ptxcvt_bulk::Plan::new("cvt.rn.satfinite.e4m3x2.f32".parse().expect("a legal form"));
    let mut results = [ptxcvt::E4m3x2::default(); 2];
    plan.run(&[(&[1.5_f32, 0.0]).into(), (&[1.0_f32, -500.0]).into()], (&mut results).into())
        .expect("two columns");
    assert_eq!(results.map(|packed| packed.to_f32_array()), [[1.0, 1.5], [-448.0, 0.0]]);
}

#[test]
fn lengths() {
    for length in [0, 1, 2, 511, 512, 513, 4095, 4097, 8191] {
        let source = &f32s()[..length];
        let got = converted::<f32, E2m1>(source);
        assert!(source.iter().zip(&got).all(|(x, code)| code.to_bits() == E2m1::from_f32(*x).to_bits()));
    }
    let error = convert_slice(&[1.0_f32; 3], &mut [F16::ZERO; 2]).unwrap_err();
    assert!(matches!(error, BulkError::Length { expected: 6, given: 4, .. }), "{error}");
    assert_eq!(error.to_string(), "`d` must hold 6 bytes to match the others, not 4");
}
