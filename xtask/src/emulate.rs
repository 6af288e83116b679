//! `cargo xtask emulate ARCH`: runs the library's tests on another architecture, under emulation.
//!
//! aarch64 runs the NEON kernels; s390x is big-endian. Emulation is 10 to 30 times slower than hardware.

use std::path::Path;
use std::process::Command;

use clap::ValueEnum;

use crate::run::{is_installed, succeed};
use crate::toolchain::{Foreign, Toolchain};

/// An architecture to emulate.
#[derive(Clone, Copy, ValueEnum)]
pub enum Architecture {
    /// Arm, 64 bits, with NEON
    Aarch64,
    /// IBM Z: big-endian
    S390x,
}

/// The standard library for 64-bit Arm.
pub const AARCH64: Foreign = Foreign::linux("aarch64-unknown-linux-gnu", "arm64");

impl Architecture {
    fn foreign(self) -> Foreign {
        match self {
            Self::Aarch64 => AARCH64,
            Self::S390x => Foreign::linux("s390x-unknown-linux-gnu", "s390x"),
        }
    }

    /// The architecture's name for the C compiler and the emulator.
    fn name(self) -> &'static str {
        match self {
            Self::Aarch64 => "aarch64",
            Self::S390x => "s390x",
        }
    }
}

/// Runs the tests of the library, passing `arguments` to `cargo test`.
pub fn run(root: &Path, architecture: Architecture, arguments: &[String]) -> Result<(), String> {
    let (name, foreign) = (architecture.name(), architecture.foreign());
    let (linker, emulator) = (format!("{name}-linux-gnu-gcc"), format!("qemu-{name}"));
    if !is_installed(&linker) || !is_installed(&emulator) {
        let packages =
            ["qemu-user", &format!("gcc-{name}-linux-gnu"), &format!("libc6-dev-{}-cross", foreign.debian)];
        return Err(format!(
            "{linker} and {emulator} are needed; on Debian: apt-get install {}",
            packages.join(" ")
        ));
    }
    let toolchain = Toolchain::from_debian(root)?;
    toolchain.add(root, foreign)?;
    let variable = foreign.triple.replace('-', "_").to_uppercase();
    let mut cargo: Command = toolchain.cargo(root, "emulate");
    cargo.env(format!("CARGO_TARGET_{variable}_LINKER"), linker);
    cargo.env(format!("CARGO_TARGET_{variable}_RUNNER"), format!("{emulator} -L /usr/{name}-linux-gnu"));
    cargo.args(["test", "-p", "ptxcvt", "-p", "ptxcvt-bulk", "--lib", "--tests", "--target", foreign.triple]);
    succeed(cargo.args(arguments))
}
