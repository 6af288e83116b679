//! Judges thousands of lines with few runs of ptxas: rejected lines are removed, and the rest is assembled
//! again.
//!
//! ptxas names every invalid line of a file, but stops after a class of errors, so it is run until it reports
//! nothing. If it fails without naming a line, the file is halved until one line is left.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::unusable::Unusable;

/// The assembler's verdict on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Accepted.
    Accepted,
    /// Rejected with this message, the first one.
    Rejected(String),
    /// The assembler itself failed on it.
    Crashed(String),
}

/// The outcome of one run of the assembler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// It accepted the whole text.
    pub accepted: bool,
    /// Its messages.
    pub messages: String,
}

impl Answer {
    /// The lines that the messages name, from 1 on, each with its message.
    pub fn named(&self) -> impl Iterator<Item = (usize, &str)> {
        self.messages.lines().filter_map(named_line)
    }

    /// True if the assembler itself failed: an internal error, or an end without a message.
    pub fn is_crash(&self) -> bool {
        let internal =
            |line: &str| line.to_ascii_lowercase().contains("internal") && named_line(line).is_none();
        !self.accepted && (self.messages.trim().is_empty() || self.messages.lines().any(internal))
    }
}

/// The text around the assembled lines, and the assembler's target.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// Everything before the lines, whole lines of text.
    pub head: &'a str,
    /// The operand of `-arch`: `sm_90` for machine code, `compute_90` for a check of the text alone.
    pub arch: &'a str,
}

impl Surroundings<'_> {
    /// The module: head, lines, and the end of the kernel.
    pub fn module<'l>(&self, lines: impl IntoIterator<Item = &'l str>) -> String {
        let mut text = self.head.to_owned();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
        text + "ret;\n}\n"
    }
}

/// ptxas as a program: text in, messages out.
#[derive(Clone, Debug)]
pub struct Ptxas {
    path: PathBuf,
}

impl Ptxas {
    /// The program at this path.
    pub fn new(path: &Path) -> Self {
        Ptxas { path: path.to_owned() }
    }

    /// Its own version, such as `13.5.37`.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be run or does not answer like `ptxas`.
    pub fn version(&self) -> Result<String, Unusable> {
        let unusable = |what: &str| Unusable(format!("{}: {what}", self.path.display()));
        let text = self.ask("--version").map_err(|e| unusable(&format!("cannot be run: {e}")))?;
        tool_version(&text).map(str::to_owned).ok_or_else(|| unusable("does not answer --version like ptxas"))
    }

    /// The targets that its help lists, `sm_90` and `compute_90` alike.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be run.
    pub fn targets(&self) -> Result<Vec<String>, Unusable> {
        let text = self.ask("--help").map_err(|e| Unusable(format!("{}: {e}", self.path.display())))?;
        let quoted = text.split('\'').filter(|word| word.starts_with("sm_"));
        let mut targets: Vec<String> = quoted.filter(|word| !word.contains(' ')).map(str::to_owned).collect();
        targets.sort();
        targets.dedup();
        Ok(targets)
    }

