//! LLVM's tests: for which machines they are run, and which conversions they expect.

use std::collections::BTreeMap;
use std::rc::Rc;

use ptxcvt::{IsaVersion, Spelling, Target};

use crate::directives::{Directive, conversions};
use crate::report::{Finding, Kind};
use crate::subtarget;
use crate::tablegen::Unread;

/// A `RUN` line: its machine and the prefixes of the lines that it compares.
struct Run {
    target: Target,
    isa: IsaVersion,
    prefixes: Vec<String>,
}

/// The expectations of a test.
#[derive(Debug, Default)]
pub struct Checks {
    pub expectations: usize,
    pub findings: Vec<Finding>,
    pub unread: Vec<Unread>,
}

/// The default machine of a test.
pub struct Defaults<'d> {
    pub target: Option<Target>,
    /// The version of a target.
    pub isa: &'d dyn Fn(Target) -> IsaVersion,
}

/// Compares a test with the table.
pub fn check(file: &str, text: &str, default: &Defaults<'_>) -> Checks {
    let mut checks = Checks::default();
    let name: Rc<str> = file.into();
    let unread = |line: u32, reason: &str| Unread { file: name.clone(), line, reason: reason.to_owned() };
    let mut runs = Vec::new();
    let mut of_runs = Vec::new();
    for (line, command) in commands(text) {
        match run(&command, default) {
            Ok(Some(run)) => runs.push(run),
            Ok(None) => {}
            Err(reason) => of_runs.push(unread(line, reason)),
        }
    }
    let expected = text.lines().zip(1..).filter_map(|(line, number)| Some((number, directive(line, &runs)?)));
    let expected: Vec<(u32, Directive<'_>)> =
        expected.filter(|(_, directive)| !conversions(directive).is_empty()).collect();
    if expected.is_empty() {
        return checks;
    }
    checks.unread = of_runs;
    let mut found: BTreeMap<(String, String), (u32, usize)> = BTreeMap::new();
    for (line, directive) in expected {
        let of_line: Vec<&Run> =
            runs.iter().filter(|run| run.prefixes.iter().any(|own| own == directive.prefix)).collect();
        if of_line.is_empty() {
            checks.unread.push(unread(line, "no RUN line that was read compares it"));
            continue;
        }
        if directive.suffix == "NOT" {
            checks.unread.push(unread(line, "it expects that a conversion is absent"));
            continue;
        }
        for opcode in conversions(&directive) {
            let Some(opcode) = opcode else {
                checks.unread.push(unread(line, "the opcode is a regular expression"));
                continue;
            };
            for run in &of_line {
                checks.expectations += 1;
                if let Some(message) = wrong(opcode, run) {
                    found.entry((opcode.to_owned(), message)).or_insert((line, 0)).1 += 1;
                }
            }
        }
    }
    for ((opcode, message), (line, count)) in found {
        let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
        checks.findings.push(Finding {
            kind: Kind::Test,
            file: name.to_string(),
            line,
            opcodes: vec![opcode],
            machines: Vec::new(),
            certain: true,
            message: message + &times,
        });
    }
    checks
}

/// Why a machine does not accept an opcode.
fn wrong(opcode: &str, run: &Run) -> Option<String> {
    let Run { target, isa, .. } = run;
    let Some(form) = Spelling::new(opcode).form() else {
        return Some("the test expects a form that does not exist".to_owned());
    };
    if form.is_legal(*target, *isa) {
        return None;
    }
    let need = match form.since(*target) {
        Some(since) => format!("{target} has it from {since} on"),
        None => format!("{target} does not have it"),
    };
    Some(format!("the test expects it for {target} in PTX {isa}; {need}"))
}

/// Parses a FileCheck directive: a prefix of a run anywhere in the line, or any prefix at the beginning of a comment.
fn directive<'l>(line: &'l str, runs: &[Run]) -> Option<Directive<'l>> {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let mut first = None;
    for (colon, _) in line.match_indices(':') {
        let before = &line[..colon];
        let plain = before.strip_suffix("{LITERAL}");
        let (literal, before) = (plain.is_some(), plain.unwrap_or(before));
        let written = &before[before.trim_end_matches(word).len()..];
        let text = &line[colon + 1..];
        let comment = before[..before.len() - written.len()].trim();
        let known = |(prefix, suffix)| Directive { prefix, suffix, literal, text };
        if let Some(parts) = split_prefix(written, runs) {
            return Some(known(parts));
        }
        if first.is_none() && !written.is_empty() && matches!(comment, ";" | "//") {
            first = Some(known((written, "")));
        }
    }
    first
}

