//! `DIGITS` of every number type against all decimals within its range.

use ptxcvt::types::*;

/// Shows a number with this many significant decimal digits: `4.7e-2`.
fn shown(x: f64, digits: u32) -> String {
    format!("{x:.0$e}", digits as usize - 1)
}

/// True if every decimal with this many significant digits, from `least` to `largest`, survives a round trip.
fn survive<N: Number>(digits: u32, least: f64, largest: f64) -> bool {
    let exponents = least.log10().floor() as i32 - 1..=largest.log10().ceil() as i32;
    let significands = 10_u32.pow(digits - 1)..10_u32.pow(digits);
    exponents.into_iter().all(|exponent| {
        significands.clone().all(|significand| {
            let written = significand.to_string();
            let (first, rest) = written.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            let text = format!("{first}{point}{rest}e{exponent}");
            let value: f64 = text.parse().unwrap();
            let Ok(number) = text.parse::<N>() else { panic!("{text} is a number") };
            !(least..=largest).contains(&value) || shown(number.to_f64(), digits) == text
        })
    })
}

/// The number of digits that survive.
fn survivors<N: Number>(least: f64, largest: f64) -> u32 {
    (1..).take_while(|digits| survive::<N>(*digits, least, largest)).count() as u32
}

macro_rules! compare {
    ($($name:ident)*) => {[$((
        stringify!($name),
        $name::MANTISSA_DIGITS,
        $name::DIGITS,
        survivors::<$name>($name::MIN_POSITIVE.to_f64(), $name::MAX.to_f64()),
    )),*]};
}

#[test]
fn as_many_digits_survive() {
    let all = compare!(F16 Bf16 Tf32 E5m2 E4m3 E3m2 E2m3 E2m1 S2f6 Ue5m3 Ue8m0);
    for (name, precision, digits, survivors) in all {
        // With 4 significant bits, a digit gets lost only far beyond the range of these formats.
        let spared = u32::from(precision == 4);
        assert_eq!(survivors, digits + spared, "{name}");
    }
}
