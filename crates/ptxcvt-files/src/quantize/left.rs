//! The modules of a checkpoint that are not quantised: their list for the loader, and warnings.

use std::collections::BTreeSet;

use super::config::Config;
use super::layers;
use super::loader::Loader;
use super::modules::renamed;
use super::options::{Chosen, Options};
use super::outputs::outputs;
use super::tensor;
use crate::array::{Array, Input};
use crate::error::FileError;

/// The arrays of all files that are copied.
pub fn copied<'a>(inputs: &'a [Input], choices: &'a [Chosen<'_>]) -> impl Iterator<Item = &'a Array> + Clone {
    let files = inputs.iter().zip(choices);
    files.flat_map(|(input, (_, copied))| copied.iter().map(|at| &input.arrays[*at]))
}

/// The modules that are not quantised, as the loader's list names them: those of weights that are copied, and the
/// output layers, which may share the tensor of an embedding. compressed-tensors lists only linear layers, so token
/// embeddings are omitted there. Other matrices are listed, because their names do not show whether they are linear
/// layers. The others list no norms, and ModelOpt names modules together by their common beginnings.
///
/// transformers looks for the names of its modules, other programs for those in the files, so both are listed. Loaders
/// take a name in the list for everything inside of that module, so no module is listed that holds a quantised one.
///
/// # Errors
///
/// Fails if the configuration cannot be read.
pub fn modules(
    loader: Loader,
    inputs: &[Input],
    choices: &[Chosen<'_>],
    config: &Config,
) -> Result<Vec<String>, FileError> {
    let vocabularies = config.vocabularies()?;
    let linear = |array: &Array| {
        let name = tensor::name(array);
        let is_matrix = array.shape.len() == 2;
        let has_tokens = is_matrix && layers::has_vocabulary(name, &array.shape, &vocabularies);
        layers::stays_whole(name) || !layers::is_not_linear(name) || is_matrix && !has_tokens
    };
    let weights = copied(inputs, choices).filter(|array| is_weight(array));
    let listed = weights
        .filter(|array| match loader {
            Loader::CompressedTensors => linear(array),
            _ => !layers::is_surely_norm(tensor::name(array)),
        })
        .map(tensor::name);
    let mut left: BTreeSet<String> = listed.map(|name| layers::module(name).to_owned()).collect();
    if config.is_tied()? != Some(false) {
        let tensors = inputs.iter().flat_map(|input| &input.arrays).map(tensor::name);
        left.extend(outputs(config.model_type()?.as_deref(), &config.part_types()?, tensors));
    }
    if loader != Loader::Modelopt {
        let model_types = config.model_types()?;
        let has_parts = config.has_several_parts();
        let renamed = left.iter().flat_map(|module| renamed(module, &model_types, has_parts));
        let renamed: Vec<String> = renamed.collect();
        left.extend(renamed);
    }
    let quantized: Vec<&str> =
        choices.iter().flat_map(|(chosen, _)| chosen).map(|tensor| layers::module(&tensor.name)).collect();
    let holds = |outer: &str, inner: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    left.retain(|module| !quantized.iter().any(|inner| holds(module, inner)));
    Ok(match loader {
        Loader::Modelopt => summary(&left, &quantized).into_iter().collect(),
        _ => left.into_iter().collect(),
    })
}

/// The list as ModelOpt 0.47.0 writes it (`_prefix_wildcard_summarize_exclude_modules`): each module by its shortest
/// beginning that no quantised module shares, `a*`, or else `a.*`, or else by its name.
fn summary(left: &BTreeSet<String>, quantized: &[&str]) -> BTreeSet<String> {
    let is_free = |beginning: &str| !quantized.iter().any(|module| module.starts_with(beginning));
    let short = |module: &str| {
        module.match_indices('.').find_map(|(at, _)| {
            let (outer, inside) = (&module[..at], &module[..=at]);
            if is_free(outer) {
                Some(format!("{outer}*"))
            } else {
                (is_free(inside) && !quantized.contains(&outer)).then(|| format!("{inside}*"))
            }
        })
    };
    left.iter().map(|module| short(module).unwrap_or_else(|| module.clone())).collect()
}

/// Whether an array is the weight of a layer or of all experts of one, not a parameter such as `A_log`, `time_decay` or
/// a bias.
fn is_weight(array: &Array) -> bool {
    let name = tensor::name(array);
    array.shape.len() > 1 && (name.ends_with(".weight") || layers::has_experts(name) || may_be_experts(array))
}

/// Whether an array has the axes of all experts of a layer together.
fn may_be_experts(array: &Array) -> bool {
    array.shape.len() == 3 && array.shape.iter().all(|n| *n > 1)
}

/// Warns about unquantised weights with three axes: usually all experts of a layer in one tensor. Convolutions have three
/// axes, too.
pub fn experts_left(
    options: &Options,
    inputs: &[Input],
    choices: &[Chosen<'_>],
    model_types: &[String],
) -> Option<String> {
    let loader = options.loader.filter(|_| options.tensors.is_empty())?;
    let names: Vec<&str> = copied(inputs, choices)
        .filter(|array| may_be_experts(array))
        .filter(|array| tensor::input_type(array, None).is_some())
        .map(tensor::name)
        .filter(|name| !loader.keeps(name) && !options.excludes(name))
        .collect();
    let first = names.iter().find(|name| layers::has_experts(name)).or(names.first())?;
    let (have, are) = match names.len() - 1 {
        0 => ("has".to_owned(), "is"),
        n => (format!("and {} have", ptxcvt::counted(n, "other tensor")), "are"),
    };
    let what = match names.iter().all(|name| layers::has_experts(name)) {
        true => "all experts of a layer",
        false => "three axes, as all experts of a layer have together,",
    };
    let gpt_oss = loader != Loader::GptOss && model_types.iter().any(|kind| kind == Loader::GPT_OSS_MODEL);
    let llama4 =
        loader == Loader::CompressedTensors && model_types.iter().any(|kind| kind.starts_with("llama4"));
    let help = match () {
        () if gpt_oss => "; --for gpt-oss quantises them",
        () if llama4 => {
            ": transformers does not load this folder, because it expects Llama 4's experts as one matrix each; llm-compressor \
            splits them"
        }
        () => "",
    };
    Some(format!("`{first}` {have} {what} and {are} not quantised{help}"))
}
