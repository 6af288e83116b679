//! Compiles Rust's standard library for a target that Debian has no package of, from the sources in Debian's `rust-src`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::debian::Debian;
use crate::dist::folder::{copy, empty, files};
use crate::run::succeed;

/// The sources below the root of Debian's packages.
const SOURCES: &str = "usr/lib/rustlib/src/rust/library";

/// Objects that programs for Windows begin and end with. Their linker expects them next to the library.
const STARTUP: [&str; 2] = ["rsbegin", "rsend"];

/// Compiles the library for `triple` with Debian's compiler into a folder below `dir`, and returns that folder, which
/// has the layout of a target in a toolchain. Only targets for Windows with MinGW have been tried.
pub fn compile(dir: &Path, rustc: &Path, triple: &str) -> Result<PathBuf, String> {
    let packages = Debian::new(dir.to_owned()).provide("amd64", &["rust-src"], SOURCES)?;
    let sources = fs::canonicalize(packages.join(SOURCES)).map_err(|e| format!("{SOURCES}: {e}"))?;
    let folder = empty(&dir.join(format!("{triple}.std")))?;
    let (library, build) = (empty(&folder.join("lib"))?, folder.join("build"));
    eprintln!("compiling the standard library for {triple}");
    // The library uses unstable features of its own compiler.
    let bootstrap = ("RUSTC_BOOTSTRAP", "1");
    for object in STARTUP {
        let mut compile = Command::new(rustc);
        compile.env(bootstrap.0, bootstrap.1).args(["--target", triple, "--emit=obj", "-o"]);
        compile.arg(library.join(format!("{object}.o")));
        succeed(compile.arg(sources.join("rtstartup").join(format!("{object}.rs"))))?;
    }
    let flags = [
        // Its internals remain unstable for programs that use it.
        "-Zforce-unstable-if-unmarked".to_owned(),
        // Programs are optimised together with it.
        "-Cembed-bitcode=yes".to_owned(),
        format!("--remap-path-prefix={}=/rust/library", sources.display()),
    ];
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(&sources).env(bootstrap.0, bootstrap.1);
    cargo.env("RUSTC", rustc).env_remove("RUSTUP_TOOLCHAIN").env("CARGO_TARGET_DIR", &build);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    // Not the shared library, which cannot be linked before the library is in the toolchain.
    cargo.args(["rustc", "--quiet", "--release", "--locked", "--package", "std", "--crate-type", "rlib"]);
    succeed(cargo.args(["--features", "backtrace,panic-unwind", "--target", triple]))?;
    for file in files(&build.join(triple).join("release/deps"))? {
        if let Some(name) = file.file_name().filter(|_| file.extension().is_some_and(|e| e == "rlib")) {
            copy(&file, &library.join(name))?;
        }
    }
    fs::remove_dir_all(&build).map_err(|e| format!("{}: {e}", build.display()))?;
    Ok(folder)
}
