//! What becomes of every array: converted as a stream of elements, as one column of several, or copied.

use ptxcvt::bulk::Plan;
use ptxcvt::forms::{Operand, Role};
use ptxcvt::{Format, Opcode};

use super::array::{Array, Container, FileType, Input, Output, Stored};
use super::engine::{ExtraOperand, Work};
use super::{npy, safetensors};
use crate::failure::Failure;

/// What the user chose.
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    pub plan: Plan,
    /// Convert only these tensors; empty for all that fit.
    pub tensors: &'a [String],
    /// Whether to count what becomes of the elements.
    pub stats: bool,
}

/// An output array and how it comes about.
pub struct Task<'a> {
    pub output: Output,
    /// `None` where the bytes are copied.
    pub work: Option<Work<'a>>,
    pub copy: &'a [u8],
}

impl Task<'_> {
    /// How many bytes it reads.
    pub fn read(&self) -> usize {
        self.work.as_ref().map_or(self.copy.len(), |w| w.sources.iter().map(|s| s.len()).sum())
    }
}

/// Decides what becomes of every array.
pub fn plan_work<'a>(
    choice: Choice<'_>,
    inputs: &'a [Input],
    extra: ExtraOperand<'a>,
) -> Result<Vec<Task<'a>>, Failure> {
    let form = choice.plan.form();
    let operands: Vec<Operand> = form.operands().filter(|o| is_data(o.role)).collect();
    let stream = inputs.len() == 1 && form.opcode() == Opcode::Cvt;
    if !stream && inputs.len() != operands.len() {
        let names: Vec<_> = operands.iter().map(|o| o.role.name()).collect();
        return Err(Failure::new(format!("{} input files given for `{form}`", inputs.len()))
            .code(ptxcvt::Code::OperandCount)
            .help(format!(
                "give one file of elements in memory order, or one per operand: {}",
                names.join(", ")
            )));
    }
    if stream {
        let input = &inputs[0];
        check_names(choice.tensors, input)?;
        let mut converted = 0;
        let tasks: Vec<_> = input
            .arrays
            .iter()
            .map(|array| {
                let chosen = choice.tensors.is_empty() || choice.tensors.contains(&array.name);
                let fits = holds(&array.dtype, form.source().format());
                let several = input.arrays.len() > 1 || Container::of(&input.path) == Container::Safetensors;
                if chosen && (fits || !several || !choice.tensors.is_empty()) {
                    converted += 1;
                    return stream_task(choice, input, array, extra);
                }
                Ok(Task {
                    output: Output {
                        name: array.name.clone(),
                        stored: Stored::Copied(array.dtype.clone()),
                        shape: array.shape.clone(),
                        fortran: array.fortran,
                        bytes: array.bytes.len() as u64,
                    },
                    work: None,
                    copy: &input.data[array.bytes.clone()],
                })
            })
            .collect::<Result<_, _>>()?;
        if converted == 0 {
            let source = form.source().format();
            return Err(Failure::new(format!("{}: no tensor holds {source}", input.path)));
        }
        return Ok(tasks);
    }
    Ok(vec![column_task(choice, inputs, &operands, extra)?])
}

/// One array of elements in memory order.
fn stream_task<'a>(
    Choice { plan, stats, .. }: Choice<'_>,
    input: &'a Input,
    array: &Array,
    extra: ExtraOperand<'a>,
) -> Result<Task<'a>, Failure> {
    let form = plan.form();
    let (source, destination) = (form.source().format(), form.destination().format());
    check_type(input, array, source)?;
    let elements = array.elements(source);
    let Some(bytes) = plan.result_len(elements as usize) else {
        return Err(Failure::new(format!(
            "{}: {elements} elements: two {destination} elements are packed in a byte, so their number must be even",
            name_of(input, array),
        )));
    };
    let instructions = elements.div_ceil(plan.elements_per_instruction() as u64);
    check_extra(&extra, instructions)?;
    let source_bytes = plan.packed_source_bytes();
    let output = Output {
        name: array.name.clone(),
        stored: Stored::Elements(destination),
        shape: array.element_shape(source),
        fortran: array.fortran,
        bytes: bytes as u64,
    };
    let sources = vec![&input.data[array.bytes.clone()]];
    let work = Work { plan, sources, source_bytes, packed: true, extra, stats };
    Ok(Task { output, work: Some(work), copy: &[] })
}

