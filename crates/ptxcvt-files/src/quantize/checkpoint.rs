//! Checkpoints: models in several files with an index. They are written file by file, and an interrupted run
//! can be resumed.
//!
//! The output is written to the folder `NAME.part`, which is renamed to `NAME` when it is complete. Each file in it is
//! complete, too. Its metadata hold the options of the run and the identity of the input file, so that a later run with
//! the same options keeps it if its input has not changed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ptxcvt::clip;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::config::{self, OtherFiles};
use super::output::{Entry, same_name};
use super::tensor;
use crate::array::Input;
use crate::error::FileError;
use crate::folder::Folder;
use crate::safetensors;
use crate::source::Source;
use crate::specials::Specials;

/// The file that maps each tensor to its file.
pub const INDEX: &str = "model.safetensors.index.json";

/// The file of a model without an index.
const SINGLE: &str = "model.safetensors";

/// The content of the index.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Index {
    #[serde(default)]
    pub metadata: serde_json::Map<String, serde_json::Value>,
    pub weight_map: BTreeMap<String, String>,
}

/// The tensors of the output: the file of each, and the bytes of all.
#[derive(Debug, Default)]
pub(super) struct Written {
    files: BTreeMap<String, String>,
    bytes: u64,
}

/// Checks that no two tensors of a checkpoint will have the same name.
///
/// # Errors
///
/// Fails if two have.
pub(super) fn refuse_same_names<'a>(
    output: &str,
    files: impl Iterator<Item = (&'a str, Vec<Entry>)>,
) -> Result<(), FileError> {
    let mut known: BTreeMap<String, &str> = BTreeMap::new();
    for (file, entries) in files {
        for entry in entries {
            if let Some(other) = known.get(&entry.name) {
                if *other == file {
                    return Err(same_name(&format!("{output}/{file}"), &entry.name));
                }
                let name = clip(&entry.name);
                let message = format!("{output}: {other} and {file} would both have a tensor `{name}`");
                return Err(FileError::new(message));
            }
            known.insert(entry.name, file);
        }
    }
    Ok(())
}

impl Written {
    /// Adds the tensors of a file, each with its bytes.
    pub(super) fn add(&mut self, file: &str, tensors: Vec<(String, u64)>) {
        for (tensor, bytes) in tensors {
            self.bytes += bytes;
            self.files.insert(tensor, file.to_owned());
        }
    }
}

/// A checkpoint: its folder and its files, in order.
#[derive(Debug)]
pub struct Checkpoint {
    pub(super) folder: PathBuf,
    /// The name of the index; `None` for a model in one file.
    name: Option<String>,
    pub(super) index: Index,
    pub(super) files: Vec<String>,
}

impl Checkpoint {
    /// True if `input` names a checkpoint: an index or a folder.
    pub fn is_one(input: &str) -> bool {
        input.ends_with(".index.json") || Path::new(input).is_dir()
    }

    /// Reads an index, or that of a folder. A folder may have a single file of tensors instead.
    pub(super) fn open(input: &str) -> Result<Checkpoint, FileError> {
        let path = Path::new(input);
        if path.is_dir() && !path.join(INDEX).exists() && path.join(SINGLE).exists() {
            let index = Index { metadata: Default::default(), weight_map: Default::default() };
            return Ok(Checkpoint { folder: path.to_owned(), name: None, index, files: vec![SINGLE.into()] });
        }
        let path = if path.is_dir() { path.join(INDEX) } else { path.to_owned() };
        let fail = |what: String| FileError::new(format!("{}: {what}", path.display()));
        let text = fs::read_to_string(&path).map_err(|e| {
            fail(crate::error::reason(&e)).help(format!("a checkpoint is a folder with {INDEX} or {SINGLE}"))
        })?;
        let index: Index = serde_json::from_str(&text)
            .map_err(|e| fail(format!("not an index of safetensors files: {e}")))?;
        let mut files: Vec<String> = index.weight_map.values().cloned().collect();
        files.sort();
        files.dedup();
        // A name outside of the folder would be written outside of the output's folder.
        if let Some(file) =
            files.iter().find(|file| Path::new(file).file_name().is_none_or(|n| n != file.as_str()))
        {
            return Err(fail(format!("`{file}` is not the name of a file next to the index")));
        }
        if files.is_empty() {
            return Err(fail("names no tensors".into()));
        }
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Checkpoint { folder, name, index, files })
    }

    /// Opens the files, in order, and checks that they match the index.
    pub(super) fn inputs(&self) -> Result<Vec<Input>, FileError> {
        let open = |file: &String| {
            tensor::open(&self.path(file), None).map(|input| Input { in_checkpoint: true, ..input })
        };
        let inputs: Vec<Input> = self.files.iter().map(open).collect::<Result<_, _>>()?;
        self.check(&inputs)?;
        Ok(inputs)
    }

    /// Checks that the files, opened in order, match the index.
    fn check(&self, inputs: &[Input]) -> Result<(), FileError> {
        let mut found = BTreeMap::new();
        for (file, input) in self.files.iter().zip(inputs) {
            for array in &input.arrays {
                let tensor = tensor::name(array);
                if let Some(other) = found.insert(tensor, file) {
                    return Err(FileError::new(format!(
                        "{}: tensor `{tensor}` is also in {other}",
                        self.path(file)
                    )));
                }
            }
        }
        let missing =
            self.index.weight_map.iter().find(|(tensor, file)| found.get(tensor.as_str()) != Some(file));
        match missing {
            None => Ok(()),
            Some((tensor, file)) => Err(FileError::new(format!(
                "{}: has no tensor `{tensor}`, which the index places there",
                self.path(file)
            ))),
        }
    }

    /// The other files of the folder.
    pub(super) fn other_files(&self) -> Result<OtherFiles, FileError> {
        let used: Vec<String> = self.files.iter().cloned().chain(self.name.clone()).collect();
        OtherFiles::of(&self.folder, &used)
    }

    /// The path of one of its files.
    pub(super) fn path(&self, file: &str) -> String {
        self.folder.join(file).to_string_lossy().into_owned()
    }
}

