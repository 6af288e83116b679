//! Includes the explorer in the binary: the page in `PTXCVT_PAGE` and the file `ptx.js` next to it, as built by
//! `cargo xtask web`. Without it the command serves files given by the user.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-env-changed=PTXCVT_PAGE");
    let page = env::var_os("PTXCVT_PAGE").map(PathBuf::from);
    let part = page.as_ref().map(|page| page.with_file_name("ptx.js"));
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    for (path, name) in [(page, "page.html"), (part, "ptx.js")] {
        let contents = path.map_or_else(Vec::new, |path| {
            println!("cargo::rerun-if-changed={}", path.display());
            fs::read(&path).unwrap_or_else(|e| panic!("PTXCVT_PAGE: {}: {e}", path.display()))
        });
        fs::write(Path::new(&out).join(name), contents).expect("OUT_DIR can be written");
    }
}
