//! Several conversions one after the other: opcodes joined by `then`, or formats joined by `->`. Reads these formats.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::between::Between;
use super::form::Form;
use super::opcode::Opcode;
use super::refusal::Refusal;
use crate::bits::mask;
use crate::error::Code;
use crate::exact::Value;
use crate::formats::Format;
use crate::text::clip;
use crate::types::Type;

/// Signs between the names of formats.
const ARROWS: [&str; 2] = ["->", "→"];

/// True if a text joins names of formats by `->` or `→`, so that [`path`] reads it.
///
/// ```
/// use ptxcvt::forms::is_path;
/// assert!(is_path("f32 -> e4m3") && !is_path("cvt.rn.f16.f32"));
/// ```
pub fn is_path(text: &str) -> bool {
    ARROWS.iter().any(|arrow| text.contains(arrow))
}

/// Reads names of formats that are joined by `->` or `→`: two or more. A packed type names the format of its elements.
///
/// ```
/// use ptxcvt::{Format, forms::path};
/// assert_eq!(path("float32 -> .E4M3")?, [Format::F32, Format::E4m3]);
/// assert_eq!(path("f32->e4m3x2")?, path("f32->e4m3")?);
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
///
/// # Errors
///
/// Fails if the text has no arrow, or a name is not a format.
pub fn path(text: &str) -> Result<Vec<Format>, Refusal> {
    if !is_path(text) {
        let message = format!("`{}` is not a conversion such as `f32->e4m3`", clip(text));
        return Err(Refusal::new(Code::Chain, message));
    }
    let read = |name: &str| {
        Type::read_format(name).map_err(|unknown| Refusal::new(unknown.code(), unknown.to_string()))
    };
    text.split(ARROWS[0]).flat_map(|part| part.split(ARROWS[1])).map(read).collect()
}

/// The conversions in a text: `f32->e4m3->f32`, `cvt.… then cvt.…`, or one opcode.
///
/// ```
/// use ptxcvt::forms::chain;
/// let forms = chain("float32 -> e4m3 -> f32")?;
/// let spelled: Vec<String> = forms.iter().map(|form| form.to_string()).collect();
/// assert_eq!(spelled, ["cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.f16x2.e4m3x2", "cvt.f32.f16"]);
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
///
/// # Errors
///
/// Fails if an opcode is not a legal form or a name is not a format. Also fails if no conversion leads from one format to
/// the next, or if the result of one conversion is not the source of the next.
pub fn chain(text: &str) -> Result<Vec<Form>, Refusal> {
    chain_with(text, |wanted| wanted)
}

/// Like [`chain`], with a choice of rounding and modifiers for every conversion that is named by its formats. If such a
/// conversion takes two steps, the first is exact and the choice is made for the second.
///
/// ```
/// use ptxcvt::Rounding;
/// use ptxcvt::forms::chain_with;
/// let forms = chain_with("f32->bf16", |wanted| wanted.rounding(Rounding::Rz).saturate())?;
/// assert_eq!(forms[0].to_string(), "cvt.rz.satfinite.bf16.f32");
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
///
/// # Errors
///
/// As [`chain`].
pub fn chain_with(text: &str, choose: impl Fn(Between) -> Between) -> Result<Vec<Form>, Refusal> {
    let forms = if is_path(text) {
        let formats = path(text)?;
        let routes = formats.windows(2).map(|pair| route(pair[0], pair[1], &choose));
        routes.collect::<Result<Vec<_>, _>>()?.concat()
    } else {
        text.split(" then ").map(|opcode| opcode.trim().parse()).collect::<Result<_, _>>()?
    };
    for pair in forms.windows(2) {
        let (between, wanted) = (pair[0].destination().format(), pair[1].source().format());
        if between != wanted {
            let message = format!("`{}` returns {between}, but `{}` converts {wanted}", pair[0], pair[1]);
            return Err(Refusal::new(Code::Chain, message));
        }
    }
    if forms.len() > 1 && forms.iter().any(|form| form.opcode() == Opcode::CvtPack) {
        let message =
            "cvt.pack works on registers, not on a stream of elements: it cannot be part of a chain";
        return Err(Refusal::new(Code::Chain, message));
    }
    Ok(forms)
}

