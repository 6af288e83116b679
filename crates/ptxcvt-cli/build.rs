//! Includes the explorer's page in the binary: the file in `PTXCVT_PAGE`, as built by `cargo xtask web`.
//! Without it the command serves a file given by the user.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-env-changed=PTXCVT_PAGE");
    let page = match env::var_os("PTXCVT_PAGE") {
        Some(path) => {
            println!("cargo::rerun-if-changed={}", Path::new(&path).display());
            fs::read(&path).unwrap_or_else(|e| panic!("PTXCVT_PAGE={}: {e}", Path::new(&path).display()))
        }
        None => Vec::new(),
    };
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("page.html"), page).expect("OUT_DIR can be written");
}
