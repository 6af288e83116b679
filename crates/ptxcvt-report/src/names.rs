//! The forms that other languages have under a name.

use ptxcvt::Form;

use crate::generator::{FUNCTIONS, intrinsic};

/// The forms that LLVM or CUDA has under a name, in a text such as `llvm.nvvm.f2bf16.rn`, `__nvvm_f2bf16_rn`, or
/// `__nv_cvt_float2_to_fp8x2(a, __NV_SATFINITE, __NV_E4M3)`. Constants among the arguments choose; without them, all
/// forms of the function are returned. The function for one element is that for two.
///
/// ```
/// use ptxcvt_report::names::named;
/// assert_eq!(named("__float2half_rn")[0].to_string(), "cvt.rn.f16.f32");
/// assert_eq!(named("llvm.nvvm.f2bf16.rn")[0].to_string(), "cvt.rn.bf16.f32");
/// assert_eq!(named("__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2)")[0].to_string(), "cvt.rn.satfinite.e5m2x2.f32");
/// assert!(named("printf").is_empty());
/// ```
pub fn named(text: &str) -> Vec<Form> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let mut words = text.split(|c| !is_part(c)).filter(|word| !word.is_empty());
    let Some(name) = words.next() else { return Vec::new() };
    let built_in = name.strip_prefix("__nvvm_").map(|rest| format!("llvm.nvvm.{}", rest.replace('_', ".")));
    let intrinsic_name = built_in.as_deref().unwrap_or(name);
    if intrinsic_name.starts_with("llvm.nvvm.") {
        return Form::all()
            .filter(|form| intrinsic(form).is_some_and(|known| known == intrinsic_name))
            .collect();
    }
    let constants: Vec<&str> =
        words.filter(|word| word.starts_with("__NV_") || word.starts_with("cudaRound")).collect();
    let calls = || FUNCTIONS.lines().filter_map(|line| line.split_once('\t'));
    let of = |name: &str, read: fn(&str) -> String| -> Vec<Form> {
        let is_named = |call: &str| call.split_once('(').is_some_and(|(own, _)| read(own) == name);
        let chosen =
            calls().filter(|(_, call)| is_named(call) && constants.iter().all(|one| call.contains(one)));
        chosen.map(|(opcode, _)| opcode.parse().expect("the list names legal forms")).collect()
    };
    // A name without a rounding means rounding to the nearest.
    let names = [Some(name), name.strip_suffix("_rn")];
    let exact =
        names.into_iter().flatten().map(|name| of(name, str::to_owned)).find(|forms| !forms.is_empty());
    exact
        .unwrap_or_else(|| if name.starts_with("__nv_cvt_") { of(&single(name), single) } else { Vec::new() })
}

/// The names by which [`named`] finds a form in CUDA: those of its functions, that of one element where they convert two,
/// and the longer name where rounding to the nearest is understood.
///
/// ```
/// use ptxcvt_report::names::names_of;
/// let form = "cvt.rn.f16.f32".parse().unwrap();
/// assert_eq!(names_of(&form), ["__float2half", "__float2half_rn"]);
/// let form = "cvt.rn.satfinite.e5m2x2.f32".parse().unwrap();
/// assert_eq!(names_of(&form), ["__nv_cvt_float2_to_fp8x2", "__nv_cvt_float_to_fp8"]);
/// ```
pub fn names_of(form: &Form) -> Vec<String> {
    let opcode = form.to_string();
    let calls = FUNCTIONS.lines().filter_map(|line| line.split_once('\t'));
    let own = calls.filter(|(known, _)| *known == opcode).filter_map(|(_, call)| call.split_once('('));
    let with_others = own.flat_map(|(name, _)| {
        let other = match name.starts_with("__nv_cvt_") {
            true => single(name).trim_end_matches('_').to_owned(),
            false => format!("{name}_rn"),
        };
        [name.to_owned(), other]
    });
    let mut names: Vec<String> = with_others.filter(|name| named(name).contains(form)).collect();
    names.sort();
    names.dedup();
    names
}

/// The name of a function for two elements without the part that says so; other names unchanged.
fn single(name: &str) -> String {
    const TWO: [(&str, &str); 4] =
        [("float2_", "float_"), ("raw2_", "raw_"), ("162raw_", "16raw_"), ("x2_", "_")];
    TWO.iter().fold(format!("{name}_"), |name, (two, one)| name.replace(two, one))
}
