//! The files of a command's arguments and of their directories.

use std::io;
use std::path::{Path, PathBuf};

/// A file or directory that cannot be read.
pub type Unreadable = (PathBuf, io::Error);

/// The files of [`below`]. A directory without any is reported like one that cannot be read.
pub fn files(path: &Path, extensions: &[&str]) -> (Vec<PathBuf>, Vec<Unreadable>) {
    let (found, mut unreadable) = below(path, extensions);
    if found.is_empty() && unreadable.is_empty() {
        let error = io::Error::other(format!("there is no .{} file in it or below", extensions.join(", .")));
        unreadable.push((path.to_owned(), error));
    }
    (found, unreadable)
}

/// A file itself, whatever its extension; for a directory, every regular file with one of these extensions in it and
/// below, in order of names. Links to directories are not followed because they could be circular. Other kinds of
/// files are skipped: a FIFO would never end.
pub fn below(path: &Path, extensions: &[&str]) -> (Vec<PathBuf>, Vec<Unreadable>) {
    if path.as_os_str() == "-" || !path.is_dir() {
        return (vec![path.to_owned()], Vec::new());
    }
    let (mut found, mut unreadable) = (Vec::new(), Vec::new());
    // A stack instead of recursion, because directories can nest deeply.
    let mut directories = vec![path.to_owned()];
    while let Some(directory) = directories.pop() {
        let entries = match std::fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) => {
                unreadable.push((directory, error));
                continue;
            }
        };
        for entry in entries {
            match entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))) {
                Ok((path, kind)) if kind.is_dir() => directories.push(path),
                Ok((path, _)) if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) => {
                    // A link counts as its target.
                    if std::fs::metadata(&path).map_or(true, |m| m.is_file()) {
                        found.push(path);
                    }
                }
                Ok(_) => {}
                Err(error) => unreadable.push((directory.clone(), error)),
            }
        }
    }
    found.sort();
    (found, unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_directory_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("b/c")).unwrap();
        for name in ["z.ptx", "b/a.ptx", "b/c/d.ptx", "b/other.txt"] {
            std::fs::write(at(name), "").unwrap();
        }
        let (found, unreadable) = files(folder.path(), &["ptx"]);
        assert_eq!(found, ["b/a.ptx", "b/c/d.ptx", "z.ptx"].map(at));
        assert!(unreadable.is_empty());
        let (found, unreadable) = files(&at("b"), &["tsv"]);
        assert!(found.is_empty());
        assert_eq!(unreadable[0].1.to_string(), "there is no .tsv file in it or below");
        assert_eq!(files(&at("b/other.txt"), &["ptx"]).0, [at("b/other.txt")]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a.ptx"), "").unwrap();
        std::os::unix::fs::symlink(folder.path(), at("circle")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("device.ptx")).unwrap();
        std::os::unix::fs::symlink("a.ptx", at("link.ptx")).unwrap();
        assert_eq!(files(folder.path(), &["ptx"]).0, [at("a.ptx"), at("link.ptx")]);
    }
}
