//! `ptxcvt forms`: the legal forms, filtered.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use ptxcvt::{Form, IsaVersion, Modifier, Opcode, Rounding, Target, Type, UnknownName};
use ptxcvt_report::forms::{Filter, FormReport, since};
use ptxcvt_report::generator::GeneratorReport;

use crate::args::{ANY_VERSION, MachineArgs, isa_default};
use crate::failure::Failure;
use crate::output;
use crate::page;
use crate::style::{DIM, STRONG};

#[derive(clap::Args)]
#[command(mut_arg("isa", isa_default(ANY_VERSION)))]
#[command(after_help = "\
Examples:
  ptxcvt forms --target sm_120a --isa 9.1 --dst e2m1x2
  ptxcvt forms --only sm_100a --not sm_120a
  ptxcvt forms --new 9.1 --count
  ptxcvt forms --matrix --dst e4m3x2 --src f32")]
pub struct Args {
    #[command(flatten)]
    machine: MachineArgs,
    /// The destination type, such as e4m3x2
    #[arg(long, value_name = "TYPE")]
    dst: Option<Type>,
    /// The source type, such as f32
    #[arg(long, value_name = "TYPE")]
    src: Option<Type>,
    /// The rounding modifier, such as rn; `none` for forms without one
    #[arg(long, value_name = "MODIFIER", value_parser = rounding)]
    rounding: Option<RoundingFilter>,
    /// Only forms with this modifier; may be repeated
    #[arg(long = "with", value_name = "MODIFIER")]
    with: Vec<Modifier>,
    /// Only forms without this modifier; may be repeated
    #[arg(long = "without", value_name = "MODIFIER")]
    without: Vec<Modifier>,
    /// The instruction
    #[arg(long, value_name = "NAME")]
    opcode: Option<Opcode>,
    /// Only forms that this target accepts, at any version; may be repeated
    #[arg(long, value_name = "SM")]
    only: Vec<Target>,
    /// Only forms that this target does not accept, at any version; may be repeated
    #[arg(long, value_name = "SM")]
    not: Vec<Target>,
    /// Only forms that are new in this version, on --target or on any target
    #[arg(long, value_name = "VERSION")]
    new: Option<IsaVersion>,
    /// Print only the number of forms
    #[arg(long, conflicts_with_all = ["json", "matrix"])]
    count: bool,
    /// Print a table of forms and targets with the first version of each
    #[arg(long, conflicts_with = "json")]
    matrix: bool,
    /// Print JSON: an array of objects with opcode, operands, since, and what code generators need: gates as predicates,
    /// registers, LLVM's intrinsic, MLIR's operation and CUDA's function
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy)]
struct RoundingFilter(Option<Rounding>);

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let filter = args.filter()?;
    let forms: Vec<Form> = Form::all().filter(|form| args.admits(&filter, form)).collect();
    if forms.is_empty() && !args.count {
        output::note("no form matches");
    }
    if args.json {
        output::json(&forms.iter().map(GeneratorReport::new).collect::<Vec<_>>())?;
    } else if args.count {
        writeln!(output::stdout(), "{}", forms.len())?;
    } else if args.matrix {
        matrix(&forms, args.machine.target)?;
    } else {
        args.list(&forms)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn admits(&self, filter: &Filter, form: &Form) -> bool {
        filter.admits(form)
            && self.only.iter().all(|t| form.since(*t).is_some())
            && self.not.iter().all(|t| form.since(*t).is_none())
            && self.new.is_none_or(|v| self.first_version(form) == Some(v))
    }

    fn filter(&self) -> Result<Filter, Failure> {
        Ok(Filter {
            machine: self.machine.machine((None, None))?,
            dst: self.dst,
            src: self.src,
            rounding: self.rounding.map(|chosen| chosen.0),
            with: self.with.clone(),
            without: self.without.clone(),
            instruction: self.opcode,
            ..Filter::default()
        })
    }

    /// The first version that has the form.
    fn first_version(&self, form: &Form) -> Option<IsaVersion> {
        match self.machine.target {
            Some(target) => form.since(target),
            None => form.first().map(|(isa, _)| isa),
        }
    }

    /// Prints a row for each form. Columns are narrower than their longest cells if the page is: such a cell moves the
    /// next one to the right, by one blank instead of two if two do not fit. The last cell is on a line of its own if
    /// the page is narrower than its row.
    fn list(&self, forms: &[Form]) -> Result<(), Failure> {
        let row = |form: &Form| {
            [form.to_string(), FormReport::new(form).operands.join(" "), self.availability(form)]
        };
        let rows: Vec<[String; 3]> = forms.iter().map(row).collect();
        let [first, second, third] =
            [0, 1, 2].map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
        let page = page::width();
        let third = page.saturating_sub(third).min(first + 2 + second + 2);
        let second = third.saturating_sub(second + 2).min(first + 2);
        let indent = third.max(4);
        let mut out = BufWriter::new(output::stdout());
        for [opcode, registers, since] in &rows {
            let cells = opcode.len() + registers.len() + since.len();
            if cells + 2 > page {
                writeln!(out, "{opcode} {registers}\n{:indent$}{DIM}{since}{DIM:#}", "")?;
                continue;
            }
            let gap = if cells + 4 <= page { 2 } else { 1 };
            let first = second.max(opcode.len() + gap);
            let both = third.max(first + registers.len() + gap) - first;
            writeln!(out, "{opcode:first$}{registers:both$}{DIM}{since}{DIM:#}")?;
        }
        Ok(out.flush()?)
    }

    /// The targets and versions that accept the form, for the text output.
    fn availability(&self, form: &Form) -> String {
        let mark = if form.is_announced() { ", announced" } else { "" };
        if let Some(target) = self.machine.target {
            return form.since(target).map_or(String::new(), |v| format!("ISA {v}{mark}"));
        }
        let since = since(form);
        match since.first() {
            _ if since.len() == Target::all().len() => format!("every target{mark}"),
            Some((first, version)) => {
                format!("{first} ISA {version}, {}{mark}", ptxcvt::counted(since.len(), "target"))
            }
            None => mark.into(),
        }
    }
}

/// Prints a table: a row for each form, a column for each target that accepts any of them. Targets that do not fit on the
/// page follow in separate tables.
fn matrix(forms: &[Form], on: Option<Target>) -> Result<(), Failure> {
    let accepts = |target: &Target| forms.iter().any(|form| form.since(*target).is_some());
    // A target that was asked for may be older than those of the table.
    let older = on.filter(|on| Target::all().all(|target| target != *on));
    let targets: Vec<Target> = older.into_iter().chain(Target::all()).filter(accepts).collect();
    let opcodes: Vec<String> = forms.iter().map(Form::to_string).collect();
    let width = opcodes.iter().map(String::len).max().unwrap_or(0);
    let mut out = BufWriter::new(output::stdout());
    let fitting = (page::width().saturating_sub(width) / 9).max(1);
    for (at, targets) in targets.chunks(fitting).enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        write!(out, "{gap}{:width$}", "")?;
        targets.iter().try_for_each(|target| write!(out, "  {STRONG}{:>7}{STRONG:#}", target.to_string()))?;
        writeln!(out)?;
        for (form, opcode) in forms.iter().zip(&opcodes) {
            write!(out, "{opcode:<width$}")?;
            for target in targets {
                let since = form.since(*target).map_or("-".to_owned(), |version| version.to_string());
                write!(out, "  {since:>7}")?;
            }
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(())
}

fn rounding(text: &str) -> Result<RoundingFilter, UnknownName> {
    Filter::read_rounding(text).map(RoundingFilter)
}
