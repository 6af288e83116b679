//! Archives and checksums.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{output, succeed};

/// Packs a folder as `FOLDER.tar.gz` next to it. The same contents give the same bytes.
pub fn pack(folder: &Path) -> Result<PathBuf, String> {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return Err(format!("{}: not a folder in a folder", folder.display()));
    };
    let archive = PathBuf::from(format!("{}.tar.gz", folder.display()));
    let mut tar = Command::new("tar");
    tar.arg("-C").arg(parent).args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.args(["--mtime=@0", "--use-compress-program=gzip -9n", "-cf"]).arg(&archive).arg(name);
    succeed(&mut tar)?;
    Ok(archive)
}

/// Unpacks an archive below a folder.
pub fn unpack(archive: &Path, folder: &Path) -> Result<(), String> {
    succeed(Command::new("tar").arg("-C").arg(folder).arg("-xf").arg(archive))
}

/// Writes `SHA256SUMS` with the digest of every file in the folder.
pub fn checksums(folder: &Path) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<_> = entries.flatten().filter(|entry| entry.path().is_file()).collect();
    names.retain(|entry| entry.file_name() != "SHA256SUMS");
    let mut names: Vec<_> = names.into_iter().map(|entry| entry.file_name()).collect();
    names.sort();
    let sums = output(Command::new("sha256sum").current_dir(folder).args(&names))?;
    let path = folder.join("SHA256SUMS");
    fs::write(&path, sums).map_err(|e| format!("{}: {e}", path.display()))
}
