//! Counts machine instructions of the important conversions, for our functions and those in the CUDA headers. The
//! functions in the CUDA headers branch, so the shortest and the longest path are counted in addition.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, anyhow};
use ptxcvt::{Form, Target};
use ptxcvt_lower::{Kind, lower, render};

use super::listing::{self, Counts};
use crate::cuda::Toolkit;
use crate::page;
use crate::record::{self, Digest};
use crate::tools::{Scratch, TARGETS};

/// The record.
pub const RECORD: &str = "costs.tsv";

/// A conversion and how the CUDA headers spell it; `a` is the upper source, `b` the lower one.
struct Conversion {
    opcode: &'static str,
    /// The expression that yields the bits of the result.
    cuda: &'static str,
}

const fn row(opcode: &'static str, cuda: &'static str) -> Conversion {
    Conversion { opcode, cuda }
}

#[rustfmt::skip]
const CONVERSIONS: &[Conversion] = &[
    row("cvt.rn.satfinite.e4m3x2.f32", "__nv_cvt_float2_to_fp8x2(make_float2(b, a), __NV_SATFINITE, __NV_E4M3)"),
    row("cvt.rn.satfinite.e5m2x2.f32", "__nv_cvt_float2_to_fp8x2(make_float2(b, a), __NV_SATFINITE, __NV_E5M2)"),
    row("cvt.rn.satfinite.e2m3x2.f32", "__nv_cvt_float2_to_fp6x2(make_float2(b, a), __NV_E2M3, cudaRoundNearest)"),
    row("cvt.rn.satfinite.e3m2x2.f32", "__nv_cvt_float2_to_fp6x2(make_float2(b, a), __NV_E3M2, cudaRoundNearest)"),
    row("cvt.rn.satfinite.e2m1x2.f32", "__nv_cvt_float2_to_fp4x2(make_float2(b, a), __NV_E2M1, cudaRoundNearest)"),
    row("cvt.rp.satfinite.ue8m0x2.f32", "__nv_cvt_float2_to_e8m0x2(make_float2(b, a), __NV_SATFINITE, cudaRoundPosInf)"),
    row("cvt.rn.satfinite.e4m3x2.f16x2", "__nv_cvt_halfraw2_to_fp8x2(half2_of(a), __NV_SATFINITE, __NV_E4M3)"),
    row("cvt.rn.satfinite.e4m3x2.bf16x2", "__nv_cvt_bfloat16raw2_to_fp8x2(bf162_of(a), __NV_SATFINITE, __NV_E4M3)"),
    row("cvt.rn.f16x2.e4m3x2", "bits_of(__nv_cvt_fp8x2_to_halfraw2(a, __NV_E4M3))"),
    row("cvt.rn.f16x2.e5m2x2", "bits_of(__nv_cvt_fp8x2_to_halfraw2(a, __NV_E5M2))"),
    row("cvt.rn.f16x2.e2m3x2", "bits_of(__nv_cvt_fp6x2_to_halfraw2(a, __NV_E2M3))"),
    row("cvt.rn.f16x2.e3m2x2", "bits_of(__nv_cvt_fp6x2_to_halfraw2(a, __NV_E3M2))"),
    row("cvt.rn.f16x2.e2m1x2", "bits_of(__nv_cvt_fp4x2_to_halfraw2(a, __NV_E2M1))"),
    row("cvt.rn.bf16x2.ue8m0x2", "bits_of(__nv_cvt_e8m0x2_to_bf162raw(a))"),
    row("cvt.rn.bf16x2.f32", "bits_of(static_cast<__nv_bfloat162_raw>(__floats2bfloat162_rn(b, a)))"),
    row("cvt.rs.satfinite.e2m1x4.f32", ""),
    row("cvt.rs.satfinite.e4m3x4.f32", ""),
];

/// The cost of a conversion on an architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The conversion.
    pub form: Form,
    /// The architecture.
    pub target: Target,
    /// The shortest variant for the architecture.
    pub variant: String,
    /// Its machine instructions, which every thread runs.
    pub ours: i64,
    /// Machine instructions of the function in the CUDA headers, if there is one.
    pub cuda: Option<Counts>,
}

impl Cost {
    /// The lines of the record.
    ///
    /// # Errors
    ///
    /// Returns an error for a malformed line.
    pub fn parse(text: &str) -> Result<Vec<Cost>> {
        let line = |fields: Vec<&str>| match fields[..] {
            [opcode, target, variant, ours, cuda] => Ok(Cost {
                form: opcode.parse().map_err(|e| anyhow!("{opcode}: {e}"))?,
                target: target.parse().map_err(|e| anyhow!("{target}: {e}"))?,
                variant: variant.to_owned(),
                ours: ours.parse()?,
                cuda: (cuda != "-").then(|| cuda.parse()).transpose()?,
            }),
            _ => Err(anyhow!("a line of the record has five fields: {fields:?}")),
        };
        record::rows(text).map(line).collect()
    }

    fn print(&self) -> String {
        let cuda = self.cuda.map_or("-".into(), |n| n.to_string());
        format!("{}\t{}\t{}\t{}\t{cuda}", self.form, self.target, self.variant, self.ours)
    }
}

