//! `cargo xtask web`: builds the explorer as two files, `target/web/index.html` and `target/web/ptx.js`, which the page
//! loads when the view of PTX is first shown.
//!
//! The library is compiled to WebAssembly in two parts, wasm-bindgen writes the bindings of each, and esbuild bundles
//! them with the page's TypeScript. The licences of what the page contains, and a bill of materials, are next to it.
//! Downloads go into `target/` and `web/node_modules/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist::contents;
use crate::run::{built_command, is_installed, output, succeed};
use crate::site;
use crate::skip::skip;
use crate::toolchain::{Toolchain, WASM};

/// A build of the library for the page. Its name is that of its folder in `target/web/glue`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// For the first file.
    Page,
    /// The readers of sources, for the second file.
    Sources,
    /// Everything, for npm.
    Whole,
}

impl Library {
    fn name(self) -> &'static str {
        match self {
            Library::Page => "page",
            Library::Sources => "sources",
            Library::Whole => "whole",
        }
    }

    /// The features of `ptxcvt-wasm`.
    fn features(self) -> &'static str {
        match self {
            Library::Page => "page",
            Library::Sources => "sources",
            Library::Whole => "page,sources",
        }
    }
}

/// Builds the page and returns its path.
pub fn run(root: &Path) -> Result<PathBuf, String> {
    for program in ["node", "npm"] {
        if !is_installed(program) {
            return Err(format!("{program} is needed; on Debian: apt-get install nodejs npm"));
        }
    }
    glue(root, &[Library::Page, Library::Sources])?;
    let web = root.join("web");
    packages(&web)?;
    succeed(npm(&web).args(["run", "--silent", "check"]))?;
    succeed(npm(&web).args(["run", "--silent", "build"]))?;
    let built = root.join("target/web");
    contents::write("ptxcvt-wasm", &contents::page(root, &built)?, &built)?;
    let page = built.join(contents::PAGE_FILES[0]);
    println!("{}", fs::canonicalize(&page).map_err(|e| format!("{}: {e}", page.display()))?.display());
    Ok(page)
}

/// Compiles builds of the library to WebAssembly, writes their bindings to `target/web/glue`, and packs them.
pub fn glue(root: &Path, libraries: &[Library]) -> Result<(), String> {
    compile(root, "ptxcvt-unpack", &[])?;
    for library in libraries {
        // Each replaces the file of the one before.
        compile(root, "ptxcvt-wasm", &["--no-default-features", "--features", library.features()])?;
        bindgen(root, *library)?;
    }
    Ok(())
}

fn compile(root: &Path, package: &str, features: &[&str]) -> Result<(), String> {
    let mut cargo = Toolchain::wasm(root, "wasm")?;
    cargo.args(["rustc", "--quiet", "--profile", "wasm", "--target", WASM, "-p", package]).args(features);
    // A crate that is also a library for Rust, as these are for their tests, is not optimised when it is linked.
    succeed(cargo.args(["--lib", "--crate-type", "cdylib"]))
}

/// Writes the bindings between page and library, and the packed library.
fn bindgen(root: &Path, library: Library) -> Result<(), String> {
    let mut build = Command::new(env!("CARGO"));
    build.current_dir(root.join("xtask/bindgen")).env("CARGO_TARGET_DIR", root.join("target/bindgen"));
    succeed(build.args(["build", "--quiet", "--locked"]))?;
    let mut bindgen = Command::new(root.join("target/bindgen/debug/ptxcvt-bindgen"));
    let made = root.join("target/wasm").join(WASM).join("wasm");
    bindgen.args(["ptxcvt_wasm.wasm", "ptxcvt_unpack.wasm"].map(|name| made.join(name)));
    let out = root.join("target/web/glue").join(library.name());
    fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    succeed(bindgen.arg(out))
}

/// Installs the npm packages that the folder's lock file names, if they are not installed.
pub fn packages(web: &Path) -> Result<(), String> {
    let changed = |path: PathBuf| fs::metadata(path).and_then(|file| file.modified()).ok();
    let installed = changed(web.join("node_modules/.package-lock.json"));
    if installed.is_some() && installed >= changed(web.join("package-lock.json")) {
        return Ok(());
    }
    succeed(npm(web).args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]))
}

/// `npm` in a folder.
pub fn npm(web: &Path) -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(web);
    npm
}

/// Installs what the page needs, and compiles its library. The error is one line.
pub fn prepare(root: &Path) -> Result<(), String> {
    missing(root).map_or(Ok(()), Err)?;
    // `test` compiles again what failed here, and reports why.
    let _ = glue(root, &[Library::Page, Library::Sources]);
    Ok(())
}

/// Builds the page and the site and tests them in a browser.
pub fn test(root: &Path) -> Result<(), String> {
    run(root)?;
    site::run(root)?;
    built_command(root)?;
    succeed(npm(&root.join("web")).args(["run", "--silent", "test"]))
}

/// Why the page cannot be built or tested here, or `None` if it can. As root, installs missing Debian
/// packages first.
fn missing(root: &Path) -> Option<String> {
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let has_browser =
        || browsers.iter().any(|name| is_installed(name)) || std::env::var_os("CHROMIUM").is_some();
    let mut wanted = Vec::new();
    if !is_installed("node") || !is_installed("npm") {
        wanted.extend(["nodejs", "npm"]);
    }
    if !has_browser() {
        wanted.push("chromium");
    }
    if !wanted.is_empty() && is_installed("apt-get") {
        eprintln!("installing {}", wanted.join(", "));
        let mut install = Command::new("apt-get");
        install.args(["install", "--yes", "-qq", "--no-install-recommends"]).args(&wanted);
        if let Err(why) = output(&mut install) {
            return Some(format!("{} cannot be installed: {}", wanted.join(", "), first_line(&why)));
        }
    }
    // The tests in Firefox are skipped without it.
    if !["firefox-esr", "firefox"].iter().any(|name| is_installed(name)) && is_installed("apt-get") {
        eprintln!("installing firefox-esr");
        let install = ["install", "--yes", "-qq", "--no-install-recommends", "firefox-esr"];
        if let Err(why) = output(Command::new("apt-get").args(install)) {
            let line = format!("skipped in Firefox: firefox-esr cannot be installed: {}", first_line(&why));
            if let Err(why) = skip(&line) {
                return Some(why);
            }
        }
    }
    let node = match output(Command::new("node").arg("--version")) {
        Ok(version) => version,
        Err(why) => return Some(format!("Node.js cannot be run: {}", first_line(&why))),
    };
    let major = node.trim_start_matches('v').split('.').next().and_then(|n| n.parse::<u32>().ok());
    if major.is_none_or(|major| major < 20) {
        return Some(format!("Node.js 20 or newer is needed, not {}", node.trim()));
    }
    if !has_browser() {
        return Some("there is no Chromium".to_owned());
    }
    if let Err(why) = Toolchain::wasm(root, "wasm") {
        return Some(format!(
            "no compiler for {WASM}: {}; with rustup: rustup target add {WASM}",
            first_line(&why)
        ));
    }
    packages(&root.join("web"))
        .err()
        .map(|why| format!("the npm packages cannot be had: {}", first_line(&why)))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
