//! The plan of a conversion: every array is converted as packed elements, converted as one of several operands, or copied.

use ptxcvt::forms::{Operand, Role};
use ptxcvt::{Form, Format, Opcode, clip};
use ptxcvt_bulk::Plan;

use super::engine::Work;
use super::extra::ExtraSource;
use super::feed::{Feed, Rows};
use super::stage::{ExtraOperand, Stage};
use crate::array::{Array, Container, Input, Output, Stored, contiguous_axis};
use crate::error::FileError;
use crate::reading::{Fp4, Reading};

/// How arrays are converted.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The conversions of the chain, in order.
    pub plans: &'a [Plan],
    /// The `rbits` or scale of each conversion.
    pub extras: &'a [ExtraSource],
    /// The tensors to convert; all that fit if empty.
    pub tensors: &'a [String],
    /// Whether to leave the other tensors out instead of copying them.
    pub only: bool,
    /// How inputs are read.
    pub reading: Reading,
    /// Whether to fill odd rows with zeros.
    pub pad: bool,
    /// Whether to count what happens to the elements.
    pub stats: bool,
}

/// An output array and how it is made.
#[derive(Debug)]
pub struct Task<'a> {
    /// The array.
    pub output: Output,
    /// How it is made, in words.
    pub account: String,
    pub(super) work: TaskWork<'a>,
}

#[derive(Debug)]
pub(super) enum TaskWork<'a> {
    Convert(Work<'a>),
    /// A copy of the bytes.
    Copy(Feed<'a>),
}

impl Task<'_> {
    /// How many bytes are read, if known.
    pub fn read(&self) -> Option<u64> {
        match &self.work {
            TaskWork::Convert(work) => work.read(),
            TaskWork::Copy(feed) => feed.units,
        }
    }
}

/// The options of a run, and the format of its output.
struct Choice<'a> {
    stages: Vec<(Plan, ExtraOperand<'a>)>,
    tensors: &'a [String],
    only: bool,
    reading: Reading,
    pad: bool,
    container: Container,
    stats: bool,
}

/// Plans the treatment of every array.
pub(super) fn plan_work<'a>(
    options: &Options<'a>,
    inputs: &'a [Input],
    container: Container,
) -> Result<Vec<Task<'a>>, FileError> {
    let stages = options.plans.iter().copied().zip(options.extras.iter().map(ExtraSource::operand)).collect();
    let choice = &Choice {
        stages,
        tensors: options.tensors,
        // A file without names holds one tensor.
        only: options.only || container != Container::Safetensors && !options.tensors.is_empty(),
        reading: options.reading,
        pad: options.pad,
        container,
        stats: options.stats,
    };
    let form = choice.first();
    let operands: Vec<Operand> =
        form.data_operands().chain(form.extra().filter(|o| o.role == Role::Rest)).collect();
    let stream = inputs.len() == 1 && form.opcode() == Opcode::Cvt;
    if stream {
        return stream_tasks(choice, &inputs[0]);
    }
    if inputs.len() != operands.len() {
        let names: Vec<_> = operands.iter().map(|o| o.role.name()).collect();
        let files = if inputs.len() == 1 { "file is" } else { "files are" };
        let message = format!("{} input {files} given for `{form}`", inputs.len());
        let each = format!("one per operand: {}", names.join(", "));
        return Err(FileError::new(message).with_code(ptxcvt::Code::OperandCount).with_help(
            match form.opcode() {
                Opcode::CvtPack => format!("give {each}"),
                _ => format!("give one file of elements in memory order, or {each}"),
            },
        ));
    }
    if choice.stages.len() > 1 {
        return Err(FileError::new("a chain of conversions accepts one file of elements in memory order"));
    }
    Ok(vec![column_task(choice, inputs, &operands)?])
}

impl Choice<'_> {
    fn first(&self) -> Form {
        self.stages[0].0.form()
    }

    fn last(&self) -> Form {
        self.stages[self.stages.len() - 1].0.form()
    }

    /// True if a conversion turns infinities into numbers.
    fn saturates(&self) -> bool {
        self.stages.iter().any(|(plan, _)| plan.form().limits_infinity())
    }

    fn account(&self) -> String {
        let forms: Vec<String> = self.stages.iter().map(|(plan, _)| plan.form().to_string()).collect();
        forms.join(" then ")
    }
}

