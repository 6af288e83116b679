//! Compiles the CUDA header with nvcc, and compares the cost of its functions with NVIDIA's functions.
//!
//! The toolkit must be in one folder: the wheels nvcc, nvvm, crt, runtime, cccl and nvdisasm unpacked into it.

mod costs;
mod toolkit;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_lower::render;

use crate::record;
use crate::tools::Scratch;
pub use costs::{COSTS, Cost, page, table};
pub use toolkit::{ARCHITECTURES, Toolkit, digest};

/// The record of the header.
pub const HEADER: &str = "header.tsv";

/// The header and a kernel for each of its functions.
pub fn source() -> Result<(Vec<Form>, String)> {
    let forms: Vec<Form> = render::default_forms().collect();
    let mut text = render::header(&forms)?;
    for (number, form) in forms.iter().enumerate() {
        let types = render::parameter_types(*form);
        let (result, sources) = types.split_first().context("a form without operands")?;
        let parameter = |(n, ty): (usize, &&str)| format!(", const {ty}* s{n}");
        let parameters: String = sources.iter().enumerate().map(parameter).collect();
        let arguments: Vec<String> = (0..sources.len()).map(|n| format!("*s{n}")).collect();
        let name = render::name(*form);
        let arguments = arguments.join(", ");
        let _ = writeln!(
            text,
            "extern \"C\" __global__ void k{number}_({result}* d{parameters}) {{ *d = ptxcvt::{name}({arguments}); }}"
        );
    }
    Ok((forms, text))
}

/// Compiles the header for every architecture, checks that each function uses the instruction where the target has it,
/// counts instructions of the important functions, and writes both records.
///
/// # Errors
///
/// Returns an error if the toolkit is incomplete.
pub fn run(home: &Path) -> Result<bool> {
    let toolkit = Toolkit::open(home)?;
    let (forms, text) = source()?;
    let (input, output) = (Scratch::new("header.cu"), Scratch::new("header.out"));
    fs::write(&*input, &text)?;
    let (mut lines, mut agrees) = (Vec::new(), true);
    for arch in ARCHITECTURES {
        toolkit.compile(&input, "-cubin", arch, &output)?;
        toolkit.compile(&input, "-ptx", arch, &output)?;
        let ptx = fs::read_to_string(&*output)?;
        let target: Target = arch.parse()?;
        let mut instructions = 0;
        for (number, form) in forms.iter().enumerate() {
            let Some((_, rest)) = ptx.split_once(&format!("k{number}_(")) else {
                bail!("{arch}: no k{number}_")
            };
            let body = rest.split(".entry").next().unwrap_or_default();
            let (taken, legal) =
                (body.contains(&format!("{form} ")), form.is_legal(target, IsaVersion::NEWEST_RELEASED));
            if taken != legal {
                println!("{arch}: {form} is {}the instruction", if taken { "" } else { "not " });
                agrees = false;
            }
            instructions += usize::from(taken);
        }
        println!("{arch}: {} functions, {instructions} of them the instruction", forms.len());
        lines.push(format!("{arch}\t{}\t{instructions}", forms.len()));
    }
    let provenance = [
        format!(
            "nvcc {}: the header that `ptxcvt lower --header` prints, with a kernel for each function, compiled.",
            toolkit.version
        ),
        format!("digest of the text: {}", digest(&text)),
        "architecture, functions, those that are the instruction (as the table of forms has it)".into(),
    ];
    record::write(HEADER, &provenance, lines)?;
    Ok(costs::run(&toolkit)? && agrees)
}
