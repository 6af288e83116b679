//! What becomes of every array: converted as a stream of elements, as one column of several, or copied.

use ptxcvt::bulk::Plan;
use ptxcvt::forms::{Operand, Role};
use ptxcvt::{Form, Format, Opcode};

use super::array::{Array, Container, Input, Output, Stored, contiguous_axis};
use super::engine::Work;
use super::feed::{Feed, Rows};
use super::held::{Fp4, Reading};
use super::stage::{ExtraOperand, Stage};
use crate::failure::Failure;
use crate::output::clip;

/// What the user chose.
pub struct Choice<'a> {
    /// One conversion after the other, each with its `rbits` or scale.
    pub stages: Vec<(Plan, ExtraOperand<'a>)>,
    /// Convert only these tensors; empty for all that fit.
    pub tensors: &'a [String],
    /// Leave the other tensors out instead of copying them.
    pub only: bool,
    pub reading: Reading,
    /// Fill odd rows up.
    pub pad: bool,
    /// What is written.
    pub container: Container,
    /// Whether to count what becomes of the elements.
    pub stats: bool,
}

/// An output array and how it comes about.
pub struct Task<'a> {
    pub output: Output,
    /// What it is made of, in words.
    pub account: String,
    pub work: TaskWork<'a>,
}

pub enum TaskWork<'a> {
    Convert(Work<'a>),
    /// The bytes as they are.
    Copy(Feed<'a>),
}

impl Task<'_> {
    /// How many bytes it reads, where that is known.
    pub fn read(&self) -> Option<u64> {
        match &self.work {
            TaskWork::Convert(work) => work.read(),
            TaskWork::Copy(feed) => feed.units,
        }
    }
}

/// Decides what becomes of every array.
pub fn plan_work<'a>(choice: &Choice<'a>, inputs: &'a [Input]) -> Result<Vec<Task<'a>>, Failure> {
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
        return Err(Failure::new(message).code(ptxcvt::Code::OperandCount).help(match form.opcode() {
            Opcode::CvtPack => format!("give {each}"),
            _ => format!("give one file of elements in memory order, or {each}"),
        }));
    }
    if choice.stages.len() > 1 {
        return Err(Failure::new("a chain of conversions takes one file of elements in memory order"));
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

    fn account(&self) -> String {
        let forms: Vec<String> = self.stages.iter().map(|(plan, _)| plan.form().to_string()).collect();
        forms.join(" then ")
    }
}

/// Every array of one file.
fn stream_tasks<'a>(choice: &Choice<'a>, input: &'a Input) -> Result<Vec<Task<'a>>, Failure> {
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
        return Err(Failure::new(message).help("--tensor NAME converts one by its name"));
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

/// One array of elements in memory order.
fn stream_task<'a>(choice: &Choice<'a>, input: &'a Input, array: &Array) -> Result<Task<'a>, Failure> {
    let (source, destination) = (choice.first().source().format(), choice.last().destination().format());
    let held = choice.reading.held(input, array, source)?;
    let name = array.label(&input.source.name);
    let bits = source.storage();
    let mut units = array.len.map(|len| if held.spread { len } else { len * 8 / u64::from(bits) });
    let mut shape = array.shape.clone();
    if let Some(axis) = contiguous_axis(&mut shape, array.fortran) {
        *axis *= held.per_unit;
    }
    let spread = destination.storage() < 8 && choice.reading.fp4 == Some(Fp4::Bytes);
    let packed = destination.storage() < 8 && !spread;
    let mut rows = None;
    let odd = units.is_some_and(|n| n % 2 != 0);
    if packed && choice.pad {
        let by_row = odd || choice.container == Container::Npy;
        let axis = contiguous_axis(&mut shape, array.fortran).filter(|axis| **axis % 2 != 0 && by_row);
        if let (Some(axis), Some(count)) = (axis, units) {
            rows = Some(Rows { given: *axis, padded: *axis + 1 });
            units = Some(count / (*axis).max(1) * (*axis + 1));
            *axis += 1;
        }
    } else if packed && odd {
        let count = units.unwrap_or_default();
        let message = format!(
            "{name}: {count} elements: two {destination} elements are packed in a byte, so their number must be even"
        );
        return Err(Failure::new(message).help("--pad fills odd rows up with zeros"));
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
    let work = Work { stages, feeds: vec![feed], packed: true, spread, pad: choice.pad, stats: choice.stats };
    Ok(Task { output, account: choice.account(), work: TaskWork::Convert(work) })
}

/// One array per operand, one register per instruction.
fn column_task<'a>(
    choice: &Choice<'a>,
    inputs: &'a [Input],
    operands: &[Operand],
) -> Result<Task<'a>, Failure> {
    let form = choice.first();
    let mut feeds = Vec::new();
    for (input, operand) in inputs.iter().zip(operands) {
        let first = &inputs[0];
        let ([array], [pattern]) = (&input.arrays[..], &first.arrays[..]) else {
            let message = format!("{}: one array per file is needed here", input.source.name);
            return Err(Failure::new(message));
        };
        // `c` of cvt.pack is bits: integers of either sign will do.
        let format = match operand.ty {
            Some(ty) => ty.format(),
            None if choice.reading.is_certain(array, Format::S32) => Format::S32,
            None => Format::U32,
        };
        let held = choice.reading.held(input, array, format)?;
        if array.shape != pattern.shape {
            return Err(Failure::new(format!(
                "{}: has shape {:?}, {} has {:?}",
                input.source.name, array.shape, first.source.name, pattern.shape
            )));
        }
        if held.spread {
            let message = format!("{}: several inputs take FP4 packed", input.source.name);
            return Err(Failure::new(message));
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
    let work = Work { stages, feeds, packed: false, spread: false, pad: false, stats: choice.stats };
    Ok(Task { output, account: choice.account(), work: TaskWork::Convert(work) })
}

/// A file of random bits or scales must have one for each instruction.
fn check_extra(extra: &ExtraOperand<'_>, instructions: u64) -> Result<(), Failure> {
    match extra.feed().and_then(|feed| Some((feed, feed.units?))) {
        Some((feed, units)) if units != instructions => Err(Failure::new(format!(
            "{}: has {units} values; there are {instructions} instructions, and each needs one",
            feed.name
        ))),
        _ => Ok(()),
    }
}

fn check_names(tensors: &[String], input: &Input) -> Result<(), Failure> {
    let path = &input.source.name;
    let names: Vec<&str> = input.arrays.iter().filter_map(|a| a.name.as_deref()).collect();
    for name in tensors {
        if !names.contains(&name.as_str()) {
            let shown: Vec<String> = names.iter().take(20).map(|name| format!("`{}`", clip(name))).collect();
            let more =
                if names.len() > 20 { format!(" and {} more", names.len() - 20) } else { String::new() };
            let failure = Failure::new(format!("{path}: no tensor `{}`", clip(name)));
            return Err(failure.help(match (input.container, shown.is_empty()) {
                (Container::Safetensors, true) => "it holds no tensor at all".into(),
                (Container::Safetensors, false) => format!("its tensors are {}{more}", shown.join(", ")),
                _ => "it holds one array, which has no name: leave --tensor out".into(),
            }));
        }
    }
    Ok(())
}
