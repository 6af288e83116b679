//! Quantised tensors of a file or a checkpoint back to numbers.

mod parts;
mod quantised;
mod shapes;
mod write;

use super::checkpoint::{Checkpoint, refuse_same_names};
use super::config::Config;
use super::files::{self, Files, Filled};
use super::metadata::digest;
use super::target::{Begun, Job, Target};
use crate::array::Container;
use crate::error::FileError;
use crate::inputs::refuse_replacing_any;
use crate::open::{Declared, Purpose, open};
use crate::progress::Progress;
use crate::specials::Specials;
use crate::writer::refuse_folder;

pub use quantised::Options;
use quantised::Quantised;

/// The result of a run over a checkpoint.
#[derive(Debug)]
pub struct Done {
    /// Files of the model that hold weights and were not copied.
    pub left: Vec<String>,
    /// Files of an earlier run that were written again because their input has changed.
    pub made_again: Vec<String>,
    /// Files of an earlier run that this run does not make; they were removed.
    pub removed: Vec<String>,
    /// NaN and infinities in the output.
    pub specials: Specials,
}

/// Dequantises the tensors of the file `path`, and writes them to `output`. Returns the NaN and infinities of the output.
///
/// # Errors
///
/// Fails if the file cannot be read or has no valid metadata, if `output` cannot store as many arrays, or if
/// writing fails.
pub fn file(
    options: &Options,
    path: &str,
    output: &str,
    progress: &dyn Progress,
) -> Result<Specials, FileError> {
    let input = open(path, Declared::nothing(Purpose::Dequantize))?;
    refuse_replacing_any(output)?;
    let file = Quantised::new(options, &input)?;
    if file.parts.is_empty() {
        return Err(FileError::new(format!("{path}: holds no quantised tensors with known names")));
    }
    match (file.parts.as_slice(), Container::of(output)) {
        ([one], Some(Container::Npy | Container::Raw) | None) => file.write_one(one, output),
        (_, Some(Container::Safetensors)) => {
            progress.expect(file.bytes());
            let Filled { file, specials, .. } = file.fill(output, None, progress)?;
            file.finish()?;
            Ok(specials)
        }
        (several, _) => {
            refuse_folder(output)?;
            Err(FileError::new(format!("{output}: holds one array, not {}", several.len()))
                .with_help("write a .safetensors file"))
        }
    }
}

/// Dequantises the tensors of a checkpoint into the new folder `output`.
///
/// # Errors
///
/// Fails if the checkpoint contradicts its index or has no valid metadata, if the folder exists already, or
/// if reading or writing fails.
pub fn model(
    options: &Options,
    path: &str,
    output: &str,
    progress: &dyn Progress,
) -> Result<Done, FileError> {
    let model = Checkpoint::open(path)?;
    let inputs = model.inputs()?;
    let all = inputs.iter().map(|input| Quantised::new(options, input)).collect::<Result<Vec<_>, _>>()?;
    if all.iter().all(|file| file.parts.is_empty()) {
        return Err(FileError::new(format!("{path}: holds no quantised tensors with known names")));
    }
    let entries = all.iter().map(Quantised::entries).collect::<Result<Vec<_>, _>>()?;
    refuse_same_names(output, model.files.iter().map(String::as_str).zip(entries))?;
    let configs: Vec<_> = Config::read(&model.folder)?.dequantized()?.into_iter().collect();
    let others = model.other_files()?;
    let jobs: Vec<Job> = all.iter().map(|file| job(options, file)).collect();
    let Begun { target, kept, removed } = Target::begin(output, &model, &jobs, &configs, &others)?;
    progress.expect(all.iter().map(Quantised::bytes).sum());
    let mut run = Run { files: &all, progress, specials: Specials::default() };
    let (written, made_again) = files::complete(&target, &model, &jobs, kept, &mut run)?;
    let specials = run.specials;
    target.finish(&model, written, &configs, &others)?;
    Ok(Done { left: others.left, made_again, removed, specials })
}

/// A run that dequantises a checkpoint.
struct Run<'a> {
    files: &'a [Quantised<'a>],
    progress: &'a dyn Progress,
    specials: Specials,
}

impl Files for Run<'_> {
    fn keep(&mut self, at: usize, specials: Specials) -> Result<(), FileError> {
        self.progress.advance(self.files[at].bytes());
        self.specials.merge(specials);
        Ok(())
    }

    fn fill(&mut self, at: usize, path: &str, job: &Job) -> Result<Filled, FileError> {
        let filled = self.files[at].fill(path, Some(job), self.progress)?;
        self.specials.merge(filled.specials.clone());
        Ok(filled)
    }
}

/// What the output of a file depends on. A recipe and a loader that the user does not name are part of the input.
fn job(options: &Options, file: &Quantised<'_>) -> Job {
    let recipe = match options.recipe {
        Some(_) => digest(&file.recipe.to_toml()),
        None => "of the input".to_owned(),
    };
    let version = env!("CARGO_PKG_VERSION");
    let output = options.output;
    let of_loader = options.loader.map(|loader| format!(" --for {}", loader.name())).unwrap_or_default();
    Job {
        options: format!("dequantize{of_loader} --dtype {output}, ptxcvt {version}, recipe {recipe}"),
        input: file.input.source.stamp(),
    }
}
