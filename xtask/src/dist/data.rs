//! The tables as one file, with its schema and licence.

use std::path::{Path, PathBuf};

use super::archive::pack;
use super::folder::{copy, empty, files};
use crate::data;

/// Builds the archive.
pub fn build(root: &Path, out: &Path) -> Result<PathBuf, String> {
    let built = data::run(root)?;
    let name = format!("ptxcvt-data-{}", env!("CARGO_PKG_VERSION"));
    let folder = empty(&root.join("target/dist-build").join(name))?;
    for file in files(&built)? {
        let name = file.file_name().ok_or_else(|| format!("{}: no name", file.display()))?;
        copy(&file, &folder.join(name))?;
    }
    let archive = pack(&folder)?;
    let name = archive.file_name().ok_or_else(|| format!("{}: no name", archive.display()))?;
    let to = out.join(name);
    copy(&archive, &to)?;
    Ok(to)
}
