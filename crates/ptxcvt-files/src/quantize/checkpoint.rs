//! Checkpoints: models in several files with an index.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ptxcvt::clip;
use serde::{Deserialize, Serialize};

use super::config::OtherFiles;
use super::output::{Entry, INDEX, same_name};
use super::tensor;
use crate::array::Input;
use crate::error::FileError;
use crate::open::{Declared, Purpose, open};
use crate::whole;

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
    pub(super) files: BTreeMap<String, String>,
    pub(super) bytes: u64,
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
    pub(super) name: Option<String>,
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
        let text = whole::settings_file(&path).map_err(|e| {
            fail(crate::error::reason(&e))
                .with_help(format!("a checkpoint is a folder with {INDEX} or {SINGLE}"))
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
        if let Some(file) = files.iter().find(|file| !file.ends_with(".safetensors")) {
            return Err(fail(format!("`{file}` is not the name of a .safetensors file")));
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
            let input = open(&self.path(file), Declared::nothing(Purpose::Quantize))?;
            Ok::<_, FileError>(Input { in_checkpoint: true, ..input })
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
