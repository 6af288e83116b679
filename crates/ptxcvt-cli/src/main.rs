//! The command `ptxcvt`: this file is the list of subcommands, `cmd/*.rs` are one each.

mod args;
mod batch;
mod blocks;
mod cmd;
mod convert;
mod failure;
mod operand;
mod output;
mod progress;
mod quantize;
mod style;
mod walk;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// PTX number conversion: which form of cvt is legal where, and exactly which bits it returns.
#[derive(Parser)]
#[command(name = "ptxcvt", version, propagate_version = true, disable_help_subcommand = true, after_help = EXIT_STATUS)]
struct Cli {
    #[command(flatten)]
    global: args::Global,
    #[command(subcommand)]
    command: Command,
}

const EXIT_STATUS: &str = "Exit status: 0 fine, 1 findings or failed lines, 2 usage or input/output error.";

#[derive(Subcommand)]
enum Command {
    /// Evaluate one conversion and explain the result; `-` reads conversions from standard input
    Eval(cmd::eval::Args),
    /// Check every conversion of PTX modules
    Check(cmd::check::Args),
    /// List the legal forms
    Forms(cmd::forms::Args),
    /// Tell which targets accept a form, from which ISA version on
    Where(cmd::r#where::Args),
    /// Convert arrays in files: .npy, .safetensors, raw
    Convert(cmd::convert::Args),
    /// Run a straight line of PTX over operands or arrays
    Run(cmd::run::Args),
    /// Tell whether two conversions return the same bits on all inputs
    Prove(cmd::prove::Args),
    /// Quantise arrays in blocks with scales, byte for byte as a library does
    Quantize(cmd::quantize::Args),
    /// Turn quantised arrays back into numbers
    Dequantize(cmd::dequantize::Args),
    /// List the recipes of block quantisation, or explain one
    Recipes(cmd::recipes::Args),
    /// Show a number format: parameters, every value, its number line
    Format(cmd::format::Args),
    /// Compare with a GPU, recorded vectors or an assembler
    Conform(cmd::conform::Args),
    /// Explain an error code
    Explain(cmd::explain::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse_from(args::options_first(std::env::args_os()));
    cli.global.apply();
    let outcome = match cli.command {
        Command::Eval(args) => cmd::eval::run(&args),
        Command::Check(args) => cmd::check::run(&args),
        Command::Forms(args) => cmd::forms::run(&args),
        Command::Where(args) => cmd::r#where::run(&args),
        Command::Convert(args) => cmd::convert::run(&args),
        Command::Run(args) => cmd::run::run(&args),
        Command::Prove(args) => cmd::prove::run(&args),
        Command::Quantize(args) => cmd::quantize::run(&args),
        Command::Dequantize(args) => cmd::dequantize::run(&args),
        Command::Recipes(args) => cmd::recipes::run(&args),
        Command::Format(args) => cmd::format::run(&args),
        Command::Conform(args) => cmd::conform::run(&args),
        Command::Explain(args) => cmd::explain::run(&args),
    };
    outcome.unwrap_or_else(|failure| failure.report())
}
