//! `ptxcvt where OPCODE`: which targets and versions accept it, or why none does.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use ptxcvt::targets::Machine;
use ptxcvt::{Code, Form, IsaVersion, Spelling, Target};
use ptxcvt_syntax::by_version;
use serde::Serialize;

use crate::args::MachineArgs;
use crate::document;
use crate::failure::{self, FINDINGS, Failure};
use crate::output;
use crate::style::{DIM, ERROR, HELP, STRONG};

#[derive(clap::Args)]
#[command(after_help = "\
With --target or --isa the first line answers for them; the targets that take the form follow.

Examples:
  ptxcvt where cvt.rn.satfinite.e2m1x2.f32
  ptxcvt where cvt.rn.satfinite.e4m3x2.f32 --target sm_89

Exit status: 0 legal there, 1 not legal, 2 not an opcode of cvt, or a wrong command line.")]
pub struct Args {
    /// The conversion, such as cvt.rn.satfinite.e2m1x2.f32
    opcode: String,
    #[command(flatten)]
    machine: MachineArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw the forms of the same types and the targets that take them into this file; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    svg: Option<PathBuf>,
}

/// What is said of an opcode, in text and in JSON.
#[derive(Serialize)]
struct Answer {
    opcode: String,
    /// What the first line says of the target and version asked for.
    #[serde(skip)]
    verdict: Option<String>,
    /// Legal on the target and version asked for, or on any.
    legal: bool,
    /// From which version on, by target.
    since: Vec<Since>,
    /// Known from the manual only.
    announced: bool,
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
    /// Said to people; those who read JSON have `nearest`.
    #[serde(skip)]
    help: Option<String>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let spelling = Spelling::new(&args.opcode);
    if spelling.opcode().is_none() {
        return Err(failure::form(&args.opcode).err().unwrap_or_else(|| Failure::new("no conversion")));
    }
    if let Some(path) = &args.svg {
        return document::write(path, &ptxcvt_picture::legality_svg(&same_types(&spelling)?));
    }
    let answer = answer(&spelling, args.machine);
    if args.json {
        output::json(&answer)?;
    } else {
        print(&answer)?;
    }
    Ok(if answer.legal { ExitCode::SUCCESS } else { FINDINGS })
}

/// The forms of the types of what was written, or of what was probably meant.
fn same_types(spelling: &Spelling<'_>) -> Result<Vec<Form>, Failure> {
    let meant = spelling.form().or_else(|| spelling.nearest(|_| true));
    let meant = meant.ok_or_else(|| Failure::new(format!("`{}`: no form is near", spelling.text())))?;
    let types = |form: &Form| (form.opcode(), form.destination(), form.source());
    Ok(Form::all().filter(|form| types(form) == types(&meant)).collect())
}

fn answer(spelling: &Spelling<'_>, machine: MachineArgs) -> Answer {
    let form = spelling.form();
    let asked = Machine::new(machine.target, machine.isa);
    let mut problems: Vec<_> = spelling
        .advice(asked)
        .iter()
        .map(|advice| Problem {
            code: advice.code().as_str(),
            message: advice.message().to_owned(),
            help: advice.help().map(str::to_owned),
        })
        .collect();
    problems.extend(unknown_target(machine));
    let legal = problems.is_empty();
    Answer {
        opcode: form.map_or(spelling.text().to_owned(), |f| f.to_string()),
        verdict: verdict(form.as_ref(), machine, legal),
        legal,
        since: form
            .map(|f| by_version(&f))
            .into_iter()
            .flatten()
            .map(|(isa, targets)| Since { isa, targets })
            .collect(),
        announced: form.is_some_and(|form| form.is_announced()),
        problems,
        nearest: if legal { Vec::new() } else { nearest(spelling, machine) },
    }
}

/// The answer for the target and version asked for.
fn verdict(form: Option<&Form>, machine: MachineArgs, legal: bool) -> Option<String> {
    let place = match (machine.target, machine.isa) {
        (None, None) => return None,
        (Some(target), None) => format!("on {target}"),
        (Some(target), Some(isa)) => format!("on {target} at ISA {isa}"),
        (None, Some(isa)) => format!("at ISA {isa}"),
    };
    let since = form.and_then(|form| form.since(machine.target?));
    Some(match (legal, since) {
        (true, Some(since)) if machine.isa.is_none() => format!("legal {place} from ISA {since} on"),
        (true, _) => format!("legal {place}"),
        (false, _) => format!("not legal {place}"),
    })
}

/// Why no form at all is legal on the machine asked for.
fn unknown_target(machine: MachineArgs) -> Option<Problem> {
    let (target, isa) = (machine.target?, machine.isa?);
    (!target.exists_in(isa)).then(|| Problem {
        code: Code::Version.as_str(),
        message: format!("PTX ISA {isa} does not know the target {target}"),
        help: None,
    })
}

/// The legal forms nearest to what was written, the three best.
fn nearest(spelling: &Spelling<'_>, machine: MachineArgs) -> Vec<Form> {
    let asked = Machine::new(machine.target, machine.isa);
    // Where the version does not know the target, nothing is legal.
    let nothing = unknown_target(machine).is_some();
    spelling.nearest_few::<3>(|form| !nothing && asked.takes(form)).collect()
}

fn print(answer: &Answer) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match &answer.verdict {
        Some(verdict) => writeln!(out, "{STRONG}{}{STRONG:#}: {verdict}", answer.opcode)?,
        None => writeln!(out, "{STRONG}{}{STRONG:#}", answer.opcode)?,
    }
    for problem in &answer.problems {
        writeln!(out, "{ERROR}illegal[{}]{ERROR:#}: {}", problem.code, problem.message)?;
    }
    let mut help: Vec<&str> = answer.problems.iter().filter_map(|p| p.help.as_deref()).collect();
    help.dedup();
    for help in help {
        writeln!(out, "{HELP}help{HELP:#}: {help}")?;
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
    if answer.announced {
        writeln!(out, "  announced: in the manual, but no assembler takes it yet")?;
    }
    // Between types that nothing converts the nearest form converts others, which is no advice.
    let pair = answer.problems.iter().all(|p| p.code != Code::TypePair.as_str());
    for form in answer.nearest.iter().filter(|_| pair) {
        writeln!(out, "{HELP}near{HELP:#}: {form}")?;
    }
    Ok(())
}
