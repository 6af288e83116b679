//! Runs `ptxas` until it has nothing against what is left, and notes what it said of each line.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::Command;

/// An assembler that builds for one architecture.
pub struct Assembler {
    program: PathBuf,
    arch: String,
    file: PathBuf,
}

/// A module of `head` and the lines of one kernel's body.
pub fn module<'l>(head: &str, body: impl Iterator<Item = &'l String>) -> String {
    let mut text = head.to_owned();
    for line in body {
        text += line;
        text.push('\n');
    }
    text + "ret;\n}\n"
}

impl Assembler {
    pub fn new(program: &str, arch: &str) -> Self {
        let file = std::env::temp_dir().join(format!("ptxcvt-differential-{}.ptx", std::process::id()));
        Self { program: program.into(), arch: arch.to_owned(), file }
    }

    /// The assembler's own version.
    pub fn version(&self) -> String {
        let output = Command::new(&self.program).arg("--version").output();
        let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
        let version = text.split_whitespace().find(|word| word.starts_with('V'));
        format!("ptxas {}", version.unwrap_or("?").trim_start_matches('V'))
    }

    /// The numbers of the rejected lines, from 0, each with the first thing that was said of it.
    ///
    /// The assembler gives up after one class of errors, so what it named is removed and it is run again.
    pub fn rejected(&self, head: &str, body: &[String]) -> io::Result<BTreeMap<usize, String>> {
        let mut rejected = BTreeMap::new();
        let left: Vec<usize> = (0..body.len()).collect();
        self.sift(head, body, left, &mut rejected)?;
        Ok(rejected)
    }

    fn sift(
        &self,
        head: &str,
        body: &[String],
        mut left: Vec<usize>,
        rejected: &mut BTreeMap<usize, String>,
    ) -> io::Result<()> {
        let before = head.lines().count();
        loop {
            std::fs::write(&self.file, module(head, left.iter().map(|&at| &body[at])))?;
            let output = Command::new(&self.program)
                .args(["-O0", "-arch", &self.arch, "-o", "/dev/null"])
                .arg(&self.file)
                .output()?;
            if output.status.success() {
                return Ok(());
            }
            let text = [output.stdout, output.stderr].concat();
            let mut named = BTreeMap::new();
            for message in String::from_utf8_lossy(&text).lines() {
                let Some((number, said)) = line_of(message) else { continue };
                match number.checked_sub(before + 1).and_then(|n| left.get(n)) {
                    Some(&at) => {
                        named.entry(at).or_insert_with(|| said.to_owned());
                    }
                    None => return Err(io::Error::other(format!("not about the body: {message}"))),
                }
            }
            if !named.is_empty() {
                left.retain(|at| !named.contains_key(at));
                rejected.append(&mut named);
                continue;
            }
            // A crash without a line: halve until one line is left.
            if let [only] = left[..] {
                rejected.insert(only, "the assembler fails without naming a line".into());
                return Ok(());
            }
            if left.is_empty() {
                return Err(io::Error::other(String::from_utf8_lossy(&text).into_owned()));
            }
            let second = left.split_off(left.len() / 2);
            self.sift(head, body, left, rejected)?;
            left = second;
        }
    }
}

impl Drop for Assembler {
    fn drop(&mut self) {
        // Nothing is lost where it is not there.
        let _ = std::fs::remove_file(&self.file);
    }
}

/// The line that a message is about, and what it says.
fn line_of(message: &str) -> Option<(usize, &str)> {
    let lower =
        message.find(", line ").map(|at| at + 7).or_else(|| message.find("Line No: ").map(|at| at + 9))?;
    let rest = &message[lower..];
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let says = rest.get(digits..)?.trim_start_matches([';', ':', ' ']);
    if says.starts_with("warning") {
        return None;
    }
    Some((rest[..digits].parse().ok()?, says))
}
