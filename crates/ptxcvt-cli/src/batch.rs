//! `ptxcvt eval -`: one line in, one line out, in order, never stopping at a bad line.

use std::collections::HashMap;
use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

use ptxcvt::forms::Operand;
use ptxcvt::inputs::MAX_OPERANDS;
use ptxcvt::{Code, Form, OperandCountError, literal};

use crate::failure::{self, FINDINGS, Failure};
use crate::output::bare_hex;

/// A form and its source operands, looked up once an opcode.
struct Known {
    form: Form,
    operands: Vec<Operand>,
}

/// What is wrong with a line.
#[derive(Clone)]
struct BadLine {
    code: Code,
    message: String,
}

/// Opcodes that were seen, legal or not.
type Opcodes = HashMap<String, Result<Known, BadLine>>;

/// So many are remembered: more than there are legal ones, and few enough for any stream of rubbish.
const REMEMBERED: usize = 4096;

pub fn run() -> Result<ExitCode, Failure> {
    let mut input = io::stdin().lock();
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut known = HashMap::new();
    let mut line = Vec::new();
    let mut failed = false;
    while {
        line.clear();
        input.read_until(b'\n', &mut line)?
    } > 0
    {
        match evaluate(&mut known, &String::from_utf8_lossy(&line)) {
            Ok((result, width)) => writeln!(out, "{}", bare_hex(result, width))?,
            Err(bad) => {
                failed = true;
                writeln!(out, "error[{}]: {}", bad.code, bad.message)?;
            }
        }
    }
    out.flush()?;
    Ok(if failed { FINDINGS } else { ExitCode::SUCCESS })
}

/// Evaluates a line: the result and its width.
fn evaluate(known: &mut Opcodes, line: &str) -> Result<(u64, u32), BadLine> {
    let mut words = line.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty());
    let opcode = words.next().ok_or_else(|| BadLine {
        code: Code::NotConversion,
        message: "the line is empty; an opcode and its operands are needed".into(),
    })?;
    if !known.contains_key(opcode) {
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(opcode.to_owned(), look_up(opcode));
    }
    let Known { form, operands } = known[opcode].as_ref().map_err(Clone::clone)?;
    let mut bits = [0; MAX_OPERANDS];
    let mut given = 0;
    for word in words {
        if let (Some(slot), Some(operand)) = (bits.get_mut(given), operands.get(given)) {
            let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")).unwrap_or(word);
            *slot = literal::bits(form, operand, digits).map_err(|e| BadLine {
                code: e.code(),
                message: match e {
                    literal::LiteralError::TooWide { .. } => {
                        format!("operand {} = `{word}` of `{form}`: {e}", operand.role.name())
                    }
                    _ => format!("operand {} = `{word}` of `{form}`: not hexadecimal", operand.role.name()),
                },
            })?;
        }
        given += 1;
    }
    let count = |e: OperandCountError| BadLine { code: e.code(), message: format!("`{form}`: {e}") };
    let used = bits.get(..given).ok_or(OperandCountError::new(operands.len(), given)).map_err(count)?;
    form.eval(used).map(|d| (d, form.result_width())).map_err(count)
}

fn look_up(opcode: &str) -> Result<Known, BadLine> {
    let form = failure::form(opcode).map_err(|failure| {
        let (code, message) = failure.into_line();
        BadLine { code: code.unwrap_or(Code::NotConversion), message }
    })?;
    Ok(Known { form, operands: form.operands().skip(1).collect() })
}
