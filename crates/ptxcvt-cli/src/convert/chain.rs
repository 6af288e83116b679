//! Several conversions one after the other: opcodes joined by `then`, or formats joined by `->`.

use ptxcvt::{Form, Format, Opcode, Value};

use crate::failure::{self, Failure};

/// The conversions that a text names: `f32->e4m3->f32`, `cvt.… then cvt.…`, or one opcode.
pub fn parse(text: &str) -> Result<Vec<Form>, Failure> {
    let forms = if text.contains("->") {
        let formats = text.split("->").map(|name| crate::args::format(name.trim()).map_err(Failure::new));
        let formats: Vec<Format> = formats.collect::<Result<_, _>>()?;
        let routes = formats.windows(2).map(|pair| route(pair[0], pair[1]));
        routes.collect::<Result<Vec<_>, _>>()?.concat()
    } else {
        text.split(" then ").map(|opcode| failure::form(opcode.trim())).collect::<Result<_, _>>()?
    };
    for pair in forms.windows(2) {
        let (between, wanted) = (pair[0].destination().format(), pair[1].source().format());
        if between != wanted {
            let message = format!("`{}` yields {between}, but `{}` takes {wanted}", pair[0], pair[1]);
            return Err(Failure::new(message));
        }
    }
    if forms.len() > 1 && forms.iter().any(|form| form.opcode() == Opcode::CvtPack) {
        return Err(Failure::new(
            "cvt.pack takes registers, not a stream of elements: it has no place in a chain",
        ));
    }
    Ok(forms)
}

/// The conversion from one format to another, to nearest, and with nothing that types do not require; or two, where
/// the first loses nothing.
fn route(from: Format, to: Format) -> Result<Vec<Form>, Failure> {
    let direct = |from, to| Form::between(from, to).form();
    let error = match direct(from, to) {
        Ok(form) => return Ok(vec![form]),
        Err(error) => error,
    };
    let between = [Format::F16, Format::Bf16, Format::F32, Format::F64];
    let two = between.into_iter().filter(|middle| *middle != from && *middle != to).find_map(|middle| {
        Some((direct(from, middle).ok()?, direct(middle, to).ok()?)).filter(|(first, _)| is_exact(first))
    });
    two.map(|(first, second)| vec![first, second]).ok_or_else(|| {
        Failure::new(error.to_string())
            .help("name formats between, as in f64->f32->e4m3, or opcodes, joined by `then`")
    })
}

/// True where every value of a small source passes unchanged.
fn is_exact(form: &Form) -> bool {
    let (source, destination) = (form.source().format(), form.destination().format());
    source.bits() <= 16
        && (0..1_u64 << source.bits()).all(|code| {
            let packed = if form.source().lanes() == 2 { code | code << source.storage() } else { code };
            let operands: Vec<u64> = form.operands().skip(1).map(|_| packed).collect();
            let result = form.eval(&operands).unwrap_or_default();
            let lower = result & u64::MAX >> (64 - destination.storage());
            match (source.decode(code), destination.decode(lower)) {
                (Value::Nan { .. }, Value::Nan { .. }) => true,
                // One number has several significands.
                (Value::Finite(before), Value::Finite(after)) => {
                    before.to_f64().to_bits() == after.to_f64().to_bits()
                }
                (before, after) => before == after,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(text: &str) -> String {
        match parse(text) {
            Ok(forms) => forms.iter().map(Form::to_string).collect::<Vec<_>>().join(" "),
            Err(failure) => failure.into_line().1,
        }
    }

    #[test]
    fn formats_become_the_plainest_forms() {
        assert_eq!(chain("f32->e4m3"), "cvt.rn.satfinite.e4m3x2.f32");
        assert_eq!(chain("f32->e4m3->f32"), "cvt.rn.satfinite.e4m3x2.f32 cvt.rn.f16x2.e4m3x2 cvt.f32.f16");
        assert_eq!(chain("f32 -> bf16 -> f32"), "cvt.rn.bf16.f32 cvt.f32.bf16");
        assert_eq!(chain("f32->s8"), "cvt.rni.s8.f32");
        assert!(chain("f64->e4m3").starts_with("there is no conversion from f64 to e4m3"));
        assert!(chain("f64->f32->e4m3").starts_with("cvt.rn.f32.f64 cvt.rn.satfinite"));
    }

    #[test]
    fn opcodes_must_fit_together() {
        assert_eq!(chain("cvt.rn.f16.f32 then cvt.f32.f16"), "cvt.rn.f16.f32 cvt.f32.f16");
        assert_eq!(
            chain("cvt.rn.f16.f32 then cvt.f32.bf16"),
            "`cvt.rn.f16.f32` yields f16, but `cvt.f32.bf16` takes bf16"
        );
    }
}
