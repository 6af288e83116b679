//! The functions `__nv_cvt_*` of CUDA's headers, with the same names, operands and results.

use std::collections::BTreeMap;

use ptxcvt::{Form, Format, Modifier, Rounding};

use super::AdapterError;
use crate::render::{header, name};

/// The name of these headers in errors.
const NAME: &str = "CUDA's headers";

/// A function of CUDA's headers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Function {
    name: String,
    result: &'static str,
    source: &'static str,
    /// The parameters after the source: type and name.
    options: Vec<(&'static str, &'static str)>,
}

/// The function of a form, the values of its parameters for the form, and the call of the form.
fn function(form: Form) -> Option<(Function, Vec<String>, String)> {
    let [from, to] = [form.source().format(), form.destination().format()];
    let is_plain = form.modifiers().iter().all(|modifier| modifier == Modifier::Satfinite);
    if form.lanes() != 2 || form.extra().is_some() || !is_plain {
        return None;
    }
    let narrows = to.storage() <= 8;
    let small = if narrows { to } else { from };
    if !narrows && form.has(Modifier::Satfinite) {
        return None;
    }
    let (family, interpretation, kind) = match small {
        Format::E4m3 => ("fp8x2", "__NV_E4M3", "__nv_fp8"),
        Format::E5m2 => ("fp8x2", "__NV_E5M2", "__nv_fp8"),
        Format::E2m3 => ("fp6x2", "__NV_E2M3", "__nv_fp6"),
        Format::E3m2 => ("fp6x2", "__NV_E3M2", "__nv_fp6"),
        Format::E2m1 => ("fp4x2", "__NV_E2M1", "__nv_fp4"),
        _ => return None,
    };
    if form.rounding() != Some(Rounding::Rn) {
        return None;
    }
    let (wide, wide_type) = match (narrows, if narrows { from } else { to }) {
        (true, Format::F32) => ("float2", "float2"),
        (_, Format::F16) => ("halfraw2", "__half2_raw"),
        (true, Format::Bf16) => ("bfloat16raw2", "__nv_bfloat162_raw"),
        (false, Format::Bf16) => ("bf162raw", "__nv_bfloat162_raw"),
        _ => return None,
    };
    let (storage, interpretations) = match kind {
        "__nv_fp8" => ("__nv_fp8x2_storage_t", "__nv_fp8_interpretation_t"),
        "__nv_fp6" => ("__nv_fp6x2_storage_t", "__nv_fp6_interpretation_t"),
        _ => ("__nv_fp4x2_storage_t", "__nv_fp4_interpretation_t"),
    };
    let interpreted = (interpretations, "interpretation");
    let options: Vec<(&str, &str)> = match (narrows, kind) {
        (false, _) => vec![interpreted],
        (true, "__nv_fp8") => vec![("__nv_saturation_t", "saturate"), interpreted],
        (true, _) => vec![interpreted, ("enum cudaRoundMode", "rounding")],
    };
    let values = options.iter().map(|(ty, _)| match *ty {
        "__nv_saturation_t" => "__NV_SATFINITE".to_owned(),
        "enum cudaRoundMode" => "cudaRoundNearest".to_owned(),
        _ => interpretation.to_owned(),
    });
    let values = values.collect();
    let own = name(form);
    let call = match (narrows, wide) {
        (true, "float2") => format!("{own}(x.y, x.x)"),
        (true, _) => format!("{own}(detail::bits_as<unsigned int>(x))"),
        (false, _) => format!("detail::bits_as<{wide_type}>({own}(x))"),
    };
    let (result, source) = if narrows { (storage, wide_type) } else { (wide_type, storage) };
    let name = match narrows {
        true => format!("__nv_cvt_{wide}_to_{family}"),
        false => format!("__nv_cvt_{family}_to_{wide}"),
    };
    Some((Function { name, result, source, options }, values, call))
}

/// A header with the functions of CUDA's headers that compute these forms, in the namespace `ptxcvt`. With other values of
/// the parameters they call CUDA's function.
///
/// # Errors
///
/// Fails if CUDA's headers do not have the conversion.
pub fn cuda(forms: &[Form]) -> Result<String, AdapterError> {
    let mut functions: BTreeMap<Function, Vec<(Form, Vec<String>, String)>> = BTreeMap::new();
    for form in forms {
        let (function, values, call) = function(*form).ok_or(AdapterError::Form(*form, NAME))?;
        functions.entry(function).or_default().push((*form, values, call));
    }
    let mut text = header(forms).map_err(AdapterError::Word)?;
    text += "\n#include <cuda_fp8.h>\n#include <cuda_fp6.h>\n#include <cuda_fp4.h>\n\nnamespace ptxcvt {\n";
    for (function, cases) in functions {
        let Function { name, result, source, options } = function;
        let parameters: String = options.iter().map(|(ty, name)| format!(", const {ty} {name}")).collect();
        let arguments: String = options.iter().map(|(_, name)| format!(", {name}")).collect();
        text += &format!("\nPTXCVT_FUNCTION {result} {name}(const {source} x{parameters})\n{{\n");
        for (form, values, call) in cases {
            let tests = options.iter().zip(&values).map(|((_, name), value)| format!("{name} == {value}"));
            let tests: Vec<String> = tests.collect();
            text += &format!("    if ({}) return {call}; // {form}\n", tests.join(" && "));
        }
        text += &format!("    return ::{name}(x{arguments});\n}}\n");
    }
    Ok(text + "\n} // namespace ptxcvt\n")
}
