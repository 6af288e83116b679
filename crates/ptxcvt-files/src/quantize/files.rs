//! The loop over the files of a checkpoint: some are complete since an earlier run, the others are written.

use super::checkpoint::{Checkpoint, Written};
use super::output::{Entry, File};
use super::target::{Job, Kept, Target};
use crate::error::FileError;
use crate::specials::Specials;

/// An output file with all its tensors, before it gets its name.
pub(super) struct Filled {
    pub file: File,
    pub entries: Vec<Entry>,
    /// The NaN and infinities to remember until the folder is complete.
    pub specials: Specials,
}

/// What a run does with each file of a checkpoint; `at` is the file's index.
pub(super) trait Files {
    /// Counts a file that is complete since an earlier run, which found these NaN and infinities.
    ///
    /// # Errors
    ///
    /// Fails if reading fails.
    fn keep(&mut self, at: usize, specials: Specials) -> Result<(), FileError>;

    /// Writes the tensors of a file to `path`.
    ///
    /// # Errors
    ///
    /// Fails if reading or writing fails.
    fn fill(&mut self, at: usize, path: &str, job: &Job) -> Result<Filled, FileError>;
}

/// Completes each file of the output. Returns the tensors of all files, and the names of files that were written again
/// because their input has changed.
///
/// # Errors
///
/// Fails at the first file that fails.
pub(super) fn complete(
    target: &Target,
    model: &Checkpoint,
    jobs: &[Job],
    kept: Vec<Kept>,
    files: &mut impl Files,
) -> Result<(Written, Vec<String>), FileError> {
    let (mut written, mut made_again) = (Written::default(), Vec::new());
    for (at, ((name, job), kept)) in model.files.iter().zip(jobs).zip(kept).enumerate() {
        if matches!(kept, Kept::Outdated) {
            made_again.push(name.clone());
        }
        let tensors = match kept {
            Kept::Whole(tensors, specials) => {
                files.keep(at, *specials)?;
                tensors
            }
            Kept::Outdated | Kept::Nothing => {
                let Filled { file, entries, specials } = files.fill(at, &target.path(name), job)?;
                // Before the file is complete, so that a later run that keeps it knows it.
                target.keep_state(name, job, &specials)?;
                file.finish()?;
                entries.into_iter().map(|entry| (entry.name.clone(), entry.bytes() as u64)).collect()
            }
        };
        written.add(name, tensors);
    }
    Ok((written, made_again))
}
