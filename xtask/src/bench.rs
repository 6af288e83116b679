//! `cargo xtask bench`: the bulk engine beside a copy of the same bytes, and beside its peers.

use std::path::Path;
use std::process::Command;

use crate::run::succeed;

/// What to measure.
#[derive(clap::Args)]
pub struct Arguments {
    /// Few repetitions and one thread: minutes instead of a quarter of an hour
    #[arg(long)]
    quick: bool,
    /// Measure every form, and print the table of kernels
    #[arg(long)]
    table: bool,
    /// Measure a run of a few elements of every form
    #[arg(long)]
    few: bool,
    /// Elements of a run
    #[arg(long)]
    elements: Option<usize>,
    /// Also run the Python peers that are installed (benches/peers.py)
    #[arg(long)]
    peers: bool,
    /// Only conversions whose opcode contains one of these
    filters: Vec<String>,
}

/// Runs the benchmarks.
pub fn run(root: &Path, arguments: &Arguments) -> Result<(), String> {
    let quick = arguments.quick.then_some("--quick");
    let mut bench = Command::new(env!("CARGO"));
    bench.current_dir(root).args(["bench", "-p", "ptxcvt", "--bench", "convert", "--"]);
    bench.args(arguments.table.then_some("--table")).args(arguments.few.then_some("--few"));
    bench.args(arguments.elements.iter().flat_map(|n| ["--elements".to_owned(), n.to_string()]));
    succeed(bench.args(quick).args(&arguments.filters))?;
    if arguments.peers {
        succeed(Command::new("python3").current_dir(root).arg("benches/peers.py").args(quick))?;
    }
    Ok(())
}
