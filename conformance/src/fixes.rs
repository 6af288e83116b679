//! Checks that `ptxas` accepts the modules that `ptxcvt check --fix` writes.
//!
//! The modules are `tests/fix/*.ptx` and their expected fixes, `tests/fix/*.fixed`, which an ordinary test compares with
//! the output of `check`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ptxcvt::Target;
use ptxcvt_conform::assembler::{Assembler, Rejected};

use crate::{record, tools};

/// The directory of the modules.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fix")
}

/// Every module: its name, its text, and its text after fixing.
pub fn modules() -> Result<Vec<(String, String, String)>> {
    let mut modules = Vec::new();
    for entry in std::fs::read_dir(directory())? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "ptx") {
            let after = path.with_extension("fixed");
            let text = |path: &Path| {
                std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
            };
            let name = path.file_stem().expect("a folder's entry has a name").to_string_lossy().into_owned();
            modules.push((name, text(&path)?, text(&after)?));
        }
    }
    modules.sort();
    Ok(modules)
}

/// Runs the newest assembler in `dir` and writes the record. Returns true if it accepts every fixed module.
pub fn run(dir: &Path) -> Result<bool> {
    let assemblers = tools::assemblers(dir)?;
    let (version, path) = assemblers.first().context("no assembler")?;
    let assembler = Assembler::open(path)?;
    let (mut lines, mut agrees) = (Vec::new(), true);
    for (name, before, after) in modules()? {
        let target = declared(&after).with_context(|| format!("{name}: no target"))?;
        let verdict = |text: &str| -> Result<Result<(), Rejected>> { Ok(assembler.module(text, target)?) };
        let before = if verdict(&before)?.is_ok() { "taken" } else { "refused" };
        let after = match verdict(&after)? {
            Ok(()) => "taken",
            Err(message) => {
                eprintln!("{name}: {message}");
                agrees = false;
                "refused"
            }
        };
        lines.push(format!("{name}\t{before}\t{after}"));
    }
    ensure!(!lines.is_empty(), "no modules in {}", directory().display());
    let provenance = [
        format!("ptxas {version}: modules of tests/fix before and after `ptxcvt check --fix`"),
        "module, before, after".to_owned(),
    ];
    record::write("fixes.tsv", &provenance, lines)?;
    Ok(agrees)
}

/// The target that a module declares.
fn declared(module: &str) -> Option<Target> {
    let line = module.lines().find_map(|line| line.trim().strip_prefix(".target"))?;
    line.split(',').next()?.trim().parse().ok()
}
