//! `ptxcvt audit llvm DIR`: a compiler's gates compared with the table.

use std::cell::RefCell;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use ptxcvt_audit::report::{Finding, Kind, Report};

use crate::failure::{FINDINGS, Failure};
use crate::llvm::{Sources, read};
use crate::output;
use crate::style::{DIM, ERROR, STRONG, WARNING};

#[derive(clap::Args)]
#[command(after_help = "\
A folder is LLVM's source tree, llvm/lib/Target/NVPTX, llvm/test/CodeGen/NVPTX, or a copy of them. The output ends with what \
was read and what was not. docs/audit.md describes the findings.

Examples:
  ptxcvt audit llvm llvm-project
  ptxcvt audit llvm llvm/lib/Target/NVPTX llvm/test/CodeGen/NVPTX --only admits,no-form,test
  ptxcvt audit llvm llvm-project --json > audit.json")]
pub struct Args {
    /// The compiler
    compiler: Compiler,
    /// Folders with its source text
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Report only findings of these kinds
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', value_parser = kind)]
    only: Vec<Kind>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Compiler {
    /// LLVM's NVPTX backend
    Llvm,
}

fn kind(name: &str) -> Result<Kind, String> {
    let known = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    known.ok_or_else(|| format!("the kinds are {}", names.join(", ")))
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let Compiler::Llvm = args.compiler;
    let sources = Sources::find(&args.folders)?;
    let failure = RefCell::new(None);
    let file = |name: &str| match read(&sources.path(name)?) {
        Ok(text) => Some(text),
        Err(failed) => {
            failure.borrow_mut().get_or_insert(failed);
            None
        }
    };
    let tests: Vec<(String, String)> =
        sources.tests.iter().map(|(path, text)| (path.display().to_string(), text.clone())).collect();
    let mut report = ptxcvt_audit::audit(&file, &tests);
    if let Some(failed) = failure.into_inner() {
        return Err(failed);
    }
    sources.refuse_empty(&report)?;
    if !args.only.is_empty() {
        report.findings.retain(|finding| args.only.contains(&finding.kind));
    }
    // Tests are named by their paths, other files by their names in the backend or the include folder.
    let shown = |name: &mut String| {
        let test = tests.iter().any(|(path, _)| path == name);
        if let Some(path) = sources.path(name).filter(|_| !test) {
            *name = path.display().to_string();
        }
    };
    report.findings.iter_mut().for_each(|finding| shown(&mut finding.file));
    report.unread.iter_mut().for_each(|skipped| shown(&mut skipped.file));
    if args.json {
        output::json(&report)?;
    } else {
        print(&report)?;
    }
    Ok(if report.findings.is_empty() { ExitCode::SUCCESS } else { FINDINGS })
}

fn print(report: &Report) -> io::Result<()> {
    let mut out = output::stdout();
    for Finding { kind, file, line, opcodes, certain, message, .. } in &report.findings {
        let style = if *kind == Kind::Missing || !certain { WARNING } else { ERROR };
        let perhaps = if *certain { "" } else { "; the compiler's C++ may prevent it" };
        writeln!(
            out,
            "{STRONG}{file}:{line}{STRONG:#}: {style}{}{style:#}: {message}{perhaps}",
            kind.name()
        )?;
        for opcode in opcodes.iter().take(SHOWN) {
            writeln!(out, "  {opcode}")?;
        }
        if opcodes.len() > SHOWN {
            writeln!(out, "  {DIM}and {} more (--json lists them){DIM:#}", opcodes.len() - SHOWN)?;
        }
    }
    let read = &report.read;
    writeln!(
        out,
        "read: {} of {} that print conversions, {}, {} to {} of {}; {} with {} of the subtarget, on {}",
        read.conversions,
        ptxcvt::counted(read.instructions, "instruction"),
        ptxcvt::counted(read.patterns, "pattern"),
        ptxcvt::counted(read.selections, "selection"),
        ptxcvt::counted(read.forms, "form"),
        read.forms_of_table,
        ptxcvt::counted(read.conditions, "condition"),
        ptxcvt::counted(read.functions, "function"),
        ptxcvt::counted(read.machines, "machine"),
    )?;
    writeln!(
        out,
        "read: {} with {} of conversions",
        ptxcvt::counted(read.tests, "test"),
        ptxcvt::counted(read.expectations, "expectation"),
    )?;
    for skipped in &report.unread {
        let times = if skipped.count > 1 { format!(" ({} times)", skipped.count) } else { String::new() };
        writeln!(out, "{DIM}not read{DIM:#}: {}:{}: {}{times}", skipped.file, skipped.line, skipped.reason)?;
    }
    writeln!(out, "{}.", ptxcvt::counted(report.findings.len(), "finding"))
}

/// The opcodes of a finding that are printed.
const SHOWN: usize = 6;
