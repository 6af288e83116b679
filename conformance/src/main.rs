//! The subcommands: one per oracle, and `fetch`, which downloads the tools that they run.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use ptxcvt_conformance::{
    cost, cuda, drift, fixes, folding, headers, instructions, legality, lowering, proofs, rewritten, search,
    sources, tools, words,
};

/// Compares ptxcvt with NVIDIA's tools and rewrites the committed records.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    oracle: Oracle,
}

#[derive(Subcommand)]
enum Oracle {
    /// Download the tools into DIR (needs `pip`, `unzip` and a network); do not commit them
    Fetch { dir: PathBuf },
    /// Try every spelling with ptxas, on every target and ISA version
    Legality { dir: PathBuf },
    /// Compare values with the host emulation in the CUDA headers (needs `g++`)
    Headers {
        dir: PathBuf,
        /// Only opcodes that contain this text; leaves the record unchanged
        #[arg(long)]
        only: Option<String>,
    },
    /// Compare values with the constants that ptxas folds
    Folding {
        dir: PathBuf,
        /// Only opcodes that contain this text; leaves the record unchanged
        #[arg(long)]
        only: Option<String>,
    },
    /// Assemble every lowering for its target
    Lowering { dir: PathBuf },
    /// Assemble random modules before and after rewriting them for other targets
    Rewritten { dir: PathBuf },
    /// Assemble the modules of tests/fix before and after their fixes
    Fixes { dir: PathBuf },
    /// Compile the CUDA header for every architecture
    Cuda { dir: PathBuf },
    /// Compile the CUDA header with clang for GPUs, and compare the results of its functions with the forms
    Clang {
        dir: PathBuf,
        /// The compiler, such as `clang++-19`
        clang: PathBuf,
        /// A CUDA toolkit whose headers this clang can read; in addition to compiling without CUDA's headers
        cuda: Option<PathBuf>,
    },
    /// Compile the conversions of CUDA's headers, and write which form each of them is
    Names { dir: PathBuf },
    /// Count machine instructions, and those of the shortest and longest path: lowerings, public sequences and codecs,
    /// NVIDIA's functions
    Cost {
        dir: PathBuf,
        /// Only this block, whose first line is a comment with the constraint string; leaves the record unchanged
        block: Option<PathBuf>,
    },
    /// Count the machine instructions of conversions of words, prove them, and write the table of docs/generated/words.md
    Words { dir: PathBuf },
    /// Prove every short sequence on all inputs that its contract allows
    ProveLowering {
        /// Only opcodes that contain this text; leaves other lines of the record unchanged
        #[arg(long)]
        only: Option<String>,
        /// Only sequences whose text differs from the record
        #[arg(long)]
        stale: bool,
        /// Number of threads
        #[arg(long, default_value_t = 1)]
        threads: usize,
    },
    /// Compare the table of instructions with ptxas: spellings, operands, constants
    Instructions {
        dir: PathBuf,
        /// Only one of the three
        #[arg(long)]
        only: Option<instructions::Part>,
        /// Only instructions of these names, such as `add,addc`; keeps the other lines of the records
        #[arg(long, value_delimiter = ',')]
        names: Vec<String>,
    },
    /// Search for shorter sequences near the short ones
    Search {
        /// Only opcodes that contain this text; leaves other lines of the record unchanged
        #[arg(long)]
        only: Option<String>,
        /// Number of threads
        #[arg(long, default_value_t = 1)]
        threads: usize,
    },
    /// Compare the table with the newest ptxas and headers; for drift.py, which reads the verdicts in ROWS
    Drift { dir: PathBuf, rows: PathBuf },
    /// Assemble the inline assembly of tests/cu
    Sources { dir: PathBuf },
}

fn main() -> Result<ExitCode> {
    let agrees = match Arguments::parse().oracle {
        Oracle::Fetch { dir } => tools::fetch(&dir).map(|()| true)?,
        Oracle::Legality { dir } => legality::run(&dir)?,
        Oracle::Headers { dir, only } => headers::run(&dir, only.as_deref())?,
        Oracle::Lowering { dir } => lowering::run(&dir)?,
        Oracle::Cuda { dir } => cuda::run(&dir)?,
        Oracle::Clang { dir, clang, cuda } => cuda::clang::run(&dir, &clang, cuda.as_deref())?,
        Oracle::Names { dir } => cuda::names::run(&dir)?,
        Oracle::Cost { dir, block: Some(block) } => cost::show(&dir, &block).map(|()| true)?,
        Oracle::Cost { dir, block: None } => cost::run(&dir)?,
        Oracle::Words { dir } => words::run(&dir)?,
        Oracle::ProveLowering { only, stale, threads } => proofs::run(only.as_deref(), stale, threads)?,
        Oracle::Folding { dir, only } => folding::run(&dir, only.as_deref())?,
        Oracle::Rewritten { dir } => rewritten::run(&dir)?,
        Oracle::Fixes { dir } => fixes::run(&dir)?,
        Oracle::Instructions { dir, only, names } => {
            instructions::run(&dir, only, &instructions::Names::new(names))?
        }
        Oracle::Search { only, threads } => search::run(only.as_deref(), threads)?,
        Oracle::Drift { dir, rows } => drift::run(&dir, &rows).map(|()| true)?,
        Oracle::Sources { dir } => sources::run(&dir)?,
    };
    Ok(if agrees { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
