//! The platforms that artefacts are built for, and how their programs run on this machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;

use crate::debian::Debian;
use crate::emulate::AARCH64;
use crate::run::{is_installed, output, path_of};
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
    /// Linux on 64-bit Arm with any C library or none; only the command, linked statically
    LinuxAarch64Static,
    /// Windows on 64-bit x86; only the command
    #[value(name = "windows-x86_64")]
    WindowsX86_64,
}

/// Wine's messages about libraries of Windows that it lacks, and no others.
const WINE_MESSAGES: &str = "-all,err+module";

/// A C compiler of the system.
pub struct Compiler {
    /// Its program.
    pub program: &'static str,
    /// Debian's packages of the compiler and, last, of its C library.
    pub packages: &'static [&'static str],
}

impl Compiler {
    /// What is missing to link with it, or `None` if nothing is: the compiler or, for static programs, the C library.
    fn missing(&self, is_static: bool) -> Option<String> {
        let Self { program, packages } = self;
        let (is_there, needed) = if is_static {
            (self.library("libc.a").is_some(), "with libc.a is needed")
        } else {
            (is_installed(program), "is needed")
        };
        (!is_there).then(|| format!("{program} {needed}; on Debian: apt-get install {}", packages.join(" ")))
    }

    /// The path of one of its libraries, or `None` if it has no such library.
    fn library(&self, name: &str) -> Option<PathBuf> {
        // The compiler repeats a name that it does not find.
        let path = output(Command::new(self.program).arg(format!("-print-file-name={name}"))).ok()?;
        Some(PathBuf::from(path.trim())).filter(|path| path.is_absolute() && path.exists())
    }

    /// The version of its C library, which must be glibc.
    pub fn glibc(&self) -> Result<String, String> {
        let mut preprocess = Command::new(self.program);
        let macros =
            output(preprocess.args(["-E", "-dM", "-include", "features.h", "-x", "c", "/dev/null"]))?;
        let number = |name: &str| {
            let mut lines = macros.lines().filter_map(|line| line.strip_prefix("#define "));
            let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            value.ok_or_else(|| format!("{}: its C library has no {name}", self.program))
        };
        Ok(format!("{}.{}", number("__GLIBC__")?, number("__GLIBC_MINOR__")?))
    }
}

