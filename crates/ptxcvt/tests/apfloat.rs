//! Compares the reference with LLVM's arbitrary-precision floats (`rustc_apfloat`), which share no code with
//! it: f16, bf16, f32, f64, e4m3, e5m2 and the integers under every directed rounding.

use ptxcvt::formats::Kind;
use ptxcvt::{Form, Format, Modifier, Opcode, Rounding, inputs};
use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

const RANDOM: usize = 20_000;

fn round(rounding: Option<Rounding>) -> Option<Round> {
    Some(match rounding {
        None | Some(Rounding::Rn | Rounding::Rni) => Round::NearestTiesToEven,
        Some(Rounding::Rz | Rounding::Rzi) => Round::TowardZero,
        Some(Rounding::Rm | Rounding::Rmi) => Round::TowardNegative,
        Some(Rounding::Rp | Rounding::Rpi) => Round::TowardPositive,
        Some(Rounding::Rna) => Round::NearestTiesToAway,
        Some(_) => return None,
    })
}

fn is_covered(format: Format) -> bool {
    use Format::{Bf16, E4m3, E5m2, F16, F32, F64};
    (format.is_integer() && format.bits() >= 8) || [F16, Bf16, F32, F64, E4m3, E5m2].contains(&format)
}

/// A source code as a double, decoded by apfloat; every covered float format fits a double exactly.
fn widen(format: Format, bits: u64) -> Double {
    let bits = u128::from(bits);
    let lost = &mut false;
    match format {
        Format::F16 => Half::from_bits(bits).convert(lost).value,
        Format::Bf16 => BFloat::from_bits(bits).convert(lost).value,
        Format::F32 => Single::from_bits(bits).convert(lost).value,
        Format::F64 => Double::from_bits(bits),
        Format::E4m3 => Float8E4M3FN::from_bits(bits).convert(lost).value,
        Format::E5m2 => Float8E5M2::from_bits(bits).convert(lost).value,
        other => unreachable!("{other}"),
    }
}

/// Rounds a finite double to `format`; returns the code and whether it overflowed.
fn narrow(format: Format, x: Double, round: Round) -> (u64, bool) {
    fn to<F: Float>(x: Double, round: Round) -> (u64, bool)
    where
        Double: FloatConvert<F>,
    {
        let result = x.convert_r(round, &mut false);
        (result.value.to_bits() as u64, result.status.contains(Status::OVERFLOW) || result.value.is_nan())
    }
    match format {
        Format::F16 => to::<Half>(x, round),
        Format::Bf16 => to::<BFloat>(x, round),
        Format::F32 => to::<Single>(x, round),
        Format::F64 => to::<Double>(x, round),
        Format::E4m3 => to::<Float8E4M3FN>(x, round),
        Format::E5m2 => to::<Float8E5M2>(x, round),
        other => unreachable!("{other}"),
    }
}

/// Converts an integer to `format` with apfloat's own conversion.
fn from_integer(format: Format, value: i128, round: Round) -> u64 {
    match format {
        Format::F16 => Half::from_i128_r(value, round).value.to_bits() as u64,
        Format::Bf16 => BFloat::from_i128_r(value, round).value.to_bits() as u64,
        Format::F32 => Single::from_i128_r(value, round).value.to_bits() as u64,
        Format::F64 => Double::from_i128_r(value, round).value.to_bits() as u64,
        other => unreachable!("{other}"),
    }
}

/// The result of apfloat for one element; `None` for NaN, which does not depend on rounding.
fn expected(form: &Form, source: u64) -> Option<u64> {
    let (from, to) = (form.source().format(), form.destination().format());
    let mode = round(form.rounding())?;
    let width = to.bits();
    let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
    if from.is_integer() {
        let Kind::Integer { signed } = from.parameters().kind else { unreachable!() };
        let shift = 64 - from.bits();
        let value = if signed { i128::from((source << shift) as i64 >> shift) } else { i128::from(source) };
        return Some(from_integer(to, value, mode));
    }
    let x = widen(from, source);
    if x.is_nan() {
        return None;
    }
    if to.is_integer() {
        let exact = &mut false;
        // apfloat clamps out-of-range numbers, too.
        return Some(if to.is_signed() {
            x.to_i128_r(width as usize, mode, exact).value as u64 & mask
        } else {
            x.to_u128_r(width as usize, mode, exact).value as u64 & mask
        });
    }
    if form.has(Modifier::Relu) && x.is_negative() {
        return Some(0);
    }
    let sign = if x.is_negative() { to.sign_bit() } else { 0 };
    if from == to {
        // To an integral value; unchanged if the form has no rounding.
        let value = if form.rounding().is_some() { x.round_to_integral(mode).value } else { x };
        return Some(narrow(to, value, mode).0);
    }
    let (code, overflowed) = narrow(to, x, mode);
    let beyond = overflowed || x.is_infinite();
    Some(if beyond && form.has(Modifier::Satfinite) { sign | to.max_finite() } else { code })
}

/// The forms that apfloat can evaluate.
fn is_comparable(form: &Form) -> bool {
    use Modifier::{Ftz, Pzo, Sat, ScaledN1, ScaledN2};
    form.opcode() == Opcode::Cvt
        && ![Ftz, Sat, Pzo, ScaledN1, ScaledN2].iter().any(|m| form.has(*m))
        && round(form.rounding()).is_some()
        && is_covered(form.source().format())
        && is_covered(form.destination().format())
        && !(form.source().format().is_integer() && form.destination().format().is_integer())
}

#[test]
fn every_element_equals_apfloat() {
    let (mut forms, mut elements) = (0, 0_u64);
    let mut record = String::from("# Elements that equal apfloat's results, by form.\n");
    for form in Form::all().filter(is_comparable) {
        forms += 1;
        let before = elements;
        for operands in inputs::operands(&form, RANDOM, 1) {
            let explanation = form.explain(&operands[..form.source_count()]).unwrap();
            for element in explanation.elements() {
                let Some(expected) = expected(&form, element.source) else { continue };
                elements += 1;
                assert_eq!(
                    element.result,
                    expected,
                    "{form} of {:#x} ({}): ours left, apfloat right",
                    element.source,
                    element.source_value()
                );
            }
        }
        record.push_str(&format!("{form}\t{}\n", elements - before));
    }
    println!("{forms} forms, {elements} elements");
    // Detects a filter that excludes everything.
    assert!(forms >= 383 && elements > 91_000_000, "{forms} forms, {elements} elements");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/records/apfloat.tsv");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, &record).unwrap();
    }
    let recorded = std::fs::read_to_string(path).unwrap_or_default();
    assert!(recorded == record, "{path} is out of date; run with BLESS=1");
}
