//! LLVM's source text in the folders that `audit` is given.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ptxcvt_audit::report::Report;
use ptxcvt_files::whole;

use crate::failure::Failure;
use crate::output::reason;

/// The text of a file.
pub fn read(path: &Path) -> Result<String, Failure> {
    let bytes =
        whole::source_file(path).map_err(|error| Failure::cannot_read(path.display(), reason(&error)))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The file with which a backend begins.
const BACKEND: &str = "NVPTXInstrInfo.td";

/// Where a named folder may have the backend and its tests.
const BACKENDS: [&str; 3] = ["llvm/lib/Target/NVPTX", "lib/Target/NVPTX", "."];
const TESTS: [&str; 3] = ["llvm/test/CodeGen/NVPTX", "test/CodeGen/NVPTX", "."];

/// Where LLVM's files are.
pub struct Sources {
    /// llvm/lib/Target/NVPTX
    backend: Option<PathBuf>,
    /// llvm/include
    include: Option<PathBuf>,
    /// The tests and their texts.
    pub tests: BTreeMap<PathBuf, String>,
}

impl Sources {
    pub fn find(folders: &[PathBuf]) -> Result<Self, Failure> {
        let mut found = Sources { backend: None, include: None, tests: BTreeMap::new() };
        for folder in folders {
            let entries = fs::read_dir(folder);
            entries.map_err(|error| {
                Failure::cannot_read(folder.display(), reason(&error))
                    .with_help("name folders with LLVM's source text, such as llvm/lib/Target/NVPTX")
            })?;
            let inside = |paths: &[&str]| paths.iter().map(|path| folder.join(path)).collect::<Vec<_>>();
            let backend = inside(&BACKENDS).into_iter().find(|path| path.join(BACKEND).is_file());
            let include = inside(&["llvm/include", "include", "../../../include"])
                .into_iter()
                .find(|path| path.join("llvm/Target/Target.td").is_file());
            let mut of_folder = BTreeMap::new();
            for path in inside(&TESTS) {
                if path.is_dir() {
                    of_folder.extend(tests(&path)?);
                }
            }
            if backend.is_none() && of_folder.is_empty() {
                let message = format!(
                    "{} has neither {BACKEND} nor tests of the NVPTX backend (.ll)",
                    folder.display()
                );
                return Err(wrong(message));
            }
            found.tests.append(&mut of_folder);
            one(&mut found.backend, backend.map(plain), "a backend")?;
            one(&mut found.include, include, "an include folder")?;
        }
        Ok(found)
    }

    /// The path of a file of the backend or of LLVM's include folder.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let folders = [&self.backend, &self.include].into_iter().flatten();
        folders.map(|folder| folder.join(name)).find(|path| path.is_file())
    }

    /// Rejects files without anything that an audit compares: "no findings" would be misleading.
    pub fn refuse_empty(&self, report: &Report) -> Result<(), Failure> {
        let message = match &self.backend {
            Some(folder) if report.read.conversions == 0 => {
                let file = folder.join(BACKEND);
                format!(
                    "{} and the files that it includes have no instruction that prints cvt",
                    file.display()
                )
            }
            None if report.read.expectations == 0 => {
                "no line of the tests expects a conversion, and no backend is named".to_owned()
            }
            _ => return Ok(()),
        };
        let first = report.unread.first();
        let failure = first.map_or_else(
            || Failure::new(&message),
            |skipped| {
                let reason = format!("not read: {}:{}: {}", skipped.file, skipped.line, skipped.reason);
                Failure::new(&message).with_help(reason)
            },
        );
        Err(failure.with_help(looked_for()))
    }
}

/// The error for a folder without the files that an audit reads.
fn wrong(message: String) -> Failure {
    Failure::new(message).with_help(looked_for())
}

/// The files that an audit reads, and where they may be.
fn looked_for() -> String {
    let list = |paths: [&str; 3]| {
        let [whole, part, own] = paths.map(|path| if path == "." { "the folder itself" } else { path });
        format!("{whole}, {part} and {own}")
    };
    format!("looked for {BACKEND} in {}; for tests of NVPTX (.ll) in {}", list(BACKENDS), list(TESTS))
}

/// A path without a last `.`.
fn plain(path: PathBuf) -> PathBuf {
    path.components().collect()
}

/// Keeps a folder of LLVM. Two different folders belong to two versions of LLVM, which are not compared at once.
fn one(known: &mut Option<PathBuf>, new: Option<PathBuf>, what: &str) -> Result<(), Failure> {
    let Some(new) = new else { return Ok(()) };
    match known {
        Some(first) if fs::canonicalize(&*first).ok() != fs::canonicalize(&new).ok() => {
            let message = format!("{} and {} both have {what}", first.display(), new.display());
            Err(Failure::new(message).with_help(
                "name the folders of one version of LLVM; audit another one with a second command",
            ))
        }
        Some(_) => Ok(()),
        None => {
            *known = Some(new);
            Ok(())
        }
    }
}

/// The tests of the backend in a folder. Others are not read: an audit of them would find nothing.
fn tests(folder: &Path) -> Result<Vec<(PathBuf, String)>, Failure> {
    let failed = |error: io::Error| Failure::cannot_read(folder.display(), reason(&error));
    let mut tests = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = plain(folder.join(entry.map_err(failed)?.file_name()));
        if path.extension().is_some_and(|ending| ending == "ll") && path.is_file() {
            let text = read(&path)?;
            if text.contains("nvptx") || text.contains("-mcpu=sm_") {
                tests.push((path, text));
            }
        }
    }
    Ok(tests)
}
