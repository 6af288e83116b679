//! Blocks over `.npy` arrays: one file for each input and each output, all with the same shape.

use std::path::Path;
use std::process::ExitCode;

use ptxcvt::Format;
use ptxcvt_exec::lanes::{LANES, Program};
use ptxcvt_exec::{Block, InputCountError, Port};
use ptxcvt_files::array::{Array, Container, FileType, Output, Stored};
use ptxcvt_files::inputs::refuse_replacing_any;
use ptxcvt_files::{Source, Writer, is_stream, npy, refuse_sharing};

use crate::failure::Failure;

/// The number of elements that are processed at a time, so that results need little memory.
const CHUNK: usize = 1 << 16;

/// An open array.
struct Input {
    source: Source,
    array: Array,
    bytes: usize,
}

pub fn run(block: &Block, inputs: &[String], outputs: &[String]) -> Result<ExitCode, Failure> {
    if inputs.len() != block.inputs().len() {
        let count = InputCountError::new(block.inputs().len(), inputs.len());
        return Err(Failure::new(count.to_string()).with_help("give a .npy file for each input"));
    }
    if outputs.len() != block.outputs().len() {
        let (wanted, given) = (block.outputs().len(), outputs.len());
        return Err(Failure::new(format!("-o FILE is required once for each output: {wanted}, not {given}")));
    }
    outputs.iter().try_for_each(|path| is_npy(path))?;
    let opened = inputs.iter().zip(block.inputs()).map(|(path, port)| open(path, block, *port));
    let opened: Vec<Input> = opened.collect::<Result<_, _>>()?;
    let first = &opened[0].array;
    let count = first.len.expect("the header of a .npy file gives its length") as usize / opened[0].bytes;
    for (input, path) in opened.iter().zip(inputs).skip(1) {
        if input.array.shape != first.shape || input.array.fortran != first.fortran {
            return Err(Failure::new(format!(
                "{path}: shape {:?} where {} has {:?}; all inputs need the same shape and order",
                input.array.shape, inputs[0], first.shape
            )));
        }
    }
    // Before the first output is begun, which may be a stream.
    outputs.iter().try_for_each(refuse_replacing_any)?;
    refuse_sharing(outputs)?;
    let mut sinks = Vec::new();
    for (path, port) in outputs.iter().zip(block.outputs()) {
        let stored = stored(block, *port);
        let bytes = Some(count as u64 * u64::from(block.width(*port).div_ceil(8)));
        let output = Output { name: None, stored, shape: first.shape.clone(), fortran: first.fortran, bytes };
        let header = match Container::of(path) {
            Some(Container::Npy) => npy::header(&output)?,
            Some(Container::Safetensors) => {
                return Err(Failure::new(format!("{path}: .safetensors output is not supported"))
                    .with_help("name it .npy, or otherwise for raw elements"));
            }
            // A stream has the format of the inputs.
            _ if is_stream(path) => npy::header(&output)?,
            _ => Vec::new(),
        };
        let mut sink = Writer::create(path)?;
        sink.write(&header)?;
        sinks.push(sink);
    }
    let widths: Vec<usize> = block.outputs().iter().map(|p| block.width(*p).div_ceil(8) as usize).collect();
    let program = Program::new(block);
    let mut runner = program.runner();
    let mut columns: Vec<Vec<u8>> = opened.iter().map(|input| vec![0; CHUNK * input.bytes]).collect();
    let mut results: Vec<Vec<u8>> = widths.iter().map(|_| Vec::new()).collect();
    for start in (0..count).step_by(CHUNK) {
        let read = CHUNK.min(count - start);
        for (input, column) in opened.iter().zip(&mut columns) {
            let at = input.array.start + (start * input.bytes) as u64;
            let column = &mut column[..read * input.bytes];
            input.source.read_exact(at, column)?;
            if input.array.big_endian {
                column.chunks_exact_mut(input.bytes).for_each(<[u8]>::reverse);
            }
        }
        results.iter_mut().for_each(Vec::clear);
        for from in (0..read).step_by(LANES) {
            let lanes = LANES.min(read - from);
            for (n, (input, column)) in opened.iter().zip(&columns).enumerate() {
                let bytes = &column[from * input.bytes..(from + lanes) * input.bytes];
                runner.input(n)[..bytes.len()].copy_from_slice(bytes);
            }
            runner.run();
            for (n, (result, width)) in results.iter_mut().zip(&widths).enumerate() {
                result.extend_from_slice(&runner.output(n)[..lanes * width]);
            }
        }
        for (sink, bytes) in sinks.iter_mut().zip(&results) {
            sink.write(bytes)?;
        }
    }
    sinks.into_iter().try_for_each(Writer::finish)?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses a name with another extension than `.npy`; a device or pipe has none.
fn is_npy(path: &str) -> Result<(), Failure> {
    match Path::new(path).extension() {
        None => Ok(()),
        Some(ending) if ending == "npy" => Ok(()),
        Some(ending) => {
            let ending = ending.to_string_lossy();
            Err(Failure::new(format!("-o {path}: `run` writes .npy files, not .{ending}"))
                .with_help(format!("write -o {}", Path::new(path).with_extension("npy").display())))
        }
    }
}

/// Opens a file and compares its type with the input's.
fn open(path: &str, block: &Block, port: Port) -> Result<Input, Failure> {
    if !path.ends_with(".npy") {
        return Err(Failure::new(format!("{path}: arrays and single operands do not mix; give .npy files")));
    }
    let source = Source::open(path)?;
    let array = npy::read(&source)?;
    let bytes = block.width(port).div_ceil(8) as usize;
    let FileType::Npy(dtype) = &array.dtype else {
        return Err(Failure::new(format!("{path}: no .npy type")));
    };
    let name = &block.declaration(port.register).name;
    let single = port.meaning.filter(|m| m.lanes == 1);
    // Any type of the width can store bits. A number needs its own type, or integers or opaque bytes.
    let fits = npy::width(dtype) == Some(8 * bytes as u32)
        && single.is_none_or(|m| m.format.is_integer() || npy::holds(dtype, m.format));
    if !fits {
        let wanted = block.kind(port);
        return Err(Failure::new(format!("{path}: holds {dtype}, but the input {name} is {wanted}"))
            .with_help(format!("give elements of {}", ptxcvt::counted(bytes, "byte"))));
    }
    Ok(Input { source, array, bytes })
}

/// NumPy's type of an output: its own number type if NumPy has it, otherwise unsigned integers of the width.
fn stored(block: &Block, port: Port) -> Stored {
    match port.meaning {
        Some(m) if m.lanes == 1 && matches!(m.format, Format::F16 | Format::F32 | Format::F64) => {
            Stored::Elements { format: m.format, spread: false }
        }
        Some(m) if m.lanes == 1 && m.format.is_integer() && m.format.storage() >= 8 => {
            Stored::Elements { format: m.format, spread: false }
        }
        _ => Stored::Registers(block.width(port)),
    }
}
