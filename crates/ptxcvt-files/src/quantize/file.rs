//! The tensors of one file, quantised.

use std::collections::HashMap;

use ptxcvt_blocks::Report;
use ptxcvt_report::quantize::TensorReport;

use super::cautions::{Written, and_others, apart, for_loader};
use super::fuse::{Shared, Shares};
use super::loader::PLAIN;
use super::metadata;
use super::options::{Chosen, Options, matches};
use super::output::{Entry, File};
use super::target::Job;
use super::tensor::{self, Tensor};
use super::work::{Dtypes, Found, Work};
use crate::array::{Array, FileType, Input};
use crate::error::FileError;
use crate::inputs::refuse_replacing_any;
use crate::open::{Declared, Purpose};
use crate::progress::Progress;
use crate::specials::Specials;
use crate::writer::{is_stream, refuse_folder};

/// Measurements made while tensors were quantised.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// The reports of the tensors, if wanted.
    pub reports: Vec<TensorReport>,
    /// NaN and infinities in the input, and those in the output that come from finite numbers.
    pub specials: Specials,
}

impl Measured {
    /// Adds the NaN and infinities of a tensor, and those that others share with it.
    fn add(&mut self, input: &Input, tensor: &Tensor<'_>, found: &Found, shared: Option<Shared<'_>>) {
        if let Some(other) = shared.and_then(|shared| shared.spoilt_by).filter(|_| found.input.is_empty()) {
            self.specials.add_spoilt(&tensor.name, other);
        }
        self.specials.add(&input.source.name, &tensor.name, found.input);
        if found.input.is_empty() {
            self.specials.add_made(&input.source.name, &tensor.name, found.output);
        }
    }

    /// Adds the measurements of another file.
    pub(super) fn merge(&mut self, other: Measured) {
        self.reports.extend(other.reports);
        self.specials.merge(other.specials);
    }
}

/// Opens a file to be quantised, and reads its header.
///
/// # Errors
///
/// Fails if the file cannot be read, if it is raw without [`Options::dtype`], or if its header says what the options
/// declare.
pub fn open(options: &Options, path: &str) -> Result<Input, FileError> {
    let Options { dtype, big_endian, .. } = *options;
    crate::open::open(path, Declared { dtype, big_endian, purpose: Purpose::Quantize })
}

/// Quantises the tensors of `input` and writes them to `output`, a `.safetensors` file. Returns their
/// reports, if requested, and the NaN and infinities of the input.
///
/// # Errors
///
/// Fails if no tensor is chosen, if a tensor does not fit the recipe, or if reading or writing fails.
pub fn quantize(
    options: &Options,
    input: &Input,
    output: &str,
    progress: &dyn Progress,
) -> Result<Measured, FileError> {
    let chosen = choose(options, input)?;
    refuse_replacing_any(output)?;
    if !output.ends_with(".safetensors") && !is_stream(output) {
        refuse_folder(output)?;
        return Err(FileError::new(format!("{output}: several tensors need a .safetensors file")));
    }
    progress.expect(options.read_bytes(&chosen.0));
    let (mut file, _) = begin(options, input, output, &chosen, None)?;
    let mut shares = Shares::new(options, &[], chosen.0.iter())?;
    let measured = fill(options, input, &mut file, &chosen, &mut shares, progress)?;
    file.finish()?;
    Ok(measured)
}

/// Measures the errors of the recipe in each tensor without writing anything.
///
/// # Errors
///
/// Fails if no tensor is chosen, if a tensor does not fit the recipe, or if reading fails.
pub fn measure(options: &Options, input: &Input) -> Result<Measured, FileError> {
    let chosen = choose(options, input)?;
    // Refuses what `quantize` refuses.
    entries(options, input, &chosen)?;
    let mut shares = Shares::new(options, &[], chosen.0.iter())?;
    measure_chosen(options, input, &chosen.0, &mut shares)
}