/// The prefix of a run, and the text after it.
fn split_prefix<'l>(written: &'l str, runs: &[Run]) -> Option<(&'l str, &'l str)> {
    let of = |prefix: &String| {
        let rest = written.strip_prefix(prefix.as_str())?;
        let suffix = if rest.is_empty() { rest } else { rest.strip_prefix('-')? };
        let known = matches!(suffix, "" | "NEXT" | "SAME" | "NOT" | "DAG" | "LABEL" | "EMPTY");
        let count = suffix.strip_prefix("COUNT-").is_some_and(|count| count.parse::<u32>().is_ok());
        (known || count).then(|| (&written[..prefix.len()], suffix))
    };
    runs.iter().flat_map(|run| &run.prefixes).find_map(of)
}

/// The `RUN` lines, joined where one continues.
fn commands(text: &str) -> Vec<(u32, String)> {
    let mut commands: Vec<(u32, String)> = Vec::new();
    let mut open = false;
    for (line, number) in text.lines().zip(1..) {
        let Some((_, command)) = line.split_once("RUN:") else { continue };
        let (command, more) = match command.trim_end().strip_suffix('\\') {
            Some(command) => (command, true),
            None => (command, false),
        };
        match commands.last_mut().filter(|_| open) {
            Some((_, known)) => known.push_str(command),
            None => commands.push((number, command.to_owned())),
        }
        open = more;
    }
    commands
}

/// The machine and the prefixes of a command; `None` if it compares no output of the compiler.
fn run(command: &str, default: &Defaults<'_>) -> Result<Option<Run>, &'static str> {
    let words: Vec<&str> =
        command.split(|c: char| c.is_whitespace() || c == '|').filter(|w| !w.is_empty()).collect();
    let has = |word: &str| words.iter().any(|other| *other == word || other.ends_with(&format!("/{word}")));
    if !has("llc") || !has("FileCheck") {
        return Ok(None);
    }
    if has("not") {
        return Ok(None);
    }
    let mut prefixes: Vec<String> = Vec::new();
    let (mut target, mut isa) = (None, None);
    for (at, word) in words.iter().enumerate() {
        let option = word.trim_start_matches('-');
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, value),
            None => (option, words.get(at + 1).copied().unwrap_or("")),
        };
        if !word.starts_with('-') {
            continue;
        }
        match name {
            "mcpu" => {
                target = Some(value.parse::<Target>().map_err(|_| "the target of a RUN line is not known")?)
            }
            "mattr" => {
                let versions = value.split(',').filter_map(|one| one.trim_matches('"').strip_prefix("+ptx"));
                for version in versions {
                    isa = Some(
                        version
                            .parse()
                            .ok()
                            .and_then(subtarget::isa)
                            .ok_or("the PTX version of a RUN line is not known")?,
                    );
                }
            }
            "check-prefix" | "check-prefixes" => prefixes.extend(value.split(',').map(str::to_owned)),
            _ => {}
        }
    }
    let target = target.or(default.target).ok_or("a RUN line names no target")?;
    if prefixes.is_empty() {
        prefixes.push("CHECK".to_owned());
    }
    Ok(Some(Run { target, isa: isa.unwrap_or_else(|| (default.isa)(target)), prefixes }))
}
