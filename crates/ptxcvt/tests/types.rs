//! The number types against the reference: every code, f32 and f64 at the edges, at random and in strides.
//!
//! `types_exhaustive.rs` takes all 2^32 f32.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::num::FpCategory;

use ptxcvt::inputs::{SplitMix64, edges};
use ptxcvt::types::*;
use ptxcvt::{Conversion, Form, Format, NanRule, Overflow, Rounding, Value};

/// Calls a generic function for every type, with the form that its `from_f32` follows.
macro_rules! for_all {
    ($test:ident) => {
        for_all!($test:
            F16 Bf16 Tf32 E5m2 E4m3 E3m2 E2m3 E2m1 S2f6 Ue5m3 Ue8m0
        )
    };
    ($test:ident: $($name:ident)*) => {
        [$($test::<$name>($name::FROM_F32)),*]
    };
}

/// The codes of a format, as a register holds them.
fn codes(format: Format) -> impl Iterator<Item = u64> {
    (0..1_u64 << format.bits()).map(move |code| code << format.low_padding())
}

/// The conversion of a form.
fn conversion_of(form: &str) -> Conversion {
    form.parse::<Form>().expect("the form is legal").conversion()
}

/// Every format except the integers, f32 and f64 has a type.
#[test]
fn every_format_has_a_type() {
    fn format<N: Number>(_: &str) -> Format {
        N::FORMAT
    }
    let mut formats = for_all!(format);
    formats.sort();
    let wide = [Format::F32, Format::F64];
    let expected = Format::ALL.iter().copied().filter(|f| !f.is_integer() && !wide.contains(f));
    assert!(expected.eq(formats));
}

#[test]
fn every_code_to_f32_and_f64() {
    fn test<N: Number>(_: &str) {
        for code in codes(N::FORMAT) {
            let (number, value) = (N::from_code(code), N::FORMAT.decode(code));
            assert_eq!(number.to_code(), code);
            match value {
                // bf16 and tf32 are parts of an f32, so a move does not change them.
                Value::Nan { .. } if matches!(N::FORMAT, Format::Bf16 | Format::Tf32) => {
                    let bits = code << (32 - N::FORMAT.storage());
                    assert_eq!(u64::from(number.to_f32().to_bits()), bits, "{} {code:#x}", N::FORMAT);
                }
                Value::Nan { .. } => {
                    assert_eq!(number.to_f32().to_bits(), 0x7fff_ffff, "{} {code:#x}", N::FORMAT)
                }
                _ => assert_eq!(
                    f64::from(number.to_f32()).to_bits(),
                    value.to_f64().to_bits(),
                    "{} {code:#x}",
                    N::FORMAT
                ),
            }
            let wide = Conversion::new(N::FORMAT, Format::F64).nan(NanRule::Quieted).eval(code);
            assert_eq!(number.to_f64().to_bits(), wide, "{} {code:#x}", N::FORMAT);
            if !matches!(value, Value::Nan { .. }) {
                let ieee = N::from_f32_with(number.to_f32(), Rounding::Rz, Overflow::Ieee);
                assert_eq!(ieee.to_code(), code, "{}", N::FORMAT);
            }
        }
    }
    for_all!(test);
}

/// Bits outside the code are ignored.
#[test]
fn foreign_bits() {
    assert_eq!(E2m1::from_bits(0xf3).to_bits(), 0x3);
    assert_eq!(E2m3::from_bits(0xc8), E2m3::ONE);
    assert_eq!(Tf32::from_bits(0x3f80_1fff).to_f32(), 1.0);
}

/// `from_f32` returns the bits of the form, `from_f32_with` those of the conversion.
#[test]
fn f32_at_the_edges_and_in_strides() {
    fn test<N: Number>(form: &str) {
        let conversion = conversion_of(form);
        // Odd, so that every last place occurs.
        let strides = (0..u64::from(u32::MAX)).step_by(20_011);
        for bits in edges(Format::F32).chain(strides) {
            let x = f32::from_bits(bits as u32);
            assert_eq!(N::from_f32(x).to_code(), conversion.eval(bits), "{form} {bits:#010x}");
        }
    }
    for_all!(test);
}

