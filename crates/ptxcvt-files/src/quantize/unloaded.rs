//! Folders that transformers does not load or run, or loads with other weights than the model's, and those of which it
//! is not known.

use ::safetensors::Dtype;
use ptxcvt_blocks::BlockShape;

use super::architectures::{Form, Loads, TRANSFORMERS, find};
use super::config::Config;
use super::layers;
use super::loader::Loader;
use super::options::Options;
use super::output::Entry;
use crate::error::FileError;

/// What to do with a folder that was not tried.
const CHECK: &str = "compare the outputs of the loaded folder with those of the original model";
/// How transformers restores all weights while it loads a folder.
const DEQUANTIZE: &str = "`quantization_config=CompressedTensorsConfig(dequantize=True)`";

/// The kind of a model and of its parts, and the type of its numbers, as `config.json` says it.
#[derive(Debug, Default)]
pub struct Kinds {
    own: Option<String>,
    /// The entries of the parts and their types.
    parts: Vec<(String, String)>,
    /// The type of numbers, such as `float16`.
    dtype: Option<String>,
}

impl Kinds {
    /// # Errors
    ///
    /// Fails if the configuration cannot be read.
    pub fn of(config: &Config) -> Result<Kinds, FileError> {
        Ok(Kinds { own: config.model_type()?, parts: config.part_types()?, dtype: config.dtype()? })
    }
}

/// Whether a tensor is one matrix of one expert.
fn is_expert(tensor: &str) -> bool {
    tensor.ends_with(".weight") && layers::has_experts(tensor)
}

/// The form of the folder.
fn form(loader: Loader, options: &Options) -> Form {
    match loader.packs(&options.recipe) {
        true if options.recipe.has_global_scale() => Form::PackedGlobal,
        true => Form::Packed,
        // Scales of rows and of whole matrices.
        false if options.recipe.block().columns == BlockShape::ALL => Form::Rows,
        false => Form::Blocks,
    }
}

/// A warning if transformers 5.24.0 does not load the folder because of its experts. `quantized` and `whole` are the
/// names of tensors.
pub fn unloaded<'n>(
    options: &Options,
    mut quantized: impl Iterator<Item = &'n str>,
    mut whole: impl Iterator<Item = &'n str>,
) -> Option<String> {
    let loader = options.loader.filter(|loader| *loader == Loader::CompressedTensors)?;
    let why = match form(loader, options) {
        Form::Packed | Form::PackedGlobal => {
            let expert = whole.find(|name| is_expert(name))?;
            format!("it joins experts with packed weights only if all are quantised, and `{expert}` is not")
        }
        Form::Blocks => {
            let expert = quantized.find(|name| is_expert(name))?;
            format!("it joins experts, such as `{expert}`, but not the scales of their blocks")
        }
        // They are joined like weights.
        Form::Rows => return None,
    };
    Some(format!("transformers does not load this folder: {why}"))
}

/// Whether a part of the model, an entry of `config.json`, has quantised tensors. Those of other parts than images and
/// sound are not known by their names.
fn is_quantized<'n>(entry: &str, mut quantized: impl Iterator<Item = &'n str>) -> bool {
    match entry {
        "vision_config" => quantized.any(|name| name.contains("vision") || name.contains("visual")),
        "audio_config" => quantized.any(|name| name.contains("audio")),
        _ => true,
    }
}

impl Kinds {
    /// The types of the model and of those of its quantised parts that the model which was tried does not have.
    fn all<'a, 'n>(&'a self, quantized: impl Iterator<Item = &'n str> + Clone) -> Vec<&'a str> {
        let tried = self.own.as_deref().and_then(find);
        let parts = self.parts.iter().filter(|(_, part)| !tried.is_some_and(|tried| tried.has_part(part)));
        let parts = parts.filter(|(entry, _)| is_quantized(entry, quantized.clone()));
        self.own.as_deref().into_iter().chain(parts.map(|(_, part)| part.as_str())).collect()
    }
}

