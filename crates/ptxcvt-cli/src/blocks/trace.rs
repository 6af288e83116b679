//! Traces: the bits after each instruction, of one block or of two next to each other.

use std::io::{self, Write};

use ptxcvt_exec::{Block, InputCountError, Step};

use crate::output::hex;
use crate::style::{DIM, RESULT};

/// Prints each instruction and the bits that it wrote.
pub fn print(out: &mut impl Write, block: &Block, inputs: &[u64]) -> io::Result<()> {
    let lines = lines(block, inputs).map_err(|e| io::Error::other(e.to_string()))?;
    let width = lines.iter().map(|l| l.0.chars().count()).max().unwrap_or(0);
    for (text, bits) in lines {
        writeln!(out, "  {text:<width$}  {DIM}→{DIM:#} {RESULT}{bits}{RESULT:#}")?;
    }
    Ok(())
}

/// Each instruction and the bits that it wrote.
pub fn lines(block: &Block, inputs: &[u64]) -> Result<Vec<(String, String)>, InputCountError> {
    Ok(block.trace(inputs)?.iter().map(|step| line(block, step)).collect())
}

fn line(block: &Block, step: &Step) -> (String, String) {
    let text = block.instruction_text(&block.code()[step.instruction]);
    if !step.executed {
        return (text, "not executed".into());
    }
    let bits: Vec<String> =
        step.written.iter().map(|(r, bits)| hex(*bits, block.declaration(*r).ty.width)).collect();
    (text, bits.join(" "))
}
