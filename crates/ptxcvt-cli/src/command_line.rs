//! The whole command line: preparations before clap reads it.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};

/// Passes negative numbers to the parsers of options, which say what they expect. clap would take `-1` for an option.
pub fn options_read_negative_numbers(command: Command) -> Command {
    command
        .mut_args(|argument| match argument.get_action().takes_values() && !argument.is_positional() {
            true => argument.allow_negative_numbers(true),
            false => argument,
        })
        .mut_subcommands(options_read_negative_numbers)
}

/// Moves the options of `eval`, `format` and `run` before their operands.
///
/// An operand may begin with `-` (`-1`, `-inf`), and clap would read everything after it as an operand, too.
pub fn options_first(whole: &Command, arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments = arguments;
    let mut ordered: Vec<OsString> = arguments.by_ref().take(1).collect();
    // Global options may be in front of the subcommand.
    let name = loop {
        let Some(argument) = arguments.next() else { return ordered };
        let value = value_of([whole], &argument);
        let is_option = argument.as_encoded_bytes().starts_with(b"-");
        ordered.push(argument.clone());
        if value == Some(Value::Next) {
            ordered.extend(arguments.next());
        } else if !is_option {
            break argument;
        }
    };
    if name == "help" {
        // Its operands are subcommands, so its help is the list of them.
        ordered.extend(arguments.filter(|argument| argument != "--help" && argument != "-h"));
        return ordered;
    }
    let Some(command) = whole.find_subcommand(name).filter(|command| has_signed_operands(command)) else {
        ordered.extend(arguments);
        return ordered;
    };
    let mut others = Vec::new();
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            // clap would take it for an operand after another one.
            others.insert(0, argument);
            others.extend(arguments);
            break;
        }
        let value = value_of([whole, command], &argument);
        let is_help = argument == "-h" && others.is_empty();
        let is_option = value.is_some() || is_help || argument.as_encoded_bytes().starts_with(b"--");
        if is_option {
            ordered.push(argument)
        } else {
            others.push(argument)
        }
        if value == Some(Value::Next) {
            // Without its value, the option must not take an operand for it: clap says that the value is missing.
            let Some(value) = arguments.next() else { return ordered };
            ordered.push(value);
        }
    }
    ordered.extend(others);
    ordered
}

/// True if a subcommand has operands that may begin with `-`.
fn has_signed_operands(command: &Command) -> bool {
    command.get_positionals().any(Arg::is_allow_hyphen_values_set)
}

/// Where an option's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// The value is the next argument.
    Next,
    /// The value follows in the same argument, as in `-oFILE`.
    Attached,
}

/// Where the value of an option of one of these commands is; `None` for other arguments, and for `--name=value`.
fn value_of<const N: usize>(commands: [&Command; N], argument: &OsStr) -> Option<Value> {
    let argument = argument.to_string_lossy();
    let options = commands.iter().flat_map(|command| command.get_opts());
    options.filter(|option| option.get_action().takes_values()).find_map(|option| {
        let is_long = |name: &str| argument.strip_prefix("--") == Some(name);
        if option.get_long_and_visible_aliases().into_iter().flatten().any(is_long) {
            return Some(Value::Next);
        }
        let rest = |short| argument.strip_prefix('-').and_then(|rest| rest.strip_prefix(short));
        let shorts = option.get_short_and_visible_aliases().into_iter().flatten();
        shorts.filter_map(rest).map(|rest| if rest.is_empty() { Value::Next } else { Value::Attached }).next()
    })
}

/// Whether a command line requests JSON.
pub fn wants_json(arguments: &[OsString]) -> bool {
    let before_operands = arguments.iter().take_while(|argument| *argument != "--");
    let mut previous = None;
    for argument in before_operands {
        let format = previous.is_some_and(|p: &OsString| p == "--output-format") && argument == "json";
        if argument == "--json" || argument == "--output-format=json" || format {
            return true;
        }
        previous = Some(argument);
    }
    false
}

#[cfg(test)]
mod tests {
    use clap::arg;

    use super::*;

    fn ordered(words: &str) -> String {
        let operands = arg!([operands] ...).allow_hyphen_values(true);
        let signed = Command::new("signed").args([operands, arg!(-o --output <FILE>), arg!(--json)]);
        let plain = Command::new("plain").args([arg!([operands] ...), arg!(-o --output <FILE>)]);
        let color = arg!(--color <WHEN>).global(true);
        let whole = Command::new("ptxcvt").arg(color).subcommands([signed, plain]);
        let ordered = options_first(&whole, words.split(' ').map(OsString::from));
        ordered.join(OsStr::new(" ")).into_string().expect("the words are UTF-8")
    }

    #[test]
    fn options_with_their_values_precede_operands() {
        for (given, wanted) in [
            ("ptxcvt signed a -1 --json", "ptxcvt signed --json a -1"),
            ("ptxcvt signed -1 -o x -2", "ptxcvt signed -o x -1 -2"),
            ("ptxcvt signed -1 -ox -2", "ptxcvt signed -ox -1 -2"),
            ("ptxcvt signed -1 --output x -2", "ptxcvt signed --output x -1 -2"),
            ("ptxcvt signed -1 --output=x -2", "ptxcvt signed --output=x -1 -2"),
            ("ptxcvt --color never signed -1 --color x", "ptxcvt --color never signed --color x -1"),
            ("ptxcvt signed -1 -h", "ptxcvt signed -1 -h"),
            ("ptxcvt signed -h -1", "ptxcvt signed -h -1"),
            ("ptxcvt signed a -- --json", "ptxcvt signed -- a --json"),
            ("ptxcvt signed a --json -1 -- -o -- -2", "ptxcvt signed --json -- a -1 -o -- -2"),
            ("ptxcvt signed a -1 -o", "ptxcvt signed -o"),
            ("ptxcvt signed a -1 --json --output", "ptxcvt signed --json --output"),
            ("ptxcvt plain a -o x", "ptxcvt plain a -o x"),
            ("ptxcvt help plain --help", "ptxcvt help plain"),
        ] {
            assert_eq!(ordered(given), wanted);
        }
    }
}
