//! Reads a name that LLVM or CUDA has for a conversion.

use ptxcvt::forms::Operand as Wanted;
use ptxcvt::literal::Reader;
use ptxcvt::{Form, clip, counted};
use ptxcvt_report::names::named;

use super::answer::Answer;

/// A name of LLVM or CUDA: `__float2half_rn(1.5f)`, `call bfloat @llvm.nvvm.f2bf16.rn(float 1.5)`.
pub(super) fn answer(text: &str) -> Option<Answer> {
    let text = text.trim().trim_end_matches(';');
    let text = text.find("llvm.nvvm.").map_or(text, |at| &text[at..]);
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.').unwrap_or(text.len());
    let (name, arguments) = text.split_at(end);
    let is_call = arguments.is_empty() || (arguments.starts_with('(') && arguments.ends_with(')'));
    let is_known = ["llvm.nvvm.", "__nvvm_", "__nv_cvt_"].iter().any(|head| name.starts_with(head));
    if !is_call {
        return None;
    }
    let forms = named(text);
    let [form] = &forms[..] else {
        let problem = match forms.len() {
            0 if !is_known => return None,
            0 => format!("PTX has no single conversion for `{}`", clip(name)),
            count => format!("`{name}` is one of {}", counted(count, "conversion")),
        };
        let steps = forms.iter().map(Form::to_string).collect();
        return Some(Answer { problem: Some(problem), steps, ..Answer::default() });
    };
    // A type may precede each argument.
    let arguments = arguments.trim_start_matches('(').trim_end_matches(')').split(',');
    let last = |argument: &str| argument.split_whitespace().next_back().map(str::to_owned);
    let numbers: Vec<String> = arguments.filter_map(last).collect();
    let read = |(wanted, word): (Wanted, &String)| {
        let is_read = Reader::operand(form, &wanted).read(word).is_ok();
        is_read.then(|| word.clone())
    };
    let operands: Vec<_> = form.operands().skip(1).zip(&numbers).map(read).collect();
    let meaning = Some(format!("`{name}`"));
    Some(Answer { opcode: form.to_string(), operands, meaning, ..Answer::default() })
}

#[cfg(test)]
mod tests {
    use super::answer;

    #[test]
    fn names_of_llvm_and_cuda() {
        for (text, opcode, operands) in [
            ("__float2half_rn", "cvt.rn.f16.f32", &[][..]),
            ("__float2half_rn(1.5f);", "cvt.rn.f16.f32", &[Some("1.5f")]),
            ("__float2half_rz(x)", "cvt.rz.f16.f32", &[None]),
            ("%b = call bfloat @llvm.nvvm.f2bf16.rn(float 1.5)", "cvt.rn.bf16.f32", &[Some("1.5")]),
            ("llvm.nvvm.ff.to.e4m3x2.rn", "cvt.rn.satfinite.e4m3x2.f32", &[]),
            ("__nvvm_f2bf16_rn", "cvt.rn.bf16.f32", &[]),
            (
                "__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2)",
                "cvt.rn.satfinite.e5m2x2.f32",
                &[None, None],
            ),
        ] {
            let found = super::super::answer(text);
            assert_eq!((&*found.opcode, found.problem), (opcode, None), "{text}");
            let given: Vec<Option<&str>> = found.operands.iter().map(Option::as_deref).collect();
            assert_eq!(given, operands, "{text}");
        }
    }

    #[test]
    fn names_without_one_form() {
        let two = answer("__nv_cvt_float_to_fp8").unwrap();
        assert_eq!(two.problem.as_deref(), Some("`__nv_cvt_float_to_fp8` is one of 2 conversions"));
        assert_eq!(two.steps, ["cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.satfinite.e5m2x2.f32"]);
        assert!(answer("__nv_cvt_double_to_fp4").unwrap().problem.is_some());
        assert!(answer("printf(x)").is_none() && answer("cvt.rn.f16.f32").is_none());
    }
}