/// One rounding, of f64 as of f32; NaN keeps its payload where PTX has a form.
#[test]
fn f64_at_the_edges_and_at_random() {
    fn test<N: Number>(form: &str) {
        let narrow = conversion_of(form);
        let payload = matches!(N::FORMAT, Format::F16 | Format::Bf16);
        let rounding = if N::FORMAT == Format::Ue8m0 { Rounding::Rp } else { Rounding::Rn };
        let overflow = if form.contains("satfinite") { Overflow::Saturate } else { Overflow::Ieee };
        let conversion = Conversion::new(Format::F64, N::FORMAT).rounding(rounding).overflow(overflow);
        let conversion = if payload { conversion.nan(NanRule::Quieted) } else { conversion };
        let mut random = SplitMix64::new(3);
        let mut check = |bits: u64| {
            let x = f64::from_bits(bits);
            assert_eq!(N::from_f64(x).to_code(), conversion.eval(bits), "{form} {bits:#018x}");
        };
        edges(Format::F64).step_by(7).for_each(&mut check);
        for code in codes(N::FORMAT).step_by(if N::FORMAT.bits() > 8 { 61 } else { 1 }) {
            // Midpoints, and f64 just next to them: an f32 in between would round twice.
            let Some(next) = N::FORMAT.next_up(code) else { continue };
            let middle = (N::FORMAT.decode(code).to_f64() + N::FORMAT.decode(next).to_f64()) / 2.0;
            if middle.is_finite() {
                [middle.to_bits() - 1, middle.to_bits(), middle.to_bits() + 1]
                    .into_iter()
                    .for_each(&mut check);
            }
        }
        (0..20_000).for_each(|_| check(random.next_u64()));
        for bits in edges(Format::F32).step_by(11).filter(|bits| !f32::from_bits(*bits as u32).is_nan()) {
            let x = f32::from_bits(bits as u32);
            assert_eq!(N::from_f64(x.into()).to_code(), narrow.eval(bits), "{form} {bits:#010x}");
        }
    }
    for_all!(test);
}

#[test]
fn every_rounding_and_overflow() {
    fn test<N: Number>(_: &str) {
        for &rounding in Rounding::ALL {
            for overflow in [Overflow::Saturate, Overflow::Ieee, Overflow::Nan] {
                let how = ptxcvt::formats::Encoding::new(rounding).overflow(overflow);
                for bits in edges(Format::F32).step_by(13) {
                    let (x, value) = (f32::from_bits(bits as u32), Format::F32.decode(bits));
                    let code = N::FORMAT.encode(value, how);
                    assert_eq!(
                        N::from_f32_with(x, rounding, overflow).to_code(),
                        code,
                        "{} {bits:#x}",
                        N::FORMAT
                    );
                    if !x.is_nan() {
                        assert_eq!(N::from_f64_with(x.into(), rounding, overflow).to_code(), code);
                    }
                }
            }
        }
    }
    for_all!(test);
}

/// Everything that can be computed in constants.
#[test]
fn constants_are_evaluated_at_compile_time() {
    const THIRD: E4m3 = E4m3::from_f64(1.0 / 3.0);
    const BACK: f32 = THIRD.to_f32();
    const UP: E5m2 = E5m2::from_f32_with(1.1, Rounding::Rp, Overflow::Saturate);
    const NAN: E4m3 = E4m3::from_f32_with(1e9, Rounding::Rz, Overflow::Nan);
    const RANDOM: Bf16 = Bf16::from_f32_random(1.003, 0xffff);
    const TABLE: [f32; 16] = {
        let (mut table, mut code) = ([0.0; 16], 0);
        while code < 16 {
            table[code as usize] = E2m1::from_bits(code).to_f32();
            code += 1;
        }
        table
    };
    const _: () = assert!(NAN.is_nan() && THIRD.is_normal() && UP.to_f64() == 1.25);
    assert_eq!((BACK, RANDOM.to_bits(), TABLE[5]), (0.34375, 0x3f81, 3.0));
    assert_eq!(TABLE[15], -6.0);
}

