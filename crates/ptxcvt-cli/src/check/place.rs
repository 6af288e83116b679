//! Names of files relative to a folder: that of the settings for `exclude`, that of a baseline for its entries. So the
//! working directory and the spelling of a path change nothing.

use std::path::{Component, Path, PathBuf};

/// The name of a file in `folder` or below it, with `/` between its parts. A file elsewhere keeps the name it was given.
pub fn relative(folder: &Path, file: &Path) -> String {
    let (folder, whole) = (plain(folder), plain(file));
    let name = match (&folder, &whole) {
        (Some(folder), Some(whole)) => whole.strip_prefix(folder).unwrap_or(file),
        _ => file,
    };
    let name = name.to_string_lossy().replace('\\', "/");
    name.trim_start_matches("./").to_owned()
}

/// The absolute path without `.` and `..`; `None` if there is no working directory.
fn plain(path: &Path) -> Option<PathBuf> {
    // The folder of a file without a folder in its name.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let mut plain = PathBuf::new();
    for part in std::path::absolute(path).ok()?.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = plain.pop(),
            part => plain.push(part),
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_path_have_one_name() {
        let here = std::env::current_dir().unwrap();
        for folder in [here.join("a"), "a".into(), "./a/".into(), "b/../a".into()] {
            for file in
                [here.join("a/b/c.ptx"), "a/b/c.ptx".into(), "./a/./b/c.ptx".into(), "a/b/../b/c.ptx".into()]
            {
                assert_eq!(relative(&folder, &file), "b/c.ptx", "{folder:?} {file:?}");
            }
            assert_eq!(relative(&folder, Path::new("./ab/c.ptx")), "ab/c.ptx");
            assert_eq!(relative(&folder, Path::new("a/../c.ptx")), "a/../c.ptx");
        }
        assert_eq!(relative(Path::new(""), &here.join("c.ptx")), "c.ptx");
    }
}
