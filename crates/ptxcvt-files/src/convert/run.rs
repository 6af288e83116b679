//! A conversion from its input files to its output.

use super::engine::{Resources, Tally};
use super::phases::timed;
use super::task::{Options, Task, TaskWork, plan_work};
use crate::array::{Container, FileType, Input, Output};
use crate::error::FileError;
use crate::inputs::refuse_replacing_any;
use crate::open::{Declared, open};
use crate::progress::Progress;
use crate::specials::Specials;
use crate::writer::{Writer, refuse_folder};
use crate::{npy, order, raw, safetensors};

/// The open input files of a conversion.
#[derive(Debug)]
pub struct Opened {
    inputs: Vec<Input>,
    container: Container,
}

/// The plan for every array, and the header of the output.
#[derive(Debug)]
pub struct Planned<'a> {
    tasks: Vec<Task<'a>>,
    header: Vec<u8>,
    output: &'a str,
}

/// A finished conversion.
#[derive(Clone, Debug)]
pub struct Done {
    /// Counts and times.
    pub tally: Tally,
    /// NaN and infinities in the inputs of saturating conversions.
    pub specials: Specials,
    /// The number of bytes that were read, if the inputs have known lengths.
    pub read: u64,
    /// The number of bytes that were written.
    pub wrote: u64,
}

impl Opened {
    /// Opens the inputs and reads their headers. The output's format is `container` or, if that is `None`,
    /// that of its name. Standard output gets the first input's format.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read, or if its contents are unknown.
    pub fn open(
        paths: &[String],
        declared: Declared,
        output: &str,
        container: Option<Container>,
    ) -> Result<Opened, FileError> {
        let mut inputs: Vec<Input> =
            paths.iter().map(|path| open(path, declared)).collect::<Result<_, _>>()?;
        refuse_replacing_any(output)?;
        order::align(&mut inputs)?;
        let container = container.or(Container::of(output)).unwrap_or(match output {
            "-" => inputs[0].container,
            _ => Container::Raw,
        });
        // Formats with a header need the lengths of the arrays at the beginning.
        if container != Container::Raw {
            inputs = inputs.into_iter().map(in_memory).collect::<Result<_, _>>()?;
        }
        Ok(Opened { inputs, container })
    }

    /// The format of the output.
    pub fn container(&self) -> Container {
        self.container
    }

    /// The name of the first input.
    pub fn name(&self) -> &str {
        &self.inputs[0].source.name
    }

    /// Decides how every array is converted.
    ///
    /// # Errors
    ///
    /// Fails if an array does not have the conversion's source format, or if the output format cannot store
    /// the results.
    pub fn plan<'a>(&'a self, options: &Options<'a>, output: &'a str) -> Result<Planned<'a>, FileError> {
        // The files of the extra operands were opened after the arrays.
        refuse_replacing_any(output)?;
        let tasks = plan_work(options, &self.inputs, self.container)?;
        let header = match (self.container, tasks.as_slice()) {
            (Container::Safetensors, _) => {
                let outputs: Vec<Output> = tasks.iter().map(|task| task.output.clone()).collect();
                safetensors::header(&outputs, self.inputs[0].metadata.clone())?
            }
            (Container::Npy, [one]) => npy::header(&one.output)?,
            (Container::Raw, [_]) => Vec::new(),
            (_, several) => {
                refuse_folder(output)?;
                return Err(FileError::new(format!("{output}: holds one array, not {}", several.len()))
                    .with_help("write a .safetensors file, or name one tensor with --tensor"));
            }
        };
        Ok(Planned { tasks, header, output })
    }
}

impl Planned<'_> {
    /// The tasks for all arrays, in the order of the output.
    pub fn tasks(&self) -> &[Task<'_>] {
        &self.tasks
    }

    /// Writes the header and every output array, then puts the file in its place.
    ///
    /// # Errors
    ///
    /// Fails if reading, converting or writing fails; the old output is then unchanged.
    pub fn run(&self, resources: Resources, progress: &dyn Progress) -> Result<Done, FileError> {
        let mut writer = Writer::create(self.output)?;
        writer.write(&self.header)?;
        progress.expect(self.tasks.iter().filter_map(|task| task.output.bytes).sum());
        let (mut tally, mut specials) = (Tally::default(), Specials::default());
        for task in &self.tasks {
            match &task.work {
                TaskWork::Convert(work) => {
                    let done = work.run(&mut writer, resources, progress)?;
                    let tensor = task.output.name.as_deref().unwrap_or_default();
                    for (feed, found) in work.feeds.iter().zip(&done.special) {
                        specials.add(&feed.source.name, tensor, *found);
                    }
                    tally += done;
                }
                TaskWork::Copy(feed) => {
                    const STEP: usize = 1 << 20;
                    let (mut at, mut buffer) = (0, Vec::new());
                    while feed.units.is_some_and(|units| at < units) {
                        at += timed(&mut tally.phases.reading, || feed.read(at, STEP, &mut buffer))? as u64;
                        timed(&mut tally.phases.writing, || writer.write(&buffer))?;
                        progress.advance(buffer.len() as u64);
                    }
                }
            }
        }
        let wrote = writer.written();
        writer.finish()?;
        let read = self.tasks.iter().filter_map(Task::read).sum();
        Ok(Done { tally, specials, read, wrote })
    }
}

/// Reads an input that is a stream into memory. Returns other inputs unchanged.
fn in_memory(input: Input) -> Result<Input, FileError> {
    let unknown = input.arrays.iter().any(|array| array.len.is_none());
    if !unknown {
        return Ok(input);
    }
    let source = input.source.in_memory()?;
    let arrays = input.arrays.into_iter().map(|array| match array.dtype {
        FileType::Raw(format) => raw::read(&source, format, array.big_endian),
        _ => array,
    });
    let arrays = arrays.collect();
    Ok(Input { source, arrays, ..input })
}
