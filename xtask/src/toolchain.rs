//! Finds or downloads two toolchains: Rust 1.85, the minimum supported version (from rustup if installed, else Debian 13's
//! package), and a Rust that compiles to WebAssembly.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::debian::Debian;
use crate::run::{is_installed, output};
use crate::standard;

/// A compiler, and the environment with which `cargo` uses it.
pub struct Toolchain {
    rustc: PathBuf,
    rustdoc: PathBuf,
    sysroot: Option<PathBuf>,
}

/// A target whose standard library can be added to Debian's toolchain.
#[derive(Clone, Copy)]
pub struct Foreign {
    /// Rust's target triple.
    pub triple: &'static str,
    /// Debian's name of the architecture whose packages have the library.
    pub debian: &'static str,
    /// The package with the library, or `None` if Debian has only its sources.
    package: Option<&'static str>,
}

/// Whether the installed toolchain compiles for a target.
pub fn is_target_installed(triple: &str) -> Result<bool, String> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    Ok(Path::new(sysroot.trim()).join("lib/rustlib").join(triple).exists())
}

impl Foreign {
    /// Linux on another architecture.
    pub const fn linux(triple: &'static str, debian: &'static str) -> Self {
        Self { triple, debian, package: Some("libstd-rust-dev") }
    }

    /// A target whose standard library is compiled from its sources.
    pub const fn from_sources(triple: &'static str) -> Self {
        Self { triple, debian: "amd64", package: None }
    }
}

/// The target triple of web pages.
pub const WASM: &str = "wasm32-unknown-unknown";

const PAGE: Foreign = Foreign { triple: WASM, debian: "amd64", package: Some("libstd-rust-dev-wasm32") };

impl Toolchain {
    /// Finds or downloads Rust 1.85 into `target/toolchains`.
    pub fn oldest(root: &Path) -> Result<Self, String> {
        // Read the list first: rustup may download a toolchain that is requested but not installed.
        let installed = output(Command::new("rustup").args(["toolchain", "list"])).unwrap_or_default();
        if let Some(name) = installed.split_whitespace().find(|name| name.starts_with("1.85")) {
            let rustc = output(Command::new("rustup").args(["which", "--toolchain", name, "rustc"]))?;
            let rustc = PathBuf::from(rustc.trim());
            return Ok(Self { rustdoc: rustc.with_file_name("rustdoc"), rustc, sysroot: None });
        }
        Self::from_debian(root)
    }

    /// Debian's Rust 1.85, to which standard libraries of other architectures can be added.
    pub fn from_debian(root: &Path) -> Result<Self, String> {
        let dir = root.join("target/toolchains");
        let unpacked =
            Debian::new(dir.clone()).provide("amd64", &["rustc", "libstd-rust-dev"], "usr/bin/rustc")?;
        let unpacked = fs::canonicalize(&unpacked).map_err(|e| e.to_string())?;
        let wrapper = |program: &str| -> Result<PathBuf, String> {
            // The program needs the C library it was built for; only that library's loader finds it.
            let script = format!(
                "#!/bin/sh\nroot='{}'\nexec \"$root/usr/lib64/ld-linux-x86-64.so.2\" --library-path \
                 \"$root/usr/lib/x86_64-linux-gnu\" \"$root/usr/bin/{program}\" --sysroot \"$root/usr\" \"$@\"\n",
                unpacked.display()
            );
            let path = dir.join(program);
            fs::write(&path, script).map_err(|e| format!("{}: {e}", path.display()))?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(|e| e.to_string())?;
            fs::canonicalize(&path).map_err(|e| e.to_string())
        };
        Ok(Self { rustc: wrapper("rustc")?, rustdoc: wrapper("rustdoc")?, sysroot: Some(unpacked) })
    }

    /// Adds the standard library of another target, from a package or compiled from its sources.
    pub fn add(&self, root: &Path, foreign: Foreign) -> Result<(), String> {
        let sysroot = self.sysroot.as_ref().ok_or("only Debian's toolchain is extended")?;
        let below = format!("usr/lib/rustlib/{}", foreign.triple);
        let own = sysroot.join(&below);
        if own.exists() {
            return Ok(());
        }
        let dir = root.join("target/toolchains");
        let source = if let Some(package) = foreign.package {
            let unpacked = Debian::new(dir).provide(foreign.debian, &[package], &below)?;
            if own.exists() {
                return Ok(());
            }
            unpacked.join(&below)
        } else {
            standard::compile(&dir, &self.rustc, foreign.triple)?
        };
        let source = fs::canonicalize(&source).map_err(|e| format!("{}: {e}", source.display()))?;
        std::os::unix::fs::symlink(&source, &own).map_err(|e| format!("{}: {e}", own.display()))
    }

    /// A toolchain that compiles for [`WASM`]: the installed one if it has the target, else Debian's. Its `cargo` builds
    /// into a separate folder.
    pub fn wasm(root: &Path, target_dir: &str) -> Result<Command, String> {
        let sysroot = PathBuf::from(output(Command::new("rustc").args(["--print", "sysroot"]))?.trim());
        let libraries = sysroot.join("lib/rustlib");
        let mut cargo = if libraries.join(WASM).exists() {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.current_dir(root).env("CARGO_TARGET_DIR", root.join("target").join(target_dir));
            return Ok(cargo);
        } else {
            let toolchain = Self::from_debian(root)?;
            toolchain.add(root, PAGE)?;
            toolchain.cargo(root, target_dir)
        };
        // Debian's compiler expects `wasm-ld`. Other toolchains contain that linker under another name.
        let linker = libraries.join(host()?).join("bin/rust-lld");
        if linker.exists() {
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        } else if !is_installed("wasm-ld") {
            return Err(format!("no linker for {WASM}: neither {} nor wasm-ld", linker.display()));
        }
        Ok(cargo)
    }

    /// `cargo`, configured to use this toolchain and to build into a separate folder.
    pub fn cargo(&self, root: &Path, target_dir: &str) -> Command {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(root).env("CARGO_TARGET_DIR", root.join("target").join(target_dir));
        self.set(&mut cargo);
        cargo
    }

    /// Configures `cargo`, or a program that calls it, to use this toolchain.
    pub fn set(&self, cargo: &mut Command) {
        cargo.env("RUSTC", &self.rustc).env("RUSTDOC", &self.rustdoc).env_remove("RUSTUP_TOOLCHAIN");
    }
}

/// The target triple of this machine.
pub fn host() -> Result<String, String> {
    let version = output(Command::new("rustc").arg("-vV"))?;
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).ok_or_else(|| "rustc does not name its host".to_owned())
}
