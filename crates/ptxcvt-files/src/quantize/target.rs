//! The output of a run over a checkpoint. It is written file by file, and an interrupted run can be resumed.
//!
//! The output is written to the folder `NAME.part`, which is renamed to `NAME` when it is complete. Each file in it is
//! complete, too. Its metadata hold the options of the run, and a file next to it holds the identity of its input, so
//! that a later run with the same options keeps it if its input has not changed. The latter is removed in the end: the
//! finished folder does not depend on where and when the input was stored.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::checkpoint::{Checkpoint, Index, Written};
use super::config::{self, OtherFiles};
use super::lock::Lock;
use super::output::INDEX;
use super::tensor;
use crate::error::FileError;
use crate::folder::Folder;
use crate::interrupt;
use crate::leftover;
use crate::safetensors;
use crate::source::Source;
use crate::specials::Specials;
use crate::whole;

/// The dependencies of an output file.
pub(super) struct Job {
    /// The recipe with its lines, the options and the program's version, or a digest of them.
    pub options: String,
    /// Size, times and identity of the input file, and which of its tensors are chosen.
    pub input: String,
}

/// The key of the recipe and the options that made a file of a checkpoint.
const JOB: &str = "ptxcvt.job";

impl Job {
    /// The entry of the file's metadata.
    pub fn metadata(&self) -> (String, String) {
        (JOB.to_owned(), self.options.clone())
    }
}

/// What is stored about a file until the folder is complete.
#[derive(Debug, serde::Deserialize, serde::Serialize)]
struct State {
    /// The identity of its input, as in [`Job`].
    input: String,
    /// The NaN and infinities that the run found.
    specials: Specials,
}

/// A file of an earlier run.
pub(super) enum Kept {
    Nothing,
    /// A file whose input has changed since.
    Outdated,
    /// A complete file with these tensors, each with its length in bytes, and the NaN and infinities that the earlier run
    /// found.
    Whole(Vec<(String, u64)>, Box<Specials>),
}

/// The folder of the output.
#[derive(Debug)]
pub(super) struct Target {
    folder: PathBuf,
    part: PathBuf,
    /// The names of all files that the run makes.
    made: BTreeSet<String>,
    /// Removes the unfinished folder, and those above it, if nothing was written to them. Dropped in order.
    _created: Folder,
    _lock: Lock,
    _above: Option<Folder>,
}

/// The state of the output before the run writes to it.
pub(super) struct Begun {
    pub target: Target,
    /// For each file of tensors, what an earlier run left of it.
    pub kept: Vec<Kept>,
    /// Files of an earlier run that this run does not make; they were removed.
    pub removed: Vec<String>,
}

/// The ending of the name of a file with the [`State`] of another.
const STATE: &str = ".state";

impl Target {
    /// Makes the folder, or reuses that of an interrupted run, from which it removes the files that this run does not
    /// make. `jobs` are those of the model's files, in order.
    ///
    /// # Errors
    ///
    /// Fails, without a change, if the folder is complete already, if another run is writing it, or if it has files that
    /// no such run made.
    pub fn begin(
        output: &str,
        model: &Checkpoint,
        jobs: &[Job],
        configs: &[(&str, String)],
        others: &OtherFiles,
    ) -> Result<Begun, FileError> {
        let folder = Path::new(output).components().collect::<PathBuf>();
        crate::folder::refuse_file(&folder)?;
        others.refuse_broken()?;
        let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
        let above = above.map(crate::create_folder).transpose()?;
        let lock = Lock::take(&folder)?;
        let mut part = folder.clone().into_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        let created = crate::create_folder(&part)?;
        let configs = configs.iter().map(|(name, _)| (*name).to_owned());
        let index = model.name.as_ref().map(|_| INDEX.to_owned());
        let made = model.files.iter().chain(&others.copied).cloned().chain(configs).chain(index).collect();
        let target = Target { folder, part, made, _created: created, _lock: lock, _above: above };
        let kept = model.files.iter().zip(jobs).map(|(file, job)| target.kept(file, job));
        let kept = kept.collect::<Result<_, _>>()?;
        let removed = target.remove_others(&model.files)?;
        Ok(Begun { target, kept, removed })
    }

