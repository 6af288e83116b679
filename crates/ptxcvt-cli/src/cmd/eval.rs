//! `ptxcvt eval OPCODE OPERAND…`: evaluates one conversion and explains each element of the result.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use ptxcvt::forms::Operand;
use ptxcvt::literal::Reader;
use ptxcvt::{Account, Code, Emphasis, Explanation, Form};
use ptxcvt_report::eval::Evaluation;
use ptxcvt_report::reading;

use crate::failure::{self, Failure};
use crate::operand;
use crate::output::{self, clip};
use crate::style::{DIM, HELP, RESULT, STRONG};

#[derive(clap::Args)]
#[command(after_help = "\
Operands are written in PTX order, followed by rbits or scale-factor:
  0x3f800000  0b101               bits
  1.5  -inf  nan  0x1.8p3  1.5f   numbers
  0f3F800000  0d3FF0000000000000  PTX literals
  42  -7  017                     integers; a leading zero means octal, as in PTX
  +0x10  -0b101                   integers, because of their sign
  1.5,-448                        elements of a packed source, the upper one first
  1,-2  {1,2,3,4}                 several operands in one word
  2                               a scale-factor by its value; its code would be 0x80.
                                  Conversions to FP8, FP6, FP4 and s2f6 divide by it,
                                  conversions from them multiply by it

With `-`, every line of standard input is one conversion: an opcode and its operands. There, a word that consists of \
hexadecimal digits is bits: 3f800000, 10, and also 2e3, 2e3f, 017, 0b101. With a sign, 017 is octal as usual: -017 is -15, and +0x10 is 16. For a \
float, 0f3F800000 is a PTX literal. A decimal number needs a sign or a point: +2e3, 2.0e3. Every input line has one output \
line: the result in hexadecimal, an error, or an empty line for an empty line or a comment (# or //). Results are written \
before the command waits for more input.

Examples:
  ptxcvt eval cvt.rn.satfinite.e4m3x2.f32 1.5 -448
  ptxcvt eval cvt.rs.bf16x2.f32 1.001 1.001 0xffff0000
  ptxcvt eval cvt.rn.satfinite.scaled::n1::ue8m0.e4m3x2.f32 3 5 2
  echo 'cvt.rn.f16.f32 3f800000' | ptxcvt eval -")]
pub struct Args {
    /// The conversion, such as cvt.rn.f16.f32; `-` reads one per line from standard input
    opcode: String,
    /// The source operands
    #[arg(allow_hyphen_values = true)]
    operands: Vec<String>,
    /// Accept bits that are wider than the type and use the low ones, as PTX does with a wider register
    #[arg(long)]
    wide: bool,
    /// Print JSON; with `-`, a line for each line: an object, or null if it has no conversion
    #[arg(long)]
    json: bool,
    /// Draw how each element is rounded into this file; `-` is standard output
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
            return Err(Failure::new("--svg draws one conversion").with_help("give its opcode and operands"));
        }
        return crate::batch::run(crate::batch::Options { wide: args.wide, json: args.json });
    }
    let form = failure::form(&args.opcode)?;
    let operands = read_operands(&form, &operands, args.wide)?;
    let bits: Vec<u64> = operands.iter().map(|(bits, _)| *bits).collect();
    let rounded: Vec<String> = operands.into_iter().filter_map(|(_, note)| note).collect();
    let refused = |e: ptxcvt::OperandCountError| Failure::new(e.to_string()).with_code(e.code());
    if let Some(path) = &args.svg {
        rounded.iter().for_each(output::note);
        let drawn = ptxcvt_picture::svg(&form, &bits).map_err(refused)?;
        output::file(path, format!("{drawn}\n").as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let explanation = form.explain(&bits).map_err(refused)?;
    if args.json {
        output::json(&Evaluation::new(&form, &explanation, rounded))?;
    } else {
        print(&form, &explanation, &rounded)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The operands, each with a note if its value was changed; a failure names the operand.
fn read_operands(form: &Form, texts: &[&str], wide: bool) -> Result<Vec<(u64, Option<String>)>, Failure> {
    let wanted: Vec<Operand> = form.operands().skip(1).collect();
    let readers: Vec<Reader> = wanted.iter().map(|operand| Reader::operand(form, operand)).collect();
    let texts = reading::separated(&readers, texts)
        .map_err(|braces| Failure::new(braces.to_string()).with_code(Code::OperandSyntax))?;
    if texts.len() != wanted.len() {
        let count = ptxcvt::OperandCountError::new(wanted.len(), texts.len());
        let names: Vec<_> = wanted.iter().map(|o| o.role.name()).collect();
        return Err(Failure::new(format!("`{form}`: {count}"))
            .with_code(count.code())
            .with_help(format!("give {}", names.join(", "))));
    }
    let read = |(text, operand): (&&str, &Operand)| {
        let (name, shown) = (operand.role.name(), clip(text));
        let read = operand::parse(form, operand, text, wide).map_err(|e| {
            Failure::new(format!("operand {name} = `{shown}` of `{form}`: {}", e.message)).with_code(e.code)
        })?;
        let note = read.note.map(|note| format!("{name} = `{shown}` {note}"));
        Ok((read.bits, note))
    };
    texts.iter().zip(&wanted).map(read).collect()
}

fn print(form: &Form, explanation: &Explanation, rounded: &[String]) -> Result<(), Failure> {
    let mut out = output::stdout();
    writeln!(out, "{STRONG}{form}{STRONG:#}")?;
    for account in rounded {
        writeln!(out, "{HELP}note{HELP:#}: {account}")?;
    }
    let emphasise = |what, text: &str| {
        let style = if what == Emphasis::Result { RESULT } else { DIM };
        format!("{style}{text}{style:#}")
    };
    let mut account = String::new();
    Account::new(form, explanation).write(&mut account, &emphasise).expect("writing to a string cannot fail");
    writeln!(out, "{account}")?;
    Ok(())
}
