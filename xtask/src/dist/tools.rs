//! The packagers of a release, in a virtual environment below `target/`: zig, cargo-zigbuild, maturin.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::platform::Platform;
use crate::run::{is_installed, output, succeed};
use crate::toolchain::{Toolchain, is_target_installed};

/// The packages. zig's linker knows the symbols of every version of the C library.
const PACKAGES: &[&str] = &["ziglang>=0.15", "cargo-zigbuild>=0.20", "maturin>=1.8,<2"];

/// The oldest C library that artefacts run with: that of Debian 8, Ubuntu 14.04 and manylinux2014.
pub const OLDEST_C_LIBRARY: &str = "2.17";

/// The linker for Windows.
const MINGW: &str = "x86_64-w64-mingw32-gcc";

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

    /// Why nothing can be built for a platform here, or `None` if it can.
    pub fn missing(platform: Platform) -> Result<Option<String>, String> {
        if platform.foreign().is_some() {
            return Ok(None);
        }
        let triple = platform.triple();
        if !is_target_installed(triple)? {
            return Ok(Some(format!("Rust lacks the target; with rustup: rustup target add {triple}")));
        }
        if platform.is_static() {
            return Ok(system_library("libc.a").is_none().then(|| {
                "a C compiler and libc.a are needed; on Debian: apt-get install gcc libc6-dev".to_owned()
            }));
        }
        let linker = (!is_installed(MINGW))
            .then(|| format!("{MINGW} is needed; on Debian: apt-get install gcc-mingw-w64-x86-64"));
        Ok(linker)
    }

    /// A program of the environment that compiles for `platform` into [`target`](Self::target).
    pub fn program(&self, name: &str, platform: Platform) -> Result<Command, String> {
        let mut program = Command::new(self.bin.join(name));
        if !is_target_installed(platform.triple())? {
            let foreign = platform.foreign().ok_or("the platform cannot be built for")?;
            let toolchain = Toolchain::from_debian(&self.root)?;
            toolchain.add(&self.root, foreign)?;
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
        let (mut cargo, target) = if platform.is_static() {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.current_dir(&self.root).env("CARGO_TARGET_DIR", self.target(platform)).arg("build");
            // zig links with its own C library, which cannot be part of a program; the system's can.
            cargo.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS", "-Ctarget-feature=+crt-static");
            (cargo, platform.triple().to_owned())
        } else if platform.is_linux() {
            let mut cargo = self.program("cargo-zigbuild", platform)?;
            cargo.arg("zigbuild");
            (cargo, format!("{}.{OLDEST_C_LIBRARY}", platform.triple()))
        } else {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.current_dir(&self.root).env("CARGO_TARGET_DIR", self.target(platform));
            cargo.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", MINGW).arg("build");
            (cargo, platform.triple().to_owned())
        };
        cargo.args(["--quiet", "--locked", "--profile", "dist", "--package", package]);
        if let Some(page) = page {
            cargo.env("PTXCVT_PAGE", page);
        }
        succeed(cargo.args(["--target", &target]))?;
        Ok(self.target(platform).join(platform.triple()).join("dist"))
    }

    /// The folder of builds for an platform.
    pub fn target(&self, platform: Platform) -> PathBuf {
        self.root.join("target/dist-build").join(platform.name())
    }
}

/// The path of a library of the system's C compiler, or `None` if it has no such library.
pub fn system_library(name: &str) -> Option<PathBuf> {
    // The compiler repeats a name that it does not find.
    let path = output(Command::new("cc").arg(format!("-print-file-name={name}"))).ok()?;
    Some(PathBuf::from(path.trim())).filter(|path| path.is_absolute() && path.exists())
}

/// The name of a program, which is that of its package.
fn name(package: &str) -> &str {
    package.split(['>', '=', '<']).next().unwrap_or(package)
}
