//! Builds the package of `ptxcvt` in an empty project, without its features, where there is no standard library.
//!
//! No target without `std` comes with a toolchain by default. A copy of the host's libraries that has `core` alone is one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::package::{self, at, write};
use crate::run::output;

/// The program of the project, which uses the package.
const PROGRAM: &str = "\
#![no_std]
pub const CODE: ptxcvt::E4m3 = ptxcvt::E4m3::from_f32(1.55);
const _: () = assert!(CODE.to_bits() == 0x3c);
pub fn widen(x: ptxcvt::E2m1x4) -> [f32; 4] {
    x.to_f32_array()
}
";

/// Packages the crate and builds it.
pub fn run(root: &Path) -> Result<(), String> {
    let scratch = package::scratch(root, "without-std")?;
    let (project, libraries) = (scratch.join("project"), scratch.join("libraries"));
    for folder in [project.join("src"), libraries.clone()] {
        fs::create_dir_all(&folder).map_err(|error| at(&folder, &error))?;
    }
    let path = package::unpacked(root, &scratch)?;
    let host = libraries_with_core(&libraries)?;
    let manifest = format!(
        "[package]\nname = \"empty\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         ptxcvt = {{ path = {path:?}, default-features = false }}\n\n[workspace]\n"
    );
    write(&project.join("Cargo.toml"), &manifest)?;
    // Proof that the standard library is missing.
    write(&project.join("src/lib.rs"), "pub fn f(x: &str) -> String { x.into() }\n")?;
    let build = |target: &str| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(&project).args(["build", "--quiet", "--offline", "--target", &host]);
        cargo.arg("--target-dir").arg(scratch.join(target));
        output(cargo.env("CARGO_ENCODED_RUSTFLAGS", format!("--sysroot={}", libraries.display())))
    };
    match build("with-std") {
        Err(why) if why.contains("can't find crate for `std`") => {}
        other => return Err(format!("a project with `std` should not find it: {other:?}")),
    }
    write(&project.join("src/lib.rs"), PROGRAM)?;
    build("without-std").map(drop)
}

/// Fills a folder as a toolchain with the library `core` alone, and returns the host's name.
fn libraries_with_core(folder: &Path) -> Result<String, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let about = output(Command::new(&rustc).arg("-vV"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).ok_or("rustc -vV names no host")?;
    let toolchain = PathBuf::from(output(Command::new(&rustc).args(["--print", "sysroot"]))?.trim());
    let place = format!("lib/rustlib/{host}/lib");
    let (from, to) = (toolchain.join(&place), folder.join(&place));
    fs::create_dir_all(&to).map_err(|error| at(&to, &error))?;
    let mut found = 0;
    for entry in fs::read_dir(&from).map_err(|error| at(&from, &error))? {
        let path = entry.map_err(|error| at(&from, &error))?.path();
        let name = path.file_name().expect("a folder's entry has a name").to_string_lossy().into_owned();
        if ["libcore-", "libcompiler_builtins-"].iter().any(|start| name.starts_with(start)) {
            fs::copy(&path, to.join(&name)).map_err(|error| at(&path, &error))?;
            found += 1;
        }
    }
    if found >= 2 { Ok(host.to_owned()) } else { Err(format!("{}: no `core`", from.display())) }
}
