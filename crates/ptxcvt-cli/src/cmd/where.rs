//! `ptxcvt where OPCODE`: the targets and versions that accept it, or the reasons why none does.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use ptxcvt::targets::Machine;
use ptxcvt::{Form, Spelling};
use ptxcvt_report::place::{Emphasis, Where};

use crate::args::{ANY_VERSION, MachineArgs, isa_default};
use crate::failure::{self, FINDINGS, Failure};
use crate::output;
use crate::page;
use crate::style::{DIM, ERROR, HELP, STRONG};

#[derive(clap::Args)]
#[command(mut_arg("isa", isa_default(ANY_VERSION)))]
#[command(after_help = "\
With --target or --isa the first line answers for that machine; the targets that accept the form follow. An opcode that \
is not legal is a finding.

Examples:
  ptxcvt where cvt.rn.satfinite.e2m1x2.f32
  ptxcvt where cvt.rn.satfinite.e4m3x2.f32 --target sm_89")]
pub struct Args {
    /// The conversion, such as cvt.rn.satfinite.e2m1x2.f32
    opcode: String,
    #[command(flatten)]
    machine: MachineArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw the forms of these types and the targets that accept them into this file; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    svg: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let opcode = args.opcode.trim_ascii();
    if let Some((first, _)) = opcode.split_once(char::is_whitespace) {
        let message = format!("`{}` is more than an opcode", output::clip(opcode));
        return Err(
            Failure::new(message).with_help(format!("leave out the operands: `{}`", output::clip(first)))
        );
    }
    let spelling = Spelling::new(opcode);
    // A misspelt name is a mistake in an opcode like others.
    if spelling.opcode().is_none() && spelling.corrected().is_none() {
        return Err(failure::form(opcode).expect_err("every form has an opcode of cvt"));
    }
    if let Some(path) = &args.svg {
        output::file(
            path,
            format!(
                "{}\n",
                ptxcvt_picture::legality_svg_with(
                    &same_types(&spelling)?,
                    spelling.form().as_ref(),
                    args.machine.target
                )
            )
            .as_bytes(),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let answer = Where::new(&spelling, Machine::new(args.machine.target, args.machine.isa));
    if args.json {
        output::json(&answer)?;
    } else {
        print(&answer)?;
    }
    Ok(if answer.legal { ExitCode::SUCCESS } else { FINDINGS })
}

/// The forms with the types of this spelling, or with those of the nearest form.
fn same_types(spelling: &Spelling<'_>) -> Result<Vec<Form>, Failure> {
    let meant = spelling.form().or_else(|| spelling.nearest(|_| true));
    let meant = meant.ok_or_else(|| Failure::new(format!("`{}`: no form is near", spelling.text())))?;
    let types = |form: &Form| (form.opcode(), form.destination(), form.source());
    Ok(Form::all().filter(|form| types(form) == types(&meant)).collect())
}

fn print(answer: &Where) -> Result<(), Failure> {
    let emphasise = |emphasis, piece: &str| {
        let style = match emphasis {
            Emphasis::Opcode => STRONG,
            Emphasis::Problem => ERROR,
            Emphasis::Help => HELP,
            _ => DIM,
        };
        format!("{style}{piece}{style:#}")
    };
    let mut text = String::new();
    answer.write(&mut text, page::width(), &emphasise).expect("writing to a string cannot fail");
    write!(output::stdout(), "{text}")?;
    Ok(())
}
