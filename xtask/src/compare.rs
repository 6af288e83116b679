//! `cargo xtask bench --compare REVISION`: what became faster or slower since a revision.
//!
//! Both revisions are built, and their benchmarks run in turn. Each time is divided by that of the copy in the same
//! run, so that a machine that becomes slower does not count. A conversion has moved if all of one revision's figures
//! are above all of the other's and the medians differ by more than 3 %: with seven runs of each, one in 1,700 does so
//! by chance.
//!
//! Rows that only one of the revisions has are listed. Neither calls from Python nor chains, arrays out of cache,
//! `prove` and `check` are measured.
//!
//! A kernel whose instructions did not change can still move by half, because the linker places it elsewhere
//! (docs/log/performance.md). Count its instructions, for example with `valgrind --tool=callgrind`, before you look for a
//! cause.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{output, succeed};

/// Runs of each revision.
const RUNS: usize = 7;

/// The least change that is reported.
const LEAST: f64 = 0.03;

/// The benchmarks, and the options with which they take seconds.
const BENCHES: [(&str, &[&str]); 2] =
    [("convert", &["--quick", "--elements", "65536"]), ("blocks", &["--in-cache"])];

/// Facts that the figures do not show.
const LIMITS: &str = "\
not measured: calls from Python, chains, arrays out of cache, `prove`, `check`
A kernel with the same instructions can move by half where the linker places it elsewhere: count its instructions first.";

/// Times as multiples of a copy's, for each conversion of each column.
type Figures = BTreeMap<String, Vec<f64>>;

/// Compares the working tree with a revision and prints what moved. Fails if something became slower.
pub fn run(root: &Path, revision: &str, filters: &[String]) -> Result<(), String> {
    let root = &root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
    let other = tree(root, revision)?;
    let moved = compare(root, &other, filters);
    let removed = remove(root, &other);
    let moved = moved?;
    removed?;
    println!("{} compared, {} slower", moved.compared, moved.slower);
    println!("{LIMITS}");
    // Filters may leave nothing of one of the benchmarks.
    if moved.compared == 0 {
        return Err("the revisions have no conversion in common".to_owned());
    }
    if moved.slower == 0 { Ok(()) } else { Err(format!("slower than {revision}: {}", moved.slower)) }
}

/// Runs the benchmarks of both trees in turn, and prints what moved.
fn compare(root: &Path, other: &Path, filters: &[String]) -> Result<Moved, String> {
    let (mut compared, mut slower) = (0, 0);
    for (bench, options) in BENCHES {
        // Cargo gives the programs of both trees one name, and calls the second one fresh if its sources are older than the
        // first one's program: so they share no folder.
        let programs = [("old", other), ("new", root)];
        let [old, new] =
            programs.map(|(name, tree)| built(tree, bench, &root.join("target/compare").join(name)));
        let programs = [old?, new?];
        let mut figures = [Figures::new(), Figures::new()];
        for round in 1..=RUNS {
            eprintln!("{bench}: run {round} of {RUNS}");
            for (program, figures) in programs.iter().zip(&mut figures) {
                read(&output(Command::new(program).args(options).args(filters))?, figures);
            }
        }
        let [old, new] = figures;
        let moved = report(&old, &new);
        compared += moved.compared;
        slower += moved.slower;
    }
    Ok(Moved { compared, slower })
}

/// A work tree of the revision below `target/`.
fn tree(root: &Path, revision: &str) -> Result<PathBuf, String> {
    let tree = root.join("target/compare/tree");
    let name = format!("{revision}^{{commit}}");
    let commit = output(&mut git(root, &["rev-parse", "--verify", "--end-of-options", &name]))?;
    let place = tree.display().to_string();
    if tree.exists() {
        remove(root, &tree)?;
    }
    succeed(&mut git(root, &["worktree", "prune"]))?;
    succeed(&mut git(root, &["worktree", "add", "--quiet", "--detach", &place, commit.trim()]))?;
    Ok(tree)
}

/// Removes a work tree.
fn remove(root: &Path, tree: &Path) -> Result<(), String> {
    succeed(&mut git(root, &["worktree", "remove", "--force", &tree.display().to_string()]))
}

fn git(root: &Path, arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.current_dir(root).args(arguments);
    git
}

/// Builds a benchmark of a tree, whichever package has it, and returns the program's path.
fn built(tree: &Path, bench: &str, target: &Path) -> Result<PathBuf, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(tree).args([
        "bench",
        "--workspace",
        "--no-run",
        "--message-format=json",
        "--bench",
        bench,
    ]);
    let messages = output(cargo.arg("--target-dir").arg(target))?;
    let mut programs = messages.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let found = message["target"]["name"] == bench && message["target"]["kind"][0] == "bench";
        message["executable"].as_str().filter(|_| found).map(PathBuf::from)
    });
    programs.next().ok_or_else(|| format!("{}: no benchmark `{bench}`", tree.display()))
}

