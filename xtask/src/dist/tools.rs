//! The packagers of a release, in a virtual environment below `target/`: zig, cargo-zigbuild, maturin.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::platform::Platform;
use crate::run::{output, succeed};
use crate::toolchain::{Toolchain, is_target_installed};

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

    /// A program of the environment that compiles for `platform` into [`target`](Self::target).
    pub fn program(&self, name: &str, platform: Platform) -> Result<Command, String> {
        self.compiling(Command::new(self.bin.join(name)), platform)
    }

    /// `program`, configured to compile for `platform` into [`target`](Self::target).
    fn compiling(&self, mut program: Command, platform: Platform) -> Result<Command, String> {
        if !is_target_installed(platform.triple())? {
            let toolchain = Toolchain::from_debian(&self.root)?;
            toolchain.add(&self.root, platform.foreign())?;
            toolchain.set(&mut program);
        }
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(self.bin.clone()).chain(std::env::split_paths(&others));
        program.env("PATH", std::env::join_paths(path).map_err(|e| e.to_string())?);
        program.current_dir(&self.root).env("CARGO_TARGET_DIR", self.target(platform));
        Ok(program)
    }

    /// Compiles a package with the profile of releases, on Linux for the oldest C library or with the C library inside.
    /// Returns the folder of what was built.
    pub fn build(&self, package: &str, platform: Platform, page: Option<&Path>) -> Result<PathBuf, String> {
        let triple = platform.triple();
        let (mut cargo, target) = if let Some(compiler) = platform.compiler() {
            let mut cargo = self.compiling(Command::new(env!("CARGO")), platform)?;
            let variable =
                |of: &str| format!("CARGO_TARGET_{}_{of}", triple.replace('-', "_").to_uppercase());
            cargo.arg("build").env(variable("LINKER"), compiler.program);
            if platform.is_static() {
                cargo.env(variable("RUSTFLAGS"), "-Ctarget-feature=+crt-static");
            }
            (cargo, triple.to_owned())
        } else {
            let mut cargo = self.program("cargo-zigbuild", platform)?;
            cargo.arg("zigbuild");
            (cargo, format!("{triple}.{OLDEST_C_LIBRARY}"))
        };
        cargo.args(["--quiet", "--locked", "--profile", "dist", "--package", package]);
        if let Some(page) = page {
            cargo.env("PTXCVT_PAGE", page);
        }
        succeed(cargo.args(["--target", &target]))?;
        Ok(self.target(platform).join(triple).join("dist"))
    }

    /// The folder of builds for a platform.
    pub fn target(&self, platform: Platform) -> PathBuf {
        self.root.join("target/dist-build").join(platform.name())
    }
}

/// The name of a program, which is that of its package.
fn name(package: &str) -> &str {
    package.split(['>', '=', '<']).next().unwrap_or(package)
}
