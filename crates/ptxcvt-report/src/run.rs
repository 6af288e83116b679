//! A straight-line block run over operands: its inputs, its outputs, and what each instruction wrote.

use ptxcvt::literal::LiteralError;
use ptxcvt_exec::{Block, Port, Step};
use serde::Serialize;

use crate::{Bits, reading};

/// Reads the text of an input: its bits, and how the number was changed, if it was, as the end of a sentence about the text.
///
/// # Errors
///
/// Fails if the text is not a number for this input, or does not fit.
pub fn read_input(block: &Block, port: Port, text: &str) -> Result<(u64, Option<String>), LiteralError> {
    let reader = block.reader(port);
    let text = reading::single(&reader, text);
    let read = reader.read(text)?;
    let ty = port.meaning.map(|meaning| (meaning.format, meaning.to_string()));
    Ok((read.bits, reading::note(ty, text, &read)))
}

/// An input or output of a block with its bits.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PortReport {
    /// The register or placeholder.
    pub name: String,
    /// The type of the number, or else of the register: `.f16x2`, `.b32`.
    pub kind: String,
    /// The width in bits.
    pub width: u32,
    /// The bits.
    pub bits: Bits,
    /// The number, if the port has a number type.
    pub value: Option<String>,
}

impl PortReport {
    /// Reports a port of `block` that holds `bits`.
    pub fn new(block: &Block, port: &Port, bits: u64) -> PortReport {
        let declaration = block.declaration(port.register);
        let width = block.width(*port);
        PortReport {
            name: declaration.name.clone(),
            kind: block.kind(*port),
            width,
            bits: Bits::new(bits, width),
            value: port.meaning.map(|meaning| meaning.show(bits)),
        }
    }
}

/// One instruction of a run.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct StepReport {
    /// The first byte of the instruction in the text.
    pub start: u32,
    /// The byte after the instruction.
    pub end: u32,
    /// The instruction.
    pub text: String,
    /// `false` if the guard was false.
    pub executed: bool,
    /// The registers that the instruction wrote.
    pub written: Vec<Written>,
}

/// A register and its new bits.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Written {
    /// The register.
    pub name: String,
    /// Its bits.
    pub bits: Bits,
}

impl StepReport {
    /// Reports one step of a trace of `block`.
    pub fn new(block: &Block, step: &Step) -> StepReport {
        let instruction = &block.code()[step.instruction];
        let written = step.written.iter().map(|(register, bits)| {
            let declaration = block.declaration(*register);
            Written { name: declaration.name.clone(), bits: Bits::new(*bits, declaration.ty.width) }
        });
        StepReport {
            start: instruction.span.start,
            end: instruction.span.end,
            text: block.instruction_text(instruction),
            executed: step.executed,
            written: written.collect(),
        }
    }
}
