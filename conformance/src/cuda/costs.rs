//! Counts machine instructions of the important conversions, for our functions and those in the CUDA headers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use ptxcvt::{Form, Target};
use ptxcvt_lower::{Kind, lower, render};

use super::toolkit::{ARCHITECTURES, Toolkit, digest};
use crate::tools::Scratch;
use crate::{cost, record};

/// The record's name.
pub const COSTS: &str = "costs.tsv";

/// A conversion and how the CUDA headers spell it; `a` is the upper source, `b` the lower one.
struct Conversion {
    opcode: &'static str,
    /// The expression that yields the bits of the result.
    theirs: &'static str,
}

const fn row(opcode: &'static str, theirs: &'static str) -> Conversion {
    Conversion { opcode, theirs }
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
    /// Its machine instructions.
    pub ours: usize,
    /// Machine instructions of the function in the CUDA headers, if there is one.
    pub theirs: Option<usize>,
}

impl Cost {
    /// The lines of the record.
    ///
    /// # Errors
    ///
    /// Returns an error for a malformed line.
    pub fn parse(text: &str) -> Result<Vec<Cost>> {
        let line = |fields: Vec<&str>| match fields[..] {
            [opcode, target, variant, ours, theirs] => Ok(Cost {
                form: opcode.parse().map_err(|e| anyhow!("{opcode}: {e}"))?,
                target: target.parse().map_err(|e| anyhow!("{target}: {e}"))?,
                variant: variant.to_owned(),
                ours: ours.parse()?,
                theirs: theirs.parse().ok(),
            }),
            _ => Err(anyhow!("a line of the record has five fields: {fields:?}")),
        };
        record::rows(text).map(line).collect()
    }

    fn print(&self) -> String {
        let theirs = self.theirs.map_or("-".into(), |n| n.to_string());
        format!("{}\t{}\t{}\t{}\t{theirs}", self.form, self.target, self.variant, self.ours)
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
        let names: Vec<String> =
            form.operands().skip(1).map(|operand| operand.role.name().replace('-', "_")).collect();
        let load = |(n, (ty, name)): (usize, (&&str, &String))| {
            format!(" {ty} {name} = *(volatile {ty}*)(at + {});", 8 * (n + 1))
        };
        let loads: String = types[1..].iter().zip(&names).enumerate().map(load).collect();
        let ours = format!("ptxcvt::{}({})", render::name(*form), names.join(", "));
        let mut kernel = |kind: &str, expression: &str| {
            let _ = writeln!(
                text,
                "extern \"C\" __global__ void {kind}{number}_(char* at) {{{loads} *(volatile {}*)at = {expression}; }}",
                types[0]
            );
        };
        kernel("empty", "0");
        kernel("ours", &ours);
        if !conversion.theirs.is_empty() {
            kernel("theirs", conversion.theirs);
        }
    }
    Ok(text)
}

/// Counts and writes the record and the page.
pub(super) fn run(toolkit: &Toolkit) -> Result<bool> {
    let forms =
        CONVERSIONS.iter().map(|row| row.opcode.parse::<Form>().map_err(|e| anyhow!("{}: {e}", row.opcode)));
    let forms = forms.collect::<Result<Vec<_>>>()?;
    let (input, output) = (Scratch::new("costs.cu"), Scratch::new("costs.cubin"));
    let text = source(&forms)?;
    fs::write(&*input, &text)?;
    let mut costs = Vec::new();
    for arch in ARCHITECTURES {
        let target: Target = arch.parse()?;
        toolkit.compile(&input, &["-cubin"], arch, &output)?;
        let counted: BTreeMap<String, usize> = toolkit.instructions(&output)?.into_iter().collect();
        for (number, form) in forms.iter().enumerate() {
            let count = |kind: &str| counted.get(&format!("{kind}{number}_")).copied();
            let empty = count("empty").context("a kernel is missing")?;
            let beyond = |n: usize| n.saturating_sub(empty);
            let best = lower(*form, target, target.introduced())?;
            let newest = lower(*form, target, target.newest())?;
            let variant = if newest.kind() == Kind::Instruction { newest } else { best };
            costs.push(Cost {
                form: *form,
                target,
                variant: variant.name().to_owned(),
                ours: beyond(count("ours").context("a kernel is missing")?),
                theirs: count("theirs").map(beyond),
            });
        }
    }
    let provenance = [
        format!("nvcc {}, nvdisasm: machine instructions of a kernel beyond one that loads and stores the same.", toolkit.version),
        format!("digest of the kernels: {}", digest(&text)),
        "form, architecture, variant, instructions of `ptxcvt lower --as cuda`, of the function in the CUDA headers".into(),
    ];
    record::write(COSTS, &provenance, costs.iter().map(Cost::print))?;
    let page = page();
    let old = fs::read_to_string(&page)?;
    fs::write(
        &page,
        with_table(&old, &table(&costs, &cost::of_projects("sm_80")?))
            .context("docs/lowering.md has lost its marks")?,
    )?;
    Ok(true)
}

/// The page with the table.
pub fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/lowering.md")
}

const BEGIN: &str = "<!-- costs: written by `ptxcvt-conformance -- cuda DIR` -->\n";
const END: &str = "<!-- end of costs -->\n";

fn with_table(page: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{table}{END}{after}"))
}

/// The costs as a table of Markdown.
pub fn table(costs: &[Cost], others: &[(Form, String)]) -> String {
    let mut text = format!(
        "| conversion | {} | public sequences on sm_80 |\n|---|{}\n",
        ARCHITECTURES.join(" | "),
        "---|".repeat(ARCHITECTURES.len() + 1)
    );
    for (at, cost) in costs.iter().enumerate() {
        if costs[..at].iter().any(|earlier| earlier.form == cost.form) {
            continue;
        }
        let _ = write!(text, "| `{}` |", cost.form);
        for arch in ARCHITECTURES {
            let cell = costs.iter().find(|c| c.form == cost.form && c.target.to_string() == arch);
            let cell = cell.map_or(String::new(), |c| match (c.variant == "instruction", c.theirs) {
                (true, _) => format!("{} (instruction)", c.ours),
                (false, Some(theirs)) => format!("**{}** / {theirs}", c.ours),
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
