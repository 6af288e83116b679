//! Quantises a checkpoint into a new folder.

use std::collections::BTreeSet;

use super::cautions::for_loader;
use super::checkpoint::{Checkpoint, Written, refuse_same_names};
use super::config::{CONFIG, Config};
use super::file::{Measured, begin, entries, fill, left_by_type, measure_chosen, none_chosen};
use super::fuse::Shares;
use super::layers;
use super::left::{copied, modules};
use super::metadata;
use super::options::{Chosen, Options};
use super::target::{Begun, Job, Kept, Target};
use super::tensor;
use crate::array::Input;
use crate::error::FileError;
use crate::progress::Progress;

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
    // Without a loader it is copied as it is, but `dequantize` reads it.
    let config = match options.loader {
        Some(_) => Config::of_unquantised(&model.folder)?,
        None => Config::read(&model.folder)?,
    };
    let model_types = options.loader.map(|_| config.model_types()).transpose()?.unwrap_or_default();
    let inputs = model.inputs()?;
    let choices = choose(options, path, &inputs, &config)?;
    let entries = inputs.iter().zip(&choices).map(|(input, chosen)| entries(options, input, chosen));
    let entries = entries.collect::<Result<Vec<_>, _>>()?;
    refuse_same_names(output, model.files.iter().map(String::as_str).zip(entries))?;
    let mut left = Vec::new();
    let configs = match options.loader {
        Some(loader) => {
            left = modules(loader, &inputs, &choices, &config)?;
            config.quantized(loader.description(&options.recipe)?, &left)
        }
        None => Vec::new(),
    };
    let mut others = model.other_files()?;
    if options.loader.is_none() && model.folder.join(CONFIG).is_file() {
        others.copied.push(CONFIG.to_owned());
    }
    let mut shares = Shares::new(options, &model_types, choices.iter().flat_map(|(chosen, _)| chosen))?;
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
        let described = metadata::describe(options, input, &chosen.0)?;
        Ok(Job { options: metadata::digest_of(&described), input: stamps(input) })
    });
    let jobs = jobs.collect::<Result<Vec<_>, FileError>>()?;
    let Begun { target, kept, removed } = Target::begin(output, &model, &jobs, &configs, &others)?;
    progress.expect(choices.iter().map(|(chosen, _)| options.read_bytes(chosen)).sum());
    let mut written = Written::default();
    let mut done = Done { left: others.left.clone(), removed, ..Done::default() };
    done.cautions.extend(left_by_type(options, copied(&inputs, &choices)));
    done.cautions.extend(for_loader(options, &inputs, &choices, &model_types, &left));
    let files = inputs.iter().zip(&choices).zip(&model.files);
    for (((input, chosen), name), (job, kept)) in files.zip(jobs.iter().zip(kept)) {
        let tensors = match kept {
            Kept::Whole(tensors) => {
                progress.advance(options.read_bytes(&chosen.0));
                done.measured.merge(match options.report {
                    true => measure_chosen(options, input, &chosen.0, &mut shares)?,
                    false => Measured { specials: target.specials(name)?, ..Measured::default() },
                });
                tensors
            }
            found => {
                if matches!(found, Kept::Outdated) {
                    done.made_again.push(name.clone());
                }
                let (mut file, entries) = begin(options, input, &target.path(name), chosen, Some(job))?;
                let measured = fill(options, input, &mut file, chosen, &mut shares, progress)?;
                // Before the file is complete, so that a later run that keeps it knows them.
                target.keep_specials(name, &measured.specials)?;
                file.finish()?;
                done.measured.merge(measured);
                entries.into_iter().map(|e| (e.name.clone(), e.bytes() as u64)).collect()
            }
        };
        written.add(name, tensors);
    }
    target.finish(&model, written, &configs, &others)?;
    Ok(done)
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
    let config = Config::read(&model.folder)?;
    let choices = choose(options, path, &inputs, &config)?;
    let model_types = options.loader.map(|_| config.model_types()).transpose()?.unwrap_or_default();
    let mut shares = Shares::new(options, &model_types, choices.iter().flat_map(|(chosen, _)| chosen))?;
    let mut measured = Measured::default();
    for (input, (chosen, _)) in inputs.iter().zip(&choices) {
        measured.merge(measure_chosen(options, input, chosen, &mut shares)?);
    }
    Ok(measured)
}
