//! Compares values with ptxas's constant folding: the results that the assembler computes for constant operands.
//!
//! Each form becomes a kernel that converts constants and stores the results. If the machine code stores a constant, ptxas
//! has folded the conversion.

mod operands;
mod sass;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use ptxcvt::forms::Operand;
use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_conform::deviations::values::Folded;

use crate::record;
use crate::tools::{self, Scratch};
pub use operands::tuples;

/// The record's name.
pub const RECORD: &str = "folding.tsv";

/// Kernels per module. Larger modules do not compile faster.
const BATCH: usize = 150;

/// One form's folded constants.
#[derive(Debug)]
pub struct Line {
    /// The form.
    pub form: Form,
    /// Operands and result.
    pub results: Vec<(Vec<u64>, u64)>,
}

impl Line {
    /// The lines of the record.
    pub fn parse(text: &str) -> Result<Vec<Line>> {
        record::rows(text).map(|fields| Line::from_fields(&fields)).collect()
    }

    fn from_fields(fields: &[&str]) -> Result<Line> {
        let hex = |text: &str| Ok(u64::from_str_radix(text, 16)?);
        let [opcode, results] = fields else {
            bail!("a line of the record has two fields, this one has {}: {fields:?}", fields.len())
        };
        let results = results.split(' ').map(|pair| {
            let (operands, result) = pair.split_once('=').with_context(|| format!("no result: {pair}"))?;
            Ok((operands.split(',').map(hex).collect::<Result<_>>()?, hex(result)?))
        });
        let form = opcode.parse().with_context(|| format!("{opcode} is not a form of cvt or cvt.pack"))?;
        Ok(Line { form, results: results.collect::<Result<_>>()? })
    }

    fn print(&self) -> String {
        let pairs = self.results.iter().map(|(operands, result)| {
            let operands: Vec<String> = operands.iter().map(|o| format!("{o:x}")).collect();
            format!("{}={result:x}", operands.join(","))
        });
        format!("{}\t{}", self.form, pairs.collect::<Vec<_>>().join(" "))
    }

    /// Operands for which the reference returns another result that is not a known deviation, with both results.
    pub fn differences(&self) -> Vec<String> {
        let form = self.form;
        let mut differences = Vec::new();
        for (operands, folded) in &self.results {
            let ours = form.eval(operands);
            if ours != Ok(*folded) && Folded::of(&form, operands, *folded).is_none() {
                differences.push(format!("{form} {operands:x?}: folded {folded:x}, reference {ours:x?}"));
            }
        }
        differences
    }
}

/// The programs.
pub(crate) struct Tools {
    /// The assembler's version.
    pub version: &'static str,
    ptxas: PathBuf,
    nvdisasm: PathBuf,
}

impl Tools {
    /// The newest assembler whose version begins with `prefix`, and the disassembler.
    pub fn find(dir: &Path, version: &str) -> Result<Tools> {
        let mut all = tools::assemblers(dir)?.into_iter();
        let (version, ptxas) = all.find(|(v, _)| v.starts_with(version)).context("no such assembler")?;
        Ok(Tools { version, ptxas, nvdisasm: tools::nvdisasm(dir)? })
    }

    /// The newest ISA version that the assembler accepts.
    pub fn newest(&self) -> IsaVersion {
        if self.version.starts_with("12.9") { IsaVersion::new(8, 8) } else { IsaVersion::NEWEST_RELEASED }
    }
}

/// Folds every form, rewrites the record, and returns whether the library agrees.
pub fn run(dir: &Path, only: Option<&str>) -> Result<bool> {
    let tools = Tools::find(dir, "")?;
    let mut batches: BTreeMap<Target, Vec<Form>> = BTreeMap::new();
    let wanted =
        |form: &Form| !form.is_announced() && only.is_none_or(|part| form.to_string().contains(part));
    for form in Form::all().filter(wanted) {
        batches.entry(first_target(&form)?).or_default().push(form);
    }
    let mut lines = Vec::new();
    for (target, forms) in &batches {
        for batch in forms.chunks(BATCH) {
            eprintln!("{target}: {} …", batch[0]);
            for (form, stored) in fold(&tools, *target, batch, &|forms: &[Form]| module(*target, forms))? {
                let tuples = tuples(&form).into_iter().enumerate();
                let results = tuples.filter_map(|(i, tuple)| Some((tuple, (*stored.get(&(8 * i as u64))?)?)));
                let line = Line { form, results: results.collect() };
                if !line.results.is_empty() {
                    lines.push(line);
                }
            }
        }
    }
    let differences: Vec<String> = lines.iter().flat_map(Line::differences).collect();
    differences.iter().for_each(|difference| println!("{difference}"));
    let results: usize = lines.iter().map(|line| line.results.len()).sum();
    eprintln!("{} forms fold, {results} results, {} differences", lines.len(), differences.len());
    if only.is_none() {
        let provenance = [
            &format!(
                "Conversions of constants that ptxas {} did itself, read from the machine code.",
                tools.version
            ),
            "Made by `ptxcvt-conformance folding`.",
            "opcode, then operands (in PTX order, by commas) = result, all hexadecimal",
        ];
        record::write(RECORD, &provenance.map(str::to_owned), lines.iter().map(Line::print))?;
    }
    Ok(differences.is_empty())
}

