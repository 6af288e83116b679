//! A model in several files with an index: converted file by file, and gone on with where a run was interrupted.
//!
//! Everything is written to a folder beside the output's name, `NAME.part`, and takes that name when it is whole. A
//! file in that folder is whole, too (it was renamed when it was), and says in its metadata by which run it was
//! made; so a later run of the same kind keeps it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::config::{self, Beside};
use crate::convert::array::Input;
use crate::convert::safetensors;
use crate::convert::source::Source;
use crate::failure::Failure;

/// The file that says which tensor lies where.
pub const INDEX: &str = "model.safetensors.index.json";

/// The file of a model that needs no index.
const SINGLE: &str = "model.safetensors";

/// What the index holds.
#[derive(Deserialize, Serialize)]
pub struct Index {
    #[serde(default)]
    pub metadata: serde_json::Map<String, serde_json::Value>,
    pub weight_map: BTreeMap<String, String>,
}

/// A checkpoint: its folder and its files, in order.
pub struct Checkpoint {
    pub folder: PathBuf,
    /// The name of the index; a model in one file needs none.
    name: Option<String>,
    pub index: Index,
    pub files: Vec<String>,
}

impl Checkpoint {
    /// True where `input` names a checkpoint rather than a file of arrays.
    pub fn is_one(input: &str) -> bool {
        input.ends_with(".index.json") || Path::new(input).is_dir()
    }

    /// Reads the index: the file itself, or that of a folder, which may have a single file of tensors instead.
    pub fn open(input: &str) -> Result<Checkpoint, Failure> {
        let path = Path::new(input);
        if path.is_dir() && !path.join(INDEX).exists() && path.join(SINGLE).exists() {
            let index = Index { metadata: Default::default(), weight_map: Default::default() };
            return Ok(Checkpoint { folder: path.to_owned(), name: None, index, files: vec![SINGLE.into()] });
        }
        let path = if path.is_dir() { path.join(INDEX) } else { path.to_owned() };
        let fail = |what: String| Failure::new(format!("{}: {what}", path.display()));
        let text = fs::read_to_string(&path).map_err(|e| {
            fail(crate::output::reason(&e)).help(format!("a checkpoint is a folder with {INDEX} or {SINGLE}"))
        })?;
        let index: Index = serde_json::from_str(&text)
            .map_err(|e| fail(format!("not an index of safetensors files: {e}")))?;
        let mut files: Vec<String> = index.weight_map.values().cloned().collect();
        files.sort();
        files.dedup();
        // A name that leads out of the folder would be written out of the output's.
        if let Some(file) =
            files.iter().find(|file| Path::new(file).file_name().is_none_or(|n| n != file.as_str()))
        {
            return Err(fail(format!("`{file}` is no name of a file beside the index")));
        }
        if files.is_empty() {
            return Err(fail("names no tensors".into()));
        }
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Checkpoint { folder, name, index, files })
    }

    /// Fails where the files, opened in order, do not hold what the index says.
    pub fn check(&self, inputs: &[Input]) -> Result<(), Failure> {
        let mut found = BTreeMap::new();
        for (file, input) in self.files.iter().zip(inputs) {
            for array in &input.arrays {
                let tensor = super::tensor::name(array);
                if let Some(other) = found.insert(tensor, file) {
                    return Err(Failure::new(format!(
                        "{}: tensor `{tensor}` is in {other}, too",
                        self.path(file)
                    )));
                }
            }
        }
        let missing =
            self.index.weight_map.iter().find(|(tensor, file)| found.get(tensor.as_str()) != Some(file));
        match missing {
            None => Ok(()),
            Some((tensor, file)) => Err(Failure::new(format!(
                "{}: has no tensor `{tensor}`, which the index says it has",
                self.path(file)
            ))),
        }
    }

    /// What lies beside the files of tensors.
    pub fn beside(&self) -> Result<Beside, Failure> {
        let used: Vec<String> = self.files.iter().cloned().chain(self.name.clone()).collect();
        Beside::of(&self.folder, &used)
    }

    /// The path of one of its files.
    pub fn path(&self, file: &str) -> String {
        self.folder.join(file).to_string_lossy().into_owned()
    }
}

/// Where the output is made.
pub struct Target {
    folder: PathBuf,
    part: PathBuf,
}

impl Target {
    /// Makes the folder, or finds that of an interrupted run.
    pub fn create(output: &str) -> Result<Target, Failure> {
        let folder = PathBuf::from(output.trim_end_matches('/'));
        if folder.exists() {
            return Err(Failure::new(format!("{}: exists already", folder.display()))
                .help("the output of a checkpoint is a new folder; remove the old one or name another"));
        }
        let mut part = folder.clone().into_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        fs::create_dir_all(&part)
            .map_err(|e| Failure::new(format!("{}: {}", part.display(), crate::output::reason(&e))))?;
        Ok(Target { folder, part })
    }

    /// The path of one of the files while they are made.
    pub fn path(&self, file: &str) -> String {
        self.part.join(file).to_string_lossy().into_owned()
    }

    /// The tensors of a file that an earlier run of the same kind left whole; `None` where there is none.
    ///
    /// # Errors
    ///
    /// Fails where a run of another kind left it.
    pub fn kept(&self, file: &str, job: &str) -> Result<Option<Vec<(String, u64)>>, Failure> {
        let path = self.path(file);
        if !Path::new(&path).exists() {
            return Ok(None);
        }
        let (arrays, metadata) = safetensors::read(&Source::open(&path)?)?;
        if metadata.and_then(|m| m.get(super::JOB).cloned()).as_deref() != Some(job) {
            return Err(Failure::new(format!(
                "{path}: was left by a run with other options or another input"
            ))
            .help(format!("remove {} to begin anew", self.part.display())));
        }
        Ok(Some(arrays.into_iter().map(|a| (a.name.unwrap_or_default(), a.len.unwrap_or(0))).collect()))
    }

    /// Writes what lies beside the tensors, the index if the model has one, and gives the folder its name.
    pub fn finish(
        self,
        model: &Checkpoint,
        index: &Index,
        configs: &[(&str, Value)],
        beside: &Beside,
    ) -> Result<(), Failure> {
        beside.copy(&model.folder, &self.part)?;
        for (name, value) in configs {
            config::write(&self.path(name), value)?;
        }
        if model.name.is_some() {
            let value = serde_json::to_value(index).map_err(|e| Failure::new(e.to_string()))?;
            config::write(&self.path(INDEX), &value)?;
        }
        fs::rename(&self.part, &self.folder)
            .map_err(|e| Failure::new(format!("{}: {}", self.folder.display(), crate::output::reason(&e))))
    }
}
