//! `cargo xtask NAME`: development tasks that need more than one cargo command, one file each.

mod bench;
mod bless;
mod c;
mod compare;
mod data;
mod debian;
mod dist;
mod editors;
mod emulate;
mod exhaustive;
mod features;
mod fuzz;
mod hooks;
mod msrv;
mod oldest;
mod outside;
mod package;
mod python;
mod run;
mod site;
mod skip;
mod standard;
mod test;
mod toolchain;
mod trial;
mod web;
mod without_std;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Development tasks of this repository.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Compare the bulk engine with a copy of the same bytes and with other libraries
    Bench(bench::Arguments),
    /// Rewrite everything that is derived from the tables and the records
    Bless,
    /// Build the C library and install its header, libraries and pkg-config file
    C {
        /// The install prefix
        #[arg(long, value_name = "DIR", default_value = "target/c")]
        prefix: PathBuf,
    },
    /// Write the tables as one file, `target/data/ptxcvt.json`, with its schema
    Data,
    /// Build what a release consists of, into `target/dist`
    Dist(dist::Arguments),
    /// Convert all 2^32 f32 inputs with every form that takes f32
    Exhaustive(exhaustive::Arguments),
    /// Run a fuzz target with coverage feedback
    Fuzz(fuzz::Arguments),
    /// Build and test with Rust 1.85, the minimum supported version
    Msrv,
    /// Compile the published crates with the oldest dependencies that their manifests allow
    Oldest,
    /// Package every published crate as for the registry
    Package {
        /// Also compile each crate from its package
        #[arg(long)]
        verify: bool,
    },
    /// Write the static pages, one for every form, into `target/site`
    Site,
    /// Run the tests that need more than Rust (Python, a browser, C, editors)
    Test {
        /// Only these parts
        parts: Vec<test::Part>,
    },
    /// Follow the guides docs/add-*.md on a copy of the sources, with made-up additions
    Trial {
        /// Only these guides, such as `add-a-form`
        guides: Vec<String>,
        /// Run every test of the workspace, not only those that the guides' patches name
        #[arg(long)]
        all: bool,
    },
    /// Build the explorer, the page in `web/`, into `target/web`
    Web,
    /// Run the library's tests on another architecture under emulation
    Emulate {
        /// The architecture
        architecture: emulate::Architecture,
        /// Arguments for `cargo test`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    let root = &Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let outcome = match Arguments::parse().chore {
        Chore::Bench(arguments) => bench::run(root, &arguments),
        Chore::Bless => bless::run(root, None),
        Chore::C { prefix } => c::install(root, &prefix),
        Chore::Data => data::run(root).map(drop),
        Chore::Dist(arguments) => dist::run(root, &arguments),
        Chore::Exhaustive(arguments) => exhaustive::run(root, &arguments),
        Chore::Fuzz(arguments) => fuzz::run(root, &arguments),
        Chore::Msrv => msrv::run(root),
        Chore::Oldest => oldest::run(root),
        Chore::Package { verify } => package::run(root, verify),
        Chore::Site => site::run(root),
        Chore::Test { parts } => test::run(root, &parts),
        Chore::Trial { guides, all } => trial::run(root, &guides, all),
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
