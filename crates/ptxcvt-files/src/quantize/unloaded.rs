//! Folders that transformers does not load, or loads with other weights than the model's, and those of which it is not
//! known.

use ptxcvt_blocks::BlockShape;

use super::architectures::{Form, Loads, TRANSFORMERS, find};
use super::config::Config;
use super::layers;
use super::loader::Loader;
use super::options::Options;
use crate::error::FileError;

/// What to do with a folder that was not tried.
const CHECK: &str = "compare the outputs of the loaded folder with those of the original model";
/// How transformers restores all weights while it loads a folder.
const DEQUANTIZE: &str = "`quantization_config=CompressedTensorsConfig(dequantize=True)`";

/// The kind of a model and of its parts, as `config.json` says it.
#[derive(Debug, Default)]
pub struct Kinds {
    own: Option<String>,
    /// The entries of the parts and their types.
    parts: Vec<(String, String)>,
}

impl Kinds {
    /// # Errors
    ///
    /// Fails if the configuration cannot be read.
    pub fn of(config: &Config) -> Result<Kinds, FileError> {
        Ok(Kinds { own: config.model_type()?, parts: config.part_types()? })
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

/// A warning if models of this kind were not tried, or if transformers was seen not to load them. `kinds` is empty for
/// a file alone, which has no configuration.
pub fn untried<'n>(
    options: &Options,
    kinds: Option<&Kinds>,
    quantized: impl Iterator<Item = &'n str> + Clone,
) -> Option<String> {
    let (loader, kinds) = (options.loader?, kinds?);
    let Some(own) = kinds.own.as_deref() else {
        return Some(format!(
            "config.json does not say of what `model_type` the model is, so whether its names suit the loader is not known: {CHECK}"
        ));
    };
    let tried = find(own);
    // Parts of other types than those of the model that was tried.
    let others = || {
        let parts = kinds.parts.iter().filter(|(_, part)| !tried.is_some_and(|tried| tried.has_part(part)));
        parts.filter(|(entry, _)| is_quantized(entry, quantized.clone())).map(|(_, part)| part.as_str())
    };
    if loader == Loader::CompressedTensors {
        let form = form(loader, options);
        let found = std::iter::once(own).chain(others()).find_map(|kind| {
            let what = seen(find(kind)?.loads(form), kind)?;
            let all = match options.exclude.is_empty() && options.tensors.is_empty() {
                true => "",
                false => "; this was tried with all linear layers quantised",
            };
            Some(what + all)
        });
        if found.is_some() {
            return found;
        }
    }
    let unknown = std::iter::once(own).chain(others()).find(|kind| find(kind).is_none())?;
    Some(format!("ptxcvt has not tried models of type `{unknown}` with {TRANSFORMERS}: {CHECK}"))
}

/// What was seen of models of this kind, unless they are loaded as they should.
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
