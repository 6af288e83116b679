//! The steps of an evaluation in words.

use ptxcvt::{Element, Exact, Form, Format, Modifier, Outcome, Value, inputs};

fn steps(opcode: &str, source: u64) -> Vec<String> {
    let form: Form = opcode.parse().unwrap();
    let mut operands = [source, 0, 0];
    if form.modifiers().iter().any(Modifier::is_scale) {
        operands[form.source_count() - 1] = 127;
    }
    form.explain(&operands[..form.source_count()]).unwrap().elements()[0].steps()
}

#[test]
fn changed_values_are_not_called_exact() {
    let (tiny, minus_tiny, minus_zero) = (1, 0x8000_0001, 0x8000_0000);
    for (opcode, source, expected) in [
        ("cvt.rn.ftz.f16.f32", tiny, &["subnormal, flushed to zero"][..]),
        ("cvt.rn.ftz.f16.f32", minus_tiny, &["subnormal, flushed to zero"]),
        ("cvt.rzi.ftz.s32.f32", minus_tiny, &["subnormal, flushed to +0"]),
        ("cvt.rn.ftz.f32.f64", 1, &["subnormal, flushed to zero"]),
        ("cvt.rn.relu.f16.f32", 0xc000_0000, &["negative, clamped to +0 by .relu"]),
        ("cvt.rn.relu.f16.f32", minus_zero, &["negative, clamped to +0 by .relu"]),
        ("cvt.rzi.u32.f32", minus_zero, &["-0 became 0: u32 has no negative zero"]),
        ("cvt.sat.f32.f32", minus_zero, &["-0 became +0 by .sat"]),
        ("cvt.rn.satfinite.pzo.e4m3x2.f32", minus_zero, &["-0 became +0 by .pzo"]),
        (
            "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32",
            minus_tiny,
            &["scale 0x7f = 1", "subnormal, flushed to +0"],
        ),
        ("cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32", minus_zero, &["scale 0x7f = 1", "exact"]),
    ] {
        assert_eq!(steps(opcode, source), expected, "{opcode} {source:#x}");
    }
}

/// A result that is called exact, without a scale, has the value and the sign of the source.
#[test]
fn exact_is_equal() {
    for form in Form::all() {
        if form.modifiers().iter().any(Modifier::is_scale) {
            continue;
        }
        let format = form.source().format();
        let sign = format.sign_bit();
        let codes = [0, 1, 2, format.one(), format.one() << 1, 0x7f, 0xff, 0x40, 5 << 20, 3 << 8];
        for code in codes.into_iter().flat_map(|code| [code, code | sign]) {
            let code = code & (u64::MAX >> (64 - format.storage()));
            let operands = [code << (form.source().width() - format.storage()), 0, 0, 0, 0];
            let Ok(explanation) = form.explain(&operands[..form.source_count()]) else { continue };
            let element = explanation.elements()[0];
            if element.steps().last().is_some_and(|step| step == "exact") {
                let (source, result) = (element.source_value(), element.result_value());
                assert_eq!(source.to_f64(), result.to_f64(), "{form} {code:#x}: {:?}", element.steps());
                assert_eq!(source.is_negative(), result.is_negative(), "{form} {code:#x}");
            }
        }
    }
}

/// A number without the common powers of two of its fields.
fn reduced(x: Exact) -> (bool, u64, i32) {
    match x.is_zero() {
        true => (false, 0, 0),
        false => {
            let zeros = x.significand.trailing_zeros();
            (x.negative, x.significand >> zeros, x.exponent + zeros as i32)
        }
    }
}

/// True if two values are the same number; both zeros are.
fn is_same(one: Value, other: Value) -> bool {
    match (one, other) {
        (Value::Finite(one), Value::Finite(other)) => reduced(one) == reduced(other),
        (one, other) => one == other && !one.is_nan(),
    }
}

/// The source after its scale: divided by it where the number becomes narrower.
fn scaled(element: &Element) -> Value {
    match (element.source_value(), element.scale) {
        (Value::Finite(x), Some(scale)) => {
            let power = i32::from(scale) - 127;
            let narrower = element.result_format.storage() < element.source_format.storage();
            let exponent = if narrower { x.exponent - power } else { x.exponent + power };
            Value::Finite(Exact { exponent, ..x })
        }
        (value, _) => value,
    }
}

