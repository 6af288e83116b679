//! Files of a model other than tensors: `config.json`, which says what the model is and how its tensors are quantised,
//! `hf_quant_config.json` for loaders that need it, and files that are copied.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::description::Description;
use super::json::Object;
use super::output::INDEX;
use crate::error::FileError;
use crate::inputs;
use crate::whole;
use crate::writer::Writer;

/// The description of a model: kinds of layers, sizes, and how its tensors are quantised.
pub const CONFIG: &str = "config.json";
/// ModelOpt's own description of a quantised model.
const HF_QUANT: &str = "hf_quant_config.json";
/// The entry of `config.json`.
const ENTRY: &str = "quantization_config";
/// Entries that mark a model as quantised, in the object or in one of its parts: the usual one, and the one that older
/// versions of compressed-tensors wrote.
const MARKS: [&str; 2] = [ENTRY, "compression_config"];
/// Models with weights of transformers' `Conv1D`, whose first axis has the inputs.
const CONV1D: [&str; 4] = ["gpt2", "openai-gpt", "imagegpt", "decision_transformer"];

/// The parts of models that read images or sound in addition to text, or instead of it.
const SEVERAL: [&str; 5] = ["text_config", "llm_config", "language_config", "vision_config", "audio_config"];

/// The endings of files that hold weights or index them. They do not belong to the quantised model.
const WEIGHTS: &[&str] = &[
    ".safetensors",
    ".index.json",
    ".bin",
    ".pt",
    ".pth",
    ".ckpt",
    ".gguf",
    ".onnx",
    ".h5",
    ".msgpack",
    ".npy",
    ".npz",
];

/// A model's configuration: the object in `config.json`, empty if there is no such file.
#[derive(Debug)]
pub struct Config {
    path: String,
    object: Object,
}

impl Config {
    /// Reads the configuration in a model's folder.
    pub fn read(folder: &Path) -> Result<Config, FileError> {
        let path = folder.join(CONFIG);
        let name = path.display().to_string();
        let text = match whole::settings_file(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => "{}".to_owned(),
            Err(error) => return Err(FileError::new(format!("{name}: {}", crate::error::reason(&error)))),
        };
        let object = Object::read(&text)
            .map_err(|e| FileError::new(format!("{name}: not the JSON object of a model: {e}")))?;
        Ok(Config { path: name, object })
    }

