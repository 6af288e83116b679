//! The packagers of a release, in a virtual environment below `target/`: zig, cargo-zigbuild, maturin.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::architecture::Architecture;
use crate::emulate::AARCH64;
use crate::run::{output, succeed};
use crate::toolchain::Toolchain;

/// The packages. zig's linker knows the symbols of every version of the C library.
const PACKAGES: &[&str] = &["ziglang>=0.15", "cargo-zigbuild>=0.20", "maturin>=1.8,<2"];

/// The oldest C library that artefacts run with: that of Debian 8, Ubuntu 14.04 and manylinux2014.
pub const OLDEST_C_LIBRARY: &str = "2.17";

/// Installed packagers.
pub struct Tools {
    root: PathBuf,
    /// The programs of the environment.
    bin: PathBuf,
}

impl Tools {
    /// Installs them, unless they are installed.
    pub fn install(root: &Path) -> Result<Self, String> {
        let venv = root.join("target/dist-tools");
        let bin = venv.join("bin");
        if !PACKAGES.iter().skip(1).all(|package| bin.join(name(package)).exists()) {
            output(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
            let mut pip = Command::new(bin.join("python"));
            pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            succeed(pip.args(PACKAGES))?;
        }
        Ok(Tools { root: root.to_owned(), bin })
    }

    /// A program of the environment that compiles for `architecture` into [`target`](Self::target).
    pub fn program(&self, name: &str, architecture: Architecture) -> Result<Command, String> {
        let mut program = Command::new(self.bin.join(name));
        if !architecture.runs_here() {
            let toolchain = Toolchain::from_debian(&self.root)?;
            toolchain.add(&self.root, AARCH64)?;
            toolchain.set(&mut program);
        }
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(self.bin.clone()).chain(std::env::split_paths(&others));
        program.env("PATH", std::env::join_paths(path).map_err(|e| e.to_string())?);
        program.current_dir(&self.root).env("CARGO_TARGET_DIR", self.target(architecture));
        Ok(program)
    }

    /// Compiles a package with the profile of releases, for the oldest C library. Returns the folder of what was built.
    pub fn build(
        &self,
        package: &str,
        architecture: Architecture,
        page: Option<&Path>,
    ) -> Result<PathBuf, String> {
        let mut cargo = self.program("cargo-zigbuild", architecture)?;
        let target = format!("{}.{OLDEST_C_LIBRARY}", architecture.triple());
        cargo.args(["zigbuild", "--quiet", "--locked", "--profile", "dist", "--package", package]);
        if let Some(page) = page {
            cargo.env("PTXCVT_PAGE", page);
        }
        succeed(cargo.args(["--target", &target]))?;
        Ok(self.target(architecture).join(architecture.triple()).join("dist"))
    }

    /// The folder of builds for an architecture.
    pub fn target(&self, architecture: Architecture) -> PathBuf {
        self.root.join("target/dist-build").join(architecture.triple())
    }
}

/// The name of a program, which is that of its package.
fn name(package: &str) -> &str {
    package.split(['>', '=', '<']).next().unwrap_or(package)
}