impl Platform {
    /// Rust's target triple.
    pub fn triple(self) -> &'static str {
        match self {
            Platform::LinuxX86_64 | Platform::LinuxX86_64Static => "x86_64-unknown-linux-gnu",
            Platform::LinuxAarch64 | Platform::LinuxAarch64Static => AARCH64.triple,
            Platform::WindowsX86_64 => "x86_64-pc-windows-gnu",
        }
    }

    /// The name in the names of archives: the triple, or a name for what runs everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Platform::LinuxX86_64Static => "x86_64-linux-static",
            Platform::LinuxAarch64Static => "aarch64-linux-static",
            Platform::LinuxX86_64 | Platform::LinuxAarch64 | Platform::WindowsX86_64 => self.triple(),
        }
    }

    /// Whether its programs contain the C library.
    pub fn is_static(self) -> bool {
        matches!(self, Platform::LinuxX86_64Static | Platform::LinuxAarch64Static)
    }

    /// The standard library that can be added to Debian's toolchain for it.
    pub fn foreign(self) -> Foreign {
        match self {
            Platform::LinuxX86_64 | Platform::LinuxX86_64Static => Foreign::linux(self.triple(), "amd64"),
            Platform::LinuxAarch64 | Platform::LinuxAarch64Static => AARCH64,
            Platform::WindowsX86_64 => Foreign::from_sources(self.triple()),
        }
    }

    /// The C compiler that links its programs with libraries of the system, or `None` if zig links them. zig's own C
    /// library cannot be part of a program.
    pub fn compiler(self) -> Option<Compiler> {
        let (program, packages): (_, &[_]) = match self {
            Platform::LinuxX86_64 | Platform::LinuxAarch64 => return None,
            Platform::WindowsX86_64 => ("x86_64-w64-mingw32-gcc", &["gcc-mingw-w64-x86-64"]),
            _ if self.is_here() => ("cc", &["gcc", "libc6-dev"]),
            Platform::LinuxX86_64Static => {
                ("x86_64-linux-gnu-gcc", &["gcc-x86-64-linux-gnu", "libc6-dev-amd64-cross"])
            }
            Platform::LinuxAarch64Static => {
                ("aarch64-linux-gnu-gcc", &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"])
            }
        };
        Some(Compiler { program, packages })
    }

    /// Why nothing can be built for it here, or `None` if it can.
    pub fn missing(self) -> Option<String> {
        self.compiler()?.missing(self.is_static())
    }

    pub fn is_linux(self) -> bool {
        self != Platform::WindowsX86_64
    }

    /// Whether this machine runs its programs without an emulator.
    pub fn is_here(self) -> bool {
        cfg!(target_os = "linux")
            && match self {
                Platform::LinuxX86_64 | Platform::LinuxX86_64Static => cfg!(target_arch = "x86_64"),
                Platform::LinuxAarch64 | Platform::LinuxAarch64Static => cfg!(target_arch = "aarch64"),
                Platform::WindowsX86_64 => false,
            }
    }

    /// The name of a program's file.
    pub fn program(self, name: &str) -> String {
        if self.is_linux() { name.to_owned() } else { format!("{name}.exe") }
    }

    /// The program that runs its programs on another machine. An error says what is missing.
    pub fn emulator(self) -> Result<PathBuf, String> {
        let (emulator, package) = match self {
            Platform::LinuxX86_64 | Platform::LinuxX86_64Static => ("qemu-x86_64", "qemu-user"),
            Platform::LinuxAarch64 | Platform::LinuxAarch64Static => ("qemu-aarch64", "qemu-user"),
            Platform::WindowsX86_64 => ("wine", "wine"),
        };
        let missing = || format!("needs {emulator}; on Debian: apt-get install {package}");
        path_of(emulator).ok_or_else(missing)
    }

    /// A command that starts one of its programs under an emulator: QEMU with the C library of Debian, or Wine with a
    /// folder of its own below `target/`. An error says what is missing.
    pub fn emulated(self, root: &Path, program: &Path) -> Result<Command, String> {
        let mut command = Command::new(self.emulator()?);
        if self.is_linux() {
            let architecture = if self == Platform::LinuxX86_64 { "amd64" } else { "arm64" };
            let libraries = Debian::new(root.join("target/emulated")).c_library(architecture)?;
            command.arg("-L").arg(libraries);
        } else {
            let prefix = root.join("target/emulated/wine");
            std::fs::create_dir_all(&prefix).map_err(|e| format!("{}: {e}", prefix.display()))?;
            command.env("WINEPREFIX", prefix).env("WINEDEBUG", WINE_MESSAGES);
        }
        command.arg(program);
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn read(path: &str) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        std::fs::read_to_string(root.join(path)).unwrap()
    }

    #[test]
    fn each_platform_has_archives_of_its_own() {
        let names: BTreeSet<_> = Platform::value_variants().iter().map(|one| one.name()).collect();
        assert_eq!(names.len(), Platform::value_variants().len());
    }

    /// The workflow names them, so that one that cannot be built there is an error before the others are built.
    #[test]
    fn the_workflow_builds_each_platform() {
        let names = Platform::value_variants().iter().filter_map(|one| one.to_possible_value());
        let names: Vec<String> = names.map(|one| one.get_name().to_owned()).collect();
        let workflow = read(".github/workflows/release.yml");
        assert!(workflow.contains(&format!("--platform {}\n", names.join(","))), "{names:?}");
    }

    /// What the system's compilers need is installed where releases are built.
    #[test]
    fn the_runner_has_each_compiler() {
        let prepare = read(".ci/prepare");
        let compilers = Platform::value_variants().iter().filter_map(|one| one.compiler());
        // The image of the workflow has the compiler of its own architecture.
        for compiler in compilers.filter(|compiler| compiler.program != "cc") {
            for package in compiler.packages {
                assert!(prepare.contains(package), "{package}");
            }
        }
    }

    #[test]
    fn a_missing_compiler_is_named_with_its_packages() {
        let compiler = Compiler { program: "no-such-gcc", packages: &["gcc-no-such", "libc6-dev-no-such"] };
        let packages = "on Debian: apt-get install gcc-no-such libc6-dev-no-such";
        let is_static = format!("no-such-gcc with libc.a is needed; {packages}");
        assert_eq!(compiler.missing(true), Some(is_static));
        assert_eq!(compiler.missing(false), Some(format!("no-such-gcc is needed; {packages}")));
    }

    #[test]
    #[cfg(target_env = "gnu")]
    fn a_compiler_knows_its_c_library() {
        let version = Compiler { program: "cc", packages: &[] }.glibc().unwrap();
        assert!(version.starts_with("2.") && version[2..].parse::<u32>().is_ok(), "{version}");
    }
}
