//! Compares the facts of formats with those of `ml_dtypes.finfo` (version 0.6.0, Python).

use ptxcvt::Format;

/// A format by ml_dtypes' name: max, min, smallest_normal, smallest_subnormal, eps; maxexp, minexp, nmant,
/// nexp.
type Facts = (&'static str, [f64; 5], [i64; 4]);

#[rustfmt::skip]
const FACTS: &[Facts] = &[
    ("float8_e4m3fn", [448.0, -448.0, 0.015625, 0.001953125, 0.125], [9, -6, 3, 4]),
    ("float8_e5m2", [57344.0, -57344.0, 6.103515625e-05, 1.52587890625e-05, 0.25], [16, -14, 2, 5]),
    ("float6_e2m3fn", [7.5, -7.5, 1.0, 0.125, 0.125], [3, 0, 3, 2]),
    ("float6_e3m2fn", [28.0, -28.0, 0.25, 0.0625, 0.25], [5, -2, 2, 3]),
    ("float4_e2m1fn", [6.0, -6.0, 1.0, 0.5, 0.5], [3, 0, 1, 2]),
    ("bfloat16", [3.3895313892515355e+38, -3.3895313892515355e+38, 1.1754943508222875e-38, 9.183549615799121e-41, 0.0078125], [128, -126, 7, 8]),
    ("float16", [65504.0, -65504.0, 6.103515625e-05, 5.960464477539063e-08, 0.0009765625], [16, -14, 10, 5]),
    ("float32", [3.4028234663852886e+38, -3.4028234663852886e+38, 1.1754943508222875e-38, 1.401298464324817e-45, 1.1920928955078125e-07], [128, -126, 23, 8]),
    ("float64", [1.7976931348623157e+308, -1.7976931348623157e+308, 2.2250738585072014e-308, 5e-324, 2.220446049250313e-16], [1024, -1022, 52, 11]),
    // Unsigned and without zero: the least number is the smallest positive one.
    ("float8_e8m0fnu", [1.7014118346046923e+38, 5.877471754111438e-39, 5.877471754111438e-39, 5.877471754111438e-39, 1.0], [128, -127, 0, 8]),
];

#[test]
fn facts() {
    for (name, numbers, exponents) in FACTS {
        let format = Format::from_name(name).expect("a format of ours");
        let value = |code: u64| format.decode(code).to_f64();
        let ours = [
            value(format.max_finite()),
            value(format.min_finite()),
            value(format.min_normal()),
            value(format.min_positive()),
            value(format.epsilon().expect("no integer")),
        ];
        assert_eq!(&ours, numbers, "{name}");
        let ours: [i64; 4] = [
            format.max_exponent().into(),
            format.min_exponent().into(),
            format.fraction_bits().into(),
            format.exponent_bits().into(),
        ];
        assert_eq!(&ours, exponents, "{name}");
    }
}

/// Checks the facts against their definitions, code by code, for every format of up to 16 bits.
#[test]
fn facts_of_every_code() {
    for format in Format::ALL.iter().copied().filter(|f| f.bits() <= 16) {
        let codes = || (0..1_u64 << format.bits()).map(|code| (code, format.decode(code).to_f64()));
        let finite = || codes().filter(|(_, x)| x.is_finite());
        let least = |chosen: &mut dyn Iterator<Item = (u64, f64)>| {
            chosen.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(code, _)| code)
        };
        let greatest = finite().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(code, _)| code);
        assert_eq!(greatest, Some(format.max_finite()), "{format}");
        assert_eq!(least(&mut finite()), Some(format.min_finite()), "{format}");
        assert_eq!(least(&mut finite().filter(|c| c.1 > 0.0)), Some(format.min_positive()), "{format}");
        assert_eq!(format.decode(format.one()).to_f64(), 1.0, "{format}");
        let next = finite().map(|c| c.1).filter(|x| *x > 1.0).min_by(f64::total_cmp);
        if let (Some(epsilon), Some(next)) = (format.epsilon(), next) {
            assert_eq!(format.decode(epsilon).to_f64(), next - 1.0, "{format}");
        }
        assert_eq!(codes().any(|(_, x)| x == f64::INFINITY), format.infinity().is_some(), "{format}");
        assert_eq!(codes().any(|(_, x)| x.is_nan()), format.nan().is_some(), "{format}");
        assert!(format.infinity().is_none_or(|code| format.decode(code).to_f64() == f64::INFINITY));
        assert!(format.nan().is_none_or(|code| format.decode(code).to_f64().is_nan()));
    }
}
