//! `ptxcvt eval OPCODE OPERAND…`: one conversion, and what happened to each element.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use ptxcvt::forms::Operand;
use ptxcvt::{Account, Element, Emphasis, Explanation, Form, Outcome};
use serde::Serialize;

use crate::document;
use crate::failure::{self, Failure};
use crate::operand::{self, Read};
use crate::output::{self, clip, hex};
use crate::style::{DIM, HELP, RESULT, STRONG};

#[derive(clap::Args)]
#[command(after_help = "\
Operands, in PTX order, then rbits or scale-factor:
  0x3f800000                      bits
  1.5  -inf  nan  0x1.8p3         numbers
  0f3F800000  0d3FF0000000000000  PTX's literals
  42  -7  0b101                   integers
  1.5,-448                        elements of a packed source, upper first
  1,-2  {1,2,3,4}                 several operands in one word
  2                               a scale-factor by its value; its code is written 0x80

With `-`, every line of standard input is a conversion: its opcode and operands, where digits without prefix are \
hexadecimal (3f800000), and decimals have a sign, a point or an exponent. Every line has a line of output: the result \
in hexadecimal, an error, or nothing for an empty line or a comment (# or //). What is ready is written before more is \
waited for.

Examples:
  ptxcvt eval cvt.rn.satfinite.e4m3x2.f32 1.5 -448
  ptxcvt eval cvt.rs.bf16x2.f32 1.001 1.001 0xffff0000
  ptxcvt eval cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32 3 5 2
  echo 'cvt.rn.f16.f32 3f800000' | ptxcvt eval -

Exit status: 0 evaluated, 1 with `-` some lines failed, 2 a wrong opcode, operand or command line.")]
pub struct Args {
    /// The conversion, such as cvt.rn.f16.f32; `-` reads one a line from standard input
    opcode: String,
    /// The source operands
    #[arg(allow_hyphen_values = true)]
    operands: Vec<String>,
    /// Bits may be wider than the type; the low ones are read, as PTX reads a wider register
    #[arg(long)]
    wide: bool,
    /// Print JSON; with `-`, an object a line
    #[arg(long)]
    json: bool,
    /// Draw how each element was rounded into this file; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    svg: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let operands: Vec<&str> = args.operands.iter().map(String::as_str).collect();
    if args.opcode == "-" {
        if !operands.is_empty() {
            return Err(Failure::new("`eval -` takes its operands from standard input"));
        }
        if args.svg.is_some() {
            return Err(Failure::new("--svg draws one conversion").help("give its opcode and operands"));
        }
        return crate::batch::run(crate::batch::Options { wide: args.wide, json: args.json });
    }
    let form = failure::form(&args.opcode)?;
    let operands = read_operands(&form, &operands, args.wide)?;
    let bits: Vec<u64> = operands.iter().map(|(read, _)| read.bits).collect();
    let rounded: Vec<String> =
        operands.into_iter().filter(|(read, _)| read.rounded).map(|(_, account)| account).collect();
    let explanation = form.explain(&bits).map_err(|e| Failure::new(e.to_string()).code(e.code()))?;
    if let Some(path) = &args.svg {
        return document::write(path, &ptxcvt_picture::svg(&form, &explanation));
    }
    if args.json {
        output::json(&Evaluation::new(&form, &explanation, rounded))?;
    } else {
        print(&form, &explanation, &rounded)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The operands, each with what is to be said of it if it was rounded; a failure names the operand.
fn read_operands(form: &Form, texts: &[&str], wide: bool) -> Result<Vec<(Read, String)>, Failure> {
    let wanted: Vec<Operand> = form.operands().skip(1).collect();
    let texts = separated(&wanted, texts);
    if texts.len() != wanted.len() {
        let count = ptxcvt::OperandCountError::new(wanted.len(), texts.len());
        let names: Vec<_> = wanted.iter().map(|o| o.role.name()).collect();
        return Err(Failure::new(format!("`{form}`: {count}"))
            .code(count.code())
            .help(format!("give {}", names.join(", "))));
    }
    let read = |(text, operand): (&&str, &Operand)| {
        let (name, shown) = (operand.role.name(), clip(text));
        let read = operand::parse(form, operand, text, wide).map_err(|e| {
            Failure::new(format!("operand {name} = `{shown}` of `{form}`: {}", e.message)).code(e.code)
        })?;
        let ty = operand.ty.map_or(String::new(), |ty| format!(" of `.{ty}`"));
        Ok((read, format!("{name} = `{shown}` is not a value{ty}, and was rounded when it was read")))
    };
    texts.iter().zip(&wanted).map(read).collect()
}

/// One text an operand: `{1,2,3,4}`, and `1,-2` where single elements are wanted, are several.
fn separated<'t>(wanted: &[Operand], texts: &[&'t str]) -> Vec<&'t str> {
    let mut separate: Vec<&str> = Vec::new();
    for text in texts {
        let inner = text.trim().trim_start_matches('{').trim_end_matches(['}', ',']);
        let packed = wanted.get(separate.len()).is_some_and(|o| o.ty.is_none_or(|ty| ty.lanes() > 1));
        if packed {
            separate.push(inner);
        } else {
            separate.extend(inner.split(',').map(str::trim).filter(|piece| !piece.is_empty()));
        }
    }
    separate
}

fn print(form: &Form, explanation: &Explanation, rounded: &[String]) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "{STRONG}{form}{STRONG:#}")?;
    for account in rounded {
        writeln!(out, "{HELP}note{HELP:#}: {account}")?;
    }
    let emphasise = |what, text: &str| {
        let style = if what == Emphasis::Result { RESULT } else { DIM };
        format!("{style}{text}{style:#}")
    };
    let mut account = String::new();
    // A string takes everything.
    let _ = Account::new(form, explanation).write(&mut account, &emphasise);
    writeln!(out, "{account}")?;
    Ok(())
}

/// The JSON of an evaluation.
#[derive(Serialize)]
struct Evaluation {
    opcode: Form,
    result: String,
    width: u32,
    decimal: u64,
    elements: Vec<ElementReport>,
    /// What numbers were read as that the operand's type does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
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
    fn new(form: &Form, explanation: &Explanation, notes: Vec<String>) -> Self {
        let elements = explanation.elements().iter().enumerate();
        Evaluation {
            opcode: *form,
            result: hex(explanation.result, form.result_width()),
            width: form.result_width(),
            decimal: explanation.result,
            elements: elements.map(|(lane, e)| ElementReport::new(form.element_names(lane), e)).collect(),
            notes,
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
            result: e.result_hex(),
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
