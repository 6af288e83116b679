//! Compiles the CUDA header with clang for GPUs, assembles the result, and compares what each function in PTX order returns
//! with its form, by running the compiled PTX.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, anyhow, ensure};
use ptxcvt::{Form, Target, inputs};
use ptxcvt_exec::read::{self, Interface};

use super::source;
use crate::record::{self, Digest};
use crate::tools::{self, Scratch, TARGETS};

/// The record.
pub const RECORD: &str = "clang.tsv";

/// The random operands of each function; edges come on top.
const RANDOM: usize = 100;

/// How clang is called without CUDA's own headers, which declare `__global__`.
const WITHOUT: [&str; 2] = ["-nocudainc", "-D__global__=__attribute__((global))"];

/// The lines of a source that need no type of CUDA's headers.
fn without_types(text: &str) -> String {
    let needs = |line: &&str| {
        !(line.starts_with("extern \"C\"")
            && ["__half2", "__nv_bfloat162", "float2", "float4"].iter().any(|ty| line.contains(ty)))
    };
    text.lines().filter(needs).map(|line| format!("{line}\n")).collect()
}

/// Compiles for every architecture that this clang knows, without CUDA's headers and, if their folder is given, with them.
///
/// # Errors
///
/// Returns an error if clang or an assembler cannot be run.
pub fn run(dir: &Path, clang: &Path, cuda: Option<&Path>) -> Result<bool> {
    let (_, ptxas) = tools::assemblers(dir)?.into_iter().next().context("no assembler")?;
    let (forms, text) = source()?;
    let (mut lines, mut agrees) = (Vec::new(), true);
    for headers in [None, cuda].into_iter().take(1 + usize::from(cuda.is_some())) {
        let text = if headers.is_some() { text.clone() } else { without_types(&text) };
        let (input, output) = (Scratch::new("clang.cu"), Scratch::new("clang.ptx"));
        fs::write(&*input, &text)?;
        for arch in TARGETS {
            let mut command = Command::new(clang);
            command.args([
                "-x",
                "cuda",
                "--cuda-device-only",
                "-nocudalib",
                "-O2",
                "-std=c++14",
                "-Wall",
                "-Wextra",
            ]);
            command.args(["-Werror", "-Wno-unknown-cuda-version", "-S", &format!("--cuda-gpu-arch={arch}")]);
            match headers {
                Some(home) => command.arg(format!("--cuda-path={}", home.display())),
                None => command.args(WITHOUT),
            };
            let answer = command.arg("-o").arg(&*output).arg(&*input).output();
            let answer = answer.with_context(|| format!("cannot run {}", clang.display()))?;
            let messages = String::from_utf8_lossy(&answer.stderr);
            if messages.contains("unsupported CUDA gpu architecture") {
                eprintln!("{arch}: unknown to this clang");
                continue;
            }
            ensure!(answer.status.success(), "{arch}: {messages}");
            tools::succeed(Command::new(&ptxas).args(["-arch", arch, "-o", "/dev/null"]).arg(&*output))?;
            let ptx = fs::read_to_string(&*output)?;
            let compared = compare(&forms, &ptx, arch, &mut agrees)?;
            let in_memory_order = ptx.matches(".entry m").count();
            let kind = if headers.is_some() { "with CUDA's headers" } else { "alone" };
            let instructions = instructions(&forms, &ptx);
            println!("{arch} {kind}: {compared} results equal, {instructions} instructions");
            lines.push(format!(
                "{kind}\t{arch}\t{}\t{instructions}\t{in_memory_order}\t{compared}",
                forms.len()
            ));
        }
    }
    let version = Command::new(clang).arg("--version").output()?.stdout;
    let version = String::from_utf8_lossy(&version);
    let version = version.lines().next().context("`clang --version` printed nothing")?;
    let provenance = [
        format!("{version}; the PTX is accepted by ptxas {}.", tools::NEWEST),
        format!("digest of the text: {}", Digest::of_text(&text)),
        "how, architecture, functions in PTX order, those that are the instruction, functions in memory order, results of \
         functions in PTX order that equal the form's"
            .into(),
    ];
    if agrees {
        record::write(RECORD, &provenance, lines)?;
    }
    Ok(agrees)
}

/// The kernel of the function with this number, in PTX.
fn kernel(ptx: &str, number: usize) -> Option<&str> {
    let (_, rest) = ptx.split_once(&format!(".entry k{number}_("))?;
    rest.split(".entry").next()
}

/// How many functions are the instruction.
fn instructions(forms: &[Form], ptx: &str) -> usize {
    let is_it = |(number, form): &(usize, &Form)| {
        kernel(ptx, *number).is_some_and(|body| body.contains(&format!("{form} ")))
    };
    forms.iter().enumerate().filter(is_it).count()
}

/// Runs every function in PTX order on edges and random operands, and returns how many results equal the form's.
fn compare(forms: &[Form], ptx: &str, arch: &str, agrees: &mut bool) -> Result<usize> {
    let target: Target = arch.parse()?;
    let mut equal = 0;
    for (number, form) in forms.iter().enumerate() {
        let interface = Interface { function: Some(format!("k{number}_")), ..Interface::default() };
        let block = read::block(ptx, &interface).map_err(|e| anyhow!("{form} on {target}: {}", e.message))?;
        let sources = block.inputs().len();
        for operands in inputs::operands(form, RANDOM, 1) {
            let wanted = form.eval(&operands[..sources]).map_err(|e| anyhow!("{form}: {e}"))?;
            let found = block.eval(&operands[..sources])?;
            if found == [wanted] {
                equal += 1;
            } else {
                println!("{form} on {target}: {operands:x?}: {found:x?} instead of {wanted:x}");
                *agrees = false;
                break;
            }
        }
    }
    Ok(equal)
}