/// Measures the chosen tensors of a file.
pub(super) fn measure_chosen(
    options: &Options,
    input: &Input,
    chosen: &[Tensor<'_>],
    shares: &mut Shares<'_>,
) -> Result<Measured, FileError> {
    let mut measured = Measured::default();
    for tensor in chosen {
        let (mut report, mut found) = (Report::default(), Found::default());
        let (transposed, _) = options.passes()[0];
        let shared = shares.of(options, tensor)?;
        let scale = shared.map(|shared| shared.scale);
        Work { shared: scale, ..options.work(tensor, transposed)? }.each_piece(
            Some(&mut found),
            |matrix, _, quantized| {
                report +=
                    Report::measure(&options.recipe, matrix, &quantized).map_err(|e| tensor.fail(&e))?;
                Ok(())
            },
        )?;
        measured.add(input, tensor, &found, shared);
        measured.reports.push(TensorReport::new(&tensor.name, &tensor.shape, &options.recipe, &report));
    }
    Ok(measured)
}

/// The tensors of a single file; at least one must be chosen.
pub(super) fn choose<'a>(options: &Options, input: &'a Input) -> Result<Chosen<'a>, FileError> {
    let chosen = options.choose(input, input.arrays.len() == 1)?;
    if chosen.0.is_empty() {
        return Err(none_chosen(options, &input.source.name, input.arrays.iter()));
    }
    Ok(chosen)
}

/// The error if no tensor of a file or checkpoint is chosen.
pub(super) fn none_chosen<'a>(
    options: &Options,
    path: &str,
    arrays: impl Iterator<Item = &'a Array> + Clone,
) -> FileError {
    const SHOWN: usize = 20;
    let names: Vec<&str> = arrays.clone().map(tensor::name).filter(|name| !name.is_empty()).collect();
    let others = names.len().saturating_sub(SHOWN);
    let help = match names.is_empty() {
        true if arrays.clone().next().is_some() => "it holds one array without a name".to_owned(),
        true => "it has no tensors".to_owned(),
        false => format!("its tensors are {}", names[..names.len() - others].join(", ")),
    };
    let more = if others > 0 { format!(" and {others} more") } else { String::new() };
    let error = FileError::new(format!("{path}: no tensor is chosen")).with_help(help + &more);
    match (other_type(options, arrays), options.loader.filter(|_| options.tensors.is_empty())) {
        (Some((first, _)), _) => error.with_help(first),
        (None, Some(loader)) => error.with_help(loader.choice()),
        (None, None) => error,
    }
}

/// Warnings about the output: weights that would be quantised, and that are copied because of their type (numbers of
/// f64, elements that are quantised already and, for a loader, integers); and, for a loader, what it misreads or
/// refuses.
///
/// # Errors
///
/// Fails like [`quantize`], if no tensor is chosen.
pub fn cautions(options: &Options, input: &Input) -> Result<Vec<String>, FileError> {
    let choice = choose(options, input)?;
    let by_type = left_by_type(options, choice.1.iter().map(|at| &input.arrays[*at]));
    let apart = apart(options, input, &choice);
    let written =
        Written { model_types: &[], kinds: None, left: &[], first_file: &entries(options, input, &choice)? };
    let choices = [choice];
    let others = for_loader(options, std::slice::from_ref(input), &choices, &written);
    let unmatched = unmatched(options, input.arrays.iter());
    Ok(unmatched.into_iter().chain(by_type).chain(apart).chain(others).collect())
}

/// Warnings about patterns that match none of these arrays: with a mistake in `--exclude`, a tensor is quantised that
/// should stay.
pub(super) fn unmatched<'a>(
    options: &Options,
    arrays: impl Iterator<Item = &'a Array> + Clone,
) -> Vec<String> {
    let named = [("--tensor", &options.tensors), ("--exclude", &options.exclude)];
    let patterns = named.into_iter().flat_map(|(option, patterns)| patterns.iter().map(move |p| (option, p)));
    let matching = |pattern: &str| arrays.clone().any(|array| matches(pattern, tensor::name(array)));
    let unmatched = patterns.filter(|(_, pattern)| !matching(pattern));
    let warning = |(option, pattern): (&str, &String)| {
        let weight = format!("{pattern}.weight");
        let more = if matching(&weight) { format!("; `{weight}` does") } else { String::new() };
        format!("{option} {pattern} matches no name of a tensor{more}")
    };
    unmatched.map(warning).collect()
}

/// A warning about those of these arrays, which are copied, that would be quantised if they had another type.
pub(super) fn left_by_type<'a>(options: &Options, copied: impl Iterator<Item = &'a Array>) -> Option<String> {
    let (first, others) = other_type(options, copied)?;
    Some(format!("{first}, and is copied unchanged{}", and_others(others)))
}