    /// The kinds of the model and of its parts, which are objects such as `text_config`.
    pub fn model_types(&self) -> Result<Vec<String>, FileError> {
        let found = self.of_model_and_parts("model_type")?;
        Ok(found.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// The kinds of the parts of the model, each with the name of its entry.
    pub fn part_types(&self) -> Result<Vec<(String, String)>, FileError> {
        let found = || -> serde_json::Result<Vec<(String, String)>> {
            let parts = self.object.parts()?.into_iter();
            let types = parts.map(|(name, part)| Ok((name.to_owned(), part.get("model_type")?)));
            let types = types.collect::<serde_json::Result<Vec<(String, Option<Value>)>>>()?;
            let kind = |found: Option<Value>| found?.as_str().map(str::to_owned);
            Ok(types.into_iter().filter_map(|(name, found)| Some((name, kind(found)?))).collect())
        };
        found().map_err(|e| self.unreadable("model_type", &e))
    }

    /// Whether the model reads images or sound with modules of their own, next to those that read text.
    pub fn has_several_parts(&self) -> bool {
        SEVERAL.iter().any(|part| self.object.has_part(part))
    }

    /// The kind of the whole model.
    pub fn model_type(&self) -> Result<Option<String>, FileError> {
        let found = self.object.get("model_type").map_err(|e| self.unreadable("model_type", &e))?;
        Ok(found.and_then(|found| found.as_str().map(str::to_owned)))
    }

    /// The type of the model's numbers, such as `float16`. Before version 5, transformers called the entry
    /// `torch_dtype`.
    pub fn dtype(&self) -> Result<Option<String>, FileError> {
        for name in ["dtype", "torch_dtype"] {
            let found = self.object.get(name).map_err(|e| self.unreadable(name, &e))?;
            if let Some(text) = found.as_ref().and_then(Value::as_str) {
                return Ok(Some(text.to_owned()));
            }
        }
        Ok(None)
    }

    /// The sizes of the vocabularies of the model and of its parts.
    pub fn vocabularies(&self) -> Result<Vec<u64>, FileError> {
        Ok(self.of_model_and_parts("vocab_size")?.iter().filter_map(Value::as_u64).collect())
    }

    /// Whether the output layer shares the tensor of the embedding; `None` if the configuration does not say it.
    pub fn is_tied(&self) -> Result<Option<bool>, FileError> {
        const TIED: &str = "tie_word_embeddings";
        // The whole model's entry counts.
        let own = self.object.get(TIED).map_err(|e| self.unreadable(TIED, &e))?.and_then(|own| own.as_bool());
        if own.is_some() {
            return Ok(own);
        }
        let found: Vec<bool> = self.of_model_and_parts(TIED)?.iter().filter_map(Value::as_bool).collect();
        Ok((!found.is_empty()).then(|| found.contains(&true)))
    }

    /// Fails if the first axis of the model's weights has the inputs. Loaders expect the outputs there.
    pub fn refuse_conv1d(&self) -> Result<(), FileError> {
        let found = self.model_types()?.into_iter().find(|kind| CONV1D.contains(&kind.as_str()));
        let Some(kind) = found else { return Ok(()) };
        let message = format!(
            "{}: a model of type `{kind}` has weights of the class Conv1D, [inputs, outputs], which no loader reads quantised",
            self.path
        );
        Err(FileError::new(message).with_help("without --for its tensors are quantised as they are"))
    }

    /// The entries of this name in the object and in its parts.
    fn of_model_and_parts(&self, name: &str) -> Result<Vec<Value>, FileError> {
        let found = || -> serde_json::Result<Vec<Value>> {
            let own = self.object.get(name)?;
            let parts = self.object.parts()?.into_iter().map(|(_, part)| part.get(name));
            std::iter::once(Ok(own)).chain(parts).filter_map(serde_json::Result::transpose).collect()
        };
        found().map_err(|e| self.unreadable(name, &e))
    }

    fn unreadable(&self, name: &str, error: &serde_json::Error) -> FileError {
        FileError::new(format!("{}: cannot read `{name}`: {error}", self.path))
    }

    /// Reads the configuration of a model that is not quantised yet.
    ///
    /// # Errors
    ///
    /// Fails if it says that the model is quantised, since its tensors would be misread.
    pub fn of_unquantised(folder: &Path) -> Result<Config, FileError> {
        let config = Config::read(folder)?;
        let mut entry = None;
        for mark in MARKS {
            let found = config.of_model_and_parts(mark)?.into_iter().find(|entry| !entry.is_null());
            entry = entry.or(found.map(|found| (mark, found)));
        }
        let other = folder.join(HF_QUANT);
        let marked = match entry {
            Some((mark, entry)) => {
                let method = entry.get("quant_method").and_then(Value::as_str).unwrap_or("unknown");
                format!("{}: has a `{mark}` already (quant_method `{method}`)", config.path)
            }
            None if other.exists() => format!("{}: describes how the model was quantised", other.display()),
            None => return Ok(config),
        };
        Err(FileError::new(format!("{marked}, so the model is quantised"))
            .with_help("quantise the original model, or restore it with `ptxcvt dequantize`"))
    }

    /// The files that describe the quantisation, with their texts; other entries are kept. `left` are the modules that are
    /// not quantised.
    pub fn quantized(mut self, description: Description, left: &[String]) -> Vec<(&'static str, String)> {
        self.object.set(ENTRY, &description.entry(left));
        let other = description.hf_quant(left).map(|other| (HF_QUANT, pretty(&other)));
        std::iter::once((CONFIG, self.object.to_string())).chain(other).collect()
    }

    /// The file for the model when it is no longer quantised, without the marks; `None` if it had none.
    pub fn dequantized(mut self) -> Result<Option<(&'static str, String)>, FileError> {
        for mark in MARKS {
            let removed = self.object.remove(mark);
            removed.map_err(|e| self.unreadable(mark, &e))?;
        }
        Ok((!self.object.is_empty()).then(|| (CONFIG, self.object.to_string())))
    }
}

/// True for the name of a file that describes a model. Every run writes these files itself.
pub fn is_description(name: &str) -> bool {
    [CONFIG, HF_QUANT, INDEX].contains(&name)
}

/// The text of a JSON file.
pub fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Writes a text file.
pub fn write(path: &str, text: &str) -> Result<(), FileError> {
    let mut sink = Writer::create(path)?;
    sink.write(text.as_bytes())?;
    sink.finish()
}

/// Files of a model folder other than tensors: which are copied and which are not.
#[derive(Debug)]
pub struct OtherFiles {
    pub copied: Vec<String>,
    pub left: Vec<String>,
    /// A link that would be copied if its target were there.
    broken: Option<PathBuf>,
}

impl OtherFiles {
    /// Refuses a folder with a link that leads nowhere: its copy would lack a file without a word.
    pub fn refuse_broken(&self) -> Result<(), FileError> {
        self.broken.as_ref().map_or(Ok(()), |link| {
            let what = "is a link to a file that is not there, so the folder is incomplete";
            Err(FileError::new(format!("{}: {what}", link.display()))
                .with_help("get the file, for example by downloading the model again, or remove the link"))
        })
    }

    /// Lists the folder. Files that hold weights and folders are not copied, nor are those in `used`, which the run reads
    /// itself.
    ///
    /// # Errors
    ///
    /// Fails if the folder or a file that is copied cannot be read.
    pub fn of(folder: &Path, used: &[String]) -> Result<OtherFiles, FileError> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let fail =
            |e: io::Error| FileError::new(format!("{}: {}", folder.display(), crate::error::reason(&e)));
        let mut others = OtherFiles { copied: Vec::new(), left: Vec::new(), broken: None };
        for entry in fs::read_dir(folder).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let own = [CONFIG, HF_QUANT].contains(&name.as_str()) || used.contains(&name);
            if own || name.starts_with('.') {
                continue;
            }
            // A link counts as its target.
            let is_file = fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_file());
            if is_file && !WEIGHTS.iter().any(|end| name.ends_with(end)) {
                let path = entry.path();
                let read = inputs::open(&path).and_then(|mut file| file.read(&mut [0]));
                read.map_err(|e| FileError::io(path.display(), &e))?;
                others.copied.push(name);
            } else if is_file {
                others.left.push(name);
            } else if entry.path().is_symlink() && !entry.path().exists() {
                others.broken = Some(entry.path());
            }
        }
        others.copied.sort();
        others.left.sort();
        Ok(others)
    }

    /// Copies the files, with their permissions. Copies of an earlier run are replaced, not written into: they may be
    /// read-only.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read, or its copy cannot be made.
    pub fn copy(&self, from: &Path, to: &Path) -> Result<(), FileError> {
        for name in &self.copied {
            let (from, to) = (from.join(name), to.join(name));
            let removed = match fs::remove_file(&to) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
            removed.and_then(|()| fs::copy(&from, &to)).map_err(|e| {
                FileError::new(format!(
                    "{} to {}: {}",
                    from.display(),
                    to.display(),
                    crate::error::reason(&e)
                ))
            })?;
        }
        Ok(())
    }
}