/// The oldest target from sm_90 on that has the form. Few targets then cover all forms.
fn first_target(form: &Form) -> Result<Target> {
    let modern =
        |target: &Target| target.sm() >= 90 && target.withdrawn().is_none() && !target.is_announced();
    Target::all()
        .filter(modern)
        .find(|target| form.since(*target).is_some())
        .with_context(|| format!("no target has {form}"))
}

/// The values that each kernel of a module stores, by offset, or `None` for values that the machine computes.
pub(crate) type Stored = BTreeMap<u64, Option<u64>>;

/// Compiles the kernels of these and reads the folded constants.
pub(crate) fn fold<T: Copy + std::fmt::Display>(
    tools: &Tools,
    target: Target,
    subjects: &[T],
    module: &dyn Fn(&[T]) -> String,
) -> Result<Vec<(T, Stored)>> {
    let (source, binary) = (Scratch::new("fold.ptx"), Scratch::new("fold.cubin"));
    std::fs::write(&*source, module(subjects))?;
    let mut ptxas = Command::new(&tools.ptxas);
    ptxas.args(["-O3", "-arch", &target.to_string(), "-o"]).arg(&*binary).arg(&*source);
    let output = ptxas.output()?;
    if !output.status.success() {
        // ptxas fails internally on some forms with constant operands. Compile the other forms without them.
        let mut found = Vec::new();
        if subjects.len() > 1 {
            for half in subjects.chunks(subjects.len().div_ceil(2)) {
                found.extend(fold(tools, target, half, module)?);
            }
        } else if let [subject] = subjects {
            let messages = String::from_utf8_lossy(&output.stderr);
            let why = messages.lines().next().map_or_else(|| output.status.to_string(), str::to_owned);
            eprintln!("{subject} is left out: ptxas failed: {why}");
        }
        return Ok(found);
    }
    let listing = Command::new(&tools.nvdisasm).args(["-c", "-hex"]).arg(&*binary).output()?;
    let mut stores = sass::stores(&String::from_utf8(listing.stdout)?)?;
    let each = subjects.iter().enumerate();
    Ok(each.filter_map(|(kernel, subject)| Some((*subject, stores.remove(&kernel)?))).collect())
}

/// The first lines of a module.
pub(crate) fn module_head(isa: IsaVersion, target: Target) -> String {
    format!(".version {isa}\n.target {target}\n.address_size 64\n")
}

/// A module with one kernel per form.
fn module(target: Target, forms: &[Form]) -> String {
    let mut text = module_head(IsaVersion::NEWEST_RELEASED, target);
    for (kernel, form) in forms.iter().enumerate() {
        text.push_str(&kernel_text(kernel, form));
    }
    text
}

/// A kernel that stores the results of all tuples at a stride of eight bytes.
fn kernel_text(kernel: usize, form: &Form) -> String {
    let mut registers = BTreeMap::new();
    let operands: Vec<Operand> = form.operands().collect();
    let (d, sources) = (operands[0], &operands[1..]);
    let mut body = String::new();
    // Writing to a string cannot fail.
    for (i, tuple) in tuples(form).iter().enumerate() {
        let mut names = vec![format!("d{i}")];
        for (k, (operand, bits)) in sources.iter().zip(tuple).enumerate() {
            let name = format!("s{i}_{k}");
            registers.insert(name.clone(), operand.width);
            let _ = match operand.width {
                // There is no `mov` of 8 bits.
                8 => writeln!(body, "mov.b16 h, {bits:#x}; cvt.u8.u16 {name}, h;"),
                width => writeln!(body, "mov.b{width} {name}, {bits:#x};"),
            };
            names.push(name);
        }
        registers.insert(format!("d{i}"), d.width);
        let _ = writeln!(body, "{form} {};", form.syntax_with(|at, _| &names[at]));
        let _ = writeln!(body, "st.volatile.global.b{} [p+{}], d{i};", d.width, 8 * i);
    }
    let registers: String =
        registers.iter().map(|(name, width)| format!(".reg .b{width} {name};\n")).collect();
    format!(
        ".entry k{kernel}(.param .u64 q) {{\n.reg .b64 p; .reg .b16 h;\n{registers}\
         ld.param.u64 p, [q];\n{body}ret;\n}}\n"
    )
}
