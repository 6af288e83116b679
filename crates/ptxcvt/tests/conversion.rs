//! Compares conversions that are not forms of PTX with a naive search over all codes, and forms with their
//! conversions.

use ptxcvt::forms::Role;
use ptxcvt::{
    Conversion, Extra, Form, Format, Modifier, NanRule, Opcode, Overflow, Rounding, Scale, Subnormals, Value,
};

const DESTINATIONS: [Format; 7] =
    [Format::E4m3, Format::E5m2, Format::E2m3, Format::E3m2, Format::E2m1, Format::Ue5m3, Format::Bf16];
const ROUNDINGS: [Rounding; 5] = [Rounding::Rn, Rounding::Rna, Rounding::Rz, Rounding::Rm, Rounding::Rp];
const OVERFLOWS: [Overflow; 3] = [Overflow::Saturate, Overflow::Ieee, Overflow::InfinityOrNan];

/// The non-negative finite numbers of a format in order, each with its code.
fn numbers(format: Format) -> Vec<(f64, u64)> {
    let codes = (0..=format.max_finite()).map(|code| (format.decode(code).to_f64(), code));
    codes.filter(|(value, _)| value.is_finite()).collect()
}

/// Rounds by searching: finds the two numbers around the magnitude. The next value beyond the range counts as
/// a number.
fn searched(format: Format, numbers: &[(f64, u64)], x: f64, rounding: Rounding, overflow: Overflow) -> u64 {
    let (negative, x) = if format.is_signed() { (x.is_sign_negative(), x.abs()) } else { (false, x.abs()) };
    let sign = if negative { format.sign_bit() } else { 0 };
    let (largest, largest_code) = numbers[numbers.len() - 1];
    // The next number if the format had one: the distance of the two largest numbers above the largest.
    let beyond = 2.0 * largest - numbers[numbers.len() - 2].0;
    let special =
        format.infinity().map(|infinity| sign | infinity).or(format.nan()).unwrap_or(sign | largest_code);
    let upper = numbers.partition_point(|(value, _)| *value < x);
    let (above, above_code) = numbers.get(upper).copied().unwrap_or((beyond, u64::MAX));
    if above == x && above_code != u64::MAX {
        return sign | above_code;
    }
    let (below, below_code) = numbers[upper - 1];
    let even = below_code % 2 == 0;
    let up = match rounding {
        Rounding::Rn => x - below > above - x || x - below == above - x && !even,
        Rounding::Rna => x - below >= above - x,
        Rounding::Rm => negative,
        Rounding::Rp => !negative,
        _ => false,
    };
    // Above the first number that is too large, for any rounding.
    let too_large = above_code == u64::MAX && (up || x >= beyond);
    match overflow {
        _ if !too_large => sign | if up { above_code } else { below_code },
        Overflow::Saturate => sign | largest_code,
        Overflow::Ieee if matches!(rounding, Rounding::Rn | Rounding::Rna) || up => special,
        Overflow::Ieee => sign | largest_code,
        _ => special,
    }
}

#[test]
fn every_f16_to_narrow_formats_by_search() {
    for destination in DESTINATIONS {
        let numbers = numbers(destination);
        for rounding in ROUNDINGS {
            for overflow in OVERFLOWS {
                let conversion =
                    Conversion::new(Format::F16, destination).rounding(rounding).overflow(overflow);
                for code in 0..0x1_0000 {
                    let Value::Finite(x) = Format::F16.decode(code) else { continue };
                    let expected = searched(destination, &numbers, x.to_f64(), rounding, overflow);
                    assert_eq!(conversion.eval(code), expected, "{conversion}: {code:#06x}");
                }
            }
        }
    }
}

/// A cast to FP8 as in machine-learning frameworks: NaN above 464, ties to even.
#[test]
fn a_cast_without_saturation() {
    let cast = Conversion::new(Format::F32, Format::E4m3).overflow(Overflow::InfinityOrNan);
    let eval = |x: f32| cast.eval(x.to_bits().into());
    assert_eq!(
        [448.0, 464.0, 464.1, f32::INFINITY, f32::NAN, -1e9].map(eval),
        [0x7e, 0x7e, 0x7f, 0x7f, 0x7f, 0x7f]
    );
    let zeros = cast.source_subnormals(Subnormals::PositiveZero).result_subnormals(Subnormals::Zero);
    let eval = |x: f32| zeros.eval(x.to_bits().into());
    assert_eq!([0.015, -0.015, 0.0156, 0.015625, -1e-45].map(eval), [0x00, 0x80, 0x08, 0x08, 0x00]);
    let max = Conversion::new(Format::F32, Format::E4m3).nan(NanRule::MaxNorm);
    assert_eq!(max.eval(0x7fc0_0000), 0x7e);
}

/// A form packs the results of its conversion.
#[test]
fn forms_name_conversions() {
    let mut seen = 0;
    for form in Form::all().filter(|form| form.opcode() == Opcode::Cvt && form.lanes() == 1) {
        let conversion = form.conversion();
        assert_eq!(
            (conversion.source(), conversion.destination()),
            (form.source().format(), form.destination().format())
        );
        assert!(!form.operands().any(|operand| operand.role == Role::ScaleFactor));
        for operands in ptxcvt::inputs::operands(&form, 20, 1).step_by(97) {
            assert_eq!(
                form.eval(&operands[..1]),
                Ok(conversion.eval(operands[0])),
                "{form} {:#x}",
                operands[0]
            );
            seen += 1;
        }
    }
    assert!(seen > 100_000, "{seen}");
}

#[test]
fn scales_and_random_bits() {
    let form: Form = "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32".parse().unwrap();
    let conversion =
        Conversion::new(Format::F32, Format::E4m3).overflow(Overflow::Saturate).scale(Scale::Divide);
    assert_eq!(form.conversion(), conversion.source_subnormals(Subnormals::PositiveZero));
    let x = 3_f32.to_bits().into();
    let extra = Extra { scale: 0x80, ..Extra::default() };
    let both = conversion.eval_with(x, extra);
    assert_eq!(form.eval(&[x, x, 0x80]), Ok(both << 8 | both));

    // The share of random fields that round up equals the discarded part.
    let stochastic = Conversion::new(Format::F32, Format::E2m1).stochastic(4);
    let up = (0..16).filter(|random| {
        stochastic.eval_with(1.125_f32.to_bits().into(), Extra { random: *random, ..Extra::default() }) == 0x3
    });
    assert_eq!(up.count(), 4);
    let relu: Form = "cvt.rs.relu.f16x2.f32".parse().unwrap();
    assert!(relu.has(Modifier::Relu) && relu.conversion().random_bits() == 13);
}

#[test]
fn conversions_with_the_same_rules_are_equal() {
    for form in Form::all() {
        let own = form.conversion();
        let rules = own.rules();
        let built = Conversion::new(own.source(), own.destination())
            .stochastic(8)
            .rounding(rules.rounding)
            .overflow(rules.overflow)
            .nan(rules.nan)
            .source_subnormals(rules.source_subnormals)
            .result_subnormals(rules.result_subnormals)
            .clamp(rules.clamp)
            .scale(rules.scale);
        let built = if rules.positive_zero { built.positive_zero() } else { built };
        let built = if own.random_bits() > 0 { built.stochastic(own.random_bits()) } else { built };
        assert_eq!(built, own, "{form}");
    }
    let random = Conversion::new(Format::F32, Format::F16).rounding(Rounding::Rs);
    assert_eq!(random, Conversion::new(Format::F32, Format::F16).stochastic(16));
}
