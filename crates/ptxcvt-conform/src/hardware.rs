//! Runs every form of a GPU on it, compares the results with the reference, and records them on request.

use std::any::Any;
use std::path::{Path, PathBuf};

use ptxcvt::Form;

use crate::cases::{Cases, Effort, Set, results};
use crate::compare::{self, Tally};
use crate::deviations::values::Deviation;
use crate::device::Subject;
use crate::driver::{Device, DriverError, Kernel};
use crate::kernel;
use crate::report::{Comparison, Progress};
use crate::vectors::{Digest, Digester, Writer};

/// The number of rows that one launch converts.
const ROWS: usize = 1 << 20;
/// The number of rows for one digest line; whole launches.
const DIGEST_ROWS: u64 = 1 << 24;
/// The number of individual results that a recording has per form, distributed evenly over its operands.
const LINES: u64 = 512;

/// The options of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The number of operands with which a form is tried.
    pub effort: Effort,
    /// Only forms whose spelling contains this.
    pub filter: Option<String>,
    /// The destination of recordings, one file per form.
    pub record: Option<Recorder>,
    /// The date that recordings name.
    pub date: Option<String>,
}

/// The error of the function that writes recordings.
pub type WriteError = Box<dyn std::error::Error + Send + Sync>;

/// A folder for recordings, and the function that writes them.
#[derive(Clone, Debug)]
pub struct Recorder {
    /// The folder.
    pub folder: PathBuf,
    /// Makes the folder if it does not exist; an error names it. The value is dropped at the end of the run and may remove
    /// a folder that is still empty.
    pub create: fn(&Path) -> Result<Box<dyn Any>, WriteError>,
    /// Writes a file completely or not at all; an error names the file.
    pub write: fn(&Path, &[u8]) -> Result<(), WriteError>,
}

/// Why a comparison ended early.
#[derive(Debug)]
#[non_exhaustive]
pub enum HardwareError {
    /// The driver failed.
    Driver(DriverError),
    /// A recording could not be written.
    Write(WriteError),
}

