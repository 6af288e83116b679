//! The end of a command: its exit status, and the message on standard error if it could not do its work.
//!
//! [`status::TABLE`](crate::status::TABLE) has the statuses. They do not depend on whether a reader closes the
//! pipe: [`output::Patient`] drops the rest of the output.

use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use ptxcvt::forms::Refusal;
use ptxcvt::{Code, Form};
/// A message that ends the command.
pub use ptxcvt_files::FileError as Failure;
use ptxcvt_files::standard;

use crate::output;
use crate::style::{ERROR, HELP};

/// The status for findings, differences, or lines that failed.
pub const FINDINGS: ExitCode = ExitCode::FAILURE;

/// Whether errors are printed as JSON.
static JSON: AtomicBool = AtomicBool::new(false);

/// Prints errors as a JSON object on standard error: `{"error":{"code","message","help"}}`.
pub fn as_json() {
    JSON.store(true, Ordering::Relaxed);
}

/// Prints an error and returns exit status 2.
pub fn report(failure: Failure) -> ExitCode {
    let code = failure.code;
    let message = output::without_numbers(&failure.message);
    let help: Vec<&str> = failure.help_lines().collect();
    if JSON.load(Ordering::Relaxed) {
        let error = serde_json::json!({
            "error": { "code": code.map(Code::as_str), "message": message, "help": help }
        });
        output::complain(format_args!("{error}"));
        return ExitCode::from(2);
    }
    let code = code.map(|c| format!("[{c}]")).unwrap_or_default();
    output::complain(format_args!("{ERROR}error{code}{ERROR:#}: {message}"));
    for help in &help {
        output::complain(format_args!("{HELP}help{HELP:#}: {help}"));
    }
    ExitCode::from(2)
}

/// Ends the program with the outcome of a command.
pub fn end(outcome: Result<ExitCode, Failure>) -> ExitCode {
    // The rest in the buffer of standard output may not fit on a full disk.
    let outcome = outcome.and_then(|status| Ok(output::finish().map(|()| status)?));
    outcome.unwrap_or_else(report)
}

/// Prints clap's output: help and versions on standard output, an invalid command line on standard error.
pub fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && JSON.load(Ordering::Relaxed) {
        let text = error.to_string();
        let message = text.split("\n\n").next().expect("a split text has a first part");
        return report(Failure::new(message.trim_start_matches("error: ")));
    }
    let printed = match error.use_stderr() {
        true => error.print(),
        false => standard::check_output().and_then(|()| error.print()),
    };
    match printed {
        Err(failed) if !error.use_stderr() && failed.kind() != io::ErrorKind::BrokenPipe => {
            report(Failure::from(failed))
        }
        // If nothing can be printed, the status alone shows the failure.
        _ if error.use_stderr() => ExitCode::from(2),
        _ => ExitCode::SUCCESS,
    }
}

/// Parses an opcode; the failure names every problem in it and the opcode that was probably meant.
pub fn form(opcode: &str) -> Result<Form, Failure> {
    opcode.parse().map_err(refused)
}

/// The failure of an opcode that is not legal anywhere, with help for a text that is not an opcode.
pub fn refused(refusal: Refusal) -> Failure {
    let is_no_opcode = refusal.code() == Code::NotConversion;
    let opcodes = refusal.help().filter(|help| is_no_opcode && help.starts_with("an opcode"));
    let longer = opcodes.map(|help| format!("{help}; `ptxcvt forms` lists them all"));
    let failure = Failure::new(refusal.to_string()).with_code(refusal.code());
    failure.with_help_if(longer.as_deref().or(refusal.help()))
}
