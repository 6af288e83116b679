//! The functions `__nv_cvt_*` of CUDA's headers, with the same names, operands and results.

use std::collections::BTreeMap;

use ptxcvt::{Form, Format, Modifier, Rounding};

use super::AdapterError;
use crate::render::header;

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

/// How CUDA's headers name the conversions of pairs of a small format, and what they return.
struct Family {
    name: &'static str,
    storage: &'static str,
    /// The type and the value of the parameter that chooses one of several formats.
    interpretation: Option<(&'static str, &'static str)>,
    /// Whether conversions to the format have a parameter for saturation, and one for the rounding.
    options: (bool, bool),
    /// The names of pairs of f16 and bf16 that are converted to the format.
    halves: [&'static str; 2],
}

/// The family of a small format.
fn family(format: Format) -> Option<Family> {
    let several = |name, storage, ty, value, options| Family {
        name,
        storage,
        interpretation: Some((ty, value)),
        options,
        halves: ["halfraw2", "bfloat16raw2"],
    };
    let fp8 =
        |value| several("fp8x2", "__nv_fp8x2_storage_t", "__nv_fp8_interpretation_t", value, (true, false));
    let fp6 =
        |value| several("fp6x2", "__nv_fp6x2_storage_t", "__nv_fp6_interpretation_t", value, (false, true));
    let scale = |name| Family {
        name,
        storage: "__nv_fp8x2_storage_t",
        interpretation: None,
        options: (true, true),
        halves: ["half2raw", "bfloat162raw"],
    };
    Some(match format {
        Format::E4m3 => fp8("__NV_E4M3"),
        Format::E5m2 => fp8("__NV_E5M2"),
        Format::E2m3 => fp6("__NV_E2M3"),
        Format::E3m2 => fp6("__NV_E3M2"),
        Format::E2m1 => {
            several("fp4x2", "__nv_fp4x2_storage_t", "__nv_fp4_interpretation_t", "__NV_E2M1", (false, true))
        }
        Format::Ue8m0 => scale("e8m0x2"),
        Format::Ue5m3 => scale("ue5m3x2"),
        _ => return None,
    })
}

/// The function of a form, the values of its parameters for the form, and the call of the form.
fn function(form: Form) -> Option<(Function, Vec<String>, String)> {
    let [from, to] = [form.source().format(), form.destination().format()];
    let is_plain = form.modifiers().iter().all(|modifier| modifier == Modifier::Satfinite);
    if form.lanes() != 2 || form.extra().is_some() || !is_plain {
        return None;
    }
    let narrows = to.storage() <= 8;
    let saturates = form.has(Modifier::Satfinite);
    let family = family(if narrows { to } else { from })?;
    let (has_saturation, has_rounding) = if narrows { family.options } else { (false, false) };
    // What no parameter chooses is fixed.
    let fits =
        (has_saturation || saturates == narrows) && (has_rounding || form.rounding() == Some(Rounding::Rn));
    let rounding = match form.rounding()? {
        Rounding::Rn => "cudaRoundNearest",
        Rounding::Rz => "cudaRoundZero",
        Rounding::Rp => "cudaRoundPosInf",
        Rounding::Rm => "cudaRoundMinInf",
        _ => return None,
    };
    if !fits {
        return None;
    }
    let (wide, wide_type) = match (narrows, if narrows { from } else { to }) {
        (true, Format::F32) => ("float2", "float2"),
        (true, Format::F16) => (family.halves[0], "__half2_raw"),
        (true, Format::Bf16) => (family.halves[1], "__nv_bfloat162_raw"),
        (false, Format::F16) => ("halfraw2", "__half2_raw"),
        (false, Format::Bf16) => ("bf162raw", "__nv_bfloat162_raw"),
        _ => return None,
    };
    let saturation = if saturates { "__NV_SATFINITE" } else { "__NV_NOSAT" };
    let (options, values) = [
        has_saturation.then_some((("__nv_saturation_t", "saturate"), saturation)),
        family.interpretation.map(|(ty, value)| ((ty, "interpretation"), value)),
        has_rounding.then_some((("enum cudaRoundMode", "rounding"), rounding)),
    ]
    .into_iter()
    .flatten()
    .map(|(option, value)| (option, value.to_owned()))
    .unzip();
    let own = form.identifier();
    let call = match (narrows, from) {
        (true, Format::F32) => format!("{own}(x.y, x.x)"),
        (true, _) => format!("{own}(detail::bits_as<unsigned int>(x))"),
        (false, _) => format!("detail::bits_as<{wide_type}>({own}(x))"),
    };
    let Family { name: small, storage, .. } = family;
    let (name, result, source) = match narrows {
        true => (format!("__nv_cvt_{wide}_to_{small}"), storage, wide_type),
        false => (format!("__nv_cvt_{small}_to_{wide}"), wide_type, storage),
    };
    Some((Function { name, result, source, options }, values, call))
}

/// A header with the functions of CUDA's headers that compute these forms, in the namespace `ptxcvt`. Each function has
/// all of its forms, so that headers for different ones can be combined. With other values of the parameters it calls
/// CUDA's function.
///
/// # Errors
///
/// Fails if CUDA's headers do not have the conversion.
pub fn cuda(forms: &[Form]) -> Result<String, AdapterError> {
    let mut functions: BTreeMap<Function, Vec<(Form, Vec<String>, String)>> = BTreeMap::new();
    for form in forms {
        let (function, ..) = function(*form).ok_or(AdapterError::Form(*form, NAME))?;
        functions.entry(function).or_default();
    }
    for form in Form::all() {
        let Some((function, values, call)) = function(form) else { continue };
        if let Some(cases) = functions.get_mut(&function) {
            cases.push((form, values, call));
        }
    }
    let all: Vec<Form> = functions.values().flatten().map(|(form, ..)| *form).collect();
    let mut text = header(&all).map_err(AdapterError::Word)?;
    text += "\n#include <cuda_fp8.h>\n#include <cuda_fp6.h>\n#include <cuda_fp4.h>\n\nnamespace ptxcvt {\n";
    for (function, cases) in functions {
        let Function { name, result, source, options } = function;
        let guard = format!("PTXCVT_CUDA_{}", name.trim_start_matches('_').to_uppercase());
        let parameters: String = options.iter().map(|(ty, name)| format!(", const {ty} {name}")).collect();
        let arguments: String = options.iter().map(|(_, name)| format!(", {name}")).collect();
        text += &format!(
            "\n#ifndef {guard}\n#define {guard}\nPTXCVT_FUNCTION {result} {name}(const {source} x{parameters})\n{{\n"
        );
        // Every interpretation has its form; older releases of CUDA lack some of the functions, so they are not called.
        let is_complete = options.iter().all(|(_, name)| *name == "interpretation");
        if is_complete && cases.len() == 1 {
            text.extend(options.iter().map(|(_, name)| format!("    static_cast<void>({name});\n")));
        }
        for (at, (form, values, call)) in cases.iter().enumerate() {
            let tests = options.iter().zip(values).map(|((_, name), value)| format!("{name} == {value}"));
            let tests = tests.collect::<Vec<String>>().join(" && ");
            let condition = match tests.as_str() {
                "" => String::new(),
                _ if is_complete && at + 1 == cases.len() => format!("/* {tests} */ "),
                _ => format!("if ({tests}) "),
            };
            text += &format!("    {condition}return {call}; // {form}\n");
        }
        if !is_complete {
            text += &format!("    return ::{name}(x{arguments});\n");
        }
        text += "}\n#endif\n";
    }
    Ok(text + "\n} // namespace ptxcvt\n")
}
