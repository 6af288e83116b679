//! The steps of an evaluation in words.

use ptxcvt::{Form, Modifier};

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