/// Kernels that load operands and store a result: without a conversion, with ours, and with NVIDIA's.
fn source(forms: &[Form]) -> Result<String> {
    let mut text = String::from(
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n#include <cuda_fp6.h>\n#include <cuda_fp4.h>\n",
    );
    text += &render::header(forms)?;
    text += "\
__device__ __half2_raw half2_of(unsigned int x) { return {(unsigned short)x, (unsigned short)(x >> 16)}; }
__device__ __nv_bfloat162_raw bf162_of(unsigned int x) { return {(unsigned short)x, (unsigned short)(x >> 16)}; }
template <typename T> __device__ unsigned int bits_of(T r) { return (unsigned int)r.y << 16 | r.x; }
";
    for (number, (form, conversion)) in forms.iter().zip(CONVERSIONS).enumerate() {
        let types = render::parameter_types(*form);
        let names: Vec<&str> = form.operands().skip(1).map(|operand| operand.role.identifier()).collect();
        // A pointer for each operand: with one pointer, the code of branches computes the result's address again.
        let sources = types[1..].iter().zip(&names);
        let parameters: String =
            sources.clone().map(|(ty, name)| format!(", volatile {ty}* at_{name}")).collect();
        let loads: String = sources.map(|(ty, name)| format!(" {ty} {name} = *at_{name};")).collect();
        let ours = format!("ptxcvt::{}({})", form.identifier(), names.join(", "));
        let mut kernel = |kind: &str, expression: &str| {
            let _ = writeln!(
                text,
                "extern \"C\" __global__ void {kind}{number}_(volatile {}* at{parameters}) {{{loads} *at = {expression}; }}",
                types[0]
            );
        };
        kernel("empty", "0");
        kernel("ours", &ours);
        if !conversion.cuda.is_empty() {
            kernel("theirs", conversion.cuda);
        }
    }
    Ok(text)
}

/// How often a loop in the CUDA headers' function turns at most: it shifts a subnormal until its first bit is in place, and
/// the first shift is outside of the loop.
fn turns(form: Form) -> u32 {
    form.source().format().fraction_bits().saturating_sub(1)
}

/// The digest of the kernels that are counted.
///
/// # Errors
///
/// Returns an error if an opcode of the list is not a form.
pub fn kernels() -> Result<Digest> {
    Ok(Digest::of_text(&source(&forms()?)?))
}

fn forms() -> Result<Vec<Form>> {
    CONVERSIONS.iter().map(|row| row.opcode.parse().map_err(|e| anyhow!("{}: {e}", row.opcode))).collect()
}

/// Counts and writes the record and the page.
pub(super) fn run(toolkit: &Toolkit, others: &[(Form, String)]) -> Result<bool> {
    let forms = forms()?;
    let (input, output) = (Scratch::new("costs.cu"), Scratch::new("costs.cubin"));
    let text = source(&forms)?;
    fs::write(&*input, &text)?;
    let (mut costs, mut agrees) = (Vec::new(), true);
    for arch in TARGETS {
        let target: Target = arch.parse()?;
        toolkit.compile(&input, &["-cubin"], arch, &output)?;
        let functions = listing::functions(&toolkit.disassemble(&output)?);
        for (number, form) in forms.iter().enumerate() {
            let count = |kind: &str, turns| {
                let name = format!("{kind}{number}_");
                let function = functions.get(&name).with_context(|| format!("no kernel {name}"))?;
                function.counts(turns).with_context(|| format!("{form} on {arch}: {kind}"))
            };
            let empty = count("empty", 0)?;
            empty.straight()?;
            let best = lower(*form, target, target.introduced())?;
            let newest = lower(*form, target, target.newest())?;
            let variant = if newest.kind() == Kind::Instruction { newest } else { best };
            let cuda = match CONVERSIONS[number].cuda {
                "" => None,
                _ => Some(count("theirs", turns(*form))? - empty),
            };
            let ours = (count("ours", 0)? - empty).straight().with_context(|| format!("{form} on {arch}"))?;
            if cuda.is_some_and(|cuda| cuda.shortest < ours) {
                println!("{form} on {arch}: {ours} instructions, and {cuda:?} in the CUDA headers");
                agrees = false;
            }
            costs.push(Cost { form: *form, target, variant: variant.name().to_owned(), ours, cuda });
        }
    }
    let provenance = [
        format!("nvcc {}, nvdisasm: machine instructions of a kernel beyond one that loads and stores the same.", toolkit.version),
        format!("digest of the kernels: {}", Digest::of_text(&text)),
        "form, architecture, variant, instructions of `ptxcvt lower --as cuda`, of the function in the CUDA headers: all, \
         shortest and longest path"
            .into(),
    ];
    record::write(RECORD, &provenance, costs.iter().map(Cost::print))?;
    page::COSTS.write("costs", "cost", &table(&costs, others))?;
    Ok(agrees)
}

/// The costs as a table of Markdown.
pub fn table(costs: &[Cost], others: &[(Form, String)]) -> String {
    let mut text = format!(
        "| conversion | {} | public sequences on sm_80 |\n|---|{}\n",
        TARGETS.join(" | "),
        "---|".repeat(TARGETS.len() + 1)
    );
    for (at, cost) in costs.iter().enumerate() {
        if costs[..at].iter().any(|earlier| earlier.form == cost.form) {
            continue;
        }
        let _ = write!(text, "| `{}` |", cost.form);
        for arch in TARGETS {
            let cell = costs.iter().find(|c| c.form == cost.form && c.target.to_string() == arch);
            let cell = cell.map_or(String::new(), |c| match (c.variant == "instruction", c.cuda) {
                (true, _) => format!("{} (instruction)", c.ours),
                (false, Some(Counts { all, shortest, longest })) if shortest == longest => {
                    format!("**{}** / {all}", c.ours)
                }
                (false, Some(Counts { all, shortest, longest })) => {
                    format!("**{}** / {all} ({shortest} to {longest})", c.ours)
                }
                (false, None) => format!("**{}**", c.ours),
            });
            let _ = write!(text, " {cell} |");
        }
        let of_form = others.iter().filter(|(form, _)| *form == cost.form);
        let others: Vec<&str> = of_form.map(|(_, text)| text.as_str()).collect();
        let _ = writeln!(text, " {} |", others.join("; "));
    }
    text
}