/// The summary says `exact` if and only if the result is the scaled source, NaN and zeros that lost their sign aside, and
/// every part of it is in the steps, which `ptxcvt eval` prints.
#[test]
fn summary_is_exact_if_and_only_if_the_number_is_the_same() {
    let (mut exact, mut inexact) = (0, 0);
    for form in Form::all() {
        // A step that is prime meets every kind of pattern in the lattice.
        for operands in inputs::operands(&form, 100, 1).step_by(211) {
            let explanation = form.explain(&operands[..form.source_count()]).unwrap();
            for element in explanation.elements() {
                let (summary, steps) = (element.summary(), element.steps().join("; "));
                let about = || format!("{form} {operands:x?}: {summary} ({steps})");
                let (value, result) = (scaled(element), element.result_value());
                if matches!(element.outcome, Outcome::Nan(_)) {
                    assert!(summary.ends_with("NaN") && steps.contains("NaN"), "{}", about());
                    continue;
                }
                let parts: Vec<&str> = summary.split(", ").collect();
                assert!(parts.iter().all(|part| steps.contains(part)), "{}", about());
                let says_exact = parts.last() == Some(&"exact");
                if matches!(value, Value::Finite(x) if x.is_zero()) {
                    let keeps_sign = value.is_negative() == result.is_negative();
                    assert_eq!(says_exact, is_same(value, result) && keeps_sign, "{}", about());
                } else {
                    assert_eq!(says_exact, is_same(value, result), "{}", about());
                }
                // Without a scale before it, `exact` is about the source itself.
                if summary == "exact" {
                    assert!(is_same(element.source_value(), result), "{}", about());
                }
                *if says_exact { &mut exact } else { &mut inexact } += 1;
            }
        }
    }
    assert!(exact > 10_000 && inexact > 10_000, "{exact} {inexact}");
}

#[test]
fn summaries() {
    let f32 = |x: f32| u64::from(x.to_bits());
    for (opcode, source, expected) in [
        ("cvt.rn.satfinite.relu.e4m3x2.f32", f32(-1.5), "clamped to +0 by .relu"),
        ("cvt.rn.relu.f16x2.e4m3x2", 0xb8b8, "clamped to +0 by .relu"),
        ("cvt.rn.ftz.f16.f32", 1, "flushed to zero"),
        ("cvt.rzi.ftz.u32.f32", 1, "flushed to zero"),
        ("cvt.rn.satfinite.pzo.e4m3x2.f32", f32(-0.0), "-0 became +0 by .pzo"),
        ("cvt.rn.satfinite.pzo.e4m3x2.f32", f32(-1e-9), "rounded up, -0 became +0 by .pzo"),
        ("cvt.rp.satfinite.ue8m0x2.f32", f32(-2.0), "sign dropped"),
        ("cvt.rp.satfinite.ue8m0x2.f32", f32(-3.0), "sign dropped, rounded up"),
        ("cvt.rn.satfinite.e2m1x2.f32", f32(2.5), "halfway, rounded down, to the even one"),
        ("cvt.rna.tf32.f32", 0x3f80_1000, "halfway, rounded up, away from zero"),
        ("cvt.rn.f16.f32", f32(f32::NAN), "NaN"),
        ("cvt.rn.f16.f32", f32(1e9), "overflowed"),
        ("cvt.rn.f16.f32", f32(-0.0), "exact"),
        ("cvt.u8.s32", 300, "wrapped"),
        ("cvt.rzi.u32.f32", f32(-0.0), "-0 became 0"),
    ] {
        let form: Form = opcode.parse().unwrap();
        let explanation = form.explain(&[source; 2][..form.source_count()]).unwrap();
        assert_eq!(explanation.elements()[0].summary(), expected, "{opcode} {source:#x}");
    }
    let scaled: Form = "cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32".parse().unwrap();
    for (scale, expected) in [(127, "exact"), (128, "scale 0x80 = 2, exact"), (255, "NaN")] {
        let explanation = scaled.explain(&[f32(1.5), 0, scale]).unwrap();
        let summaries: Vec<String> = explanation.elements().iter().map(Element::summary).collect();
        assert_eq!(summaries, [expected, if scale == 255 { "NaN" } else { "exact" }], "{scale}");
        assert_eq!(Format::Ue8m0.decode(128).to_f64(), 2.0);
    }
}
