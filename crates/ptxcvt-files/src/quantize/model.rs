//! Quantises a checkpoint into a new folder.

use std::collections::BTreeSet;

use super::cautions::{Written, for_loader};
use super::checkpoint::{Checkpoint, refuse_same_names};
use super::config::{CONFIG, Config};
use super::file::{Measured, begin, entries, fill, left_by_type, measure_chosen, none_chosen, unmatched};
use super::files::{self, Files, Filled};
use super::fuse::Shares;
use super::layers;
use super::left::{copied, modules};
use super::metadata;
use super::options::{Chosen, Options};
use super::output::Entry;
use super::target::{Begun, Job, Target};
use super::tensor;
use super::unloaded::Kinds;
use crate::array::Input;
use crate::error::FileError;
use crate::progress::Progress;
use crate::specials::Specials;

/// The result of a run over a checkpoint.
#[derive(Debug, Default)]
pub struct Done {
    /// The reports of the tensors, if wanted, and NaN and infinities in them.
    pub measured: Measured,
    /// Files of an earlier run that were written again because their input has changed.
    pub made_again: Vec<String>,
    /// Files of an earlier run that this run does not make; they were removed.
    pub removed: Vec<String>,
    /// Files of the model that hold weights and were not copied.
    pub left: Vec<String>,
    /// Warnings about the output: experts that are not quantised, a program that misreads the folder.
    pub cautions: Vec<String>,
}

/// Quantises the tensors of a checkpoint into the new folder `output`.
///
/// The whole input is checked before the first byte is written.
///
/// # Errors
///
/// Fails if the checkpoint contradicts its index, if no tensor is chosen, if a tensor does not fit the recipe, if the
/// folder exists already, or if reading or writing fails.
pub fn quantize(
    options: &Options,
    path: &str,
    output: &str,
    progress: &dyn Progress,
) -> Result<Done, FileError> {
    let model = Checkpoint::open(path)?;
    let inputs = model.inputs()?;
    let Plan { configs, model_types, kinds, choices, entries, left } =
        Plan::new(options, path, &model, &inputs)?;
    let first_file = entries.first().cloned().unwrap_or_default();
    refuse_same_names(output, model.files.iter().map(String::as_str).zip(entries))?;
    let mut others = model.other_files()?;
    if options.loader.is_none() && model.folder.join(CONFIG).is_file() {
        others.copied.push(CONFIG.to_owned());
    }
    let shares = Shares::new(options, &model_types, choices.iter().flat_map(|(chosen, _)| chosen))?;
    // If tensors of one file share scales with tensors of other files, its result depends on all inputs and on the kind of
    // model.
    let shares_some = !shares.is_empty();
    let stamps = |own: &Input| match shares_some {
        true => {
            let all = inputs.iter().map(|input| input.source.stamp());
            all.chain(model_types.iter().cloned()).collect::<Vec<_>>().join("; ")
        }
        false => own.source.stamp(),
    };
    let jobs = inputs.iter().zip(&choices).map(|(input, chosen)| {
        let (of_options, of_tensors) = metadata::digests(metadata::describe(options, input, &chosen.0)?);
        Ok(Job { options: of_options, input: format!("{}; tensors {of_tensors}", stamps(input)) })
    });
    let jobs = jobs.collect::<Result<Vec<_>, FileError>>()?;
    let Begun { target, kept, removed } = Target::begin(output, &model, &jobs, &configs, &others)?;
    progress.expect(choices.iter().map(|(chosen, _)| options.read_bytes(chosen)).sum());
    let mut run =
        Run { options, inputs: &inputs, choices: &choices, shares, progress, measured: Measured::default() };
    let (written, made_again) = files::complete(&target, &model, &jobs, kept, &mut run)?;
    let measured = run.measured;
    target.finish(&model, written, &configs, &others)?;
    let mut cautions = unmatched(options, inputs.iter().flat_map(|input| &input.arrays));
    cautions.extend(left_by_type(options, copied(&inputs, &choices)));
    let what =
        Written { model_types: &model_types, kinds: Some(&kinds), left: &left, first_file: &first_file };
    cautions.extend(for_loader(options, &inputs, &choices, &what));
    Ok(Done { measured, made_again, removed, left: others.left, cautions })
}

/// The tensors of a checkpoint that are quantised. Making a plan fails wherever the checkpoint cannot be quantised.
struct Plan<'a> {
    /// For a loader: the files that describe the quantisation.
    configs: Vec<(&'static str, String)>,
    model_types: Vec<String>,
    kinds: Kinds,
    choices: Vec<Chosen<'a>>,
    /// The tensors of each output file.
    entries: Vec<Vec<Entry>>,
    /// For a loader: the modules that are not quantised.
    left: Vec<String>,
}

