//! An assembler as an oracle: thousands of instructions per file, a verdict for each.
//!
//! `ptxas` names every bad line of a file, but gives up after a class of errors; the lines that it named are
//! taken out and the rest is given to it again, until it is silent.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use ptxcvt::{IsaVersion, Target};

/// Lines of one file.
const BATCH: usize = 3000;

/// An assembler and what it knows.
#[derive(Clone, Debug)]
pub struct Assembler {
    path: PathBuf,
    /// Its own version, such as 13.5.37.
    pub version: String,
    /// The newest ISA version that it takes.
    pub newest: IsaVersion,
    /// The targets that it builds for.
    pub targets: Vec<Target>,
}

/// Whether the assembler generates code, or stops after it has checked the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Its front end alone.
    Check,
    /// Machine code, without optimisation.
    Code,
}

/// What the assembler says of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Accepted.
    Accepted,
    /// Rejected with this message.
    Rejected(String),
    /// The assembler itself failed on it.
    Crashed(String),
}

/// The assembler could not be asked.
#[derive(Clone, Debug)]
pub struct Unusable(String);

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unusable {}

/// A module's text around the lines that are asked about.
pub struct Frame {
    /// The target after `.target`.
    pub target: Target,
    /// The version after `.version`.
    pub isa: IsaVersion,
    /// Register declarations.
    pub registers: String,
}

impl Assembler {
    /// Asks the assembler at `path` what it knows.
    ///
    /// # Errors
    ///
    /// Fails where it cannot be run or does not answer like `ptxas`.
    pub fn open(path: &Path) -> Result<Assembler, Unusable> {
        let unusable = |what: &str| Unusable(format!("{}: {what}", path.display()));
        let answer = Command::new(path).arg("--version").output();
        let answer = answer.map_err(|e| unusable(&format!("cannot be run: {e}")))?;
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let version = text.split(", V").nth(1).and_then(|rest| rest.split_whitespace().next());
        let version = version.ok_or_else(|| unusable("does not answer --version like ptxas"))?.to_owned();
        let mut assembler =
            Assembler { path: path.to_owned(), version, newest: IsaVersion::NEWEST, targets: Vec::new() };
        // A version from the future: the assembler answers with its newest one.
        let (_, messages) = assembler.run(".version 99.0\n.target sm_90\n", &["-arch", "sm_90"])?;
        let newest = messages.split("current version is '").nth(1).and_then(|rest| rest.split('\'').next());
        assembler.newest = newest
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| unusable(&format!("does not say which ISA versions it takes: {messages}")))?;
        for target in Target::all() {
            let Some(isa) = assembler.versions(target).last() else { continue };
            let module = format!(".version {isa}\n.target {target}\n.address_size 64\n");
            if assembler.run(&module, &["-arch", &target.to_string()])?.0 {
                assembler.targets.push(target);
            }
        }
        Ok(assembler)
    }

    /// The versions that the assembler and the target have in common, from 2.3 on, where `.address_size`
    /// begins.
    pub fn versions(&self, target: Target) -> impl Iterator<Item = IsaVersion> + use<> {
        let (first, newest) = (IsaVersion::new(2, 3), self.newest);
        IsaVersion::all().filter(move |v| (first..=newest).contains(v) && target.exists_in(*v))
    }

    /// Assembles a whole module for its target and generates optimised code, as a driver's compiler does.
    ///
    /// # Errors
    ///
    /// Fails where the assembler cannot be run; its messages are the inner error.
    pub fn module(&self, text: &str, target: Target) -> Result<Result<(), String>, Unusable> {
        let (fine, messages) = self.run(text, &["-arch", &target.to_string()])?;
        Ok(if fine { Ok(()) } else { Err(messages) })
    }

    /// A verdict for each line, on every core.
    ///
    /// # Errors
    ///
    /// Fails where the assembler cannot be run or refuses the frame itself.
    pub fn verdicts(&self, frame: &Frame, depth: Depth, lines: &[String]) -> Result<Vec<Verdict>, Unusable> {
        let batches: Vec<&[String]> = lines.chunks(BATCH).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut mine = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(batch) = batches.get(number) else { return Ok(mine) };
                let batch = (number * BATCH..).zip(batch.iter().map(String::as_str)).collect();
                self.batch(frame, depth, batch, &mut mine)?;
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let parts: Vec<Result<Vec<(usize, Verdict)>, Unusable>> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..cores.min(batches.len())).map(|_| scope.spawn(work)).collect();
            let join = |handle: std::thread::ScopedJoinHandle<_>| match handle.join() {
                Ok(value) => value,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            handles.into_iter().map(join).collect()
        });
        let mut verdicts = vec![Verdict::Accepted; lines.len()];
        for part in parts {
            part?.into_iter().for_each(|(at, verdict)| verdicts[at] = verdict);
        }
        Ok(verdicts)
    }

    /// Collects what is not accepted among `lines`.
    fn batch(
        &self,
        frame: &Frame,
        depth: Depth,
        mut lines: Vec<(usize, &str)>,
        verdicts: &mut Vec<(usize, Verdict)>,
    ) -> Result<(), Unusable> {
        let arch = match depth {
            Depth::Check => frame.target.to_string().replace("sm_", "compute_"),
            Depth::Code => frame.target.to_string(),
        };
        while !lines.is_empty() {
            let mut text = format!(
                ".version {}\n.target {}\n.address_size 64\n.visible .entry k()\n{{\n{}\n",
                frame.isa, frame.target, frame.registers
            );
            let before = text.lines().count();
            for (_, line) in &lines {
                text.push_str(line);
                text.push('\n');
            }
            text.push_str("ret;\n}\n");
            let (fine, messages) = self.run(&text, &["-O0", "-arch", &arch])?;
            if fine {
                return Ok(());
            }
            let named: Vec<(usize, String)> = messages.lines().filter_map(named_line).collect();
            if let Some((_, message)) = named.iter().find(|(line, _)| *line <= before) {
                let (target, isa) = (frame.target, frame.isa);
                return Err(Unusable(format!("a module for {target} at ISA {isa} is refused: {message}")));
            }
            let bad: Vec<(usize, String)> = named
                .into_iter()
                .filter_map(|(line, message)| Some((line.checked_sub(before + 1)?, message)))
                .filter(|(at, _)| *at < lines.len())
                .collect();
            if bad.is_empty() {
                // The assembler failed as a whole: on which line? Halve.
                if let [(at, _)] = lines[..] {
                    let message = messages.lines().next().unwrap_or("no message").to_owned();
                    verdicts.push((at, Verdict::Crashed(message)));
                    return Ok(());
                }
                let rest = lines.split_off(lines.len() / 2);
                self.batch(frame, depth, rest, verdicts)?;
                continue;
            }
            let mut rejected = vec![None; lines.len()];
            bad.into_iter().for_each(|(at, message)| _ = rejected[at].get_or_insert(message));
            let mut kept = Vec::new();
            for ((at, line), message) in lines.into_iter().zip(rejected) {
                match message {
                    Some(message) => verdicts.push((at, Verdict::Rejected(message))),
                    None => kept.push((at, line)),
                }
            }
            lines = kept;
        }
        Ok(())
    }

    /// Runs the assembler over a text: whether it took it, and its messages.
    fn run(&self, text: &str, arguments: &[&str]) -> Result<(bool, String), Unusable> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("ptxcvt-{}-{number}.ptx", std::process::id());
        let source = Temporary(std::env::temp_dir().join(name));
        let output = Temporary(source.0.with_extension("cubin"));
        fs::write(&source.0, text).map_err(|e| Unusable(format!("{}: {e}", source.0.display())))?;
        let mut command = Command::new(&self.path);
        command.args(arguments).arg(&source.0).arg("-o").arg(&output.0);
        let answer = command.output().map_err(|e| Unusable(format!("{}: {e}", self.path.display())))?;
        let mut messages = String::from_utf8_lossy(&answer.stderr).into_owned();
        messages.push_str(&String::from_utf8_lossy(&answer.stdout));
        Ok((answer.status.success(), messages))
    }
}

