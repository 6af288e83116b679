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

/// The one file in a folder whose name begins and ends like this.
pub fn find(folder: &Path, begin: &str, end: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| {
        path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(begin) && n.ends_with(end))
    });
    match &found[..] {
        [one] => Ok(one.clone()),
        _ => Err(format!("{}: {} files {begin}…{end}, expected one", folder.display(), found.len())),
    }
}