impl<'a> Plan<'a> {
    fn new(
        options: &Options,
        path: &str,
        model: &Checkpoint,
        inputs: &'a [Input],
    ) -> Result<Self, FileError> {
        // Without a loader it is copied as it is, but `dequantize` reads it.
        let config = match options.loader {
            Some(_) => Config::of_unquantised(&model.folder)?,
            None => Config::read(&model.folder)?,
        };
        let model_types = options.loader.map(|_| config.model_types()).transpose()?.unwrap_or_default();
        let kinds = options.loader.map(|_| Kinds::of(&config)).transpose()?.unwrap_or_default();
        let choices = choose(options, path, inputs, &config)?;
        let entries = inputs.iter().zip(&choices).map(|(input, chosen)| entries(options, input, chosen));
        let entries = entries.collect::<Result<Vec<_>, _>>()?;
        let (left, configs) = match options.loader {
            Some(loader) => {
                let left = modules(loader, inputs, &choices, &config)?;
                let configs = config.quantized(loader.description(&options.recipe)?, &left);
                (left, configs)
            }
            None => (Vec::new(), Vec::new()),
        };
        Ok(Plan { configs, model_types, kinds, choices, entries, left })
    }
}

/// A run that quantises a checkpoint.
struct Run<'a> {
    options: &'a Options,
    inputs: &'a [Input],
    choices: &'a [Chosen<'a>],
    shares: Shares<'a>,
    progress: &'a dyn Progress,
    measured: Measured,
}

impl Files for Run<'_> {
    fn keep(&mut self, at: usize, specials: Specials) -> Result<(), FileError> {
        let chosen = &self.choices[at].0;
        self.progress.advance(self.options.read_bytes(chosen));
        self.measured.merge(match self.options.report {
            true => measure_chosen(self.options, &self.inputs[at], chosen, &mut self.shares)?,
            false => Measured { specials, ..Measured::default() },
        });
        Ok(())
    }

    fn fill(&mut self, at: usize, path: &str, job: &Job) -> Result<Filled, FileError> {
        let (input, chosen) = (&self.inputs[at], &self.choices[at]);
        let (mut file, entries) = begin(self.options, input, path, chosen, Some(job))?;
        let measured = fill(self.options, input, &mut file, chosen, &mut self.shares, self.progress)?;
        let specials = measured.specials.clone();
        self.measured.merge(measured);
        Ok(Filled { file, entries, specials })
    }
}

/// The tensors of each file; at least one must be chosen. Unless the user names some, a loader's are those of linear layers.
fn choose<'a>(
    options: &Options,
    path: &str,
    inputs: &'a [Input],
    config: &Config,
) -> Result<Vec<Chosen<'a>>, FileError> {
    let choices = inputs.iter().map(|input| options.choose(input, false));
    let mut choices = choices.collect::<Result<Vec<_>, _>>()?;
    if options.loader.is_some() && options.tensors.is_empty() {
        config.refuse_conv1d()?;
        let vocabularies = config.vocabularies()?;
        let all = inputs.iter().flat_map(|input| &input.arrays);
        let embeddings = match config.is_tied()? {
            Some(true) => layers::embeddings(all.map(|array| (tensor::name(array), &array.shape[..]))),
            _ => Vec::new(),
        };
        for (input, (chosen, copied)) in inputs.iter().zip(&mut choices) {
            let keeps = |name: &str, shape: &[u64]| {
                layers::has_vocabulary(name, shape, &vocabularies)
                    || layers::is_tied(name, shape, &embeddings)
            };
            chosen.retain(|tensor| !keeps(&tensor.name, &tensor.shape));
            let names: BTreeSet<&str> = chosen.iter().map(|tensor| tensor.name.as_str()).collect();
            *copied = (0..input.arrays.len())
                .filter(|at| !names.contains(tensor::name(&input.arrays[*at])))
                .collect();
        }
    }
    match choices.iter().all(|(chosen, _)| chosen.is_empty()) {
        true => Err(none_chosen(options, path, inputs.iter().flat_map(|input| &input.arrays))),
        false => Ok(choices),
    }
}

/// Measures the errors of the recipe in each tensor of a checkpoint without writing anything.
///
/// # Errors
///
/// As [`quantize`], except for errors of the output.
pub fn measure(options: &Options, path: &str) -> Result<Measured, FileError> {
    let model = Checkpoint::open(path)?;
    let inputs = model.inputs()?;
    let Plan { model_types, choices, .. } = Plan::new(options, path, &model, &inputs)?;
    let mut shares = Shares::new(options, &model_types, choices.iter().flat_map(|(chosen, _)| chosen))?;
    let mut measured = Measured::default();
    for (input, (chosen, _)) in inputs.iter().zip(&choices) {
        measured.merge(measure_chosen(options, input, chosen, &mut shares)?);
    }
    Ok(measured)
}
