//! `ptxcvt forms`: the legal forms, filtered.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use ptxcvt::{Form, IsaVersion, Modifier, Modifiers, Opcode, Rounding, Target, Type};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::args::MachineArgs;
use crate::failure::Failure;
use crate::output;
use crate::style::{DIM, STRONG};

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ptxcvt forms --target sm_120a --isa 9.1 --dst e2m1x2
  ptxcvt forms --only sm_100a --not sm_120a
  ptxcvt forms --new 9.1 --count
  ptxcvt forms --matrix --dst e4m3x2 --src f32

Exit status: 0 listed, 2 a wrong command line.")]
pub struct Args {
    #[command(flatten)]
    machine: MachineArgs,
    /// The destination type, such as e4m3x2
    #[arg(long, value_name = "TYPE", value_parser = ty)]
    dst: Option<Type>,
    /// The source type, such as f32
    #[arg(long, value_name = "TYPE", value_parser = ty)]
    src: Option<Type>,
    /// The rounding modifier, such as rn; `none` for forms without one
    #[arg(long, value_name = "MODIFIER", value_parser = rounding)]
    rounding: Option<RoundingFilter>,
    /// A modifier that the forms have; may be repeated
    #[arg(long = "with", value_name = "MODIFIER", value_parser = modifier)]
    with: Vec<Modifier>,
    /// A modifier that the forms do not have; may be repeated
    #[arg(long = "without", value_name = "MODIFIER", value_parser = modifier)]
    without: Vec<Modifier>,
    /// The instruction
    #[arg(long, value_name = "NAME", value_parser = opcode)]
    opcode: Option<Opcode>,
    /// Forms that this target has, at any version; may be repeated
    #[arg(long, value_name = "SM", value_parser = crate::args::target)]
    only: Vec<Target>,
    /// Forms that this target does not have, at any version; may be repeated
    #[arg(long, value_name = "SM", value_parser = crate::args::target)]
    not: Vec<Target>,
    /// Forms that came with this version, to the target or to the first that has them
    #[arg(long, value_name = "VERSION", value_parser = crate::args::isa)]
    new: Option<IsaVersion>,
    /// Print only how many there are
    #[arg(long, conflicts_with_all = ["json", "matrix"])]
    count: bool,
    /// Print a table of forms by targets, with the first version of each
    #[arg(long, conflicts_with = "json")]
    matrix: bool,
    /// Print JSON: an array of objects with opcode, operands and since
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy)]
struct RoundingFilter(Option<Rounding>);

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let forms: Vec<Form> = Form::all().filter(|f| args.admits(f)).collect();
    if args.json {
        output::json(&forms.iter().map(Entry::new).collect::<Vec<_>>())?;
    } else if args.count {
        writeln!(anstream::stdout(), "{}", forms.len())?;
    } else if args.matrix {
        matrix(&forms)?;
    } else {
        let mut out = BufWriter::new(anstream::stdout().lock());
        let rows: Vec<_> = forms.iter().map(|f| (f.to_string(), Entry::new(f).operands.join(" "))).collect();
        let width = |length: fn(&(String, String)) -> usize| rows.iter().map(length).max().unwrap_or(0);
        let (first, second) = (width(|r| r.0.len()), width(|r| r.1.len()));
        for (form, (opcode, registers)) in forms.iter().zip(&rows) {
            let since = args.availability(form);
            let mark = if form.is_announced() { ", announced" } else { "" };
            writeln!(out, "{opcode:<first$}  {registers:<second$}  {DIM}{since}{mark}{DIM:#}")?;
        }
        out.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn admits(&self, form: &Form) -> bool {
        let machine = match (self.machine.target, self.machine.isa) {
            (None, None) => true,
            (Some(target), isa) => form.is_legal(target, isa.unwrap_or_else(|| target.newest())),
            (None, Some(isa)) => Target::all().any(|t| form.is_legal(t, isa)),
        };
        machine
            && self.only.iter().all(|t| form.since(*t).is_some())
            && self.not.iter().all(|t| form.since(*t).is_none())
            && self.new.is_none_or(|v| self.first_version(form) == Some(v))
            && self.dst.is_none_or(|t| t == form.destination())
            && self.src.is_none_or(|t| t == form.source())
            && self.rounding.is_none_or(|r| r.0 == form.rounding())
            && self.opcode.is_none_or(|o| o == form.opcode())
            && self.with.iter().all(|m| form.has(*m))
            && !self.without.iter().any(|m| form.has(*m))
    }

    /// The version that brought a form.
    fn first_version(&self, form: &Form) -> Option<IsaVersion> {
        match self.machine.target {
            Some(target) => form.since(target),
            None => Target::all().filter_map(|target| form.since(target)).min(),
        }
    }

    /// From when on, for the text output.
    fn availability(&self, form: &Form) -> String {
        if let Some(target) = self.machine.target {
            return form.since(target).map_or(String::new(), |v| format!("ISA {v}"));
        }
        let since: Vec<_> = Target::all().filter_map(|t| Some((t, form.since(t)?))).collect();
        match since.first() {
            _ if since.len() == Target::all().len() => "every target".into(),
            Some((first, version)) => format!("{first} from ISA {version}, {} targets", since.len()),
            None => String::new(),
        }
    }
}