/// A file that is removed when dropped.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // It may never have been written.
        let _ = fs::remove_file(&self.0);
    }
}

/// The number and the message of `FILE, line 8; error   : Rounding modifier required`.
fn named_line(message: &str) -> Option<(usize, String)> {
    let (_, rest) = message.split_once(", line ")?;
    let (number, rest) = rest.split_once("; ")?;
    let (kind, text) = rest.split_once(':')?;
    let error = matches!(kind.trim(), "error" | "fatal");
    error.then(|| Some((number.parse().ok()?, text.trim().to_owned()))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        let line = "ptxas a, line 1.ptx, line 8; error   : Rounding modifier required for instruction 'cvt'";
        assert_eq!(named_line(line), None, "a comma in a path is not a line");
        let line = "ptxas a.ptx, line 8; error   : Rounding modifier required for instruction 'cvt'";
        let message = "Rounding modifier required for instruction 'cvt'".to_owned();
        assert_eq!(named_line(line), Some((8, message)));
        assert_eq!(named_line("ptxas a.ptx, line 8; warning : odd"), None);
        assert_eq!(named_line("ptxas fatal   : Ptx assembly aborted due to errors"), None);
    }

    #[test]
    fn what_cannot_be_run_is_named() {
        let error = Assembler::open(Path::new("/nowhere/ptxas")).unwrap_err().to_string();
        assert!(error.starts_with("/nowhere/ptxas: cannot be run: "), "{error}");
    }
}
