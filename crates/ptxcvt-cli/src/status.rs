//! The exit statuses: one table for every subcommand, for every `--help` and for docs/exit-status.md.

/// The meaning of each exit status, from 0 on.
pub const TABLE: [&str; 4] = [
    "success; for `prove`: proven",
    "findings, differences or failed lines",
    "invalid input, or the command could not run",
    "for `prove` only: no difference found, but equality not proven",
];

/// The table as the last paragraph of a help text.
pub fn paragraph() -> String {
    let rows = TABLE.iter().enumerate().map(|(status, meaning)| format!("\n  {status}  {meaning}"));
    std::iter::once("Exit status:".to_owned()).chain(rows).collect()
}

/// Adds the table to the help of a command and all its subcommands.
pub fn document(command: clap::Command) -> clap::Command {
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    names.iter().fold(with_table(command), |command, name| command.mut_subcommand(name, with_table))
}

fn with_table(command: clap::Command) -> clap::Command {
    let help = command.get_after_help().map_or(String::new(), |help| format!("{help}\n\n"));
    command.after_help(help + &paragraph())
}
