//! A block of PTX, run over operands.

use ptxcvt_exec::read::{self, Interface};
use ptxcvt_report::run::{PortReport, StepReport, read_input};
use serde::Serialize;

/// The result of a run.
#[derive(Serialize)]
pub struct Answer {
    error: Option<Fault>,
    inputs: Vec<InputReport>,
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

/// An input with the reason why its text could not be read.
#[derive(Serialize)]
struct InputReport {
    #[serde(flatten)]
    port: PortReport,
    /// How the number was changed: the end of a sentence about the text.
    note: Option<String>,
    error: Option<String>,
}

/// Runs `text` over `operands`; missing ones are zeros.
pub fn answer(text: &str, operands: &[Option<String>]) -> Answer {
    let mut answer =
        Answer { error: None, inputs: vec![], outputs: vec![], steps: vec![], approximate: false };
    let block = match read::block(text, &Interface { approximate: true, ..Interface::default() }) {
        Ok(block) => block,
        Err(e) => {
            answer.error = {
                let help = e.help().map(str::to_owned);
                Some(Fault { message: e.message, help, start: e.span.start, end: e.span.end })
            };
            return answer;
        }
    };
    answer.approximate = block.is_approximate();
    let mut bits = Vec::new();
    let texts = operands.iter().map(Option::as_deref).chain(std::iter::repeat(None));
    for (port, text) in block.inputs().iter().zip(texts) {
        let text = text.unwrap_or("0x0");
        let (value, note, error) = match read_input(&block, *port, text) {
            Ok((bits, note)) => (bits, note, None),
            // The error replaces the bits: the page shows no value, and nothing is run.
            Err(error) => (0, None, Some(error.to_string())),
        };
        answer.inputs.push(InputReport { port: PortReport::new(&block, port, value), note, error });
        bits.push(value);
    }
    if answer.inputs.iter().any(|input| input.error.is_some()) {
        return answer;
    }
    let results = block.eval(&bits).expect("one for each input");
    let steps = block.trace(&bits).expect("one for each input");
    let outputs = block.outputs().iter().zip(results);
    answer.outputs = outputs.map(|(port, bits)| PortReport::new(&block, port, bits)).collect();
    answer.steps = steps.iter().map(|step| StepReport::new(&block, step)).collect();
    answer
}