/// Plans every array of one file.
fn stream_tasks<'a>(choice: &Choice<'a>, input: &'a Input) -> Result<Vec<Task<'a>>, FileError> {
    check_names(choice.tensors, input)?;
    let format = choice.first().source().format();
    let single = input.container != Container::Safetensors;
    let mut converted = 0;
    let mut tasks = Vec::new();
    for array in &input.arrays {
        let named = array.name.as_ref().is_some_and(|name| choice.tensors.contains(name));
        let fits = choice.tensors.is_empty() && choice.reading.is_certain(array, format);
        if single || named || fits {
            converted += 1;
            tasks.push(stream_task(choice, input, array)?);
        } else if !choice.only {
            tasks.push(copy_task(input, array));
        }
    }
    if converted == 0 {
        let message = format!("{}: no tensor holds {format}", input.source.name);
        return Err(FileError::new(message).with_help("--tensor NAME converts one by its name"));
    }
    Ok(tasks)
}

fn copy_task<'a>(input: &'a Input, array: &Array) -> Task<'a> {
    let output = Output {
        name: array.name.clone(),
        stored: Stored::Copied(array.dtype.clone()),
        shape: array.shape.clone(),
        fortran: array.fortran,
        bytes: array.len,
    };
    let feed = Feed {
        source: &input.source,
        name: array.label(&input.source.name),
        start: array.start,
        bits: 8,
        units: array.len,
        big_endian: false,
        spread: false,
        rows: None,
    };
    Task { output, account: "copied".into(), work: TaskWork::Copy(feed) }
}

/// Plans one array of elements in memory order.
fn stream_task<'a>(choice: &Choice<'a>, input: &'a Input, array: &Array) -> Result<Task<'a>, FileError> {
    let (source, destination) = (choice.first().source().format(), choice.last().destination().format());
    let held = choice.reading.held(input, array, source)?;
    let name = array.label(&input.source.name);
    let bits = source.storage();
    let mut units = array.len.map(|len| if held.spread { len } else { len * 8 / u64::from(bits) });
    let mut shape = array.shape.clone();
    if let Some(axis) = contiguous_axis(&mut shape, array.fortran) {
        *axis *= held.per_unit;
    }
    let fortran = array.fortran.then(|| shape.clone());
    let spread = destination.storage() < 8 && choice.reading.fp4 == Some(Fp4::Bytes);
    let packed = destination.storage() < 8 && !spread;
    let mut rows = None;
    let odd = units.filter(|n| n % 2 != 0);
    if packed && choice.pad {
        let by_row = odd.is_some() || choice.container == Container::Npy;
        let axis = contiguous_axis(&mut shape, array.fortran).filter(|axis| **axis % 2 != 0 && by_row);
        if let (Some(axis), Some(count)) = (axis, units) {
            rows = Some(Rows { given: *axis, padded: *axis + 1 });
            units = Some(count / (*axis).max(1) * (*axis + 1));
            *axis += 1;
        }
    } else if let (true, Some(count)) = (packed, odd) {
        let message = format!(
            "{name}: {}: two {destination} elements are packed in a byte, so their number must be even",
            ptxcvt::counted(count, "element")
        );
        return Err(FileError::new(message).with_help("--pad fills odd rows with zeros"));
    }
    let feed = Feed {
        source: &input.source,
        name,
        start: array.start,
        bits,
        units,
        big_endian: array.big_endian,
        spread: held.spread,
        rows,
    };
    let tensor = array.name.as_deref().unwrap_or_default();
    let mut stages = Vec::new();
    for (number, (plan, extra)) in choice.stages.iter().enumerate() {
        let extra = extra.of_tensor(tensor, number);
        if let Some(count) = units {
            check_extra(&extra, count.div_ceil(plan.elements_per_instruction() as u64))?;
        }
        stages.push(Stage { plan: *plan, extra });
    }
    let result_bits = if spread { 8 } else { u64::from(destination.storage()) };
    let output = Output {
        name: array.name.clone(),
        stored: Stored::Elements { format: destination, spread },
        shape,
        fortran: array.fortran,
        bytes: units.map(|units| (units * result_bits).div_ceil(8)),
    };
    let work = Work {
        stages,
        feeds: vec![feed],
        packed: true,
        spread,
        pad: choice.pad,
        stats: choice.stats,
        specials: choice.saturates(),
        fortran,
    };
    Ok(Task { output, account: choice.account(), work: TaskWork::Convert(work) })
}

