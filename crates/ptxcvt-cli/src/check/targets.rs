//! The targets that a project builds, by its build files.

use std::path::{Path, PathBuf};

use ptxcvt::Target;
use ptxcvt_syntax::check::TargetSet;

use super::build;
use super::build::text::Text;
use crate::failure::Failure;
use crate::output;

/// Files that name the targets of a project; `docs/sources.md` lists them.
const BUILD_FILES: [&str; 11] = [
    "CMakeLists.txt",
    "CMakePresets.json",
    "Dockerfile",
    "GNUmakefile",
    "Makefile",
    "build.sh",
    "makefile",
    "meson.build",
    "pyproject.toml",
    "setup.py",
    "xmake.lua",
];

/// The targets of a project, from its build files.
#[derive(Debug, Default)]
pub struct Built {
    targets: Vec<Target>,
    /// The files that name targets.
    files: Vec<PathBuf>,
    /// A file builds for every target.
    all: bool,
    /// The files that name targets which this program cannot determine.
    pub open: Vec<PathBuf>,
    /// The files that name only targets which are not judged, with these.
    pub unknown: Vec<(PathBuf, Vec<String>)>,
}

/// The targets that a build file names.
pub fn of_file(path: &Path) -> Result<Built, Failure> {
    let failed = |why: String| Failure::cannot_read(path.display(), why);
    let text = std::fs::read(path).map_err(|e| failed(output::reason(&e)))?;
    let mut built = Built::default();
    let found = build::read(path, &String::from_utf8_lossy(&text));
    let (all, open, unknown) = (found.all, found.open, found.unknown.join(", "));
    built.add(path, found);
    if built.named().is_some() {
        return Ok(built);
    }
    if !all && !open && !unknown.is_empty() {
        return Err(Failure::new(format!("{}: its targets are not judged: {unknown}", path.display()))
            .help("targets from sm_50 on are judged"));
    }
    Err(Failure::new(format!("{} names no targets", path.display())).help(match (all, open) {
        (true, _) => "it builds for every target; leave out --targets-from",
        (false, true) => {
            "its targets are values of variables or the GPUs of the building machine, which are not known; give --target"
        }
        (false, false) => {
            "targets from sm_50 on are read from -arch, -gencode, CMAKE_CUDA_ARCHITECTURES and TORCH_CUDA_ARCH_LIST"
        }
    }))
}

/// The targets in build files: those next to some paths, or in the folders above within the same repository.
pub fn of_tree(paths: &[PathBuf]) -> Built {
    let mut built = Built::default();
    for path in paths.iter().filter(|path| path.as_os_str() != "-") {
        for folder in folders(path) {
            for file in BUILD_FILES.iter().map(|name| folder.join(name)) {
                if let Ok(text) = std::fs::read(&file) {
                    built.add(&file, build::read(&file, &String::from_utf8_lossy(&text)));
                }
            }
        }
    }
    built
}

impl Built {
    fn add(&mut self, file: &Path, found: Text) {
        self.all |= found.all;
        let add = |files: &mut Vec<PathBuf>, says: bool| {
            if says && !files.iter().any(|known| known == file) {
                files.push(file.to_owned());
            }
        };
        add(&mut self.open, found.open);
        add(&mut self.files, !found.targets.is_empty());
        let has_others = found.all || found.open || !found.targets.is_empty();
        if !has_others && !found.unknown.is_empty() && !self.unknown.iter().any(|(known, _)| known == file) {
            self.unknown.push((file.to_owned(), found.unknown));
        }
        self.targets.extend(found.targets);
    }

    /// The targets, and the files that name them; `None` if there are none, or if a file builds for every target.
    pub fn named(&self) -> Option<(TargetSet, &[PathBuf])> {
        let some = !self.all && !self.targets.is_empty();
        some.then(|| (self.targets.iter().copied().collect(), &self.files[..]))
    }
}

/// The folder of a path, and those above it up to the root of its repository.
fn folders(path: &Path) -> Vec<PathBuf> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let start = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
    let above: Vec<&Path> = start.ancestors().collect();
    let root = above.iter().position(|folder| folder.join(".git").exists());
    above[..=root.unwrap_or(0)].iter().map(|folder| folder.to_path_buf()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_docs_list_the_build_files() {
        let docs = include_str!("../../../../docs/sources.md");
        let begin = docs.find("- Without either, the targets are those of").expect("a sentence");
        let sentence = &docs[begin..][..docs[begin..].find(" in the folder of").expect("its end")];
        let named: Vec<&str> = sentence.split('`').skip(1).step_by(2).collect();
        assert_eq!(named, BUILD_FILES);
    }
}
