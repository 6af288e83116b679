//! Compares values with the host emulation in the CUDA headers, and with this CPU's conversions in each rounding mode.
//!
//! `headers.cpp` is compiled with the headers and reads the operands of [`ptxcvt::inputs`]. Its results are compared with
//! the reference, and their digests are recorded.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use ptxcvt::{Form, inputs};
use ptxcvt_conform::deviations::values::Oracle;

use crate::record::{self, Digest};
use crate::tools::{self, Scratch};

/// The record's name.
pub const RECORD: &str = "headers.tsv";

/// The seed of the random operands.
const SEED: u64 = 1;

/// How many random operands follow the lattice.
const RANDOM: usize = 1 << 20;

/// Approximate number of tuples in an ordinary test.
const QUICK: usize = 1 << 17;

/// How many inputs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// A subset for ordinary tests.
    Quick,
    /// All inputs.
    Full,
}

/// The operand tuples of a form, concatenated.
pub fn operands(form: &Form, depth: Depth) -> impl Iterator<Item = Vec<u64>> + use<> {
    // The lattice already contains every value of a small source.
    let random = if form.source().width() <= 16 { 0 } else { RANDOM };
    let arity = form.source_count();
    let (end, step) = if depth == Depth::Quick { quick(form) } else { (usize::MAX, 1) };
    let tuples = inputs::operands(form, random, SEED).take(end).step_by(step);
    tuples.map(move |tuple| tuple[..arity].to_vec())
}

/// The end and step that select the tuples of [`Depth::Quick`]: the lattice (for f64 a fraction of it, with an odd step),
/// and random tuples for half of the remaining budget.
fn quick(form: &Form) -> (usize, usize) {
    let lattice = inputs::operands(form, 0, SEED).count();
    (lattice + QUICK / 2, (lattice / QUICK) | 1)
}

/// One line of the record.
#[derive(Debug)]
pub struct Line {
    /// The oracle that computed the results.
    pub oracle: Oracle,
    /// The form, in canonical spelling.
    pub opcode: String,
    /// Number of tuples, including excluded ones.
    pub tried: usize,
    /// Number of excluded tuples.
    pub excluded: usize,
    /// Number of tuples on which oracle and reference differ.
    pub differences: usize,
    /// Digest of the tuples of [`Depth::Quick`].
    pub inputs: Digest,
    /// Digest of the oracle's results on the quick tuples.
    pub quick: Digest,
    /// Digest of the oracle's results on all tuples.
    pub full: Digest,
}

impl Line {
    /// The lines of the record.
    pub fn parse(text: &str) -> Result<Vec<Line>> {
        record::rows(text).map(|fields| Line::from_fields(&fields)).collect()
    }

    fn from_fields(fields: &[&str]) -> Result<Line> {
        let [group, opcode, tried, excluded, differences, inputs, quick, full] = fields else {
            anyhow::bail!("a line of the record has eight fields, this one has {}: {fields:?}", fields.len());
        };
        Ok(Line {
            oracle: Oracle::from_name(group).with_context(|| format!("unknown group {group}"))?,
            opcode: (*opcode).to_owned(),
            tried: tried.parse()?,
            excluded: excluded.parse()?,
            differences: differences.parse()?,
            inputs: inputs.parse()?,
            quick: quick.parse()?,
            full: full.parse()?,
        })
    }

    fn print(&self) -> String {
        let group = self.oracle.name();
        let Line { opcode, tried, excluded, differences, inputs, quick, full, .. } = self;
        format!("{group}\t{opcode}\t{tried}\t{excluded}\t{differences}\t{inputs}\t{quick}\t{full}")
    }
}

/// Compares every opcode, prints the first differences of each, and rewrites the record.
pub fn run(dir: &Path, only: Option<&str>) -> Result<bool> {
    let (version, include) = tools::headers(dir)?;
    let mut lines = lines(&include, only)?;
    let agrees = lines.iter().all(|line| line.differences == 0);
    let differing = lines.iter().filter(|line| line.differences > 0).count();
    eprintln!("{} opcodes, {differing} of them differ", lines.len());
    if only.is_none() {
        lines.sort_by(|a, b| a.opcode.cmp(&b.opcode));
        record::write(RECORD, &provenance(version), lines.iter().map(Line::print))?;
    }
    Ok(agrees)
}

