//! `ptxcvt explain CODE`: the page of an error code.

use std::io::Write;
use std::process::ExitCode;

use ptxcvt_syntax::Code;

use crate::failure::Failure;
use crate::style::STRONG;

#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ptxcvt explain CVT006
  ptxcvt explain

Exit status: 0 explained, 2 no such code.")]
pub struct Args {
    /// The code, such as CVT006; without it, all codes are listed
    code: Option<String>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut out = anstream::stdout().lock();
    let Some(wanted) = &args.code else {
        for code in Code::all() {
            writeln!(out, "{STRONG}{code}{STRONG:#} {}", code.page()[0].trim())?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    let code: Code = wanted.parse().map_err(|_| {
        Failure::new(format!("no error code `{wanted}`")).help("`ptxcvt explain` lists them all")
    })?;
    writeln!(out, "{STRONG}{code}{STRONG:#}\n")?;
    for line in code.page() {
        writeln!(out, "{}", line.strip_prefix(' ').unwrap_or(line))?;
    }
    Ok(ExitCode::SUCCESS)
}