impl std::fmt::Display for HardwareError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HardwareError::Driver(error) => error.fmt(f),
            HardwareError::Write(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HardwareError {}

impl From<DriverError> for HardwareError {
    fn from(error: DriverError) -> Self {
        HardwareError::Driver(error)
    }
}

/// Runs every form that is legal on the GPU and compares its results.
///
/// A kernel that the driver refuses is a problem of its form in the report, not an error.
///
/// # Errors
///
/// Fails if the driver does, or if a recording cannot be written.
pub fn run(
    device: &Device,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Comparison, HardwareError> {
    let subject = Subject::of(device)?;
    let wanted = |form: &Form| options.filter.as_ref().is_none_or(|f| form.to_string().contains(f.as_str()));
    let forms: Vec<Form> = kernel::forms(subject.target, subject.isa).into_iter().filter(wanted).collect();
    let cases: Vec<Cases> = forms.iter().map(|form| Cases::new(*form, options.effort)).collect();
    let launches = |cases: &Cases| cases.count().div_ceil(ROWS as u64);
    let (mut done, total) = (0, cases.iter().map(launches).sum());
    let mut report = Comparison { subject: Some(subject.clone()), forms: Vec::new() };
    let recorder = options.record.as_ref().filter(|_| !forms.is_empty());
    let created = recorder.map(|recorder| (recorder.create)(&recorder.folder)).transpose();
    let _created = created.map_err(HardwareError::Write)?;
    for (form, cases) in forms.into_iter().zip(&cases) {
        // The oldest version that has the form, so that an old driver can compile it.
        let isa = form.since(subject.target).expect("a form of this target");
        let entry = report.entry(form);
        match device.kernel(form, subject.target, isa) {
            Ok(kernel) => {
                let mut recording = options.record.as_ref().map(|_| Recording::new(form, cases));
                entry.tally = run_form(&kernel, cases, &mut recording, &mut || {
                    done += 1;
                    progress(Progress { done, total });
                })?;
                if let (Some(recording), Some(recorder)) = (recording, &options.record) {
                    recording.write(recorder, &subject, options.date.as_deref(), &entry.tally)?;
                }
            }
            Err(DriverError::Module { log }) => {
                done += launches(cases);
                entry.problems.push(format!("the driver refused the kernel: {}", log.trim()));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(report)
}

/// One form.
fn run_form(
    kernel: &Kernel,
    cases: &Cases,
    recording: &mut Option<Recording>,
    launched: &mut dyn FnMut(),
) -> Result<Tally, HardwareError> {
    let mut tally = Tally::default();
    for block in cases.blocks(ROWS) {
        let column = kernel.run(&block.columns(), block.rows())?;
        let found = results(&block.form(), &column);
        tally.add(compare::compare(&block, &found));
        if let Some(recording) = recording {
            found.iter().enumerate().for_each(|(row, result)| recording.push(block.row(row), *result));
        }
        launched();
    }
    Ok(tally)
}

/// Writes a form's results to a file.
struct Recording {
    form: Form,
    set: Option<Set>,
    every: u64,
    rows: u64,
    lines: Vec<(Vec<u64>, u64)>,
    digester: Digester,
    digests: Vec<(Set, Digest)>,
}

impl Recording {
    fn new(form: Form, cases: &Cases) -> Recording {
        Recording {
            form,
            set: cases.complete_set(),
            // Odd, so that every pattern of low bits occurs.
            every: cases.count().div_ceil(LINES) | 1,
            rows: 0,
            lines: Vec::new(),
            digester: Digester::new(form),
            digests: Vec::new(),
        }
    }

    fn push(&mut self, operands: &[u64], result: u64) {
        if self.rows % self.every == 0 {
            self.lines.push((operands.to_vec(), result));
        }
        self.rows += 1;
        self.digester.push(operands, result);
        // Ranges have digests for pieces; a lattice has one.
        if self.rows % DIGEST_ROWS == 0 && matches!(self.set, Some(Set::Range { .. })) {
            self.end_piece();
        }
    }

    /// Ends the digest of the rows since the last one.
    fn end_piece(&mut self) {
        let digester = std::mem::replace(&mut self.digester, Digester::new(self.form));
        let piece = match self.set {
            None => return,
            Some(Set::Range { operands, at, first, last }) => {
                let before = self.digests.len() as u64 * DIGEST_ROWS;
                let last = last.min(first + before + (DIGEST_ROWS - 1));
                Set::Range { operands, at, first: first + before, last }
            }
            Some(lattice) => lattice,
        };
        self.digests.push((piece, digester.finish()));
    }

    fn write(
        mut self,
        recorder: &Recorder,
        subject: &Subject,
        date: Option<&str>,
        tally: &Tally,
    ) -> Result<(), HardwareError> {
        let covered = self.digests.len() as u64 * DIGEST_ROWS;
        if self.rows > covered {
            self.end_piece();
        }
        let form = self.form.to_string();
        let (target, isa) = (subject.target.to_string(), subject.isa.to_string());
        let recorded_by = format!("ptxcvt {}", env!("CARGO_PKG_VERSION"));
        let unknown = "unknown";
        let mut writer = Writer::new(&[
            ("form", &form),
            ("gpu", &subject.gpu),
            ("architecture", &target),
            ("driver", subject.driver.as_deref().unwrap_or(unknown)),
            ("cuda", &subject.cuda),
            ("isa", &isa),
            ("date", date.unwrap_or(unknown)),
            ("recorded-by", &recorded_by),
            ("inputs", &tally.inputs.to_string()),
            ("differences", &tally.differences.to_string()),
        ]);
        // If results deviate by more than a payload, a digest could never be reproduced.
        match tally.kinds.iter().find(|kind| **kind != Deviation::NanPayload) {
            Some(kind) => writer.comment(&format!("No digests, for a known deviation: {}.", kind.describe())),
            None => self.digests.iter().for_each(|(set, digest)| writer.digest(&self.form, set, digest)),
        }
        self.lines.iter().for_each(|(operands, result)| writer.result(&self.form, operands, *result));
        for example in &tally.examples {
            writer.result(&self.form, &example.operands, example.found);
        }
        let folder = &recorder.folder;
        let path = folder.join(self.form.identifier()).with_extension("tsv");
        (recorder.write)(&path, writer.finish().as_ref()).map_err(HardwareError::Write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ranges_are_digested_in_pieces() {
        let form: Form = "cvt.rn.f16.f32".parse().unwrap();
        let (first, last) = (0x100, 0x100 + DIGEST_ROWS + 99);
        let range = |first, last| Set::Range { operands: [0; 5], at: 0, first, last };
        let cases = Cases::of_set(form, range(first, last));
        let mut recording = Recording::new(form, &cases);
        (first..=last).for_each(|operand| recording.push(&[operand], operand & 0xffff));
        recording.end_piece();
        let sets: Vec<Set> = recording.digests.iter().map(|(set, _)| *set).collect();
        let border = first + DIGEST_ROWS;
        assert_eq!(sets, [range(first, border - 1), range(border, last)]);
        let mut second = Digester::new(form);
        (border..=last).for_each(|operand| second.push(&[operand], operand & 0xffff));
        assert_eq!(recording.digests[1].1, second.finish());
        assert!((LINES / 2..=LINES).contains(&(recording.lines.len() as u64)));
    }
}