    fn ask(&self, option: &str) -> std::io::Result<String> {
        let output = Command::new(&self.path).arg(option).output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs the assembler over a text.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be run, or if the text cannot be stored for it.
    pub fn run(&self, text: &str, arguments: &[&str]) -> Result<Answer, Unusable> {
        self.run_then(text, arguments, |_| {})
    }

    /// Like [`run`](Self::run), but `then` may read the machine code before it is deleted.
    pub(super) fn run_then(
        &self,
        text: &str,
        arguments: &[&str],
        then: impl FnOnce(&Path),
    ) -> Result<Answer, Unusable> {
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
        if answer.status.success() {
            then(&output.0);
        }
        Ok(Answer { accepted: answer.status.success(), messages })
    }

    /// A verdict for each line of a kernel's body, `batch` lines to a module.
    ///
    /// # Errors
    ///
    /// Fails if the assembler cannot be run or rejects the text around the lines.
    pub fn sift(
        &self,
        around: Surroundings<'_>,
        lines: &[&str],
        batch: usize,
    ) -> Result<Vec<Verdict>, Unusable> {
        let mut verdicts = vec![Verdict::Accepted; lines.len()];
        for start in (0..lines.len()).step_by(batch) {
            let indices: Vec<usize> = (start..lines.len().min(start + batch)).collect();
            self.sift_module(around, lines, indices, &mut verdicts)?;
        }
        Ok(verdicts)
    }

    /// Judges the lines with these indices, until the assembler reports nothing.
    fn sift_module(
        &self,
        around: Surroundings<'_>,
        lines: &[&str],
        mut left: Vec<usize>,
        verdicts: &mut [Verdict],
    ) -> Result<(), Unusable> {
        let before = around.head.lines().count();
        while !left.is_empty() {
            let text = around.module(left.iter().map(|at| lines[*at]));
            let answer = self.run(&text, &["-O0", "-arch", around.arch])?;
            if answer.accepted {
                return Ok(());
            }
            let mut progress = false;
            for (line, message) in answer.named() {
                let Some(place) = line.checked_sub(before + 1) else {
                    // Some messages name a wrong line; halving then finds the right one.
                    if self.run(&around.module([]), &["-O0", "-arch", around.arch])?.accepted {
                        continue;
                    }
                    let head = around.head.lines().take(2).collect::<Vec<_>>().join(" ");
                    return Err(Unusable(format!("a module `{head}` is refused: {message}")));
                };
                // Messages about the kernel's end are consequences of invalid lines.
                let Some(&at) = left.get(place) else { continue };
                progress = true;
                if verdicts[at] == Verdict::Accepted {
                    verdicts[at] = Verdict::Rejected(message.to_owned());
                }
            }
            if progress {
                left.retain(|at| verdicts[*at] == Verdict::Accepted);
            } else if let [only] = left[..] {
                let message = answer.messages.lines().next().unwrap_or("no message").to_owned();
                verdicts[only] = match answer.is_crash() {
                    true => Verdict::Crashed(message),
                    false => Verdict::Rejected(message),
                };
                return Ok(());
            } else {
                let rest = left.split_off(left.len() / 2);
                self.sift_module(around, lines, rest, verdicts)?;
            }
        }
        Ok(())
    }
}

/// `13.5.37` of what a program of CUDA's toolkit answers to `--version`: `Cuda compilation tools, release 13.5, V13.5.37`.
pub fn tool_version(answer: &str) -> Option<&str> {
    answer.split(", V").nth(1).and_then(|rest| rest.split_whitespace().next())
}

/// A file that is removed when dropped.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // The file may never have been written.
        let _ = fs::remove_file(&self.0);
    }
}

/// The number and the message of `FILE, line 8; error   : Rounding modifier required`, or of `… Line No: 8;
/// Unexpected …`, which ptxas prints for internal errors.
fn named_line(message: &str) -> Option<(usize, &str)> {
    if let Some((_, rest)) = message.split_once("Line No: ") {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, rest) = rest.split_at(digits);
        return Some((number.parse().ok()?, rest.trim_start_matches([';', ':', ' '])));
    }
    let (_, rest) = message.split_once(", line ")?;
    let (number, rest) = rest.split_once("; ")?;
    let (kind, text) = rest.split_once(':')?;
    let error = matches!(kind.trim(), "error" | "fatal");
    error.then(|| Some((number.parse().ok()?, text.trim()))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        let line = "ptxas a, line 1.ptx, line 8; error   : Rounding modifier required for instruction 'cvt'";
        assert_eq!(named_line(line), None, "a comma in a path is not a line");
        let line = "ptxas a.ptx, line 8; error   : Rounding modifier required for instruction 'cvt'";
        assert_eq!(named_line(line), Some((8, "Rounding modifier required for instruction 'cvt'")));
        assert_eq!(named_line("ptxas a.ptx, line 8; warning : odd"), None);
        assert_eq!(named_line("ptxas fatal   : Ptx assembly aborted due to errors"), None);
        assert_eq!(named_line("internal failure; Line No: 12; unexpected"), Some((12, "unexpected")));
    }

    #[test]
    fn versions_are_read() {
        let answer = "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 13.5, V13.5.37\nBuild cuda_13";
        assert_eq!(tool_version(answer), Some("13.5.37"));
        assert_eq!(tool_version("ptxas 13.5"), None);
    }

    #[test]
    fn a_crash_is_not_a_refusal() {
        let crash = |accepted, messages: &str| Answer { accepted, messages: messages.to_owned() }.is_crash();
        let aborted = "ptxas fatal   : Ptx assembly aborted due to errors";
        assert!(crash(false, &format!("ptxas fatal   : (C7907) Internal compiler error.\n{aborted}")));
        assert!(crash(false, ""), "killed by a signal");
        assert!(!crash(true, "ptxas info    : internal"));
        assert!(!crash(false, &format!("ptxas fatal   : Unresolved extern function 'f'\n{aborted}")));
        assert!(!crash(false, "internal failure; Line No: 12; unexpected"));
    }
}
