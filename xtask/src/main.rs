//! Chores of this repository that are more than one cargo command: `cargo xtask NAME`.

use std::path::Path;
use std::process::{Command, ExitCode};

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
    Bench {
        /// Few repetitions and one thread: minutes instead of a quarter of an hour
        #[arg(long)]
        quick: bool,
        /// Also run the Python peers that are installed (benches/peers.py)
        #[arg(long)]
        peers: bool,
        /// Only conversions whose opcode contains one of these
        filters: Vec<String>,
    },
}

fn main() -> ExitCode {
    let Chore::Bench { quick, peers, filters } = Arguments::parse().chore;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut bench = Command::new(env!("CARGO"));
    bench.current_dir(&root).args(["bench", "-p", "ptxcvt", "--bench", "convert", "--"]);
    bench.args(quick.then_some("--quick")).args(&filters);
    let mut chores = vec![bench];
    if peers {
        let mut python = Command::new("python3");
        python.current_dir(&root).arg("benches/peers.py").args(quick.then_some("--quick"));
        chores.push(python);
    }
    for mut chore in chores {
        match chore.status() {
            Ok(status) if status.success() => {}
            Ok(_) => return ExitCode::FAILURE,
            Err(error) => {
                eprintln!("error: {}: {error}", chore.get_program().to_string_lossy());
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
