//! `NumericArrayConverter` of CUTLASS (`cutlass/numeric_conversion.h`).

use ptxcvt::{Form, Format, Modifier, Rounding};

use super::{AdapterError, memory};
use crate::render::header;
use crate::render::memory::Memory;

/// The name of CUTLASS in errors.
const NAME: &str = "CUTLASS";

/// CUTLASS's name of a format whose arrays have the same bytes as PTX's words. It packs FP6 more tightly.
fn type_name(format: Format) -> Option<&'static str> {
    Some(match format {
        Format::F32 => "float",
        Format::F16 => "half_t",
        Format::Bf16 => "bfloat16_t",
        Format::E4m3 => "float_e4m3_t",
        Format::E5m2 => "float_e5m2_t",
        Format::E2m1 => "float_e2m1_t",
        Format::Ue8m0 => "float_ue8m0_t",
        _ => return None,
    })
}

/// CUTLASS's name of the form's rounding, if CUTLASS converts as the form does: it saturates small formats and nothing else.
fn round_style(form: Form, narrows: bool) -> Option<&'static str> {
    let is_plain = form.modifiers().iter().all(|modifier| modifier == Modifier::Satfinite);
    match form.rounding() {
        _ if !is_plain || form.has(Modifier::Satfinite) != narrows => None,
        Some(Rounding::Rn) => Some("round_to_nearest"),
        Some(Rounding::Rp) => Some("round_toward_infinity"),
        Some(Rounding::Rz) => Some("round_toward_zero"),
        _ => None,
    }
}

/// A header with specialisations of `NumericArrayConverter` for these forms. They are complete, so they take precedence
/// over CUTLASS's partial ones.
///
/// # Errors
///
/// Fails if CUTLASS does not have the conversion, or stores its codes in another way.
pub fn cutlass(forms: &[Form]) -> Result<String, AdapterError> {
    let mut specialisations = String::new();
    for form in forms {
        let memory = memory(*form, NAME)?;
        let named = |format| type_name(format).ok_or(AdapterError::Form(*form, NAME));
        let (from, to) = (named(form.source().format())?, named(form.destination().format())?);
        let round = round_style(*form, memory.narrows()).ok_or(AdapterError::Form(*form, NAME))?;
        for words in [1, 2, 4] {
            specialisations += &specialisation(memory, *form, words, (from, to, round));
        }
    }
    let header = header(forms).map_err(AdapterError::Word)?;
    Ok(format!(
        "{header}\n#include <cutlass/numeric_conversion.h>\n\nnamespace cutlass {{\n{specialisations}\n}} // namespace cutlass\n"
    ))
}

/// The specialisation for the elements of `words` words.
fn specialisation(memory: Memory, form: Form, words: u32, (from, to, round): (&str, &str, &str)) -> String {
    let fill = memory.fill();
    let elements = words * fill;
    let guard = format!("PTXCVT_CUTLASS_{}_{elements}", form.identifier().to_uppercase());
    let (register, registers) = memory.registers(fill);
    let function = memory.bits_name(fill);
    let body = match memory.narrows() {
        true => format!(
            "        struct sources {{ {register} of[{words}][{registers}]; }};
        struct codes {{ unsigned int of[{words}]; }};
        sources const x = ptxcvt::detail::bits_as<sources>(source);
        codes d;
        CUTLASS_PRAGMA_UNROLL
        for (int n = 0; n < {words}; ++n) d.of[n] = ptxcvt::{function}(x.of[n]);
"
        ),
        false => format!(
            "        struct codes {{ unsigned int of[{words}]; }};
        struct results {{ {register} of[{words}][{registers}]; }};
        codes const x = ptxcvt::detail::bits_as<codes>(source);
        results d;
        CUTLASS_PRAGMA_UNROLL
        for (int n = 0; n < {words}; ++n) ptxcvt::{function}(x.of[n], d.of[n]);
"
        ),
    };
    format!(
        "
#ifndef {guard}
#define {guard}
// {form} for {elements} elements.
template <>
struct NumericArrayConverter<{to}, {from}, {elements}, FloatRoundStyle::{round}> {{
    using result_type = Array<{to}, {elements}>;
    using source_type = Array<{from}, {elements}>;
    static FloatRoundStyle const round_style = FloatRoundStyle::{round};

    CUTLASS_HOST_DEVICE
    static result_type convert(source_type const& source)
    {{
{body}        return ptxcvt::detail::bits_as<result_type>(d);
    }}

    CUTLASS_HOST_DEVICE
    result_type operator()(source_type const& source) const {{ return convert(source); }}
}};
#endif
"
    )
}
