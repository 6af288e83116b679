//! A block of PTX, run over operands.

use ptxcvt_exec::read::{self, Interface};
use ptxcvt_exec::{Block, Port};
use serde::Serialize;

/// What a run came to.
#[derive(Serialize)]
pub struct Answer {
    error: Option<Fault>,
    inputs: Vec<PortReport>,
    outputs: Vec<PortReport>,
    steps: Vec<StepReport>,
    approximate: bool,
}

#[derive(Serialize)]
struct Fault {
    message: String,
    help: Option<String>,
    start: u32,
    end: u32,
}

#[derive(Serialize)]
struct PortReport {
    name: String,
    kind: String,
    width: u32,
    bits: String,
    value: Option<String>,
    error: Option<String>,
}

#[derive(Serialize)]
struct StepReport {
    start: u32,
    end: u32,
    text: String,
    executed: bool,
    written: Vec<Written>,
}

#[derive(Serialize)]
struct Written {
    name: String,
    bits: String,
}

/// Runs `text` over `operands`, one a line; where there are too few of them, zeros stand in.
pub fn answer(text: &str, operands: &str) -> Answer {
    let mut answer =
        Answer { error: None, inputs: vec![], outputs: vec![], steps: vec![], approximate: false };
    let block = match read::block(text, &Interface { approximate: true, ..Interface::default() }) {
        Ok(block) => block,
        Err(e) => {
            answer.error =
                Some(Fault { message: e.message, help: e.help, start: e.span.start, end: e.span.end });
            return answer;
        }
    };
    answer.approximate = block.is_approximate();
    let mut bits = Vec::new();
    let texts = operands.split('\n').map(str::trim).chain(std::iter::repeat(""));
    for (port, text) in block.inputs().iter().zip(texts) {
        let text = if text.is_empty() { "0x0" } else { text };
        let read = match port.meaning {
            Some(meaning) => meaning.read(text),
            None => ptxcvt::literal::integer_of_width(text, block.width(*port)),
        };
        let value = *read.as_ref().unwrap_or(&0);
        let mut report = PortReport::new(&block, port, value);
        report.error = read.err().map(|e| e.to_string());
        answer.inputs.push(report);
        bits.push(value);
    }
    let (Ok(results), Ok(steps)) = (block.eval(&bits), block.trace(&bits)) else { return answer };
    let outputs = block.outputs().iter().zip(results);
    answer.outputs = outputs.map(|(port, bits)| PortReport::new(&block, port, bits)).collect();
    answer.steps = steps
        .iter()
        .map(|step| {
            let instruction = &block.code()[step.instruction];
            let written = step.written.iter().map(|(register, bits)| {
                let declaration = block.declaration(*register);
                Written {
                    name: declaration.name.clone(),
                    bits: ptxcvt::literal::hex(*bits, declaration.ty.width),
                }
            });
            StepReport {
                start: instruction.span.start,
                end: instruction.span.end,
                text: block.instruction_text(instruction),
                executed: step.executed,
                written: written.collect(),
            }
        })
        .collect();
    answer
}

impl PortReport {
    fn new(block: &Block, port: &Port, bits: u64) -> PortReport {
        let declaration = block.declaration(port.register);
        PortReport {
            name: declaration.name.clone(),
            kind: port.meaning.map_or_else(|| declaration.ty.to_string(), |m| m.to_string()),
            width: block.width(*port),
            bits: ptxcvt::literal::hex(bits, block.width(*port)),
            value: port.meaning.map(|meaning| meaning.show(bits)),
            error: None,
        }
    }
}