/// Adds the figures of one run. A table begins with its columns' names; a column `copy` is the measure of those after it.
fn read(text: &str, figures: &mut Figures) {
    let mut columns: Vec<&str> = Vec::new();
    for line in text.lines() {
        let Some(row) = line.strip_prefix('|').and_then(|line| line.trim_end().strip_suffix('|')) else {
            columns.clear();
            continue;
        };
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        if columns.is_empty() {
            columns = cells;
            continue;
        }
        let mut copy = None;
        for (column, cell) in columns.iter().zip(&cells).skip(1) {
            let number = cell.split(' ').next().and_then(|word| word.parse::<f64>().ok());
            let (name, Some(time)) = (column.split_once(' ').map_or(*column, |(name, _)| name), number)
            else {
                continue;
            };
            match (name, copy) {
                ("copy", _) => copy = Some(time),
                // Other contenders, which no change here makes faster.
                ("reading" | "half", _) | (_, None) => {}
                (_, Some(copy)) => {
                    figures.entry(format!("{} {name}", cells[0])).or_default().push(time / copy)
                }
            }
        }
    }
}

/// How many conversions of a benchmark both revisions have, and how many of them became slower.
#[derive(Debug, PartialEq, Eq)]
struct Moved {
    compared: usize,
    slower: usize,
}

/// Prints what moved.
fn report(old: &Figures, new: &Figures) -> Moved {
    let mut moved = Moved { compared: 0, slower: 0 };
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        println!("only before  {name}");
    }
    for (name, new) in new {
        let Some(old) = old.get(name) else {
            println!("only now     {name}");
            continue;
        };
        moved.compared += 1;
        if let Some(change) = change(old, new) {
            moved.slower += usize::from(change > 0.0);
            println!("{:+6.1} %  {name}  ({:.2} of a copy's speed)", change * 100.0, 1.0 / median(new));
        }
    }
    moved
}

/// How much more time the new revision takes, if that is beyond the noise.
fn change(old: &[f64], new: &[f64]) -> Option<f64> {
    let least = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
    let apart = least(new) > most(old) || most(new) < least(old);
    let change = median(new) / median(old) - 1.0;
    (apart && change.abs() > LEAST).then_some(change)
}

fn median(times: &[f64]) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_both_benchmarks() {
        let text = "cpu: x\n\nin cache\n\n| ns an element | copy | reading | avx2 GB/s ratio | half |\n|---|---:|\n\
            | cvt.rn.f16.f32 | 0.5000 | 0.4 | 1.0000 6.0 0.50 | 2 1 |\n| cvt.f32.f16 | 0.5 | 0.4 | 0.25 6.0 2.0 | - |\n\n\
            | recipe | copy | quantise | copy back | dequantise to bf16 |\n|---|\n| mx | 0.1 | 0.4 (0.25) | 0.2 | 0.3 (0.67) |\n";
        let mut figures = Figures::new();
        read(text, &mut figures);
        let figures: Vec<(&str, f64)> =
            figures.iter().map(|(name, times)| (name.as_str(), times[0])).collect();
        let expected = [
            ("cvt.f32.f16 avx2", 0.5),
            ("cvt.rn.f16.f32 avx2", 2.0),
            ("mx dequantise", 1.5),
            ("mx quantise", 4.0),
        ];
        for (found, expected) in figures.iter().zip(expected) {
            assert_eq!(found.0, expected.0);
            assert!((found.1 - expected.1).abs() < 1e-9, "{found:?}");
        }
        assert_eq!(figures.len(), expected.len());
    }

    /// A filter that names conversions leaves no recipe: that is not an error of the revisions.
    #[test]
    fn a_benchmark_without_rows() {
        let figures = |time: f64| Figures::from([("x".to_owned(), vec![time; RUNS])]);
        assert_eq!(report(&figures(1.0), &figures(1.5)), Moved { compared: 1, slower: 1 });
        assert_eq!(report(&Figures::new(), &Figures::new()), Moved { compared: 0, slower: 0 });
    }

    #[test]
    fn only_what_is_beyond_the_noise_has_moved() {
        assert_eq!(change(&[1.0, 1.1, 1.2], &[1.15, 1.3, 1.4]), None);
        assert_eq!(change(&[1.0, 1.01, 1.0], &[1.02, 1.02, 1.03]), None);
        assert!(change(&[1.0, 1.1, 1.2], &[1.25, 1.3, 1.4]).is_some_and(|change| change > 0.18));
        assert!(change(&[1.0, 1.0, 1.0], &[0.5, 0.6, 0.5]).is_some_and(|change| change == -0.5));
    }
}
