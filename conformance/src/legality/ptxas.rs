//! Runs ptxas on thousands of spellings at a time. Targets and versions are plain text here, so that the assembler decides
//! which exist, not the library's table.

use std::path::Path;

use anyhow::{Result, bail};
use ptxcvt_conform::assembler::{Depth, Ptxas, Surroundings, Verdict};

use super::spellings::{REGISTERS, Spelling};

/// Instructions per module. Larger modules make retries more expensive, smaller ones need more process starts.
const BATCH: usize = 6000;

/// Instructions per module that is compiled completely. Compile time is not linear in the size of a kernel.
const COMPILED: usize = 200;

/// A version of ptxas.
pub struct Asked {
    /// Its version.
    pub version: &'static str,
    ptxas: Ptxas,
}

/// The version and target of a module.
#[derive(Clone, Copy, Debug)]
pub struct Module<'a> {
    /// The operand of `.version`.
    pub isa: &'a str,
    /// The operand of `.target`.
    pub target: &'a str,
}

impl Module<'_> {
    /// The head of a kernel without parameters.
    fn head(&self) -> String {
        let Module { isa, target } = self;
        format!(".version {isa}\n.target {target}\n.address_size 64\n.entry k() {{\n{REGISTERS}\n")
    }

    /// The head of a kernel that loads every operand, so that ptxas cannot fold anything.
    fn loading_head(&self) -> String {
        let Module { isa, target } = self;
        let mut head = format!(".version {isa}\n.target {target}\n.address_size 64\n");
        head.push_str(&format!(".entry k(.param .u64 q) {{\n{REGISTERS}\n"));
        head.push_str(".reg .b64 p; ld.param.u64 p, [q];\n");
        for width in [8, 16, 32, 64] {
            for name in ["a", "b", "c", "e", "f", "s"] {
                head.push_str(&format!("ld.volatile.global.b{width} {name}{width}, [p];\n"));
            }
        }
        head.push_str("setp.ne.s32 p2, a32, b32;\n");
        head
    }
}

impl Asked {
    /// An assembler of this version at this path.
    pub fn new(version: &'static str, program: &Path) -> Self {
        Asked { version, ptxas: Ptxas::new(program) }
    }

    /// The targets that its help text lists.
    pub fn targets(&self) -> Result<Vec<String>> {
        Ok(self.ptxas.targets()?)
    }

    /// True if the assembler accepts an empty module with this version and target.
    pub fn takes(&self, module: Module) -> Result<bool> {
        let (head, arch) = (module.head(), Depth::Check.arch(module.target));
        let text = Surroundings { head: &head, arch: &arch }.module([]);
        let answer = self.ptxas.run(&text, &["-O0", "-arch", &arch])?;
        if !answer.accepted && answer.named().next().is_none() {
            bail!("ptxas fails without naming a line: {}", answer.messages);
        }
        Ok(answer.accepted)
    }

    /// The indices of the spellings that pass the front end.
    pub fn accepted(&self, module: Module, spellings: &[&Spelling]) -> Result<Vec<usize>> {
        let (head, arch) = (module.head(), Depth::Check.arch(module.target));
        let lines: Vec<&str> = spellings.iter().map(|s| s.instruction.as_str()).collect();
        let verdicts = self.ptxas.sift(Surroundings { head: &head, arch: &arch }, &lines, BATCH)?;
        let mut accepted = Vec::new();
        for (i, verdict) in verdicts.into_iter().enumerate() {
            match verdict {
                Verdict::Accepted => accepted.push(i),
                Verdict::Rejected(_) => {}
                // A spelling on which ptxas crashes counts as rejected.
                Verdict::Crashed(message) => eprintln!("ptxas fails on {}: {message}", lines[i]),
            }
        }
        Ok(accepted)
    }

    /// The spellings that pass the front end and then cause an internal error in ptxas.
    pub fn crashes<'s>(&self, module: Module, spellings: &[&'s Spelling]) -> Result<Vec<&'s Spelling>> {
        let (head, arch) = (module.loading_head(), Depth::Code.arch(module.target));
        let stored = |s: &&Spelling| format!("{} {}", s.instruction, s.store);
        let lines: Vec<String> = spellings.iter().map(stored).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let verdicts = self.ptxas.sift(Surroundings { head: &head, arch: &arch }, &lines, COMPILED)?;
        let mut crashing = Vec::new();
        for (spelling, verdict) in spellings.iter().zip(verdicts) {
            match verdict {
                Verdict::Accepted => {}
                Verdict::Rejected(message) => bail!("a checked spelling fails: {message}"),
                Verdict::Crashed(_) => crashing.push(*spelling),
            }
        }
        Ok(crashing)
    }
}
