//! `ptxcvt explain CODE`: the page of an error code.

use std::process::ExitCode;

use ptxcvt_syntax::Code;

use crate::failure::Failure;
use crate::style::STRONG;

#[derive(clap::Args)]
pub struct Args {
    /// The code, such as CVT006; without it, all codes are listed
    code: Option<String>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let Some(wanted) = &args.code else {
        for code in Code::all() {
            anstream::println!("{STRONG}{code}{STRONG:#} {}", code.page()[0].trim());
        }
        return Ok(ExitCode::SUCCESS);
    };
    let code: Code = wanted.parse().map_err(|_| {
        Failure::new(format!("no error code `{wanted}`")).help("`ptxcvt explain` lists them all")
    })?;
    anstream::println!("{STRONG}{code}{STRONG:#}\n");
    for line in code.page() {
        anstream::println!("{}", line.strip_prefix(' ').unwrap_or(line));
    }
    Ok(ExitCode::SUCCESS)
}
