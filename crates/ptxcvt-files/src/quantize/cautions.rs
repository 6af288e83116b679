//! Warnings about tensors that are quantised, and that some programs do not read as they are.

use std::collections::BTreeMap;

use super::fused::known;
use super::layers;
use super::left::{copied, experts_left};
use super::loader::Loader;
use super::options::{Chosen, Options};
use super::output::Entry;
use super::tensor;
use super::unloaded::{Kinds, in_another_type, refused, unloaded, untried};
use crate::array::Input;

/// `; so is 1 other tensor`, and nothing if there are no others.
pub fn and_others(others: usize) -> String {
    match others {
        0 => String::new(),
        1 => "; so is 1 other tensor".to_owned(),
        n => format!("; so are {n} other tensors"),
    }
}

/// What a run for a loader writes.
pub struct Written<'a> {
    pub model_types: &'a [String],
    /// What the configuration says of the model; a file alone has none.
    pub kinds: Option<&'a Kinds>,
    /// The modules that are not quantised.
    pub left: &'a [String],
    /// The tensors of the first file.
    pub first_file: &'a [Entry],
}

/// The warnings about the output for a loader: what is not quantised, and what programs misread or refuse.
pub fn for_loader(
    options: &Options,
    inputs: &[Input],
    choices: &[Chosen<'_>],
    written: &Written<'_>,
) -> Vec<String> {
    let Some(loader) = options.loader else { return Vec::new() };
    let names = || choices.iter().flat_map(|(chosen, _)| chosen).map(|tensor| tensor.name.as_str());
    let whole = copied(inputs, choices).filter(|array| array.shape.len() == 2).map(tensor::name);
    let garbage = || loader.caution(&options.recipe, names()).map(str::to_owned);
    let Written { model_types, kinds, left, first_file } = *written;
    let fails =
        unloaded(options, names(), whole).or_else(garbage).or_else(|| refused(options, kinds, names()));
    let [untried, in_another_type] = match fails {
        Some(_) => [None, None],
        None => [untried(options, kinds, names()), in_another_type(options, kinds, first_file)],
    };
    let found = [
        experts_left(options, inputs, choices, model_types),
        fails,
        untried,
        in_another_type,
        ragged(options, choices),
        split(options, inputs, choices, model_types),
        contained(options, choices, left),
        unread(options, loader, choices),
    ];
    found.into_iter().flatten().collect()
}

/// A warning about tensors that the user names and that no loader reads quantised.
fn unread(options: &Options, loader: Loader, choices: &[Chosen<'_>]) -> Option<String> {
    let is_read = |name: &str, axes: usize| match loader {
        Loader::GptOss => loader.wants(name, axes),
        _ => axes == 2 && name.ends_with(".weight") && !layers::is_not_linear(name),
    };
    let all = choices.iter().flat_map(|(chosen, _)| chosen).filter(|_| !options.tensors.is_empty());
    let mut found = all.filter(|tensor| !is_read(&tensor.name, tensor.shape.len()));
    let (first, others) = (found.next()?, and_others(found.count()));
    let what = match loader {
        Loader::GptOss => "the experts of a layer",
        _ => "the weight of a linear layer",
    };
    Some(format!(
        "`{}` is quantised, and by its name and its axes it is not {what}{others}: loaders expect such tensors unquantised",
        first.name
    ))
}

/// A warning about layers of a single file that share no global scale with layers that are in other files.
pub fn apart(options: &Options, input: &Input, choice: &Chosen<'_>) -> Option<String> {
    let shares =
        options.loader.is_some() && options.recipe.has_global_scale() && options.global_amax.is_none();
    let groups = if shares && !options.no_fuse { known(&[]) } else { Vec::new() };
    let parts = |(number, stem): (usize, &str)| {
        let names = input.arrays.iter().map(tensor::name);
        names.filter(|name| groups[number].part(name).is_some_and(|(_, other)| other == stem)).count()
    };
    let group = |name| groups.iter().enumerate().find_map(|(n, group)| Some((n, group.part(name)?.1)));
    let mut found = choice
        .0
        .iter()
        .filter(|tensor| group(&tensor.name).is_some_and(|found| parts(found) < groups[found.0].size()));
    let (first, others) = (found.next()?, and_others(found.count()));
    Some(format!(
        "`{}` shares no global scale with the layers that loaders join with it, which may be in other files{others}",
        first.name
    ))
}

/// A warning about tensors whose last blocks are partial, for loaders that need whole ones.
fn ragged(options: &Options, choices: &[Chosen<'_>]) -> Option<String> {
    let partial = options.loader?.partial(&options.recipe)?;
    let block = options.recipe.block();
    let (rows, columns) = (block.rows as u64, block.columns as u64);
    let axes = |shape: &[u64]| match shape {
        [.., r, c] => (*r, *c),
        _ => (1, shape.iter().product()),
    };
    let tensors = choices.iter().flat_map(|(chosen, _)| chosen);
    let found: Vec<_> = tensors
        .map(|tensor| (&tensor.name, axes(&tensor.shape)))
        .filter(|(_, (r, c))| r % rows != 0 || c % columns != 0)
        .collect();
    // The first tensor is one for which everything holds that is said.
    let of_columns = partial.columns.and_then(|what| {
        let at = found.iter().position(|(_, (_, c))| c % columns != 0)?;
        Some((what, at))
    });
    let (name, (r, c)) = found.get(of_columns.map_or(0, |(_, at)| at))?;
    let others = and_others(found.len() - 1);
    let more = of_columns.map_or(String::new(), |(what, _)| format!("; {what}"));
    Some(format!("`{name}` is {r}x{c}, not whole blocks of {rows}x{columns}{others}: {}{more}", partial.any))
}

/// A warning about quantised modules whose names contain a name of the list `left`: vLLM takes a name in ModelOpt's
/// list for a part of names (`is_layer_excluded`).
fn contained(options: &Options, choices: &[Chosen<'_>], left: &[String]) -> Option<String> {
    options.loader.filter(|loader| *loader == Loader::Modelopt)?;
    let modules = choices.iter().flat_map(|(chosen, _)| chosen).map(|tensor| layers::module(&tensor.name));
    let mut found =
        modules.filter_map(|module| Some((module, left.iter().find(|name| module.contains(*name))?)));
    let (module, name) = found.next()?;
    let others = and_others(found.count()).replace("tensor", "module");
    Some(format!(
        "`{module}` is quantised and its name contains `{name}`, which is in the list of modules that are not{others}: vLLM takes it for one of \
        them and misreads its weight"
    ))
}

/// A warning about layers that vLLM and SGLang join if only some of them are quantised.
fn split(
    options: &Options,
    inputs: &[Input],
    choices: &[Chosen<'_>],
    model_types: &[String],
) -> Option<String> {
    options.loader.filter(|loader| *loader != Loader::GptOss)?;
    let quantized = choices.iter().flat_map(|(chosen, _)| chosen).map(|tensor| (tensor.name.as_str(), true));
    let whole = copied(inputs, choices).map(|array| (tensor::name(array), false));
    let groups = known(model_types);
    let mut found: BTreeMap<(usize, &str), [Option<&str>; 2]> = BTreeMap::new();
    for (name, is_quantized) in quantized.chain(whole) {
        for (number, group) in groups.iter().enumerate() {
            if let Some((_, stem)) = group.part(name) {
                found.entry((number, stem)).or_default()[usize::from(is_quantized)].get_or_insert(name);
            }
        }
    }
    let mut split = found.into_values().filter_map(|[whole, quantized]| Some((whole?, quantized?)));
    let (whole, quantized) = split.next()?;
    let others = match split.count() {
        0 => String::new(),
        n => format!(" (and {} more)", ptxcvt::counted(n, "pair")),
    };
    Some(format!(
        "`{quantized}` is quantised and `{whole}` is not{others}: vLLM and SGLang join these layers, and refuse them unless all or none are \
        quantised"
    ))
}
