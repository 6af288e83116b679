//! Finds the programs of CUDA's toolkit.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where the toolkit's installer puts it on Linux.
const USUAL: &str = "/usr/local/cuda";

/// Where [`find`] searches, in order, for help and messages.
pub const PLACES: &str = "PATH, CUDA_HOME, CUDA_PATH or /usr/local/cuda";

/// The first program of this name in [`PLACES`]. The variables name the toolkit's folder.
pub fn find(program: &str) -> Option<PathBuf> {
    let homes = ["CUDA_HOME", "CUDA_PATH"].map(env::var_os);
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    places(env::var_os("PATH"), homes).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// The folders to search. An empty variable is like one that is not set; it does not mean the working directory.
fn places(path: Option<OsString>, homes: [Option<OsString>; 2]) -> impl Iterator<Item = PathBuf> {
    let is_set = |value: &OsString| !value.is_empty();
    let listed: Vec<PathBuf> = path.filter(is_set).iter().flat_map(env::split_paths).collect();
    // An empty entry of PATH is the working directory, as in a shell.
    let listed = listed.into_iter().map(|dir| if dir.as_os_str().is_empty() { ".".into() } else { dir });
    let homes = homes.into_iter().flatten().filter(is_set).map(PathBuf::from).chain([USUAL.into()]);
    listed.chain(homes.map(|home| Path::new(&home).join("bin")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The help and the docs name the places in one way, and all of them.
    #[test]
    fn places_are_those_that_are_searched() {
        assert!(PLACES.ends_with(USUAL));
        let in_docs = PLACES.replace(", ", "`, `").replace(" or ", "` or `");
        for page in ["compiled", "lowering"] {
            #[expect(clippy::disallowed_methods, reason = "a page of the repository")]
            let text = std::fs::read_to_string(format!("../../docs/{page}.md")).expect("a page");
            assert!(text.replace('\n', " ").contains(&format!("`{in_docs}`")), "docs/{page}.md");
        }
    }

    #[test]
    fn empty_variables_name_no_folder() {
        let of = |path: Option<&str>, home: Option<&str>| {
            let found = places(path.map(OsString::from), [home.map(OsString::from), None]);
            found.map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        let usual = format!("{USUAL}/bin");
        assert_eq!(of(None, None), [&*usual]);
        assert_eq!(of(Some(""), Some("")), [&*usual]);
        assert_eq!(of(Some("/a"), Some("/b")), ["/a", "/b/bin", &usual]);
        #[cfg(unix)]
        assert_eq!(of(Some("/a::c"), None), ["/a", ".", "c", &usual]);
    }
}
