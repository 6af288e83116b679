//! The targets that a project builds, by its build files.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use ptxcvt::Target;
use ptxcvt_syntax::build::{self, Targets};
use ptxcvt_syntax::check::TargetSet;

use ptxcvt_files::whole;

use super::name_of;
use crate::failure::Failure;
use crate::output;

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
    /// The files whose targets a build may override.
    pub defaults: Vec<PathBuf>,
    /// The files that name only targets which are not judged, with these.
    pub unknown: Vec<(PathBuf, Vec<String>)>,
}

/// The targets that a build file names.
pub fn of_file(path: &Path) -> Result<Built, Failure> {
    let failed = |why: String| Failure::cannot_read(path.display(), why);
    let text = whole::build_file(path).map_err(|e| failed(output::reason(&e)))?;
    let mut built = Built::default();
    let found = build::read(path, &text);
    let (all, open, default) = (found.all, found.open, found.default);
    let unknown = found.unknown.join(", ");
    built.add(path, found);
    if built.named().is_some() {
        return Ok(built);
    }
    if !all && !open && !unknown.is_empty() {
        return Err(Failure::new(format!("{}: its targets are not judged: {unknown}", path.display()))
            .with_help("targets from sm_50 on are judged"));
    }
    Err(Failure::new(format!("{} names no targets", path.display())).with_help(match () {
        () if all => "it builds for every target; leave out --targets-from",
        () if open => {
            "its targets are values of variables or the GPUs of the building machine, which are not known; give --target"
        }
        () if default => "its targets are chosen for each build; give --target",
        () => {
            "targets from sm_50 on are read from -arch, -gencode, CMAKE_CUDA_ARCHITECTURES and TORCH_CUDA_ARCH_LIST"
        }
    }))
}

/// The targets of the sources of one or more projects, each by the nearest build files.
#[derive(Debug, Default)]
pub struct Projects {
    /// By the folder of a source, as its name gives it.
    of_folders: HashMap<PathBuf, TargetSet>,
    /// The targets in the build files that apply to a source; the build files of one folder are read together.
    pub found: Vec<Built>,
}

/// The targets of sources by their build files: those in the folder of a source, or in the nearest folder above it that
/// names targets, up to the root of its repository or the argument that it is below.
pub fn of_sources<'p>(sources: impl Iterator<Item = &'p Path>, arguments: &[PathBuf]) -> Projects {
    let arguments: Vec<PathBuf> = arguments.iter().map(|path| folder_of(path)).collect();
    // Each folder is read once.
    let mut read: BTreeMap<PathBuf, (Built, bool)> = BTreeMap::new();
    let mut projects = Projects::default();
    let mut known: HashSet<PathBuf> = HashSet::new();
    for source in sources {
        let key = Projects::key(&name_of(source));
        if !known.insert(key.clone()) {
            continue;
        }
        for folder in folders(&folder_of(source), &arguments) {
            let (built, applies) = read.entry(folder).or_insert_with_key(|folder| (in_folder(folder), false));
            *applies = true;
            if built.decides() {
                projects.of_folders.extend(built.named().map(|(targets, _)| (key, targets)));
                break;
            }
        }
    }
    projects.found = read.into_values().filter(|(_, applies)| *applies).map(|(built, _)| built).collect();
    projects
}

/// The build files of a folder.
fn in_folder(folder: &Path) -> Built {
    let mut built = Built::default();
    for file in build::FILES.iter().map(|name| folder.join(name)) {
        if let Ok(text) = whole::build_file(&file) {
            built.add(&file, build::read(&file, &text));
        }
    }
    built
}

impl Projects {
    fn key(name: &str) -> PathBuf {
        Path::new(name).parent().unwrap_or(Path::new("")).to_owned()
    }

    /// The targets for a source of this name; `None` if no build file says them.
    pub fn targets(&self, name: &str) -> Option<TargetSet> {
        self.of_folders.get(&Self::key(name)).copied()
    }
}

impl Built {
    fn add(&mut self, file: &Path, found: Targets) {
        self.all |= found.all;
        let add = |files: &mut Vec<PathBuf>, says: bool| {
            if says && !files.iter().any(|known| known == file) {
                files.push(file.to_owned());
            }
        };
        add(&mut self.open, found.open);
        add(&mut self.defaults, found.default);
        add(&mut self.files, !found.targets.is_empty());
        let has_others = found.all || found.open || !found.targets.is_empty();
        if !has_others && !found.unknown.is_empty() && !self.unknown.iter().any(|(known, _)| known == file) {
            self.unknown.push((file.to_owned(), found.unknown));
        }
        self.targets.extend(found.targets);
    }

    /// True if the files name targets, so that the build files of folders above do not count.
    fn decides(&self) -> bool {
        self.all || !self.targets.is_empty() || !self.unknown.is_empty()
    }

    /// The targets, and the files that name them; `None` if no file names a target, or if a file builds for every
    /// target.
    pub fn named(&self) -> Option<(TargetSet, &[PathBuf])> {
        let some = !self.all && !self.targets.is_empty();
        some.then(|| (self.targets.iter().copied().collect(), &self.files[..]))
    }
}

/// The folder of a file, or a folder itself.
fn folder_of(path: &Path) -> PathBuf {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_folder = path.is_dir();
    path.parent().filter(|_| !is_folder).map_or_else(|| path.clone(), Path::to_owned)
}

/// A folder, and those above it up to the root of its repository or the last one of `arguments`.
fn folders(start: &Path, arguments: &[PathBuf]) -> Vec<PathBuf> {
    let above: Vec<&Path> = start.ancestors().collect();
    let root = above.iter().position(|folder| folder.join(".git").exists());
    let argument = above.iter().rposition(|folder| arguments.iter().any(|argument| argument == folder));
    above[..=root.max(argument).unwrap_or(0)].iter().map(|folder| folder.to_path_buf()).collect()
}