/// Plans several inputs: one array for each operand, one register per instruction.
fn column_task<'a>(
    choice: &Choice<'a>,
    inputs: &'a [Input],
    operands: &[Operand],
) -> Result<Task<'a>, FileError> {
    let form = choice.first();
    let mut feeds = Vec::new();
    for (input, operand) in inputs.iter().zip(operands) {
        let first = &inputs[0];
        let ([array], [pattern]) = (&input.arrays[..], &first.arrays[..]) else {
            let message = format!("{}: one array per file is needed here", input.source.name);
            return Err(FileError::new(message));
        };
        // `c` of cvt.pack is untyped: integers of either sign are accepted.
        let format = match operand.ty {
            Some(ty) => ty.format(),
            None if choice.reading.is_certain(array, Format::S32) => Format::S32,
            None => Format::U32,
        };
        let held = choice.reading.held(input, array, format)?;
        if array.shape != pattern.shape {
            return Err(FileError::new(format!(
                "{}: has shape {:?}, {} has {:?}",
                input.source.name, array.shape, first.source.name, pattern.shape
            )));
        }
        if held.spread {
            let message = format!("{}: several inputs take FP4 packed", input.source.name);
            return Err(FileError::new(message));
        }
        feeds.push(Feed {
            source: &input.source,
            name: input.source.name.clone(),
            start: array.start,
            bits: operand.width,
            units: array.len.map(|len| len * 8 / u64::from(operand.width)),
            big_endian: array.big_endian,
            spread: false,
            rows: None,
        });
    }
    let array = &inputs[0].arrays[0];
    let (plan, extra) = &choice.stages[0];
    if let Some(units) = feeds[0].units {
        check_extra(extra, units)?;
    }
    let width = form.result_width();
    let stored = if form.opcode() == Opcode::Cvt && form.lanes() == 1 {
        Stored::Elements { format: form.destination().format(), spread: false }
    } else {
        Stored::Registers(width)
    };
    let output = Output {
        name: None,
        stored,
        shape: array.shape.clone(),
        fortran: array.fortran,
        bytes: feeds[0].units.map(|units| units * u64::from(width / 8)),
    };
    let stages = vec![Stage { plan: *plan, extra: extra.clone() }];
    let work = Work {
        stages,
        feeds,
        packed: false,
        spread: false,
        pad: false,
        stats: choice.stats,
        specials: choice.saturates(),
        fortran: array.fortran.then(|| array.shape.clone()),
    };
    Ok(Task { output, account: choice.account(), work: TaskWork::Convert(work) })
}

/// Checks that a file of random bits or scales has a value for each instruction.
fn check_extra(extra: &ExtraOperand<'_>, instructions: u64) -> Result<(), FileError> {
    match extra.feed().and_then(|feed| Some((feed, feed.units?))) {
        Some((feed, units)) if units != instructions => Err(FileError::new(format!(
            "{}: has {}, expected {}: one for each instruction",
            feed.name,
            ptxcvt::counted(units, "value"),
            instructions
        ))),
        _ => Ok(()),
    }
}

fn check_names(tensors: &[String], input: &Input) -> Result<(), FileError> {
    let path = &input.source.name;
    let names: Vec<&str> = input.arrays.iter().filter_map(|a| a.name.as_deref()).collect();
    for name in tensors {
        if !names.contains(&name.as_str()) {
            let shown: Vec<String> = names.iter().take(20).map(|name| format!("`{}`", clip(name))).collect();
            let more =
                if names.len() > 20 { format!(" and {} more", names.len() - 20) } else { String::new() };
            let failure = FileError::new(format!("{path}: no tensor `{}`", clip(name)));
            return Err(failure.with_help(match (input.container, shown.is_empty()) {
                (Container::Safetensors, true) => "it holds no tensors".into(),
                (Container::Safetensors, false) => format!("its tensors are {}{more}", shown.join(", ")),
                _ => "it holds one array without a name: omit --tensor".into(),
            }));
        }
    }
    Ok(())
}
