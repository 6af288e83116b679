//! A CUDA header with a function for each of several forms.

use ptxcvt::formats::Kind;
use ptxcvt::{Form, Format, Modifier, Opcode, Rounding, Target};

use super::condition::prelude;
use super::cuda::definition;
use super::text::name;
use crate::choice::LowerError;

/// The text of a header with these forms.
///
/// # Errors
///
/// Fails if a form cannot be lowered.
pub fn header(forms: &[Form]) -> Result<String, LowerError> {
    let mut text = format!(
        "\
// Number conversions of PTX as functions for every architecture from sm_50 on, written by ptxcvt {}.
//
// A function is named as its instruction and returns the instruction's bits: by the instruction where the target and
// the CUDA release have it, else by a sequence that computes the same; docs/lowering.md of ptxcvt says how that is shown.
//
// Codes are passed as bits. A pair lies in one register, its first operand in the upper part; f16 and bf16 are
// unsigned short, pairs of them unsigned int, a pair of FP8 or FP6 unsigned short, a pair of FP4 unsigned char.
//
// Each function has its own include guard, so headers with different functions can be combined.

{}
namespace ptxcvt {{

",
        env!("CARGO_PKG_VERSION"),
        prelude()
    );
    for form in forms {
        let guard = format!("PTXCVT_{}", name(*form).to_uppercase());
        let function = definition(*form, None)?;
        text += &format!("#ifndef {guard}\n#define {guard}\n{function}#endif\n\n");
    }
    Ok(text + "} // namespace ptxcvt\n")
}

/// The conversions that kernels use most: between f32, f16, bf16, their pairs and the small formats. They round to nearest
/// (to ue8m0 also up and towards zero) or stochastically, and saturate if PTX requires it or offers it.
pub fn default_forms() -> impl Iterator<Item = Form> {
    Form::all().filter(|form| is_wanted(*form))
}

fn is_wanted(form: Form) -> bool {
    let everywhere = Target::all().all(|target| form.since(target) == Some(target.introduced()));
    let [source, destination] = [form.source().format(), form.destination().format()];
    let float =
        |format: Format| !matches!(format.parameters().kind, Kind::Integer { .. }) && format != Format::F64;
    let small = |format: Format| float(format) && format.storage() == 8 || format == Format::E2m1;
    let plain = |wanted: &[Modifier]| form.modifiers().iter().all(|m| wanted.contains(&m));
    if everywhere || form.opcode() == Opcode::CvtPack || !float(source) || !float(destination) {
        return false;
    }
    if matches!(source, Format::Ue5m3 | Format::S2f6) || matches!(destination, Format::Ue5m3 | Format::S2f6) {
        return false;
    }
    match form.rounding() {
        _ if destination == Format::Ue8m0 => form.has(Modifier::Satfinite),
        Some(Rounding::Rs) => plain(&[Modifier::Satfinite]) && form.has(Modifier::Satfinite),
        Some(Rounding::Rn) if small(destination) => plain(&[Modifier::Satfinite]),
        Some(Rounding::Rn) if small(source) => plain(&[]) || plain(&[Modifier::ScaledN2]),
        Some(Rounding::Rn) if source != destination => plain(&[]),
        Some(Rounding::Rna) => plain(&[]),
        None => plain(&[]) && source != destination,
        _ => false,
    }
}
