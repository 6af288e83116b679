//! Compiles the CUDA header with nvcc.

mod calls;
pub mod clang;
pub mod names;
mod toolkit;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_lower::render;

use crate::record::{self, Digest};
use crate::tools::{Scratch, TARGETS};
pub use toolkit::Toolkit;

/// The record of the header.
pub const HEADER: &str = "header.tsv";

/// The kernel whose PTX is committed.
const KERNEL: &str = "nvfp4_to_bf16";

/// The folder of the kernel.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("header")
}

/// The header and a kernel for each of its functions: `k0_` and so on in PTX order, `m0_` and so on in memory order.
pub fn source() -> Result<(Vec<Form>, String)> {
    let forms: Vec<Form> = render::default_forms().collect();
    let mut text = render::header(&forms)?;
    for (number, form) in forms.iter().enumerate() {
        let types = render::parameter_types(*form);
        let (result, sources) = types.split_first().context("a form without operands")?;
        let parameter = |(n, ty): (usize, &&str)| format!(", const {ty}* s{n}");
        let parameters: String = sources.iter().enumerate().map(parameter).collect();
        let arguments: Vec<String> = (0..sources.len()).map(|n| format!("*s{n}")).collect();
        let name = form.identifier();
        let arguments = arguments.join(", ");
        let _ = writeln!(
            text,
            "extern \"C\" __global__ void k{number}_({result}* d{parameters}) {{ *d = ptxcvt::{name}({arguments}); }}"
        );
    }
    let (count, kernels) = calls::kernels(&text);
    anyhow::ensure!(count > 5 * forms.len(), "{count} functions in memory order of {} forms", forms.len());
    text += &kernels;
    Ok((forms, text))
}

/// The PTX of the kernel without comments and empty lines.
fn kernel(toolkit: &Toolkit) -> Result<String> {
    let (input, output) = (Scratch::new("kernel.cu"), Scratch::new("kernel.ptx"));
    let header = render::header(&render::default_forms().collect::<Vec<_>>())?;
    let kernel = fs::read_to_string(folder().join(format!("{KERNEL}.cu")))?;
    fs::write(&*input, kernel.replace("#include \"ptxcvt.cuh\"", &header))?;
    toolkit.compile(&input, &["-ptx"], "sm_80", &output)?;
    let text = fs::read_to_string(&*output)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with("//"));
    Ok(lines.map(|line| format!("{line}\n")).collect())
}

/// Compiles the header for every architecture, checks that each function uses the instruction where the target has it and
/// that `-use_fast_math` changes nothing, and writes the record and the PTX of the kernel.
///
/// # Errors
///
/// Returns an error if the toolkit is incomplete.
pub fn run(dir: &Path) -> Result<bool> {
    let toolkit = Toolkit::open(dir)?;
    let (forms, text) = source()?;
    let (input, output) = (Scratch::new("header.cu"), Scratch::new("header.out"));
    fs::write(&*input, &text)?;
    let (mut lines, mut agrees) = (Vec::new(), true);
    for arch in TARGETS {
        toolkit.compile(&input, &["-ptx", "-use_fast_math"], arch, &output)?;
        let fast = fs::read_to_string(&*output)?;
        toolkit.compile(&input, &["-ptx"], arch, &output)?;
        toolkit.assemble(&output, arch)?;
        let ptx = fs::read_to_string(&*output)?;
        if fast != ptx {
            println!("{arch}: -use_fast_math changes the code");
            agrees = false;
        }
        let target: Target = arch.parse()?;
        let mut instructions = 0;
        for (number, form) in forms.iter().enumerate() {
            let Some((_, rest)) = ptx.split_once(&format!("k{number}_(")) else {
                bail!("{arch}: no k{number}_")
            };
            let body = rest.split_once(".entry").map_or(rest, |(body, _)| body);
            let (taken, legal) =
                (body.contains(&format!("{form} ")), form.is_legal(target, IsaVersion::NEWEST_RELEASED));
            if taken != legal {
                println!("{arch}: {form} is {}the instruction", if taken { "" } else { "not " });
                agrees = false;
            }
            instructions += usize::from(taken);
        }
        let in_memory_order = ptx.matches(".entry m").count();
        println!("{arch}: {} functions, {instructions} of them the instruction", forms.len());
        lines.push(format!("{arch}\t{}\t{instructions}\t{in_memory_order}", forms.len()));
    }
    let provenance = [
        format!(
            "nvcc {}: the header that `ptxcvt lower --header` prints, with a kernel for each function, compiled.",
            toolkit.version
        ),
        format!("digest of the text: {}", Digest::of_text(&text)),
        "-use_fast_math makes the same PTX.".into(),
        "architecture, functions in PTX order, those that are the instruction (as the table of forms has it), \
         functions in memory order"
            .into(),
    ];
    record::write(HEADER, &provenance, lines)?;
    fs::write(folder().join(format!("{KERNEL}.ptx")), kernel(&toolkit)?)?;
    Ok(agrees)
}