#[test]
fn constants_are_those_of_the_standard_library_and_of_others() {
    assert_eq!(
        (F16::MAX.to_f32(), F16::MIN.to_f32(), F16::EPSILON.to_f32()),
        (65504.0, -65504.0, 0.0009765625)
    );
    assert_eq!((F16::DIGITS, F16::MANTISSA_DIGITS, F16::RADIX), (3, 11, 2));
    assert_eq!((F16::MAX_EXP, F16::MIN_EXP, F16::MAX_10_EXP, F16::MIN_10_EXP), (16, -13, 4, -4));
    assert_eq!((Bf16::DIGITS, Bf16::MAX_EXP, Bf16::MIN_EXP), (2, f32::MAX_EXP, f32::MIN_EXP));
    assert_eq!((Bf16::MAX_10_EXP, Bf16::MIN_10_EXP), (f32::MAX_10_EXP, f32::MIN_10_EXP));
    assert_eq!((Tf32::MAX_10_EXP, Tf32::MIN_10_EXP), (f32::MAX_10_EXP, f32::MIN_10_EXP));
    assert_eq!((E4m3::MAX.to_f32(), E4m3::MIN_POSITIVE.to_f32()), (448.0, 0.015625));
    assert_eq!(E4m3::MIN_POSITIVE_SUBNORMAL.to_f32(), 0.001953125);
    assert_eq!((E4m3::DIGITS, E4m3::MAX_10_EXP, E4m3::MIN_10_EXP), (0, 2, -1));
    assert_eq!(
        (E5m2::INFINITY.to_bits(), E5m2::NEG_INFINITY.to_bits(), E5m2::NAN.to_bits()),
        (0x7c, 0xfc, 0x7f)
    );
    assert_eq!((S2f6::MIN.to_f32(), S2f6::MAX.to_f32(), S2f6::NEG_ONE.to_bits()), (-2.0, 1.984375, 0xc0));
    assert_eq!((Ue8m0::MIN.to_f64(), Ue8m0::MAX.to_f64()), (2_f64.powi(-127), 2_f64.powi(127)));
    assert_eq!((E2m1::EPSILON.to_f32(), E2m3::EPSILON.to_f32(), Ue8m0::EPSILON.to_f32()), (0.5, 0.125, 1.0));
}

/// The order of all codes by value, by IEEE 754's total order, and by neighbours.
#[test]
fn order_and_neighbours() {
    fn test<N: Number + Ordered>(_: &str) {
        let all: Vec<N> =
            codes(N::FORMAT).step_by(if N::FORMAT.bits() > 8 { 37 } else { 1 }).map(N::from_code).collect();
        for pair in all.windows(2).chain(all[..].chunks(2)).filter(|pair| pair.len() == 2) {
            check(pair[0], pair[1]);
        }
        for (i, a) in all.iter().enumerate().step_by(if all.len() > 300 { 97 } else { 1 }) {
            check(*a, *a);
            check(*a, all[all.len() - 1 - i]);
        }
        fn check<N: Number + Ordered>(a: N, b: N) {
            let (x, y) = (a.to_f64(), b.to_f64());
            assert_eq!(a.partial_cmp(&b), x.partial_cmp(&y));
            let total = Ordered::total_cmp(&a, &b);
            // NaN with payload and the NaN of an f64 have the same order, except in formats without a
            // payload.
            if !x.is_nan() || !y.is_nan() {
                assert_eq!(total, x.total_cmp(&y), "{a} {b}");
            }
            assert_eq!(total == Ordering::Equal, a.to_code() == b.to_code());
        }
    }
    for_all!(test);
}