/// A row a form, a column a target that has any of them.
fn matrix(forms: &[Form]) -> Result<(), Failure> {
    let targets: Vec<Target> =
        Target::all().filter(|target| forms.iter().any(|form| form.since(*target).is_some())).collect();
    let width = forms.iter().map(|form| form.to_string().len()).max().unwrap_or(0);
    let mut out = BufWriter::new(anstream::stdout().lock());
    write!(out, "{:width$}", "")?;
    targets.iter().try_for_each(|target| write!(out, "  {STRONG}{:>7}{STRONG:#}", target.to_string()))?;
    writeln!(out)?;
    for form in forms {
        write!(out, "{:<width$}", form.to_string())?;
        for target in &targets {
            let since = form.since(*target).map_or("-".to_owned(), |version| version.to_string());
            write!(out, "  {since:>7}")?;
        }
        writeln!(out)?;
    }
    out.flush()?;
    Ok(())
}

/// A form as `--json` prints it.
#[derive(Serialize)]
struct Entry {
    opcode: String,
    /// Register types in PTX order, the destination's first; a vector's elements one by one.
    operands: Vec<String>,
    /// The operands as they are written: `d, {a, b, e, f}, rbits`.
    syntax: String,
    #[serde(serialize_with = "as_map")]
    since: Vec<(Target, IsaVersion)>,
    instruction: &'static str,
    rounding: Option<&'static str>,
    modifiers: Vec<&'static str>,
    destination: Type,
    source: Type,
    /// Known from the manual only.
    announced: bool,
}

impl Entry {
    fn new(form: &Form) -> Self {
        let modifiers: Modifiers = form.modifiers();
        Entry {
            opcode: form.to_string(),
            operands: form.operands().map(|o| o.register().to_string()).collect(),
            syntax: form.syntax().to_string(),
            since: Target::all().filter_map(|t| Some((t, form.since(t)?))).collect(),
            instruction: form.opcode().name(),
            rounding: form.rounding().map(Rounding::name),
            modifiers: modifiers.iter().map(Modifier::name).collect(),
            destination: form.destination(),
            source: form.source(),
            announced: form.is_announced(),
        }
    }
}

fn as_map<S: Serializer>(since: &[(Target, IsaVersion)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(since.len()))?;
    for (target, version) in since {
        map.serialize_entry(target, version)?;
    }
    map.end()
}

fn ty(text: &str) -> Result<Type, String> {
    let name = text.trim_start_matches('.');
    Type::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Type::ALL.iter().map(|t| t.name()).collect();
        format!("no such type; types are {}", names.join(" "))
    })
}

fn names<T>(all: &[T], name: fn(&T) -> &'static str) -> String {
    all.iter().map(name).collect::<Vec<_>>().join(" ")
}

fn rounding(text: &str) -> Result<RoundingFilter, String> {
    let name = text.trim_start_matches('.');
    match (name, Rounding::from_name(name)) {
        ("none", _) => Ok(RoundingFilter(None)),
        (_, Some(rounding)) => Ok(RoundingFilter(Some(rounding))),
        _ => Err(format!("rounding modifiers are {} and none", names(Rounding::ALL, |r| r.name()))),
    }
}

fn modifier(text: &str) -> Result<Modifier, String> {
    let name = text.trim_start_matches('.');
    Modifier::from_name(name).ok_or_else(|| format!("modifiers are {}", names(Modifier::ALL, |m| m.name())))
}

fn opcode(text: &str) -> Result<Opcode, String> {
    [Opcode::Cvt, Opcode::CvtPack]
        .into_iter()
        .find(|o| o.name() == text)
        .ok_or_else(|| "the instructions are cvt and cvt.pack".into())
}
