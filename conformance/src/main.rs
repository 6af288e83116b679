//! The list of subcommands: one per oracle, and `fetch`, which gets the tools that they run.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use ptxcvt_conformance::{legality, tools};

/// Compares ptxcvt with NVIDIA's tools and rewrites the committed records.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    oracle: Oracle,
}

#[derive(Subcommand)]
enum Oracle {
    /// Download the tools into DIR (needs `pip`, `unzip` and a network); nothing of it may be committed
    Fetch { dir: PathBuf },
    /// Try every spelling with ptxas, on every target and ISA version
    Legality { dir: PathBuf },
}

fn main() -> Result<ExitCode> {
    let agrees = match Arguments::parse().oracle {
        Oracle::Fetch { dir } => tools::fetch(&dir).map(|()| true)?,
        Oracle::Legality { dir } => legality::run(&dir)?,
    };
    Ok(if agrees { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