/// A warning if transformers was seen not to load models of this kind. `kinds` is empty for a file alone, which has no
/// configuration.
pub fn refused<'n>(
    options: &Options,
    kinds: Option<&Kinds>,
    quantized: impl Iterator<Item = &'n str> + Clone,
) -> Option<String> {
    let loader = options.loader.filter(|loader| *loader == Loader::CompressedTensors)?;
    let form = form(loader, options);
    kinds?.own.as_ref()?;
    let what = kinds?.all(quantized).into_iter().find_map(|kind| seen(find(kind)?.loads(form), kind))?;
    let all = match options.exclude.is_empty() && options.tensors.is_empty() {
        true => "",
        false => "; this was tried with all linear layers quantised",
    };
    Some(what + all)
}

/// A warning if models of this kind were not tried.
pub fn untried<'n>(
    options: &Options,
    kinds: Option<&Kinds>,
    quantized: impl Iterator<Item = &'n str> + Clone,
) -> Option<String> {
    options.loader?;
    if kinds?.own.is_none() {
        return Some(format!(
            "config.json has no `model_type`, so ptxcvt cannot tell whether the tensors' names fit the loader: {CHECK}"
        ));
    }
    let unknown = kinds?.all(quantized).into_iter().find(|kind| find(kind).is_none())?;
    Some(format!("ptxcvt has not tried models of type `{unknown}` with {TRANSFORMERS}: {CHECK}"))
}

/// The type in which transformers 5.24.0 loads a model unless the user names one (`_get_dtype`): that of
/// `config.json`, or that of the first tensor of numbers in the first file, by name. `None` for unusual types.
fn loaded_as(kinds: Option<&Kinds>, first_file: &[Entry]) -> Option<&'static str> {
    let known = kinds.and_then(|kinds| kinds.dtype.as_deref()).map(|name| name.trim_start_matches("torch."));
    if let Some(name) = known {
        return match name {
            "float64" | "double" => Some("f64"),
            "float32" | "float" => Some("f32"),
            "float16" | "half" => Some("f16"),
            "bfloat16" => Some("bf16"),
            _ => None,
        };
    }
    let name_of = |entry: &Entry| {
        let types = [(Dtype::F64, "f64"), (Dtype::F32, "f32"), (Dtype::F16, "f16"), (Dtype::BF16, "bf16")];
        types.into_iter().find(|(dtype, _)| *dtype == entry.dtype).map(|(_, name)| name)
    };
    let numbers = first_file.iter().filter_map(|entry| Some((&entry.name, name_of(entry)?)));
    numbers.min_by_key(|(name, _)| *name).map(|(_, dtype)| dtype)
}

/// A warning if transformers loads the folder in another type than that of the weights which compressed-tensors
/// restores: the first pass then fails (conformance/blocks/dtypes.py). Folders that llm-compressor writes fail alike.
pub fn in_another_type(options: &Options, kinds: Option<&Kinds>, first_file: &[Entry]) -> Option<String> {
    let loader = options.loader.filter(|loader| loader.restores_bf16(&options.recipe))?;
    let dtype = loaded_as(kinds, first_file).filter(|dtype| *dtype != "bf16")?;
    Some(format!(
        "{TRANSFORMERS} loads this folder in {dtype}, and its first pass fails, because the package {} restores such weights in bf16: load it \
        with `dtype=torch.bfloat16`, or with {DEQUANTIZE}",
        loader.name()
    ))
}

/// A sentence about how transformers loads models of this kind; `None` if it loads them correctly.
fn seen(loads: Loads, kind: &str) -> Option<String> {
    let text = match loads {
        Loads::Right => return None,
        Loads::Refuses { dequantized: true } => format!(
            "{TRANSFORMERS} does not load this folder as it is, because it is of a model of type `{kind}`; with {DEQUANTIZE} it does"
        ),
        Loads::Refuses { dequantized: false } => {
            format!(
                "{TRANSFORMERS} does not load this folder, because it does not read such weights of models of type `{kind}`"
            )
        }
        Loads::Wrong { dequantized: true } => format!(
            "{TRANSFORMERS} loads wrong weights from this folder as it is, because it is of a model of type `{kind}`; with {DEQUANTIZE} it \
            loads the right ones"
        ),
        Loads::Wrong { dequantized: false } => {
            format!(
                "{TRANSFORMERS} loads wrong weights from this folder, because it is of a model of type `{kind}`"
            )
        }
        Loads::Untried => {
            format!(
                "ptxcvt has not tried this recipe in models of type `{kind}` with {TRANSFORMERS}: {CHECK}"
            )
        }
    };
    Some(text)
}
