//! `cargo xtask bench`: compares the bulk engine with a copy of the same bytes and with other libraries.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::compare;
use crate::run::{output, succeed};

/// Options of the benchmark.
#[derive(clap::Args)]
pub struct Arguments {
    /// Use few repetitions and one thread: minutes instead of a quarter of an hour
    #[arg(long)]
    quick: bool,
    /// Measure every form and rewrite docs/generated/kernels.md
    #[arg(long)]
    table: bool,
    /// Measure short runs of every form
    #[arg(long)]
    few: bool,
    /// Elements per run
    #[arg(long)]
    elements: Option<usize>,
    /// Also run the Python peers that are installed (benches/peers.py)
    #[arg(long)]
    peers: bool,
    /// Run the benchmarks of this revision and of the working tree in turn, and print what moved beyond the noise
    #[arg(long, value_name = "REVISION", conflicts_with_all = ["quick", "table", "few", "elements", "peers"])]
    compare: Option<String>,
    /// Measure only conversions whose opcode contains one of these texts
    filters: Vec<String>,
}

/// The lines around the tables in docs/generated/kernels.md.
const MARKS: [&str; 2] =
    ["<!-- printed by cargo xtask bench --table -->\n", "<!-- end of what was printed -->\n"];

/// Runs the benchmarks.
pub fn run(root: &Path, arguments: &Arguments) -> Result<(), String> {
    if let Some(revision) = &arguments.compare {
        return compare::run(root, revision, &arguments.filters);
    }
    let quick = arguments.quick.then_some("--quick");
    let mut bench = Command::new(env!("CARGO"));
    bench.current_dir(root).args(["bench", "-p", "ptxcvt-bulk", "--bench", "convert", "--"]);
    bench.args(arguments.table.then_some("--table")).args(arguments.few.then_some("--few"));
    bench.args(arguments.elements.iter().flat_map(|n| ["--elements".to_owned(), n.to_string()]));
    bench.args(quick).args(&arguments.filters);
    if arguments.table && arguments.filters.is_empty() {
        write_table(&root.join("docs/generated/kernels.md"), &output(&mut bench)?)?;
    } else {
        succeed(&mut bench)?;
    }
    if arguments.peers {
        succeed(Command::new("python3").current_dir(root).arg("benches/peers.py").args(quick))?;
    }
    Ok(())
}

/// Replaces the tables of the page.
fn write_table(page: &Path, table: &str) -> Result<(), String> {
    let text = fs::read_to_string(page).map_err(|e| format!("{}: {e}", page.display()))?;
    let [begin, end] = MARKS;
    let (before, rest) = text.split_once(begin).ok_or(format!("{}: no line {begin}", page.display()))?;
    let (_, after) = rest.split_once(end).ok_or(format!("{}: no line {end}", page.display()))?;
    fs::write(page, format!("{before}{begin}\n{}\n\n{end}{after}", table.trim()))
        .map_err(|e| format!("{}: {e}", page.display()))
}
