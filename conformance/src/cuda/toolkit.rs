//! A CUDA toolkit: its compiler and its disassembler.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ptxcvt_conform::assembler::tool_version;

use crate::tools;

/// A toolkit.
#[derive(Clone, Debug)]
pub struct Toolkit {
    home: PathBuf,
    /// The compiler's version, such as 13.5.37.
    pub version: String,
}

impl Toolkit {
    /// The toolkit that `fetch` put into that folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the compiler cannot be run.
    pub fn open(dir: &Path) -> Result<Self> {
        let home = tools::toolkit(dir)?;
        let nvcc = home.join("bin/nvcc");
        let answer = Command::new(&nvcc).arg("--version").output();
        let answer = answer.with_context(|| format!("cannot run {}", nvcc.display()))?;
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let version = tool_version(&text).context("nvcc does not print its version")?.to_owned();
        Ok(Toolkit { home, version })
    }

    /// Compiles a source with options, such as `-cubin` or `-ptx`. Returns the compiler's messages if it fails.
    pub(crate) fn compile(&self, source: &Path, options: &[&str], arch: &str, to: &Path) -> Result<()> {
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

    /// The machine code of a cubin as text.
    pub(crate) fn disassemble(&self, cubin: &Path) -> Result<String> {
        tools::disassemble(&self.home.join("bin/nvdisasm"), cubin)
    }
}
