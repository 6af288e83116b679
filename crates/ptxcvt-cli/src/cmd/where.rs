//! `ptxcvt where OPCODE`: which targets and versions accept it, or why none does.

use std::io::Write;
use std::process::ExitCode;

use ptxcvt::{Code, Form, IsaVersion, Spelling, Target};
use serde::Serialize;

use super::forms::by_version;
use crate::args::Machine;
use crate::failure::{self, FINDINGS, Failure};
use crate::output;
use crate::style::{DIM, ERROR, HELP, STRONG};

#[derive(clap::Args)]
pub struct Args {
    /// The conversion, such as cvt.rn.satfinite.e2m1x2.f32
    opcode: String,
    #[command(flatten)]
    machine: Machine,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is said of an opcode, in text and in JSON.
#[derive(Serialize)]
struct Answer {
    opcode: String,
    /// Legal on the target and version asked for, or on any.
    legal: bool,
    /// From which version on, by target.
    since: Vec<Since>,
    problems: Vec<Problem>,
    nearest: Vec<Form>,
}

#[derive(Serialize)]
struct Since {
    isa: IsaVersion,
    targets: Vec<Target>,
}

#[derive(Serialize)]
struct Problem {
    code: &'static str,
    message: String,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let spelling = Spelling::new(&args.opcode);
    if spelling.opcode().is_none() {
        return Err(failure::form(&args.opcode).err().unwrap_or_else(|| Failure::new("no conversion")));
    }
    let answer = answer(&spelling, args.machine);
    if args.json {
        output::json(&answer)?;
    } else {
        print(&answer)?;
    }
    Ok(if answer.legal { ExitCode::SUCCESS } else { FINDINGS })
}

fn answer(spelling: &Spelling<'_>, machine: Machine) -> Answer {
    let form = spelling.form();
    let mut problems: Vec<_> = spelling
        .problems()
        .iter()
        .map(|p| Problem { code: p.code().as_str(), message: spelling.describe(p).to_string() })
        .collect();
    problems.extend(form.and_then(|f| machine_problem(&f, machine)));
    let legal = problems.is_empty();
    Answer {
        opcode: form.map_or(spelling.text().to_owned(), |f| f.to_string()),
        legal,
        since: form
            .map(|f| by_version(&f))
            .into_iter()
            .flatten()
            .map(|(isa, targets)| Since { isa, targets })
            .collect(),
        problems,
        nearest: if legal { Vec::new() } else { nearest(spelling, machine) },
    }
}

/// Why `form` is not legal on the machine asked for.
fn machine_problem(form: &Form, machine: Machine) -> Option<Problem> {
    let problem = |code: Code, message| Some(Problem { code: code.as_str(), message });
    match (machine.target, machine.isa) {
        (Some(target), isa) => match (form.since(target), isa) {
            (None, _) => problem(Code::Target, format!("{target} does not have this form")),
            (Some(_), Some(isa)) if !target.exists_in(isa) => {
                problem(Code::Version, format!("ISA {isa} does not know the target {target}"))
            }
            (Some(since), Some(isa)) if isa < since => {
                problem(Code::Version, format!("{target} has this form from ISA {since} on, not at {isa}"))
            }
            _ => None,
        },
        (None, Some(isa)) if !Target::all().any(|t| form.is_legal(t, isa)) => {
            problem(Code::Version, format!("no target has this form at ISA {isa}"))
        }
        _ => None,
    }
}

/// The legal forms nearest to what was written, the three best.
fn nearest(spelling: &Spelling<'_>, machine: Machine) -> Vec<Form> {
    let legal = |f: &Form| match (machine.target, machine.isa) {
        (None, None) => true,
        (Some(t), isa) => f.since(t).is_some_and(|since| isa.is_none_or(|isa| since <= isa)),
        (None, Some(isa)) => Target::all().any(|t| f.is_legal(t, isa)),
    };
    spelling.nearest_few::<3>(legal).collect()
}

fn print(answer: &Answer) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "{STRONG}{}{STRONG:#}", answer.opcode)?;
    for problem in &answer.problems {
        writeln!(out, "{ERROR}illegal[{}]{ERROR:#}: {}", problem.code, problem.message)?;
    }
    let everywhere = answer.since.iter().map(|s| s.targets.len()).sum::<usize>() == Target::all().len();
    if everywhere {
        writeln!(out, "  every target, from its first ISA version on")?;
    } else {
        for since in &answer.since {
            let targets: Vec<_> = since.targets.iter().map(Target::to_string).collect();
            writeln!(out, "  {DIM}from ISA{DIM:#} {:<4} {}", since.isa.to_string(), targets.join(" "))?;
        }
    }
    for form in &answer.nearest {
        writeln!(out, "{HELP}near{HELP:#}: {form}")?;
    }
    Ok(())
}
