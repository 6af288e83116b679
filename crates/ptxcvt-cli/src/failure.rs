//! The end of a command: its exit status, and the message on standard error if it could not do its work.
//!
//! [`status::TABLE`](crate::status::TABLE) has the statuses. They do not depend on whether a reader closes the
//! pipe: [`Patient`](ptxcvt_files::Patient) drops the rest of the output.

use std::error::Error;
use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::error::{ContextKind, ContextValue};
use ptxcvt::forms::Refusal;
use ptxcvt::targets::{IsaVersionError, TargetError};
use ptxcvt::{Code, Form, UnknownName};
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
    // A run that is being interrupted has a message and a status already.
    ptxcvt_files::interrupt::end();
    outcome.unwrap_or_else(report)
}

/// Prints clap's output: help and versions on standard output, an invalid command line on standard error.
pub fn usage(error: &clap::Error) -> ExitCode {
    if let Some(failure) = of_value(error) {
        return report(failure);
    }
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

/// The failure of an option's value that the library refused. It has the code and the help that the library's error has
/// everywhere. `None` for other errors, which clap prints.
fn of_value(error: &clap::Error) -> Option<Failure> {
    let source = error.source()?;
    let failure = library::<TargetError>(source)
        .or_else(|| library::<IsaVersionError>(source))
        .or_else(|| library::<UnknownName>(source))
        .or_else(|| library::<Failure>(source))?;
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return Some(failure);
    };
    // `--target <SM>`
    let name = argument.split(' ').next().expect("a split text has a first part");
    Some(failure.after(format_args!("{name}: ")))
}

/// The failure of an error of this type.
fn library<E: Error + Clone + 'static>(error: &(dyn Error + 'static)) -> Option<Failure>
where
    Failure: From<E>,
{
    error.downcast_ref::<E>().cloned().map(Failure::from)
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

#[cfg(all(test, feature = "default"))]
mod tests {
    use std::any::TypeId;
    use std::collections::BTreeSet;

    use ptxcvt::{Format, IsaVersion, Modifier, Opcode, Rounding, Target, Type};

    use super::*;

    /// An option that reads a name of the library refuses a wrong one with the library's message and code, whichever command
    /// has it.
    #[test]
    fn refused_names_keep_their_codes() {
        let types = [
            (TypeId::of::<Target>(), Code::UnknownTarget),
            (TypeId::of::<IsaVersion>(), Code::UnknownVersion),
            (TypeId::of::<Format>(), Code::UnknownName),
            (TypeId::of::<Type>(), Code::UnknownName),
            (TypeId::of::<Rounding>(), Code::UnknownName),
            (TypeId::of::<Modifier>(), Code::UnknownName),
            (TypeId::of::<Opcode>(), Code::UnknownName),
        ];
        let whole = crate::whole_command();
        let mut seen = BTreeSet::new();
        for command in whole.get_subcommands() {
            for argument in command.get_arguments() {
                let Some(long) = argument.get_long() else { continue };
                let option = format!("--{long}");
                let line = ["ptxcvt", command.get_name(), &format!("{option}=no-such")];
                let Err(error) = whole.clone().try_get_matches_from(line) else { continue };
                let expected = types.iter().find(|(ty, _)| argument.get_value_parser().type_id() == *ty);
                let names_it = error.source().is_some_and(|source| source.to_string().starts_with("no "));
                if expected.is_none() && !names_it {
                    continue;
                }
                let failure = of_value(&error).unwrap_or_else(|| panic!("{line:?}: {error}"));
                let code = expected.map_or(Code::UnknownName, |(_, code)| *code);
                assert_eq!(failure.code, Some(code), "{line:?}");
                let begin = format!("{option}: no ");
                assert!(failure.message.starts_with(&begin), "{line:?}: {}", failure.message);
                assert!(failure.message.contains("`no-such`"), "{line:?}: {}", failure.message);
                // The name is quoted once.
                assert_eq!(failure.message.matches("no-such").count(), 1, "{}", failure.message);
                seen.insert((command.get_name().to_owned(), option));
            }
        }
        let expected = [
            ("check", "--isa --target"),
            ("conform", "--isa --target"),
            ("convert", "--dtype"),
            ("diff", "--isa --target"),
            ("forms", "--dst --isa --new --not --only --opcode --rounding --src --target --with --without"),
            ("lower", "--isa --target"),
            ("lsp", "--isa --target"),
            ("quantize", "--dtype"),
            ("vectors", "--overflow --rounding"),
            ("where", "--isa --target"),
        ];
        for (command, options) in expected {
            for option in options.split(' ') {
                assert!(seen.contains(&(command.to_owned(), option.to_owned())), "{command} {option}");
            }
        }
    }
}
