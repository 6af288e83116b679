//! Archives and checksums.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::folder::files;
use crate::run::{output, succeed};

/// Packs a folder as `FOLDER.tar.gz` next to it. Equal contents give equal bytes.
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
    let files = files(folder)?;
    let names = files.iter().filter_map(|path| path.file_name()).filter(|name| *name != "SHA256SUMS");
    let sums = output(Command::new("sha256sum").current_dir(folder).args(names))?;
    let path = folder.join("SHA256SUMS");
    fs::write(&path, sums).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_but_the_list_has_a_checksum() {
        let folder = std::env::temp_dir().join(format!("ptxcvt-checksums-{}", std::process::id()));
        fs::create_dir_all(folder.join("unpacked")).unwrap();
        for name in ["b", "a", "SHA256SUMS"] {
            fs::write(folder.join(name), "").unwrap();
        }
        checksums(&folder).unwrap();
        let list = fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        // SHA-256 of no bytes.
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(list, format!("{empty}  a\n{empty}  b\n"));
    }
}