    /// Removes the files of an earlier run that this run does not make, and returns their names.
    ///
    /// # Errors
    ///
    /// Fails, without a change, if there are files that no run over a checkpoint made.
    fn remove_others(&self, files: &[String]) -> Result<Vec<String>, FileError> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.part).map_err(|e| self.failed(&self.part, &e))? {
            let name = entry.map_err(|e| self.failed(&self.part, &e))?.file_name();
            let name = name.to_string_lossy().into_owned();
            let of_file = name.strip_prefix('.').and_then(|name| name.strip_suffix(STATE));
            if self.made.contains(&name) || of_file.is_some_and(|file| files.iter().any(|f| f == file)) {
                continue;
            }
            // A user's own file must not disappear.
            let path = self.part.join(&name);
            if leftover::is_temporary(&name) && path.symlink_metadata().is_ok_and(|found| found.is_file()) {
                fs::remove_file(&path).map_err(|e| self.failed(&path, &e))?;
                continue;
            }
            if !(of_file.is_some() || config::is_description(&name) || is_product(&path)) {
                return Err(FileError::new(format!("{}: is not a file of this run", path.display()))
                    .with_help(format!("move it elsewhere, or {}", self.anew())));
            }
            found.push(name);
        }
        found.sort();
        for name in &found {
            let path = self.part.join(name);
            fs::remove_file(&path).map_err(|e| self.failed(&path, &e))?;
        }
        // The state of a file belongs to it.
        found.retain(|name| !name.ends_with(STATE));
        Ok(found)
    }

    fn failed(&self, path: &Path, error: &io::Error) -> FileError {
        FileError::new(format!("{}: {}", path.display(), crate::error::reason(error)))
    }

    /// The path of a file in the unfinished folder.
    pub fn path(&self, file: &str) -> String {
        self.part.join(file).to_string_lossy().into_owned()
    }

    /// Looks for a file that an earlier run with the same options completed.
    ///
    /// # Errors
    ///
    /// Fails if a run with different options wrote it, or if it cannot be read.
    fn kept(&self, file: &str, job: &Job) -> Result<Kept, FileError> {
        let path = self.path(file);
        if !Path::new(&path).exists() {
            return Ok(Kept::Nothing);
        }
        let found = Source::open_own(&path).and_then(|source| safetensors::read(&source));
        let (arrays, metadata) = found.map_err(|error| error.with_help(self.anew()))?;
        let metadata = metadata.unwrap_or_default();
        if metadata.get(JOB) != Some(&job.options) {
            let message = format!("{path}: was left by a run with other options");
            return Err(FileError::new(message).with_help(self.anew()));
        }
        let Some(state) = self.state(file)?.filter(|state| state.input == job.input) else {
            return Ok(Kept::Outdated);
        };
        let tensors = arrays.iter().map(|a| (tensor::name(a).to_owned(), a.known_len()));
        Ok(Kept::Whole(tensors.collect(), Box::new(state.specials)))
    }

    /// The help of errors about the unfinished folder.
    fn anew(&self) -> String {
        format!("remove {} to begin again", self.part.display())
    }

    /// The file that holds the state of a file.
    fn state_file(&self, file: &str) -> PathBuf {
        self.part.join(format!(".{file}{STATE}"))
    }

    /// Remembers the state of a file, which must be completed next, until the folder is complete.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written, or if a file of an earlier run cannot be removed.
    pub fn keep_state(&self, file: &str, job: &Job, specials: &Specials) -> Result<(), FileError> {
        // A file of another input must not get this state, wherever the run is interrupted.
        self.remove(Path::new(&self.path(file)))?;
        let state = State { input: job.input.clone(), specials: specials.clone() };
        let bytes = serde_json::to_vec(&state).map_err(|e| FileError::new(e.to_string()))?;
        crate::writer::write(self.state_file(file), &bytes)
    }

    /// What an earlier run stored about a file.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    fn state(&self, file: &str) -> Result<Option<State>, FileError> {
        let path = self.state_file(file);
        let text = match whole::own_file(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failed(&path, &error).with_help(self.anew())),
        };
        let state = serde_json::from_str(&text).map(Some);
        state.map_err(|e| FileError::new(format!("{}: {e}", path.display())).with_help(self.anew()))
    }

    /// Writes the other files and, if the model has an index, that of the tensors that were written. Renames the folder.
    pub fn finish(
        self,
        model: &Checkpoint,
        written: Written,
        configs: &[(&str, String)],
        others: &OtherFiles,
    ) -> Result<(), FileError> {
        others.copy(&model.folder, &self.part)?;
        for (name, text) in configs {
            config::write(&self.path(name), text)?;
        }
        if model.name.is_some() {
            let mut metadata = model.index.metadata.clone();
            metadata.insert("total_size".into(), written.bytes.into());
            let index = Index { metadata, weight_map: written.files };
            let value = serde_json::to_value(&index).map_err(|e| FileError::new(e.to_string()))?;
            config::write(&self.path(INDEX), &config::pretty(&value))?;
        }
        model.files.iter().try_for_each(|file| self.remove(&self.state_file(file)))?;
        interrupt::rename_folder(&self.part, &self.folder).map_err(|e| self.failed(&self.folder, &e))
    }

    /// Removes a file if it is there.
    fn remove(&self, path: &Path) -> Result<(), FileError> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.failed(path, &error)),
            _ => Ok(()),
        }
    }
}

/// True if a run over a checkpoint wrote this file.
fn is_product(path: &Path) -> bool {
    let source = Source::open_own(&path.to_string_lossy());
    let metadata = source.and_then(|source| safetensors::read(&source)).map(|(_, metadata)| metadata);
    metadata.is_ok_and(|metadata| metadata.is_some_and(|metadata| metadata.contains_key(JOB)))
}
