//! Asking ptxas about thousands of instructions at a time.
//!
//! ptxas names the line of each error but stops after one class of errors; so the lines that it named are
//! taken out and the rest is tried again, until it is silent.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use anyhow::{Context, Result, bail, ensure};

use super::spellings::{REGISTERS, Spelling};
use crate::tools::Scratch;

/// How many instructions go into a module: more make the retries dearer, fewer the starts of the program.
const BATCH: usize = 6000;

/// How long a module that is compiled to the end may be: a kernel's compilation time is not linear.
const COMPILED: usize = 200;

/// A version of ptxas.
pub struct Ptxas {
    /// Its version.
    pub version: &'static str,
    program: PathBuf,
}

/// What a module begins with.
#[derive(Clone, Copy, Debug)]
pub struct Module<'a> {
    /// The operand of `.version`.
    pub isa: &'a str,
    /// The operand of `.target`.
    pub target: &'a str,
}

impl Ptxas {
    /// That program.
    pub fn new(version: &'static str, program: PathBuf) -> Self {
        Ptxas { version, program }
    }

    /// The targets that its help text lists.
    pub fn targets(&self) -> Result<BTreeSet<String>> {
        let output = Command::new(&self.program).arg("--help").output()?;
        let text = String::from_utf8(output.stdout)?;
        let quoted = text.split('\'').filter(|word| word.starts_with("sm_"));
        Ok(quoted.filter(|word| !word.contains(' ')).map(str::to_owned).collect())
    }

    /// True where a module may begin like that.
    pub fn takes(&self, module: Module) -> Result<bool> {
        Ok(self.rejected(module, &[])?.is_some_and(|lines| lines.is_empty()))
    }

    /// The indices of the spellings that pass every check.
    pub fn accepted(&self, module: Module, spellings: &[&Spelling]) -> Result<Vec<usize>> {
        let mut accepted = Vec::new();
        for (batch, chunk) in spellings.chunks(BATCH).enumerate() {
            let mut alive: Vec<usize> = (0..chunk.len()).collect();
            loop {
                let lines: Vec<&str> = alive.iter().map(|i| chunk[*i].instruction.as_str()).collect();
                let rejected = self.rejected(module, &lines)?;
                let rejected = rejected.with_context(|| format!("{module:?} is refused"))?;
                if rejected.is_empty() {
                    break;
                }
                let mut at = 0..;
                alive.retain(|_| at.next().is_some_and(|i| !rejected.contains(&i)));
            }
            accepted.extend(alive.into_iter().map(|i| batch * BATCH + i));
        }
        Ok(accepted)
    }

    /// The lines that one run names; `None` where it refuses what the module begins with.
    fn rejected(&self, module: Module, lines: &[&str]) -> Result<Option<BTreeSet<usize>>> {
        let Module { isa, target } = module;
        let (version, target) = (format!(".version {isa}"), format!(".target {target}"));
        let head = [version.as_str(), &target, ".address_size 64", ".entry k() {", REGISTERS];
        // A virtual architecture makes ptxas stop after the checks.
        let output = self.assemble(&head, lines, &module.target.replace("sm_", "compute_"))?;
        if output.status.success() {
            return Ok(Some(BTreeSet::new()));
        }
        let text = String::from_utf8_lossy(&output.stderr);
        let named: BTreeSet<usize> = text.lines().filter_map(error_line).collect();
        let Some(&first) = named.first() else { bail!("ptxas fails without naming a line: {text}") };
        // Lines count from 1; the instructions follow the head.
        Ok((first > head.len()).then(|| named.into_iter().map(|line| line - head.len() - 1).collect()))
    }

    /// The spellings that pass every check and then make ptxas give up with an internal error.
    pub fn crashes<'s>(&self, module: Module, spellings: &[&'s Spelling]) -> Result<Vec<&'s Spelling>> {
        let mut crashing = Vec::new();
        let mut pending: Vec<&[&Spelling]> = spellings.chunks(COMPILED).collect();
        while let Some(chunk) = pending.pop() {
            if self.compiles(module, chunk)? {
                continue;
            }
            // An internal error names no line.
            match chunk {
                [one] => crashing.push(*one),
                _ => pending.extend(chunk.chunks(chunk.len().div_ceil(2))),
            }
        }
        Ok(crashing)
    }

    /// True where machine code comes out of a kernel that loads operands, converts, and stores results.
    fn compiles(&self, module: Module, spellings: &[&Spelling]) -> Result<bool> {
        let Module { isa, target } = module;
        let (version, target) = (format!(".version {isa}"), format!(".target {target}"));
        let pointer = ".reg .b64 p; ld.param.u64 p, [q];";
        let head =
            [version.as_str(), &target, ".address_size 64", ".entry k(.param .u64 q) {", REGISTERS, pointer];
        let loads = [8, 16, 32, 64].into_iter().flat_map(|width| {
            let load = move |name| format!("ld.volatile.global.b{width} {name}{width}, [p];");
            ["a", "b", "e", "f", "s"].into_iter().map(load)
        });
        let stores = spellings.iter().map(|s| {
            let Spelling { instruction, width, .. } = s;
            format!("{instruction} st.volatile.global.b{width} [p], d{width};")
        });
        let lines: Vec<String> = loads.chain(stores).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let output = self.assemble(&head, &lines, module.target)?;
        let text = String::from_utf8_lossy(&output.stderr);
        ensure!(!text.lines().any(|line| error_line(line).is_some()), "a checked module fails: {text}");
        Ok(output.status.success())
    }

    fn assemble(&self, head: &[&str], lines: &[&str], architecture: &str) -> Result<Output> {
        let path = Scratch::new("module.ptx");
        let text: Vec<&str> = head.iter().chain(lines).chain(&["ret;", "}", ""]).copied().collect();
        fs::write(&*path, text.join("\n"))?;
        let arguments = ["-O0", "-arch", architecture, "-o", "/dev/null"];
        let output = Command::new(&self.program).args(arguments).arg(&*path).output()?;
        Ok(output)
    }
}

/// The line number of `… line 12; error : …`.
fn error_line(message: &str) -> Option<usize> {
    let (_, rest) = message.split_once(" line ")?;
    let (number, rest) = rest.split_once(';')?;
    let kind = rest.trim_start();
    (kind.starts_with("error") || kind.starts_with("fatal")).then(|| number.parse().ok())?
}
