//! The command `ptxcvt`: this file is the list of subcommands. Each one is a file in `cmd` and a cargo feature.

// Output goes through `output` and the one writer; clippy.toml lists functions that would bypass them.
#![cfg_attr(not(test), warn(clippy::disallowed_macros, clippy::disallowed_methods))]
#![cfg_attr(not(feature = "default"), allow(dead_code, unused_imports))] // Helpers of subcommands that are left out.

mod args;
#[cfg(feature = "eval")]
mod batch;
#[cfg(feature = "run")]
mod blocks;
#[cfg(feature = "check")]
mod check;
mod cmd;
mod command_line;
#[cfg(feature = "diff")]
mod diff;
mod failure;
#[cfg(any(feature = "eval", feature = "run"))]
mod input_line;
#[cfg(feature = "audit")]
mod llvm;
#[cfg(feature = "format")]
mod number;
#[cfg(any(feature = "convert", feature = "eval"))]
mod operand;
mod output;
mod page;
#[cfg(any(
    feature = "check",
    feature = "conform",
    feature = "convert",
    feature = "dequantize",
    feature = "quantize"
))]
mod progress;
#[cfg(any(feature = "dequantize", feature = "quantize", feature = "recipes"))]
mod quantize;
#[cfg(all(feature = "check", feature = "lower"))]
mod rewrite;
mod status;
mod style;
#[cfg(any(feature = "lower", feature = "run"))]
mod toolkit;
#[cfg(any(feature = "check", feature = "conform"))]
mod walk;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use failure::Failure;

/// Whether a row of [`subcommands!`] has the mark.
#[cfg(feature = "arrays")]
macro_rules! marked {
    () => {
        false
    };
    (kernels) => {
        true
    };
}

/// Defines [`Command`]. A row has the summary in the help, the cargo feature, the variant and the module in [`cmd`];
/// for a module that describes the whole command line, also a function that returns it. `[kernels]` marks the commands
/// that have kernels for arrays, which `PTXCVT_TIER` selects.
macro_rules! subcommands {
    ($($(#[$summary:meta])* $feature:literal $variant:ident = $module:ident $(($whole:expr))? $([$kernels:ident])?;)*) => {
        #[derive(Subcommand)]
        enum Command {
            $($(#[$summary])* #[cfg(feature = $feature)] $variant(cmd::$module::Args),)*
        }

        impl Command {
            fn run(&self) -> Result<ExitCode, Failure> {
                match self {
                    $(#[cfg(feature = $feature)] Command::$variant(args) => cmd::$module::run(args $(, $whole)?),)*
                }
            }

            #[cfg(feature = "arrays")]
            fn has_kernels(&self) -> bool {
                match self {
                    $(#[cfg(feature = $feature)] Command::$variant(_) => marked!($($kernels)?),)*
                }
            }
        }
    };
}

subcommands! {
    /// Evaluate one conversion and explain the result; `-` reads conversions from standard input
    "eval" Eval = eval;
    /// Check every conversion in PTX modules and in PTX inside other languages
    "check" Check = check;
    /// Compare the conversions that a compiler selects, and their targets, with the table of forms
    "audit" Audit = audit;
    /// Compare the conversions of two PTX modules, function by function, or of two sources or folders, file by file
    "diff" Diff = diff;
    /// Serve an editor with findings, fixes, explanations and completions
    "lsp" Lsp = lsp;
    /// List the legal forms
    "forms" Forms = forms;
    /// Show which targets accept a form, and from which ISA version on
    "where" Where = r#where;
    /// Convert arrays in files: .npy, .safetensors, raw
    "convert" Convert = convert [kernels];
    /// Run straight-line PTX over operands or arrays
    "run" Run = run [kernels];
    /// Decide whether two conversions return the same bits on all inputs
    "prove" Prove = prove [kernels];
    /// Print PTX that computes a form on a target that lacks it
    "lower" Lower = lower;
    /// Quantise arrays in blocks with scales, byte for byte as a library does
    "quantize" Quantize = quantize [kernels];
    /// Turn quantised arrays back into numbers
    "dequantize" Dequantize = dequantize [kernels];
    /// List the recipes of block quantisation, or explain one
    "recipes" Recipes = recipes [kernels];
    /// Show a number format: its parameters, its values and its number line
    "format" Format = format;
    /// Serve the explorer, a page for a browser, and open it
    "explorer" Explorer = explorer;
    /// Compare a codec, a GPU, recorded vectors or an assembler with the reference
    "conform" Conform = conform;
    /// Write test vectors of a conversion for other implementations
    "vectors" Vectors = vectors;
    /// Explain an error code
    "explain" Explain = explain;
    /// Print a completion script for a shell
    "completions" Completions = completions(whole_command());
    /// Write the manual pages
    "man" Man = man(whole_command());
}

/// PTX number conversion: where each form of cvt is legal, and exactly which bits it returns.
#[derive(Parser)]
#[command(name = "ptxcvt", version, after_help = EXAMPLES)]
struct Cli {
    #[command(flatten)]
    global: args::Global,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  ptxcvt eval cvt.rn.satfinite.e4m3x2.f32 1.55 -999
  ptxcvt where cvt.rn.satfinite.e2m1x2.f32 --target sm_120a
  ptxcvt check kernel.ptx
  ptxcvt convert cvt.rn.satfinite.e4m3x2.f32 weights.npy -o weights-e4m3.npy";

/// The description of the command line, with the exit statuses in every help text.
fn whole_command() -> clap::Command {
    command_line::options_read_negative_numbers(status::document(Cli::command()))
}

fn main() -> ExitCode {
    let command = whole_command();
    let arguments = command_line::options_first(&command, std::env::args_os());
    if command_line::wants_json(&arguments) {
        failure::as_json();
    }
    let parsed = command.try_get_matches_from(&arguments);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return failure::usage(&error),
    };
    cli.global.apply();
    ptxcvt_files::inputs::protect();
    ptxcvt_files::interrupt::end_process(|message| {
        failure::report(Failure::new(message));
    });
    #[cfg(feature = "arrays")]
    if let Some(error) = cli.command.has_kernels().then(ptxcvt_bulk::Tier::from_env).and_then(Result::err) {
        return failure::report(
            Failure::new(error.to_string()).with_code(error.code()).with_help_if(error.help()),
        );
    }
    failure::end(cli.command.run())
}