/// A sentence about the first of these arrays that would be quantised if they had another type, and the number of the
/// others.
fn other_type<'a>(options: &Options, arrays: impl Iterator<Item = &'a Array>) -> Option<(String, usize)> {
    if !options.tensors.is_empty() {
        return None;
    }
    let wanted = |array: &Array| match options.loader {
        Some(loader) => loader.wants(tensor::name(array), array.shape.len()),
        None => array.shape.len() > 1 && array.dtype.is_float(),
    };
    let mut left = arrays.filter(|array| {
        wanted(array)
            && tensor::input_type(array, options.dtype).is_none()
            && !options.excludes(tensor::name(array))
    });
    let first = left.next()?;
    let (name, dtype) = (tensor::name(first), &first.dtype);
    Some((format!("`{name}` {}", tensor::not_numbers(dtype)), left.count()))
}

/// The types that the output has.
fn dtypes(options: &Options) -> Result<Dtypes, FileError> {
    options.loader.map_or(Ok(PLAIN), |loader| loader.dtypes(&options.recipe))
}

/// The output tensors for `input`.
pub(super) fn entries(
    options: &Options,
    input: &Input,
    (chosen, copied): &Chosen<'_>,
) -> Result<Vec<Entry>, FileError> {
    let dtypes = dtypes(options)?;
    let mut entries: Vec<Entry> = Vec::new();
    for tensor in chosen {
        for (number, (transposed, suffix)) in options.passes().iter().enumerate() {
            let names = options.names(input, tensor, suffix)?;
            let work = options.work(tensor, *transposed)?;
            // The global scale of an array is the same for both axes.
            let known = number > 0 && !options.recipe.is_row_scaled();
            let made = work.entries(&names, dtypes)?;
            entries.extend(made.into_iter().filter(|e| !known || e.name != names.global));
        }
    }
    for at in copied {
        let array = &input.arrays[*at];
        let FileType::Safetensors(dtype) = array.dtype else { continue };
        let shape = array.shape.iter().map(|n| *n as usize).collect();
        entries.push(Entry { name: tensor::name(array).to_owned(), dtype, shape });
    }
    Ok(entries)
}

/// Creates the output and writes its header; returns the entries, too.
pub(super) fn begin(
    options: &Options,
    input: &Input,
    output: &str,
    chosen: &Chosen<'_>,
    job: Option<&Job>,
) -> Result<(File, Vec<Entry>), FileError> {
    let entries = entries(options, input, chosen)?;
    let mut all: HashMap<String, String> = input.metadata.clone().unwrap_or_default();
    // transformers before version 5 reads no file that does not say it.
    if options.loader.is_some() {
        all.entry("format".to_owned()).or_insert_with(|| "pt".to_owned());
    }
    all.extend(metadata::describe(options, input, &chosen.0)?);
    all.extend(job.map(Job::metadata));
    metadata::seal(&mut all);
    Ok((File::create(output, &entries, all)?, entries))
}

/// Writes the tensors of the output.
pub(super) fn fill(
    options: &Options,
    input: &Input,
    file: &mut File,
    (chosen, copied): &Chosen<'_>,
    shares: &mut Shares<'_>,
    progress: &dyn Progress,
) -> Result<Measured, FileError> {
    let mut measured = Measured::default();
    let dtypes = dtypes(options)?;
    for tensor in chosen {
        let shared = shares.of(options, tensor)?;
        let (mut report, mut found) = (Report::default(), Found::default());
        for (transposed, suffix) in options.passes() {
            let names = options.names(input, tensor, suffix)?;
            let wanted = (options.report && suffix.is_empty()).then_some(&mut report);
            let counted = suffix.is_empty().then_some(&mut found);
            let scale = shared.map(|shared| shared.scale);
            let work = Work { shared: scale, ..options.work(tensor, *transposed)? };
            work.write(&names, dtypes, file, wanted, counted, progress)?;
        }
        measured.add(input, tensor, &found, shared);
        if options.report {
            measured.reports.push(TensorReport::new(&tensor.name, &tensor.shape, &options.recipe, &report));
        }
    }
    for at in copied {
        let array = &input.arrays[*at];
        tensor::copy(input, array, options.memory, |offset, bytes| {
            file.write(tensor::name(array), offset, bytes)
        })?;
    }
    Ok(measured)
}