/// The conversion from one format to another, to nearest, with required modifiers only; or two conversions, the first
/// of which is exact.
fn route(from: Format, to: Format, choose: &impl Fn(Between) -> Between) -> Result<Vec<Form>, Refusal> {
    let chosen = |from, to| choose(Form::between(from, to)).form();
    let error = match chosen(from, to) {
        Ok(form) => return Ok(Vec::from([form])),
        Err(error) => error,
    };
    let between = [Format::F16, Format::Bf16, Format::F32, Format::F64];
    let two = between.into_iter().filter(|middle| *middle != from && *middle != to).find_map(|middle| {
        let first = Form::between(from, middle).form().ok().filter(is_exact)?;
        Some((first, chosen(middle, to).ok()?))
    });
    // Two steps cannot replace a direct conversion whose chosen rounding or modifier is illegal.
    let direct = Form::between(from, to).form().is_ok();
    two.filter(|_| !direct).map(|(first, second)| Vec::from([first, second])).ok_or_else(|| {
        let refusal = Refusal::new(error.code(), error.to_string());
        // Formats on the way help if there is no conversion from one to the other.
        match error.help() {
            Some(help) if direct || error.code() != Code::TypePair => refusal.with_help(help),
            _ => refusal
                .with_help("name intermediate formats, as in f64->f32->e4m3, or opcodes, joined by `then`"),
        }
    })
}

/// True if the form changes no value of a small source format.
fn is_exact(form: &Form) -> bool {
    let (source, destination) = (form.source().format(), form.destination().format());
    source.bits() <= 16
        && (0..1_u64 << source.bits()).all(|code| {
            let packed = if form.source().lanes() == 2 { code | code << source.storage() } else { code };
            let operands: Vec<u64> = form.operands().skip(1).map(|_| packed).collect();
            let result = form.eval(&operands).expect("one value for each operand");
            let lower = result & mask(destination.storage());
            match (source.decode(code), destination.decode(lower)) {
                (Value::Nan { .. }, Value::Nan { .. }) => true,
                // Equal numbers can have different significands.
                (Value::Finite(before), Value::Finite(after)) => {
                    before.to_f64().to_bits() == after.to_f64().to_bits()
                }
                (before, after) => before == after,
            }
        })
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;
    use crate::round::Rounding;

    fn chain(text: &str) -> String {
        match super::chain(text) {
            Ok(forms) => spelled(&forms),
            Err(refusal) => refusal.to_string(),
        }
    }

    fn spelled(forms: &[Form]) -> String {
        forms.iter().map(Form::to_string).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn choices_go_to_the_step_that_rounds() {
        let rz = |text| super::chain_with(text, |wanted| wanted.rounding(Rounding::Rz));
        assert_eq!(spelled(&rz("f32->e4m3").unwrap()), "cvt.rz.satfinite.e4m3x2.f32");
        let rzi = super::chain_with("e5m2->s8", |wanted| wanted.rounding(Rounding::Rzi));
        assert_eq!(spelled(&rzi.unwrap()), "cvt.rn.f16x2.e5m2x2 cvt.rzi.s8.f16");
        let error = super::chain_with("f32->e4m3", |wanted| wanted.rounding(Rounding::Rp)).unwrap_err();
        assert_eq!(error.code(), Code::IllegalRounding);
        assert_eq!(error.to_string(), "from f32 to e4m3, this rounding is not legal; legal: .rn .rz .rs");
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
            "`cvt.rn.f16.f32` returns f16, but `cvt.f32.bf16` converts bf16"
        );
    }
}