/// The dependencies of an output file.
pub(super) struct Job {
    /// The recipe with its lines, the options and the program's version, or a digest of them.
    pub options: String,
    /// Size, times and identity of the input file.
    pub input: String,
}

/// The key of the recipe and the options that made a file of a checkpoint.
const JOB: &str = "ptxcvt.job";
/// The key of the identity of its input file.
const INPUT: &str = "ptxcvt.job.input";

impl Job {
    /// The entries of the file's metadata.
    pub fn metadata(&self) -> [(String, String); 2] {
        [(JOB.to_owned(), self.options.clone()), (INPUT.to_owned(), self.input.clone())]
    }
}

/// A file of an earlier run.
pub(super) enum Kept {
    Nothing,
    /// A file whose input has changed since.
    Outdated,
    /// A complete file with these tensors, each with its length in bytes.
    Whole(Vec<(String, u64)>),
}

/// The folder of the output.
#[derive(Debug)]
pub(super) struct Target {
    folder: PathBuf,
    part: PathBuf,
    /// Removes the unfinished folder if nothing was written to it.
    _created: Folder,
}

impl Target {
    /// Makes the folder, or reuses that of an interrupted run.
    pub fn create(output: &str) -> Result<Target, FileError> {
        let folder = PathBuf::from(output.trim_end_matches('/'));
        crate::folder::refuse_file(&folder)?;
        if folder.exists() {
            return Err(FileError::new(format!("{}: exists already", folder.display()))
                .help("the output of a checkpoint is a new folder: remove the old one, or name another"));
        }
        let mut part = folder.clone().into_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        let created = crate::create_folder(&part)?;
        Ok(Target { folder, part, _created: created })
    }

    /// The path of a file in the unfinished folder.
    pub fn path(&self, file: &str) -> String {
        self.part.join(file).to_string_lossy().into_owned()
    }

    /// Looks for a file that an earlier run with the same options completed.
    ///
    /// # Errors
    ///
    /// Fails if a run with different options wrote it.
    pub fn kept(&self, file: &str, job: &Job) -> Result<Kept, FileError> {
        let path = self.path(file);
        if !Path::new(&path).exists() {
            return Ok(Kept::Nothing);
        }
        let (arrays, metadata) = safetensors::read(&Source::open(&path)?)?;
        let metadata = metadata.unwrap_or_default();
        if metadata.get(JOB) != Some(&job.options) {
            return Err(FileError::new(format!("{path}: was left by a run with other options"))
                .help(format!("remove {} to begin again", self.part.display())));
        }
        if metadata.get(INPUT) != Some(&job.input) {
            return Ok(Kept::Outdated);
        }
        Ok(Kept::Whole(arrays.iter().map(|a| (tensor::name(a).to_owned(), a.known_len())).collect()))
    }

    /// The file that holds the NaN and infinities in the input of a file.
    fn specials_file(&self, file: &str) -> PathBuf {
        self.part.join(format!(".{file}.specials"))
    }

    /// Remembers the NaN and infinities in the input of a file until the folder is complete.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be written.
    pub fn keep_specials(&self, file: &str, found: &Specials) -> Result<(), FileError> {
        let path = self.specials_file(file);
        if found.is_empty() {
            // Those of another input.
            let _ = fs::remove_file(path);
            return Ok(());
        }
        let bytes = serde_json::to_vec(found).map_err(|e| FileError::new(e.to_string()))?;
        crate::writer::write(path, &bytes)
    }

    /// The NaN and infinities that an earlier run found in the input of a file.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be read.
    pub fn specials(&self, file: &str) -> Result<Specials, FileError> {
        let path = self.specials_file(file);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Specials::default()),
            Err(error) => {
                return Err(FileError::new(format!("{}: {}", path.display(), crate::error::reason(&error))));
            }
        };
        serde_json::from_slice(&text).map_err(|e| {
            FileError::new(format!("{}: {e}", path.display()))
                .help(format!("remove {} to begin again", self.part.display()))
        })
    }

    /// Writes the other files and, if the model has an index, that of the tensors that were written. Renames the folder.
    pub fn finish(
        self,
        model: &Checkpoint,
        written: Written,
        configs: &[(&str, Value)],
        others: &OtherFiles,
    ) -> Result<(), FileError> {
        others.copy(&model.folder, &self.part)?;
        for (name, value) in configs {
            config::write(&self.path(name), value)?;
        }
        if model.name.is_some() {
            let mut metadata = model.index.metadata.clone();
            metadata.insert("total_size".into(), written.bytes.into());
            let index = Index { metadata, weight_map: written.files };
            let value = serde_json::to_value(&index).map_err(|e| FileError::new(e.to_string()))?;
            config::write(&self.path(INDEX), &value)?;
        }
        for file in &model.files {
            let _ = fs::remove_file(self.specials_file(file));
        }
        fs::rename(&self.part, &self.folder)
            .map_err(|e| FileError::new(format!("{}: {}", self.folder.display(), crate::error::reason(&e))))
    }
}