/// Compares every opcode that contains `only` with the headers in these folders, and prints the first differences of each.
pub fn lines(include: &[PathBuf], only: Option<&str>) -> Result<Vec<Line>> {
    let program = Scratch::new("headers");
    compile(include, &program)?;
    let mut lines = Vec::new();
    for (oracle, opcode) in list(&program)? {
        let form: Form = opcode.parse().with_context(|| opcode.clone())?;
        if only.is_none_or(|part| opcode.contains(part)) {
            lines.push(compare(&program, oracle, &opcode, &form)?);
        }
    }
    Ok(lines)
}

fn provenance(version: &str) -> Vec<String> {
    [
        "Results of conversions that this project did not write, as digests (64-bit FNV-1a).",
        &format!("headers: host emulation of CUDA {version}; machine: x86-64 in each rounding mode."),
        "NaN is left out where the manual leaves its payload open. Operands: `ptxcvt::inputs`.",
        "Made by `ptxcvt-conformance headers`.",
        "group, opcode, tuples, left out, differences; digests of quick inputs, quick results, all results",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn compile(include: &[PathBuf], program: &Path) -> Result<()> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/headers.cpp");
    let mut command = Command::new("g++");
    command.args(["-std=c++17", "-O1", "-frounding-math", "-Wall", "-Wextra"]);
    // `-isystem` silences the warnings of the headers.
    include.iter().for_each(|path| {
        command.arg("-isystem").arg(path);
    });
    tools::succeed(command.arg(source).arg("-o").arg(program))
}

/// The opcodes that the program supports.
fn list(program: &Path) -> Result<Vec<(Oracle, String)>> {
    let output = Command::new(program).arg("--list").output()?;
    let text = String::from_utf8(output.stdout)?;
    record::rows(&text)
        .map(|fields| Ok((Oracle::from_name(fields[0]).context("unknown group")?, fields[2].to_owned())))
        .collect()
}

fn compare(program: &Path, oracle: Oracle, opcode: &str, form: &Form) -> Result<Line> {
    let tuples: Vec<Vec<u64>> = operands(form, Depth::Full).collect();
    let results = evaluate(program, opcode, &tuples)?;
    let (end, step) = quick(form);
    let mut line = Line {
        oracle,
        opcode: form.to_string(),
        tried: tuples.len(),
        excluded: 0,
        differences: 0,
        inputs: Digest::of(operands(form, Depth::Quick).flatten()),
        quick: Digest::default(),
        full: Digest::default(),
    };
    for (i, (operands, &result)) in tuples.iter().zip(&results).enumerate() {
        if oracle.leaves_out(form, operands) {
            line.excluded += 1;
            continue;
        }
        line.full.push(result);
        if i < end && i % step == 0 {
            line.quick.push(result);
        }
        let ours = form.eval(operands)?;
        if ours != result {
            line.differences += 1;
            if line.differences <= 5 {
                println!("{form} {operands:x?}: oracle {result:#x}, reference {ours:#x}");
            }
        }
    }
    if line.differences > 0 {
        println!("{form}: {} of {} differ", line.differences, line.tried);
    }
    Ok(line)
}

/// Runs the program on the operands.
fn evaluate(program: &Path, opcode: &str, tuples: &[Vec<u64>]) -> Result<Vec<u64>> {
    let mut child = Command::new(program).arg(opcode).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut stdin = child.stdin.take().context("no standard input")?;
    let mut stdout = child.stdout.take().context("no standard output")?;
    let bytes: Vec<u8> = tuples.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    // The program writes while it reads, so its output must be drained at the same time.
    let reader = std::thread::spawn(move || {
        let mut answer = Vec::new();
        stdout.read_to_end(&mut answer).map(|_| answer)
    });
    stdin.write_all(&bytes)?;
    drop(stdin);
    let answer = reader.join().map_err(|_| anyhow::anyhow!("the reader panicked"))??;
    ensure!(child.wait()?.success(), "{opcode} failed");
    ensure!(answer.len() == tuples.len() * 8, "{opcode}: {} bytes of results", answer.len());
    answer.chunks_exact(8).map(|word| Ok(u64::from_le_bytes(word.try_into()?))).collect()
}