/// The inherent methods of the types, for generic tests.
trait Ordered {
    fn total_cmp(&self, other: &Self) -> Ordering;
    fn classify(self) -> FpCategory;
}
macro_rules! ordered {
    ($($name:ident)*) => {$(
        impl Ordered for $name {
            fn total_cmp(&self, other: &Self) -> Ordering {
                $name::total_cmp(self, other)
            }
            fn classify(self) -> FpCategory {
                $name::classify(self)
            }
        }
    )*};
}
ordered!(
    F16 Bf16 Tf32 E5m2 E4m3 E3m2 E2m3 E2m1 S2f6 Ue5m3 Ue8m0
);

#[test]
fn categories() {
    fn test<N: Number + Ordered>(_: &str) {
        let least = N::FORMAT.decode(N::FORMAT.min_normal()).to_f64();
        for code in codes(N::FORMAT).step_by(if N::FORMAT.bits() > 16 { 17 } else { 1 }) {
            let number = N::from_code(code);
            let x = number.to_f64();
            let expected = match x.abs() {
                x if x.is_nan() => FpCategory::Nan,
                f64::INFINITY => FpCategory::Infinite,
                0.0 => FpCategory::Zero,
                x if x < least => FpCategory::Subnormal,
                _ => FpCategory::Normal,
            };
            assert_eq!(number.classify(), expected, "{} {code:#x}", N::FORMAT);
        }
    }
    for_all!(test);
}

/// Printed numbers parse to the same number; a decimal is rounded once.
#[test]
fn text() {
    fn test<N: Number + Debug>(_: &str) {
        for code in codes(N::FORMAT).step_by(if N::FORMAT.bits() > 8 { 29 } else { 1 }) {
            let number = N::from_code(code);
            let again: N = number.to_string().parse().expect("a number was printed");
            if matches!(N::FORMAT.decode(code), Value::Nan { .. }) {
                assert_eq!(again.to_code(), N::FORMAT.nan().expect("there is NaN"));
            } else {
                assert_eq!(again.to_code(), code, "{number}");
                assert_eq!(format!("{number:?}"), format!("{:?}", number.to_f32()));
            }
        }
        assert_eq!("1.x".parse::<N>().map(N::to_code), Err("1.x".parse::<f32>().unwrap_err()));
    }
    for_all!(test);
    // Just above the midpoint of two bf16: the nearest f32, or f64, is the midpoint itself.
    assert_eq!("1.00390625000000000000000001".parse::<Bf16>().unwrap().to_bits(), 0x3f81);
    assert_eq!(
        ["inf", "1e9", "-1e9"].map(|text| text.parse::<E5m2>().unwrap().to_bits()),
        [0x7c, 0x7c, 0xfc]
    );
    assert_eq!("1e9".parse::<E4m3>().unwrap(), E4m3::MAX);
    assert_eq!(format!("{:e} {:#x} {:08b}", E4m3::MAX, E4m3::MAX, E4m3::ONE), "4.48e2 0x7e 00111000");
    assert_eq!(format!("{:6.2}|{:<6}|", E2m1::from_f32(1.5), E2m1::ONE), "  1.50|1     |");
}

