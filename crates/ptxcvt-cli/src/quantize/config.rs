//! The files of a model beside its tensors: `config.json`, which tells a loader how they are quantised, `hf_quant_config.json`,
//! where the loader wants that, and those that are copied.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Value};

use super::loader::Files;
use crate::convert::sink::Sink;
use crate::failure::Failure;
use crate::output;

/// What a model is: kinds of layers, sizes, and how its tensors are quantised.
pub const CONFIG: &str = "config.json";
/// What ModelOpt says of a quantised model beside that.
const HF_QUANT: &str = "hf_quant_config.json";
/// The entry of `config.json`.
const ENTRY: &str = "quantization_config";

/// How names of files end that hold weights, or say where these are: they are no files of the quantised model.
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

/// A model's configuration: the object in `config.json`, empty where there is none.
#[derive(Debug)]
pub struct Config {
    path: String,
    object: Map<String, Value>,
}

impl Config {
    /// Reads the one in a model's folder.
    pub fn read(folder: &Path) -> Result<Config, Failure> {
        let path = folder.join(CONFIG);
        let name = path.display().to_string();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => "{}".to_owned(),
            Err(error) => return Err(Failure::new(format!("{name}: {}", output::reason(&error)))),
        };
        let object = serde_json::from_str(&text)
            .map_err(|e| Failure::new(format!("{name}: not the JSON object of a model: {e}")))?;
        Ok(Config { path: name, object })
    }

    /// The same of a model that nobody has quantised yet.
    ///
    /// # Errors
    ///
    /// Fails where it says that it is quantised: its tensors would be taken for what they are not.
    pub fn of_unquantised(folder: &Path) -> Result<Config, Failure> {
        let config = Config::read(folder)?;
        match config.object.get(ENTRY).filter(|entry| !entry.is_null()) {
            None => Ok(config),
            Some(entry) => {
                let method = entry.get("quant_method").and_then(Value::as_str).unwrap_or("unknown");
                Err(Failure::new(format!(
                    "{}: has a `{ENTRY}` already (quant_method `{method}`), so the model is quantised",
                    config.path
                ))
                .help("quantise the model that it was made of, or bring it back with `ptxcvt dequantize`"))
            }
        }
    }

    /// The files that say how the tensors are quantised, everything else kept; `left` are the modules that are not.
    pub fn quantized(
        mut self,
        files: Files,
        left: Vec<String>,
    ) -> Result<Vec<(&'static str, Value)>, Failure> {
        let template = |text: &str| -> Result<Value, Failure> {
            serde_json::from_str(text).map_err(|e| Failure::new(format!("{ENTRY}: {e}")))
        };
        let mut entry = template(files.entry)?;
        entry[files.left] = Value::from(left.clone());
        self.object.insert(ENTRY.to_owned(), entry);
        let mut all = vec![(CONFIG, Value::Object(self.object))];
        if let Some(text) = files.hf_quant {
            let mut other = template(text)?;
            other["quantization"]["exclude_modules"] = Value::from(left);
            all.push((HF_QUANT, other));
        }
        Ok(all)
    }

    /// The file of a model that is not quantised any more; `None` where there was none.
    pub fn dequantized(mut self) -> Option<(&'static str, Value)> {
        self.object.remove(ENTRY);
        (!self.object.is_empty()).then_some((CONFIG, Value::Object(self.object)))
    }
}

/// Writes one of these files.
pub fn write(path: &str, value: &Value) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(value).map_err(|e| Failure::new(e.to_string()))?;
    text.push('\n');
    let mut sink = Sink::create(path)?;
    sink.write(text.as_bytes())?;
    sink.finish()
}

/// What lies beside the tensors in a model's folder: files to be copied, and what is left behind.
pub struct Beside {
    pub copied: Vec<String>,
    pub left: Vec<String>,
}

impl Beside {
    /// Looks through the folder. Files that hold weights, and folders, are left behind; `used` are those that the run reads
    /// itself.
    pub fn of(folder: &Path, used: &[String]) -> Result<Beside, Failure> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let fail = |e: io::Error| Failure::new(format!("{}: {}", folder.display(), output::reason(&e)));
        let mut beside = Beside { copied: Vec::new(), left: Vec::new() };
        for entry in fs::read_dir(folder).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let own = [CONFIG, HF_QUANT].contains(&name.as_str()) || used.contains(&name);
            if own || name.starts_with('.') {
                continue;
            }
            // Of a link, what it leads to.
            let is_file = fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_file());
            if is_file && !WEIGHTS.iter().any(|end| name.ends_with(end)) {
                beside.copied.push(name);
            } else if is_file {
                beside.left.push(name);
            }
        }
        beside.copied.sort();
        beside.left.sort();
        Ok(beside)
    }

    /// Copies the files.
    pub fn copy(&self, from: &Path, to: &Path) -> Result<(), Failure> {
        for name in &self.copied {
            let (from, to) = (from.join(name), to.join(name));
            fs::copy(&from, &to).map_err(|e| {
                Failure::new(format!("{} to {}: {}", from.display(), to.display(), output::reason(&e)))
            })?;
        }
        Ok(())
    }

    /// Says which weights were left behind, if any.
    pub fn tell(&self) {
        if !self.left.is_empty() {
            output::complain(format_args!(
                "note: not copied, as they hold weights: {}",
                self.left.join(", ")
            ));
        }
    }
}
