//! An assembler as an oracle: its versions and targets, and its verdicts on thousands of instructions.

mod code;
mod sift;
mod unusable;

use std::path::Path;

use ptxcvt::{IsaVersion, Target};

pub use code::{Tools, machine_instructions};
pub use sift::{Answer, Ptxas, Surroundings, Verdict, tool_version};
pub use unusable::{Rejected, Unusable};

/// The number of lines of one file.
const BATCH: usize = 3000;

/// An assembler, its targets and its newest version.
#[derive(Clone, Debug)]
pub struct Assembler {
    ptxas: Ptxas,
    /// Its own version, such as 13.5.37.
    pub version: String,
    /// The newest ISA version that it accepts.
    pub newest: IsaVersion,
    /// The targets that it builds for.
    pub targets: Vec<Target>,
}

/// Whether the assembler generates code, or stops after it has checked the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Its front end only.
    Check,
    /// Machine code, without optimisation.
    Code,
}

impl Depth {
    /// The operand of `-arch`: a virtual architecture makes ptxas stop after the checks.
    pub fn arch(self, target: &str) -> String {
        match self {
            Depth::Check => target.replace("sm_", "compute_"),
            Depth::Code => target.to_owned(),
        }
    }
}

/// A module's text around the assembled lines.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The target after `.target`.
    pub target: Target,
    /// The version after `.version`.
    pub isa: IsaVersion,
    /// Register declarations.
    pub registers: String,
}

impl Frame {
    fn head(&self) -> String {
        let Frame { target, isa, registers } = self;
        format!(".version {isa}\n.target {target}\n.address_size 64\n.visible .entry k()\n{{\n{registers}\n")
    }
}

impl Assembler {
    /// Queries the assembler at `path` for its versions and targets.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be run or does not answer like `ptxas`.
    pub fn open(path: &Path) -> Result<Assembler, Unusable> {
        let ptxas = Ptxas::new(path);
        let version = ptxas.version()?;
        // A version from the future: the assembler answers with its newest one.
        let answer = ptxas.run(".version 99.0\n.target sm_90\n", &["-arch", "sm_90"])?.messages;
        let newest = answer.split("current version is '").nth(1).and_then(|rest| rest.split('\'').next());
        let newest = newest.and_then(|text| text.parse().ok()).ok_or_else(|| {
            Unusable(format!("{}: does not say which ISA versions it takes: {answer}", path.display()))
        })?;
        let mut assembler = Assembler { ptxas, version, newest, targets: Vec::new() };
        for target in Target::all() {
            let Some(isa) = assembler.versions(target).last() else { continue };
            let module = format!(".version {isa}\n.target {target}\n.address_size 64\n");
            if assembler.module(&module, target)?.is_ok() {
                assembler.targets.push(target);
            }
        }
        Ok(assembler)
    }

    /// The versions that the assembler and the target have in common, from 2.3 on, where `.address_size`
    /// begins.
    pub fn versions(&self, target: Target) -> impl Iterator<Item = IsaVersion> + use<> {
        let (first, newest) = (IsaVersion::new(2, 3), self.newest);
        IsaVersion::all().filter(move |v| (first..=newest).contains(v) && target.exists_in(*v))
    }

    /// Assembles a whole module for its target and generates optimised code, as a driver's compiler does.
    ///
    /// # Errors
    ///
    /// Fails if the assembler cannot be run; its messages are the inner error.
    pub fn module(&self, text: &str, target: Target) -> Result<Result<(), Rejected>, Unusable> {
        let answer = self.ptxas.run(text, &["-arch", &target.to_string()])?;
        Ok(if answer.accepted { Ok(()) } else { Err(Rejected(answer.messages)) })
    }

    /// A verdict for each line, on every core.
    ///
    /// # Errors
    ///
    /// Fails if the assembler cannot be run or rejects the frame itself.
    pub fn verdicts(&self, frame: &Frame, depth: Depth, lines: &[&str]) -> Result<Vec<Verdict>, Unusable> {
        let (head, arch) = (frame.head(), depth.arch(&frame.target.to_string()));
        let around = Surroundings { head: &head, arch: &arch };
        let batches: Vec<&[&str]> = lines.chunks(BATCH).collect();
        let mut verdicts = Vec::with_capacity(lines.len());
        ptxcvt_parallel::in_order(
            &batches,
            |batch| self.ptxas.sift(around, batch, BATCH),
            |_, batch| batch.map(|batch| verdicts.extend(batch)),
        )?;
        Ok(verdicts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_run_is_named() {
        let error = Assembler::open(Path::new("/nowhere/ptxas")).unwrap_err().to_string();
        assert!(error.starts_with("/nowhere/ptxas: cannot be run: "), "{error}");
    }
}
