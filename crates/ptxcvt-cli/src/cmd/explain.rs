//! `ptxcvt explain CODE`: the page of an error code.

use std::io::Write;
use std::process::ExitCode;

use anstyle::Style;
use ptxcvt_syntax::Code;

use crate::failure::Failure;
use crate::output;
use crate::page;
use crate::style::STRONG;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ptxcvt explain CVT006
  ptxcvt explain")]
pub struct Args {
    /// The code, such as CVT006; omit it to list all codes
    code: Option<String>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let Some(wanted) = &args.code else {
        for code in Code::all() {
            write!(out, "{STRONG}{code}{STRONG:#} ")?;
            page::write_after(&mut out, 7, Style::new(), code.page()[0].trim().split(' '))?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let code: Code = wanted.parse().map_err(|_| {
        Failure::new(format!("no error code `{wanted}`")).with_help("`ptxcvt explain` lists all codes")
    })?;
    writeln!(out, "{STRONG}{code}{STRONG:#}\n")?;
    // An empty line separates paragraphs; other ends of lines have no meaning.
    for (at, paragraph) in code.page().split(|line| line.trim().is_empty()).enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        page::write_after(
            &mut out,
            0,
            Style::new(),
            paragraph.iter().flat_map(|line| line.trim().split(' ')),
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
