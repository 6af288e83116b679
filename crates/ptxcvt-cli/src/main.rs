//! The command `ptxcvt`: this file is the list of subcommands, `cmd/*.rs` are one each.

mod args;
mod batch;
mod blocks;
mod check;
mod cmd;
mod convert;
mod document;
mod failure;
mod number;
mod operand;
mod output;
mod progress;
mod quantize;
mod rewrite;
mod style;
mod walk;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// PTX number conversion: which form of cvt is legal where, and exactly which bits it returns.
#[derive(Parser)]
#[command(name = "ptxcvt", version, after_help = EXIT_STATUS)]
struct Cli {
    #[command(flatten)]
    global: args::Global,
    #[command(subcommand)]
    command: Command,
}

const EXIT_STATUS: &str = "\
Examples:
  ptxcvt eval cvt.rn.satfinite.e4m3x2.f32 1.55 -999
  ptxcvt where cvt.rn.satfinite.e2m1x2.f32 --target sm_120a
  ptxcvt check kernel.ptx
  ptxcvt convert cvt.rn.satfinite.e4m3x2.f32 weights.npy -o weights-e4m3.npy

Exit status: 0 fine, 1 findings or failed lines, 2 usage or input/output error.";

#[derive(Subcommand)]
enum Command {
    /// Evaluate one conversion and explain the result; `-` reads conversions from standard input
    Eval(cmd::eval::Args),
    /// Check every conversion of PTX modules
    Check(cmd::check::Args),
    /// Compare the conversions of two PTX modules, function by function
    Diff(cmd::diff::Args),
    /// Serve an editor: findings, fixes, explanations and completions as one types
    Lsp(cmd::lsp::Args),
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
    /// Print PTX that computes a form on a target that lacks it
    Lower(cmd::lower::Args),
    /// Quantise arrays in blocks with scales, byte for byte as a library does
    Quantize(cmd::quantize::Args),
    /// Turn quantised arrays back into numbers
    Dequantize(cmd::dequantize::Args),
    /// List the recipes of block quantisation, or explain one
    Recipes(cmd::recipes::Args),
    /// Show a number format: parameters, every value, its number line
    Format(cmd::format::Args),
    /// Serve the page that shows all of this, and open it
    Explorer(cmd::explorer::Args),
    /// Compare with a GPU, recorded vectors or an assembler
    Conform(cmd::conform::Args),
    /// Explain an error code
    Explain(cmd::explain::Args),
    /// Print the completions of a shell
    Completions(cmd::completions::Args),
    /// Write the manual pages
    Man(cmd::man::Args),
}

fn main() -> ExitCode {
    let arguments = args::options_first(std::env::args_os());
    if args::wants_json(&arguments) {
        failure::as_json();
    }
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    cli.global.apply();
    let outcome = match cli.command {
        Command::Eval(args) => cmd::eval::run(&args),
        Command::Check(args) => cmd::check::run(&args),
        Command::Diff(args) => cmd::diff::run(&args),
        Command::Lsp(args) => cmd::lsp::run(&args),
        Command::Forms(args) => cmd::forms::run(&args),
        Command::Where(args) => cmd::r#where::run(&args),
        Command::Convert(args) => cmd::convert::run(&args),
        Command::Run(args) => cmd::run::run(&args),
        Command::Prove(args) => cmd::prove::run(&args),
        Command::Lower(args) => cmd::lower::run(&args),
        Command::Quantize(args) => cmd::quantize::run(&args),
        Command::Dequantize(args) => cmd::dequantize::run(&args),
        Command::Recipes(args) => cmd::recipes::run(&args),
        Command::Format(args) => cmd::format::run(&args),
        Command::Explorer(args) => cmd::explorer::run(&args),
        Command::Conform(args) => cmd::conform::run(&args),
        Command::Explain(args) => cmd::explain::run(&args),
        Command::Completions(args) => cmd::completions::run(&args, Cli::command()),
        Command::Man(args) => cmd::man::run(&args, Cli::command()),
    };
    outcome.unwrap_or_else(|failure| failure.report())
}
