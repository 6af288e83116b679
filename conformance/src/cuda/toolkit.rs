//! A CUDA toolkit: its compiler and its disassembler.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::record::Digest;

/// The architectures to compile for.
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
    /// Returns an error if the compiler cannot be run.
    pub fn open(home: &Path) -> Result<Self> {
        let nvcc = home.join("bin/nvcc");
        let answer = Command::new(&nvcc).arg("--version").output();
        let answer = answer.with_context(|| format!("cannot run {}", nvcc.display()))?;
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let version = text.split(", V").nth(1).and_then(|rest| rest.split_whitespace().next());
        let version = version.context("nvcc does not print its version")?.to_owned();
        Ok(Toolkit { home: home.to_owned(), version })
    }

    /// Compiles a source with options, such as `-cubin` or `-ptx`. Returns the compiler's messages if it fails.
    pub(super) fn compile(&self, source: &Path, options: &[&str], arch: &str, to: &Path) -> Result<()> {
        let mut command = Command::new(self.home.join("bin/nvcc"));
        command.env("CUDA_HOME", &self.home).arg(format!("-arch={arch}")).args(options);
        command.arg("-I").arg(self.home.join("include")).arg("-o").arg(to).arg(source);
        let answer = command.output().with_context(|| format!("cannot run {command:?}"))?;
        ensure!(answer.status.success(), "{arch}: {}", String::from_utf8_lossy(&answer.stderr));
        Ok(())
    }

    /// Assembles PTX. Returns the assembler's messages if it fails.
    pub(super) fn assemble(&self, ptx: &Path, arch: &str) -> Result<()> {
        let mut command = Command::new(self.home.join("bin/ptxas"));
        command.arg(format!("-arch={arch}")).arg("-o").arg("/dev/null").arg(ptx);
        let answer = command.output().with_context(|| format!("cannot run {command:?}"))?;
        ensure!(answer.status.success(), "{arch}: {}", String::from_utf8_lossy(&answer.stderr));
        Ok(())
    }

    /// The machine instructions of each function of a cubin, by name.
    pub(super) fn instructions(&self, cubin: &Path) -> Result<Vec<(String, usize)>> {
        let answer = Command::new(self.home.join("bin/nvdisasm")).arg("-c").arg(cubin).output()?;
        ensure!(answer.status.success(), "nvdisasm: {}", String::from_utf8_lossy(&answer.stderr));
        let text = String::from_utf8_lossy(&answer.stdout);
        let functions = text.split("\n.text.").skip(1).filter_map(|part| part.split_once(':'));
        let count = ptxcvt_conform::assembler::machine_instructions;
        Ok(functions.map(|(name, body)| (name.to_owned(), count(body))).collect())
    }
}

/// The digest of a text.
pub fn digest(text: &str) -> Digest {
    Digest::of(text.bytes().map(u64::from))
}
