//! `ptxcvt eval OPCODE OPERAND…`: one conversion, and what happened to each element.

use std::io::Write;
use std::process::ExitCode;

use ptxcvt::forms::Operand;
use ptxcvt::{Element, Explanation, Form, Outcome, literal};
use serde::Serialize;

use crate::failure::{self, Failure};
use crate::output::{self, hex, lane_names, result_hex};
use crate::style::{DIM, RESULT, STRONG};

#[derive(clap::Args)]
#[command(after_help = "\
Operands, in PTX order, the elements of {a, b, e, f} one by one, then rbits or scale-factor:
  0x3f800000                      bits
  1.5  -inf  nan                  numbers
  0f3F800000  0d3FF0000000000000  PTX's literals
  42  -7  0b101                   integers
  1.5,-448                        elements of a packed source, upper first

Examples:
  ptxcvt eval cvt.rn.satfinite.e4m3x2.f32 1.5 -448
  ptxcvt eval cvt.rs.bf16x2.f32 1.001 1.001 0xffff0000
  echo 'cvt.rn.f16.f32 3f800000' | ptxcvt eval -")]
pub struct Args {
    /// The conversion, such as cvt.rn.f16.f32; `-` for the batch form: each line of standard input is an
    /// opcode and hexadecimal operands, each line of output the result in hexadecimal or an error
    opcode: String,
    /// The source operands
    #[arg(allow_hyphen_values = true)]
    operands: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let operands: Vec<&str> = args.operands.iter().map(String::as_str).collect();
    if args.opcode == "-" {
        if !operands.is_empty() || args.json {
            return Err(Failure::new("`eval -` takes its operands from standard input, and no option"));
        }
        return crate::batch::run();
    }
    let form = failure::form(&args.opcode)?;
    let bits = read_operands(&form, &operands)?;
    let explanation = form.explain(&bits).map_err(|e| Failure::new(e.to_string()).code(e.code()))?;
    if args.json {
        output::json(&Evaluation::new(&form, &explanation))?;
    } else {
        print(&form, &explanation)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The operands as bits; a failure names the operand.
fn read_operands(form: &Form, texts: &[&str]) -> Result<Vec<u64>, Failure> {
    let wanted: Vec<Operand> = form.operands().skip(1).collect();
    if texts.len() != wanted.len() {
        let count = ptxcvt::OperandCountError::new(wanted.len(), texts.len());
        let names: Vec<_> = wanted.iter().map(|o| o.role.name()).collect();
        return Err(Failure::new(format!("`{form}`: {count}"))
            .code(count.code())
            .help(format!("give {}", names.join(", "))));
    }
    let read = |(text, operand): (&&str, &Operand)| {
        literal::parse(form, operand, text).map_err(|e| {
            Failure::new(format!("operand {} = `{text}` of `{form}`: {e}", operand.role.name()))
                .code(e.code())
        })
    };
    texts.iter().zip(&wanted).map(read).collect()
}

fn print(form: &Form, explanation: &Explanation) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    let width = form.result_width();
    writeln!(out, "{STRONG}{form}{STRONG:#}")?;
    let result = explanation.result;
    writeln!(out, "d = {RESULT}{}{RESULT:#} {DIM}({result}){DIM:#}", hex(result, width))?;
    for (lane, element) in explanation.elements().iter().enumerate() {
        let (part, operand) = lane_names(form, lane);
        writeln!(
            out,
            "  {part:<5} = {} {}  {DIM}from {operand} = {} {}{DIM:#}",
            result_hex(element),
            element.result_value(),
            hex(element.source, element.source_format.storage()),
            element.source_value(),
        )?;
        for line in account(element) {
            writeln!(out, "          {line}")?;
        }
    }
    Ok(())
}

/// What happened to an element, a sentence a step.
fn account(element: &Element) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(scale) = element.scale {
        let value = ptxcvt::Format::Ue8m0.decode(scale.into());
        lines.push(format!("scale {} = {value}", hex(scale.into(), 8)));
    }
    if element.flushed {
        lines.push("subnormal, flushed to zero".into());
    }
    if element.sign_dropped {
        lines.push(format!("sign dropped: {} is unsigned", element.result_format));
    }
    if element.relu {
        lines.push("negative, clamped to +0 by .relu".into());
    }
    if let Some(random) = element.random {
        lines.push(format!("random field {} of {} bits", hex(random.value.into(), random.bits), random.bits));
    }
    lines.push(outcome(element));
    if element.pzo {
        lines.push("-0 became +0 by .pzo".into());
    }
    lines
}

fn outcome(element: &Element) -> String {
    let format = element.result_format;
    let between = element.neighbours.map(|codes| {
        let [low, high] = codes.map(|c| format!("{} {}", hex(c, format.storage()), format.decode(c)));
        format!(", between {low} and {high}")
    });
    let between = between.unwrap_or_default();
    match element.outcome {
        Outcome::RoundedUp => format!("rounded up{between}"),
        Outcome::RoundedDown => format!("rounded down{between}"),
        Outcome::Saturated => format!("saturated to {}", element.result_value()),
        Outcome::Overflowed => format!("overflowed to {}", element.result_value()),
        Outcome::Wrapped => format!("wrapped: only the low {} bits fit", format.bits()),
        Outcome::Nan(rule) => rule.describe().into(),
        other => other.name().into(),
    }
}

/// The JSON of an evaluation.
#[derive(Serialize)]
struct Evaluation {
    opcode: Form,
    result: String,
    width: u32,
    decimal: u64,
    elements: Vec<ElementReport>,
}

#[derive(Serialize)]
struct ElementReport {
    part: &'static str,
    operand: &'static str,
    source: String,
    source_value: String,
    result: String,
    value: String,
    outcome: &'static str,
    neighbours: Option<[Neighbour; 2]>,
    flushed: bool,
    relu: bool,
    pzo: bool,
    sign_dropped: bool,
    scale: Option<String>,
    random: Option<RandomReport>,
    nan_rule: Option<&'static str>,
}

#[derive(Serialize)]
struct Neighbour {
    code: String,
    value: String,
}

#[derive(Serialize)]
struct RandomReport {
    value: String,
    bits: u32,
}

impl Evaluation {
    fn new(form: &Form, explanation: &Explanation) -> Self {
        let elements = explanation.elements().iter().enumerate();
        Evaluation {
            opcode: *form,
            result: hex(explanation.result, form.result_width()),
            width: form.result_width(),
            decimal: explanation.result,
            elements: elements.map(|(lane, e)| ElementReport::new(lane_names(form, lane), e)).collect(),
        }
    }
}

impl ElementReport {
    fn new((part, operand): (&'static str, &'static str), e: &Element) -> Self {
        let neighbour = |code| Neighbour {
            code: hex(code, e.result_format.storage()),
            value: e.result_format.decode(code).to_string(),
        };
        ElementReport {
            part,
            operand,
            source: hex(e.source, e.source_format.storage()),
            source_value: e.source_value().to_string(),
            result: result_hex(e),
            value: e.result_value().to_string(),
            outcome: e.outcome.name(),
            neighbours: e.neighbours.map(|n| n.map(neighbour)),
            flushed: e.flushed,
            relu: e.relu,
            pzo: e.pzo,
            sign_dropped: e.sign_dropped,
            scale: e.scale.map(|s| hex(s.into(), 8)),
            random: e.random.map(|r| RandomReport { value: hex(r.value.into(), r.bits), bits: r.bits }),
            nan_rule: match e.outcome {
                Outcome::Nan(rule) => Some(rule.describe()),
                _ => None,
            },
        }
    }
}
