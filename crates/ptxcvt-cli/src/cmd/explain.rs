//! `ptxcvt explain CODE`: the page of an error code.

use std::process::ExitCode;

use ptxcvt::Code;

use crate::failure::Failure;
use crate::style::STRONG;

#[derive(clap::Args)]
pub struct Args {
    /// The code, such as CVT006; without it, all codes are listed
    code: Option<String>,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let Some(wanted) = &args.code else {
        for code in Code::ALL {
            anstream::println!("{STRONG}{code}{STRONG:#} {}", code.page()[0].trim());
        }
        return Ok(ExitCode::SUCCESS);
    };
    let code = Code::ALL.iter().find(|c| c.as_str().eq_ignore_ascii_case(wanted)).ok_or_else(|| {
        Failure::new(format!("no error code `{wanted}`")).help("`ptxcvt explain` lists them all")
    })?;
    anstream::println!("{STRONG}{code}{STRONG:#}\n");
    for line in code.page() {
        anstream::println!("{}", line.strip_prefix(' ').unwrap_or(line));
    }
    Ok(ExitCode::SUCCESS)
}