/// One array per operand, one register per instruction.
fn column_task<'a>(
    Choice { plan, stats, .. }: Choice<'_>,
    inputs: &'a [Input],
    operands: &[Operand],
    extra: ExtraOperand<'a>,
) -> Result<Task<'a>, Failure> {
    let form = plan.form();
    let mut sources = Vec::new();
    let mut shape = None;
    for (input, operand) in inputs.iter().zip(operands) {
        let [array] = &input.arrays[..] else {
            return Err(Failure::new(format!("{}: one array per file is needed here", input.path)));
        };
        // `c` of cvt.pack is bits: integers of either sign will do.
        let format = match operand.ty {
            Some(ty) => ty.format(),
            None if holds(&array.dtype, Format::S32) => Format::S32,
            None => Format::U32,
        };
        check_type(input, array, format)?;
        let first = shape.get_or_insert_with(|| array.shape.clone());
        if *first != array.shape {
            return Err(Failure::new(format!(
                "{}: shape {:?} differs from the first operand's {first:?}",
                input.path, array.shape
            )));
        }
        sources.push(&input.data[array.bytes.clone()]);
    }
    let source_bytes = operands[0].width as usize / 8;
    let instructions = sources[0].len() / source_bytes;
    check_extra(&extra, instructions as u64)?;
    let width = form.result_width();
    let stored = if form.opcode() == Opcode::Cvt && form.lanes() == 1 {
        Stored::Elements(form.destination().format())
    } else {
        Stored::Registers(width)
    };
    let output = Output {
        name: String::new(),
        stored,
        shape: shape.unwrap_or_default(),
        fortran: inputs[0].arrays[0].fortran,
        bytes: instructions as u64 * u64::from(width / 8),
    };
    let work = Work { plan, sources, source_bytes, packed: false, extra, stats };
    Ok(Task { output, work: Some(work), copy: &[] })
}

/// A file of random bits or scales must have one for each instruction.
fn check_extra(extra: &ExtraOperand<'_>, instructions: u64) -> Result<(), Failure> {
    match extra {
        ExtraOperand::Each(data, width) if data.len() as u64 != instructions * *width as u64 => {
            Err(Failure::new(format!(
                "the file of random bits or scales holds {} bytes; {instructions} instructions need {width} each",
                data.len()
            )))
        }
        _ => Ok(()),
    }
}

fn check_type(input: &Input, array: &Array, format: Format) -> Result<(), Failure> {
    let whole = array.bytes.len() as u64 * 8 % u64::from(format.storage()) == 0;
    match (holds(&array.dtype, format), whole) {
        (true, true) => Ok(()),
        (true, false) => Err(Failure::new(format!(
            "{}: {} bytes are no whole number of {format} elements",
            name_of(input, array),
            array.bytes.len()
        ))),
        (false, _) => Err(Failure::new(format!(
            "{}: holds {}, not {format}",
            name_of(input, array),
            array.dtype
        ))
        .help(match array.dtype {
            FileType::Npy(_) => format!("{format} is stored as {}", npy::name(format)),
            FileType::Safetensors(_) => format!("{format} is stored as {}", safetensors::dtype(format)),
            FileType::Raw(_) => format!("give --dtype {format} if that is what it holds"),
        })),
    }
}

fn check_names(tensors: &[String], input: &Input) -> Result<(), Failure> {
    for name in tensors {
        if !input.arrays.iter().any(|a| a.name == *name) {
            let names: Vec<_> = input.arrays.iter().map(|a| a.name.as_str()).take(20).collect();
            return Err(Failure::new(format!("{}: no tensor `{name}`", input.path))
                .help(format!("its tensors are {}", names.join(", "))));
        }
    }
    Ok(())
}

fn holds(dtype: &FileType, format: Format) -> bool {
    match dtype {
        FileType::Npy(name) => npy::holds(name, format),
        FileType::Safetensors(dtype) => safetensors::holds(*dtype, format),
        FileType::Raw(raw) => *raw == format,
    }
}

fn name_of(input: &Input, array: &Array) -> String {
    if array.name.is_empty() {
        input.path.clone()
    } else {
        format!("{}: tensor `{}`", input.path, array.name)
    }
}

/// True of the operands that hold the numbers to convert.
fn is_data(role: Role) -> bool {
    !matches!(role, Role::Destination | Role::RandomBits | Role::ScaleFactor)
}
