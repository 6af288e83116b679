//! A CUDA header with a function for each of several forms.

use std::collections::BTreeSet;

use ptxcvt::formats::Kind;
use ptxcvt::{Form, Format, Modifier, Opcode, Rounding, Target};

use super::condition::prelude;
use super::cuda::definition;
use super::host;
use super::memory::Memory;
use crate::word::WordError;

/// The text of a header with these forms.
///
/// # Errors
///
/// Fails if a form cannot be lowered.
pub fn header(forms: &[Form]) -> Result<String, WordError> {
    with_formats(forms, &[])
}

/// The text of a header with these forms and the rows of further formats.
pub(super) fn with_formats(forms: &[Form], further: &[Format]) -> Result<String, WordError> {
    // Functions that those in memory order call are defined first.
    let called = forms.iter().filter_map(|form| Memory::new(*form)?.widening());
    let mut all: Vec<Form> = called.collect();
    all.extend(forms);
    let mut seen = BTreeSet::new();
    all.retain(|form| seen.insert(form.identifier()));
    let formats = all.iter().flat_map(|form| [form.source().format(), form.destination().format()]);
    let mut text = format!(
        "\
// Number conversions of PTX as functions for every architecture from sm_50 on and for the host, written by ptxcvt {}.
//
// Functions in memory order: element 0 is the first of an array or vector and in the lowest bits of the codes.
//
//     unsigned int codes = ptxcvt::to_e4m3x4(x);            // const float (&x)[4], const __half2 (&x)[2], ...
//     ptxcvt::from_e2m1x8(codes, y);                        // float (&y)[8], __half2 (&y)[4], __nv_bfloat162 (&y)[4]
//
// They round to nearest and saturate unless their name says otherwise. `_f16` and `_bf16` take or return pairs as bits.
//
// Functions in PTX order are named as their instruction (cvt_...): the first operand is the upper part of the result.
// Codes are passed as bits: f16 and bf16 are unsigned short, pairs of them unsigned int, a pair of FP8 or FP6 unsigned
// short, a pair of FP4 unsigned char.
//
// All return the instruction's bits: by the instruction where the target and the CUDA release have it, else by a sequence
// that computes the same, on the host by integer arithmetic. docs/lowering.md of ptxcvt says how that is shown.
//
// Each function has its own include guard, so headers with different functions can be combined.

{}
{PRELUDE}
namespace ptxcvt {{

{BITS}
{}",
        env!("CARGO_PKG_VERSION"),
        prelude(),
        host::support(&formats.chain(further.iter().copied()).collect())
    );
    // Sequences of all architectures take a while.
    ptxcvt_parallel::in_order(&all, |form| functions(*form), |_, part| part.map(|part| text += &part))?;
    Ok(text + "} // namespace ptxcvt\n")
}

/// The macro with which functions are declared, and the types of CUDA's headers. NVRTC may lack the headers.
const PRELUDE: &str = "\
#ifndef PTXCVT_FUNCTION
#if defined(__CUDACC__)
#define PTXCVT_FUNCTION __host__ __device__ __forceinline__
#if !defined(__has_include)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#elif __has_include(<cuda_fp16.h>) && __has_include(<cuda_bf16.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif
#elif defined(__CUDA__)
#define PTXCVT_FUNCTION __attribute__((host)) __attribute__((device)) inline __attribute__((always_inline))
#else
#define PTXCVT_FUNCTION inline
#endif
#endif
";

/// The bits of a value.
const BITS: &str = "\
#ifndef PTXCVT_BITS
#define PTXCVT_BITS
namespace detail {
// The value of type To with the bits of `from`.
template <class To, class From>
PTXCVT_FUNCTION To bits_as(const From& from)
{
    static_assert(sizeof(To) == sizeof(From), \"both types have the same size\");
#if PTXCVT_TARGET == 0
    To to{};
    for (unsigned int n = 0; n < sizeof(To); ++n)
        reinterpret_cast<unsigned char*>(&to)[n] = reinterpret_cast<const unsigned char*>(&from)[n];
    return to;
#else
    return reinterpret_cast<const To&>(from);
#endif
}
} // namespace detail
#endif
";

/// The functions of these forms, each with its guard.
fn functions(form: Form) -> Result<String, WordError> {
    let guard = format!("PTXCVT_{}", form.identifier().to_uppercase());
    let function = definition(form).map_err(WordError::Lower)?;
    let mut text = format!("#ifndef {guard}\n#define {guard}\n{function}#endif\n");
    if let Some(memory) = Memory::new(form) {
        text += &memory.definitions()?;
    }
    Ok(text + "\n")
}

/// The conversions that kernels use most: between f32, f16, bf16, their pairs and the small formats. They round to nearest
/// (to ue8m0 also up and towards zero) or stochastically, and saturate if PTX requires it or offers it. Those with small
/// formats also exist with `.relu`.
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
        Some(Rounding::Rn) if small(destination) => plain(&[Modifier::Satfinite, Modifier::Relu]),
        Some(Rounding::Rn) if small(source) => plain(&[Modifier::Relu]) || plain(&[Modifier::ScaledN2]),
        Some(Rounding::Rn) if source != destination => plain(&[]),
        Some(Rounding::Rna) => plain(&[]),
        None => plain(&[]) && source != destination,
        _ => false,
    }
}
