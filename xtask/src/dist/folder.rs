//! Folders and files of artefacts.

use std::fs;
use std::path::{Path, PathBuf};

/// An empty folder at this path.
pub fn empty(folder: &Path) -> Result<PathBuf, String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    create(folder)?;
    Ok(folder.to_owned())
}

pub fn create(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

pub fn copy(file: &Path, to: &Path) -> Result<(), String> {
    fs::copy(file, to).map(drop).map_err(|e| format!("{}: {e}", file.display()))
}

/// The files directly in a folder, by name.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |e| format!("{}: {e}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The one file in a folder whose name begins and ends like this.
pub fn find(folder: &Path, begin: &str, end: &str) -> Result<PathBuf, String> {
    let mut found = files(folder)?;
    found.retain(|path| {
        path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(begin) && n.ends_with(end))
    });
    match &found[..] {
        [one] => Ok(one.clone()),
        _ => Err(format!("{}: {} files {begin}…{end}, expected one", folder.display(), found.len())),
    }
}
