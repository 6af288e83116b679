//! The CUDA header through NVIDIA's compiler, and what its functions cost beside NVIDIA's own.
//!
//! Needs a toolkit in one folder: the wheels nvcc, nvvm, crt, runtime, cccl and nvdisasm unpacked over each other.

mod costs;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_lower::render;

use crate::record::{self, Digest};
use crate::tools::Scratch;
pub use costs::{COSTS, Cost, page, table};

/// The record of the header.
pub const HEADER: &str = "header.tsv";

/// The architectures that are compiled for.
pub const ARCHITECTURES: [&str; 7] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100a", "sm_120a"];

/// A toolkit.
#[derive(Clone, Debug)]
pub struct Toolkit {
    home: PathBuf,
    /// The compiler's version, such as 13.5.37.
    pub version: String,
}

impl Toolkit {
    /// The toolkit in that folder.
    ///
    /// # Errors
    ///
    /// Fails where its compiler cannot be run.
    pub fn open(home: &Path) -> Result<Self> {
        let nvcc = home.join("bin/nvcc");
        let answer = Command::new(&nvcc).arg("--version").output();
        let answer = answer.with_context(|| format!("cannot run {}", nvcc.display()))?;
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let version = text.split(", V").nth(1).and_then(|rest| rest.split_whitespace().next());
        let version = version.context("nvcc does not tell its version")?.to_owned();
        Ok(Toolkit { home: home.to_owned(), version })
    }

    /// Compiles a source to `-cubin` or `-ptx`; the compiler's messages where it fails.
    fn compile(&self, source: &Path, kind: &str, arch: &str, to: &Path) -> Result<()> {
        let mut command = Command::new(self.home.join("bin/nvcc"));
        command.env("CUDA_HOME", &self.home).arg(format!("-arch={arch}")).arg(kind);
        command.arg("-I").arg(self.home.join("include")).arg("-o").arg(to).arg(source);
        let answer = command.output().with_context(|| format!("cannot run {command:?}"))?;
        ensure!(answer.status.success(), "{arch}: {}", String::from_utf8_lossy(&answer.stderr));
        Ok(())
    }

    /// The machine instructions of each function of a cubin, by name.
    fn instructions(&self, cubin: &Path) -> Result<Vec<(String, usize)>> {
        let answer = Command::new(self.home.join("bin/nvdisasm")).arg("-c").arg(cubin).output()?;
        ensure!(answer.status.success(), "nvdisasm: {}", String::from_utf8_lossy(&answer.stderr));
        let text = String::from_utf8_lossy(&answer.stdout);
        let functions = text.split("\n.text.").skip(1).filter_map(|part| part.split_once(':'));
        let count = ptxcvt_conform::assembler::machine_instructions;
        Ok(functions.map(|(name, body)| (name.to_owned(), count(body))).collect())
    }
}

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

/// The digest of a text.
pub fn digest(text: &str) -> Digest {
    Digest::of(text.bytes().map(u64::from))
}

/// Compiles the header for every architecture, sees that each function takes the instruction where it should, counts
/// what the important ones cost, and writes both records.
///
/// # Errors
///
/// Fails where the toolkit is not complete.
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
