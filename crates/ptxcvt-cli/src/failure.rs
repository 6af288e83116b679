//! How a command ends when it cannot do its work: one message on standard error, exit status 2.

use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use ptxcvt::forms::Refusal;
use ptxcvt::{Code, Form};

use crate::output;
use crate::style::{ERROR, HELP};

/// Findings, or lines that failed.
pub const FINDINGS: ExitCode = ExitCode::FAILURE;

/// Whether the command was asked for JSON, so that its errors are JSON, too.
static JSON: AtomicBool = AtomicBool::new(false);

/// Makes errors a JSON object on standard error: `{"error":{"code","message","help"}}`.
pub fn as_json() {
    JSON.store(true, Ordering::Relaxed);
}

/// A message that ends the command.
#[derive(Debug)]
pub struct Failure {
    code: Option<Code>,
    message: String,
    help: Vec<String>,
    quiet: bool,
}

impl Failure {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Failure { code: None, message: message.into(), help: Vec::new(), quiet: false }
    }

    /// The same with a code.
    pub fn code(mut self, code: Code) -> Self {
        self.code = Some(code);
        self
    }

    /// The same with a line of help.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Code and text in one line, for the batch form.
    pub fn into_line(self) -> (Option<Code>, String) {
        let help: String = self.help.iter().map(|h| format!("; {h}")).collect();
        (self.code, self.message + &help)
    }

    /// The message alone.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Prints the message and yields exit status 2; a reader that went away is no error.
    pub fn report(self) -> ExitCode {
        if self.quiet {
            return ExitCode::SUCCESS;
        }
        if JSON.load(Ordering::Relaxed) {
            let error = serde_json::json!({
                "error": { "code": self.code.map(Code::as_str), "message": self.message, "help": self.help }
            });
            output::complain(format_args!("{error}"));
            return ExitCode::from(2);
        }
        let code = self.code.map(|c| format!("[{c}]")).unwrap_or_default();
        output::complain(format_args!("{ERROR}error{code}{ERROR:#}: {}", self.message));
        for help in &self.help {
            output::complain(format_args!("{HELP}help{HELP:#}: {help}"));
        }
        ExitCode::from(2)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        // A reader that has seen enough (`| head`) is no failure to report.
        let quiet = error.kind() == io::ErrorKind::BrokenPipe;
        Failure { quiet, ..Failure::new(output::reason(&error)) }
    }
}

/// What clap has to say: help and versions on standard output, a wrong command line on standard error.
pub fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && JSON.load(Ordering::Relaxed) {
        let text = error.to_string();
        let message = text.split("\n\n").next().unwrap_or_default();
        return Failure::new(message.trim_start_matches("error: ")).report();
    }
    // Where nothing can be printed, the status is all that is left to say it.
    match error.print() {
        Err(failed) if !error.use_stderr() && failed.kind() != io::ErrorKind::BrokenPipe => ExitCode::from(2),
        _ if error.use_stderr() => ExitCode::from(2),
        _ => ExitCode::SUCCESS,
    }
}

/// Reads an opcode; the failure names every problem in it and what was probably meant.
pub fn form(opcode: &str) -> Result<Form, Failure> {
    Form::read(opcode).map_err(|refusal| match refusal.code() {
        Some(Code::NotConversion) => {
            let failure = Failure { help: Vec::new(), ..refusal.into() };
            failure.help("an opcode looks like `cvt.rn.satfinite.e4m3x2.f32`; `ptxcvt forms` lists them all")
        }
        _ => refusal.into(),
    })
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let help = refusal.help().to_vec();
        Failure { code: refusal.code(), help, ..Failure::new(refusal.to_string()) }
    }
}
