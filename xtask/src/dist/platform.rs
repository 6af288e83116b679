//! The platforms that artefacts are built for, and how their programs run on this machine.

use std::path::Path;
use std::process::Command;

use clap::ValueEnum;

use crate::debian::Debian;
use crate::emulate::AARCH64;
use crate::run::is_installed;
use crate::toolchain::Foreign;

/// A platform that artefacts are built for.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Platform {
    /// Linux on 64-bit x86, with kernels for AVX2 and AVX-512
    #[value(name = "linux-x86_64")]
    LinuxX86_64,
    /// Linux on 64-bit x86 with any C library or none; only the command, linked statically
    #[value(name = "linux-x86_64-static")]
    LinuxX86_64Static,
    /// Linux on 64-bit Arm, with kernels for NEON
    LinuxAarch64,
    /// Windows on 64-bit x86; only the command
    #[value(name = "windows-x86_64")]
    WindowsX86_64,
}

impl Platform {
    /// Rust's target triple.
    pub fn triple(self) -> &'static str {
        match self {
            Platform::LinuxX86_64 | Platform::LinuxX86_64Static => "x86_64-unknown-linux-gnu",
            Platform::LinuxAarch64 => AARCH64.triple,
            Platform::WindowsX86_64 => "x86_64-pc-windows-gnu",
        }
    }

    /// The name in the names of archives: the triple, or a name for what runs everywhere.
    pub fn name(self) -> &'static str {
        if self.is_static() { "x86_64-linux-static" } else { self.triple() }
    }

    /// Whether its programs contain the C library.
    pub fn is_static(self) -> bool {
        self == Platform::LinuxX86_64Static
    }

    /// The standard library that Debian's toolchain has for it.
    pub fn foreign(self) -> Option<Foreign> {
        match self {
            Platform::LinuxX86_64 => Some(Foreign::linux(self.triple(), "amd64")),
            Platform::LinuxAarch64 => Some(AARCH64),
            // Linked by the system's compiler, with the toolchain of this machine.
            Platform::LinuxX86_64Static | Platform::WindowsX86_64 => None,
        }
    }

    pub fn is_linux(self) -> bool {
        self != Platform::WindowsX86_64
    }

    /// Whether this machine runs its programs without an emulator.
    pub fn is_here(self) -> bool {
        cfg!(target_os = "linux")
            && match self {
                Platform::LinuxX86_64 | Platform::LinuxX86_64Static => cfg!(target_arch = "x86_64"),
                Platform::LinuxAarch64 => cfg!(target_arch = "aarch64"),
                Platform::WindowsX86_64 => false,
            }
    }

    /// The name of a program's file.
    pub fn program(self, name: &str) -> String {
        if self.is_linux() { name.to_owned() } else { format!("{name}.exe") }
    }

    /// A command that starts one of its programs under an emulator: QEMU with the C library of Debian, or Wine with a
    /// folder of its own below `target/`. An error says what is missing.
    pub fn emulated(self, root: &Path, program: &Path) -> Result<Command, String> {
        let installed = |emulator: &str, package: &str| match is_installed(emulator) {
            true => Ok(Command::new(emulator)),
            false => Err(format!("needs {emulator}; on Debian: apt-get install {package}")),
        };
        let mut command = match self {
            Platform::LinuxX86_64 | Platform::LinuxX86_64Static => installed("qemu-x86_64", "qemu-user")?,
            Platform::LinuxAarch64 => installed("qemu-aarch64", "qemu-user")?,
            Platform::WindowsX86_64 => installed("wine", "wine64")?,
        };
        if self.is_static() {
            // Needs no library.
        } else if self.is_linux() {
            let architecture = if self == Platform::LinuxX86_64 { "amd64" } else { "arm64" };
            let libraries = Debian::new(root.join("target/emulated")).c_library(architecture)?;
            command.arg("-L").arg(libraries);
        } else {
            let prefix = root.join("target/emulated/wine");
            std::fs::create_dir_all(&prefix).map_err(|e| format!("{}: {e}", prefix.display()))?;
            command.env("WINEPREFIX", prefix).env("WINEDEBUG", "-all");
        }
        command.arg(program);
        Ok(command)
    }
}