/// Compares operators with the exact result, rounded once by the reference.
#[test]
fn arithmetic() {
    use std::ops::{Add, Div, Mul, Rem, Sub};
    trait Operators:
        Number
        + Add<Output = Self>
        + Sub<Output = Self>
        + Mul<Output = Self>
        + Div<Output = Self>
        + Rem<Output = Self>
    {
    }
    impl<N> Operators for N where
        N: Number + Add<Output = N> + Sub<Output = N> + Mul<Output = N> + Div<Output = N> + Rem<Output = N>
    {
    }

    /// f64 has 53 bits and the exponents: sums of the 8-bit formats and products are exact in it, and everything else is
    /// rounded to it far from a midpoint.
    fn check<N: Operators>(a: N, b: N, overflow: Overflow) {
        let (x, y) = (a.to_f64(), b.to_f64());
        let expected =
            |x: f64| N::from_f64_with(if x.is_nan() { f64::NAN } else { x }, Rounding::Rn, overflow);
        let same = |got: N, x: f64| {
            let nan = x.is_nan() && N::FORMAT.nan().is_some();
            let equal = if nan { got.to_f64().is_nan() } else { got.to_code() == expected(x).to_code() };
            assert!(equal, "{a} {b}: {got} instead of {x}");
        };
        same(a + b, x + y);
        same(a - b, x - y);
        same(a * b, x * y);
        same(a / b, x / y);
        same(a % b, x % y);
    }
    fn pairs<N: Operators>(overflow: Overflow) {
        let mut random = SplitMix64::new(11);
        if N::FORMAT.bits() <= 8 {
            for a in codes(N::FORMAT) {
                codes(N::FORMAT).for_each(|b| check(N::from_code(a), N::from_code(b), overflow));
            }
        }
        let bits = N::FORMAT.bits();
        for n in 0..400_000_u64 {
            let (mut a, mut b) = (random.next_u64(), random.next_u64());
            if n % 2 == 0 {
                // A subnormal product or quotient: the exponents add up to the least one.
                let (field, exponent) = (N::FORMAT.fraction_bits(), N::FORMAT.exponent_bits());
                let bias = (1_u64 << (exponent - 1)) - 1;
                let other = (bias + a % 4).wrapping_sub(a >> field) & ((1 << exponent) - 1);
                b = other << field | b & ((1 << field) - 1);
                a &= (1 << (field + exponent)) - 1;
            }
            let low = N::FORMAT.low_padding();
            let number = |code: u64| N::from_code((code & ((1 << bits) - 1)) << low);
            check(number(a), number(b), overflow);
        }
    }
    pairs::<E4m3>(Overflow::Saturate);
    pairs::<E5m2>(Overflow::Saturate);
    pairs::<E3m2>(Overflow::Saturate);
    pairs::<E2m3>(Overflow::Saturate);
    pairs::<E2m1>(Overflow::Saturate);
    pairs::<F16>(Overflow::Ieee);
    pairs::<Bf16>(Overflow::Ieee);
    pairs::<Tf32>(Overflow::Ieee);
    for a in 0..=255 {
        for b in 0..=255 {
            check(S2f6::from_bits(a), S2f6::from_bits(b), Overflow::Saturate);
        }
    }
    assert_eq!(-S2f6::MIN, S2f6::MAX);
    assert_eq!((-E4m3::NAN).to_bits(), 0xff);
    let mut x = E4m3::from_f32(1.5);
    x += E4m3::ONE;
    x *= &x.clone();
    assert_eq!(x.to_f32(), 6.0); // 6.25 is a tie of 6 and 6.5
    // 16 + 1 is not a number of the format, but the sum is rounded only at the end.
    let ones = [E4m3::ONE; 24];
    assert_eq!(ones.iter().sum::<E4m3>().to_f32(), 24.0);
    assert_eq!(ones.into_iter().product::<E4m3>(), E4m3::ONE);
}

#[test]
fn signs_and_limits() {
    let (x, nan) = (E4m3::from_f32(-1.5), E4m3::NAN);
    assert_eq!((x.abs().to_f32(), x.copysign(E4m3::ONE).to_f32(), x.signum().to_f32()), (1.5, 1.5, -1.0));
    assert_eq!((x.max(nan), nan.max(x), x.min(E4m3::ONE), x.max(E4m3::ONE)), (x, x, x, E4m3::ONE));
    assert_eq!(E4m3::MAX.clamp(x, E4m3::ONE), E4m3::ONE);
    assert!(nan.clamp(x, E4m3::ONE).is_nan() && nan != nan && nan.signum().is_nan());
    assert_eq!(S2f6::MIN.abs(), S2f6::MAX);
    assert_eq!((E4m3::MAX.next_up(), F16::MAX.next_up()), (None, Some(F16::INFINITY)));
    assert!(E4m3::from_f32(-0.0).is_sign_negative() && E4m3::from_f32(-0.0) == E4m3::ZERO);
    assert_eq!(E4m3::from_le_bytes(E4m3::MAX.to_le_bytes()), E4m3::MAX);
    assert_eq!(F16::ONE.to_be_bytes(), [0x3c, 0x00]);
}
