//! Chores of this repository that are more than one cargo command: `cargo xtask NAME`, one file each.

mod bench;
mod bless;
mod c;
mod debian;
mod editors;
mod emulate;
mod exhaustive;
mod hooks;
mod msrv;
mod package;
mod python;
mod run;
mod test;
mod toolchain;
mod trial;
mod web;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of this repository.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Measure the bulk engine beside a copy of the same bytes and its peers
    Bench(bench::Arguments),
    /// Rewrite everything that is derived from the tables and the records
    Bless,
    /// Build the library for C and put header, libraries and pkg-config's file below a folder
    C {
        /// The folder
        #[arg(long, value_name = "DIR", default_value = "target/c")]
        prefix: PathBuf,
    },
    /// Put all 2^32 f32 inputs through every form that takes f32
    Exhaustive(exhaustive::Arguments),
    /// Build and test with Rust 1.85, the oldest that is promised
    Msrv,
    /// Pack every crate that is published, in order, as for the registry
    Package {
        /// Compile each crate from its package, too
        #[arg(long)]
        verify: bool,
    },
    /// Everything that the project promises beyond `cargo test --workspace`
    Test {
        /// Only these parts
        parts: Vec<test::Part>,
    },
    /// Add a made-up form to a copy of the sources, by docs/add-a-form.md
    Trial {
        /// Run every test there, not only those that look at forms
        #[arg(long)]
        all: bool,
    },
    /// Build the explorer, the page in `web/`, into `target/web/index.html`
    Web,
    /// Run the library's tests on another processor, emulated
    Emulate {
        /// The processor
        architecture: emulate::Architecture,
        /// Passed on to `cargo test`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let outcome = match Arguments::parse().chore {
        Chore::Bench(arguments) => bench::run(root, &arguments),
        Chore::Bless => bless::run(root),
        Chore::C { prefix } => c::install(root, &prefix, true),
        Chore::Exhaustive(arguments) => exhaustive::run(root, &arguments),
        Chore::Msrv => msrv::run(root),
        Chore::Package { verify } => package::run(root, verify),
        Chore::Test { parts } => test::run(root, &parts),
        Chore::Trial { all } => trial::run(root, all),
        Chore::Web => web::run(root).map(drop),
        Chore::Emulate { architecture, arguments } => emulate::run(root, architecture, &arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
