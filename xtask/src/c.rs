//! `cargo xtask c`: builds and installs the C library, and tests it with its C++ example, and the header for kernels.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{built_libraries, is_installed, succeed, target};
use crate::skip::skip;

/// System libraries that the static library links to.
const SYSTEM: &str = "-lpthread -ldl -lm";

/// Builds the library and installs header, static and shared library, and pkg-config file below `prefix`.
pub fn install(root: &Path, prefix: &Path) -> Result<(), String> {
    let mut cargo = Command::new(env!("CARGO"));
    succeed(cargo.current_dir(root).args(["build", "--release", "-p", "ptxcvt-c"]))?;
    lay_out(root, &target(root).join("release"), prefix, Prefix::Absolute)
}

/// The prefix in the pkg-config file.
pub enum Prefix {
    /// The folder's path.
    Absolute,
    /// The folder that it is in, so that the folder can be moved.
    OfTheFile,
}

/// Copies what was built into a folder that compilers find.
pub fn lay_out(root: &Path, built: &Path, prefix: &Path, named: Prefix) -> Result<(), String> {
    let folder = |name: &str| -> Result<PathBuf, String> {
        let folder = prefix.join(name);
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        fs::canonicalize(&folder).map_err(|e| format!("{}: {e}", folder.display()))
    };
    let (include, lib, pkgconfig) = (folder("include")?, folder("lib")?, folder("lib/pkgconfig")?);
    let own = root.join("bindings/c");
    copy(&own.join("include/ptxcvt.h"), &include)?;
    let shared = format!("{}ptxcvt{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    for file in ["libptxcvt.a", &shared] {
        copy(&built.join(file), &lib)?;
    }
    let template = own.join("ptxcvt.pc.in");
    let text = fs::read_to_string(&template).map_err(|e| format!("{}: {e}", template.display()))?;
    let at = match named {
        Prefix::Absolute => lib.parent().unwrap_or(&lib).display().to_string(),
        Prefix::OfTheFile => "${pcfiledir}/../..".to_owned(),
    };
    let text = text.replace("@PREFIX@", &at).replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    fs::write(pkgconfig.join("ptxcvt.pc"), text.replace("@SYSTEM@", SYSTEM)).map_err(|e| e.to_string())
}

fn copy(file: &Path, folder: &Path) -> Result<(), String> {
    let Some(name) = file.file_name() else { return Ok(()) };
    fs::copy(file, folder.join(name)).map(drop).map_err(|e| format!("{}: {e}", file.display()))
}

/// A C++ compiler.
pub fn compiler() -> Result<&'static str, String> {
    let compiler = ["c++", "g++", "clang++"].into_iter().find(|name| is_installed(name));
    compiler.ok_or_else(|| "C++ compiler not found".to_owned())
}

/// Runs the tests of the header for kernels. Compiles and runs the C++ example twice: with the static library under
/// AddressSanitizer, and with the shared library through pkg-config.
pub fn test(root: &Path) -> Result<(), String> {
    let compiler = compiler()?;
    // The header that `ptxcvt lower --header` prints, on the host.
    let mut header = Command::new(env!("CARGO"));
    header.current_dir(root).env("CXX", compiler);
    succeed(header.args(["test", "--workspace", "--quiet", "--test", "host", "--", "--ignored"]))?;
    let prefix = root.join("target/c");
    lay_out(root, &built_libraries(root)?, &prefix, Prefix::Absolute)?;
    let source = root.join("bindings/c/example/emulator.cpp");
    let vectors = root.join("conformance/vectors/b200-cvt.tsv");
    let strict = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-g", "-O2"];
    let sanitized = prefix.join("emulator-sanitized");
    let mut build = Command::new(compiler);
    build.args(strict).args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    build.arg("-I").arg(prefix.join("include")).arg(&source).arg(prefix.join("lib/libptxcvt.a"));
    succeed(build.args(SYSTEM.split(' ')).arg("-o").arg(&sanitized))?;
    succeed(Command::new(&sanitized).arg(&vectors))?;
    if !is_installed("pkg-config") {
        return skip("skipped: pkg-config not found");
    }
    let flags = crate::run::output(
        Command::new("pkg-config")
            .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
            .args(["--cflags", "--libs", "ptxcvt"]),
    )?;
    let plain = prefix.join("emulator");
    let mut build = Command::new(compiler);
    build.args(strict).arg(&source).args(flags.split_whitespace()).arg("-pthread").arg("-o").arg(&plain);
    succeed(&mut build)?;
    succeed(Command::new(&plain).arg(&vectors).env("LD_LIBRARY_PATH", prefix.join("lib")))
}
