//! The targets and ISA versions that accept an opcode, or the problems of the opcode.

use std::fmt::{self, Write};
use std::ops::Range;

use ptxcvt::forms::{Help, Remedy};
use ptxcvt::targets::{Machine, MachineError};
use ptxcvt::{Code, Form, IsaVersion, Spelling, Target, fill};
use serde::Serialize;

use crate::bits::as_text;

/// The answer for one opcode on one machine, either part of which may be open.
///
/// ```
/// use ptxcvt::{Spelling, targets::Machine};
/// use ptxcvt_report::place::Where;
///
/// let answer = Where::new(&Spelling::new("cvt.rn.e4m3x2.f32"), Ok(Machine::ANY));
/// assert!(!answer.legal);
/// assert_eq!(answer.nearest[0].to_string(), "cvt.rn.satfinite.e4m3x2.f32");
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Where {
    /// The form in its canonical spelling, or the text as it was written if it is not a form.
    pub opcode: String,
    /// Legal on the machine, or on any machine if none was given.
    pub legal: bool,
    /// The targets that accept the form, grouped by the first ISA version that does.
    pub since: Vec<Since>,
    /// The manual describes the form, but no assembler accepts it yet.
    pub announced: bool,
    /// Everything that is wrong; empty if the opcode is legal.
    pub problems: Vec<Problem>,
    /// How to correct the opcode. Not in the JSON, which has `nearest` instead.
    #[serde(skip)]
    pub help: Option<String>,
    /// The nearest forms that are legal on the machine, best first; empty if the opcode is legal.
    pub nearest: Vec<Form>,
    /// The form, if the text is one.
    #[serde(skip)]
    pub form: Option<Form>,
    /// The target, if one was given.
    #[serde(skip)]
    pub target: Option<Target>,
    /// The ISA version, if one was given.
    #[serde(skip)]
    pub isa: Option<IsaVersion>,
}

/// The kind of a piece of an answer's text, for printing in colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Emphasis {
    /// The opcode that was asked about.
    Opcode,
    /// The word before a problem.
    Problem,
    /// The word before a correction or a legal form.
    Help,
    /// Words that are the same on each line.
    Aside,
}

/// Targets that accept a form from one ISA version on.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Since {
    /// The first ISA version.
    pub isa: IsaVersion,
    /// The targets.
    pub targets: Vec<Target>,
}

/// One thing that is wrong with an opcode.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// The error code.
    #[serde(serialize_with = "as_text")]
    pub code: Code,
    /// The problem.
    pub message: String,
    /// The bytes of the text that are wrong.
    #[serde(skip)]
    pub range: Range<usize>,
}

impl Where {
    /// Judges a spelling on a machine, the result of [`Machine::new`]. A version that lacks the target accepts no form,
    /// so its error is one of the problems.
    pub fn new(spelling: &Spelling<'_>, machine: Result<Machine, MachineError>) -> Where {
        let (target, isa) = match machine {
            Ok(machine) => (machine.target(), machine.isa()),
            Err(error) => (error.target(), Some(error.isa())),
        };
        let error = machine.err();
        let missing = error.map(|error| Problem {
            code: error.code(),
            message: error.to_string(),
            range: 0..spelling.text().len(),
        });
        let machine = Machine::lenient(target, isa);
        let form = spelling.form();
        let problem = |problem: &ptxcvt::forms::Problem| Problem {
            code: problem.code(),
            message: problem.message().to_owned(),
            range: problem.range(),
        };
        let mut problems: Vec<Problem> = spelling.problems(machine).iter().map(problem).collect();
        let help = match (spelling.help(machine), error) {
            (Some(help), _) => Some(with_version(&help, form, isa)),
            (None, Some(error)) => {
                let needed = form.zip(target).and_then(|(form, target)| form.since(target));
                error.correction(needed).map(|help| help.text().to_owned())
            }
            (None, None) => None,
        };
        let corrected = spelling.corrected();
        // An instruction that does not resemble `cvt` resembles no form.
        let nothing = missing.is_some() || (spelling.opcode().is_none() && corrected.is_none());
        let meant = corrected.as_deref().map_or(*spelling, Spelling::new);
        problems.extend(missing);
        let legal = problems.is_empty();
        let nearest = || meant.nearest_few::<3>(|form| machine.takes(form)).collect();
        Where {
            opcode: form.map_or(spelling.text().to_owned(), |form| form.to_string()),
            legal,
            since: form.map_or(Vec::new(), |form| by_version(&form)),
            announced: form.is_some_and(|form| form.is_announced()),
            problems,
            help,
            nearest: if legal || nothing { Vec::new() } else { nearest() },
            form,
            target,
            isa,
        }
    }

    /// One sentence about the machine, such as `legal on sm_89 from ISA 8.1 on`; `None` if no machine was given.
    pub fn verdict(&self) -> Option<String> {
        let (target, isa) = (self.target, self.isa);
        let place = match (target, isa) {
            (None, None) => return None,
            (Some(target), None) => format!("on {target}"),
            (Some(target), Some(isa)) => format!("on {target} at ISA {isa}"),
            (None, Some(isa)) => format!("at ISA {isa}"),
        };
        let since = target.and_then(|target| self.form?.since(target)).filter(|_| isa.is_none());
        Some(match (self.legal, since) {
            (true, Some(since)) => format!("legal {place} from ISA {since} on"),
            (true, None) => format!("legal {place}"),
            (false, _) => format!("not legal {place}"),
        })
    }
}

impl Where {
    /// Writes the answer as `ptxcvt where` prints it, with a newline after each line. Lists of targets are broken at
    /// `width` columns. `emphasise` may add marks around a piece.
    ///
    /// # Errors
    ///
    /// Fails if writing to `out` fails.
    pub fn write(
        &self,
        out: &mut dyn Write,
        width: usize,
        emphasise: &dyn Fn(Emphasis, &str) -> String,
    ) -> fmt::Result {
        let opcode = emphasise(Emphasis::Opcode, &self.opcode);
        match self.verdict() {
            Some(verdict) => writeln!(out, "{opcode}: {verdict}")?,
            None => writeln!(out, "{opcode}")?,
        }
        for problem in &self.problems {
            let label = emphasise(Emphasis::Problem, &format!("illegal[{}]", problem.code));
            writeln!(out, "{label}: {}", problem.message)?;
        }
        if let Some(help) = &self.help {
            writeln!(out, "{}: {help}", emphasise(Emphasis::Help, "help"))?;
        }
        if let Some(everywhere) = self.form.as_ref().and_then(everywhere) {
            writeln!(out, "  {everywhere}")?;
        } else {
            /// The columns before the targets.
            const INDENT: usize = 16;
            for since in &self.since {
                let targets: Vec<String> = since.targets.iter().map(Target::to_string).collect();
                write!(out, "  {} {:<4} ", emphasise(Emphasis::Aside, "from ISA"), since.isa.to_string())?;
                let lines = fill(targets.iter().map(String::as_str), width.saturating_sub(INDENT));
                writeln!(out, "{}", lines.join(&format!("\n{:INDENT$}", "")))?;
            }
        }
        if self.announced {
            writeln!(out, "  announced: in the manual, but no assembler accepts it yet")?;
        }
        // If no form converts between these types, the nearest form has other types and does not help.
        let is_pair = self.problems.iter().all(|problem| problem.code != Code::TypePair);
        for form in self.nearest.iter().filter(|_| is_pair) {
            writeln!(out, "{}: {form}", emphasise(Emphasis::Help, "near"))?;
        }
        Ok(())
    }
}

/// The sentence for a form that each target of the table accepts from its first ISA version on.
pub fn everywhere(form: &Form) -> Option<String> {
    let oldest = Target::all().next()?;
    let is_everywhere = Target::all().all(|target| form.since(target) == Some(target.introduced()));
    is_everywhere.then(|| format!("every target from {oldest} on, from its first ISA version on"))
}

/// The lines of [`Where::write`] without marks, and without a final newline.
impl fmt::Display for Where {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text, usize::MAX, &|_, piece| piece.to_owned())?;
        f.write_str(text.trim_end())
    }
}

/// The text of a help for a version that does not have the target. If the form needs a newer version on the target for which
/// to build, that is part of it.
fn with_version(help: &Help, form: Option<Form>, isa: Option<IsaVersion>) -> String {
    let text = help.text().to_owned();
    let (Some(Remedy::Target(target)), Some(isa)) = (help.remedy(), isa) else { return text };
    let renamed = target.renamed().filter(|_| target.withdrawn().is_some_and(|since| since <= isa));
    let (target, text) = match renamed {
        Some(name) => (name, format!("build for {name}")),
        None => (target, text),
    };
    match form.and_then(|form| form.since(target)).filter(|since| isa < *since) {
        Some(since) if !text.contains("`.version ") => format!("{text} with `.version {since}`"),
        _ => text,
    }
}

fn by_version(form: &Form) -> Vec<Since> {
    form.by_version().into_iter().map(|(isa, targets)| Since { isa, targets }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text() {
        let text = |opcode: &str, target: Option<&str>| {
            let target = target.map(|name| name.parse().expect("a target"));
            Where::new(&Spelling::new(opcode), Machine::new(target, None)).to_string()
        };
        let everywhere = "  every target from sm_50 on, from its first ISA version on";
        assert_eq!(text("cvt.u32.u8", None), format!("cvt.u32.u8\n{everywhere}"));
        let on = text("cvt.rn.satfinite.e4m3x2.f32", Some("sm_80"));
        assert!(on.starts_with("cvt.rn.satfinite.e4m3x2.f32: not legal on sm_80\nillegal[CVT0"), "{on}");
        assert!(on.find("  from ISA 7.8  sm_90\n") < on.find("near: "), "{on}");
        // Forms between other types are not near, although the data list them.
        let pair = Where::new(&Spelling::new("cvt.rn.e4m3x2.e2m1x2"), Ok(Machine::ANY));
        assert!(pair.problems.iter().any(|problem| problem.code == Code::TypePair), "{pair}");
        assert!(!pair.nearest.is_empty() && !pair.to_string().contains("near: "), "{pair}");
        for form in Form::all().filter(Form::is_announced) {
            assert!(text(&form.to_string(), None).contains("\n  announced: "), "{form}");
        }
    }

    #[test]
    fn long_lists_are_broken() {
        let answer = Where::new(&Spelling::new("cvt.rn.satfinite.e4m3x2.f32"), Ok(Machine::ANY));
        let mut text = String::new();
        answer.write(&mut text, 40, &|_, piece| piece.to_owned()).expect("a string takes all text");
        assert!(text.lines().all(|line| line.len() <= 40), "{text}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&text), words(&answer.to_string()));
        assert!(text.contains("\n                sm_"), "{text}");
    }

    /// If the version does not have the target, one sentence says so, no other states a version, and the help is enough.
    #[test]
    fn a_version_without_the_target() {
        let (mut declared, mut built) = (0, 0);
        for form in Form::all().step_by(17) {
            let opcode = form.to_string();
            let spelling = Spelling::new(&opcode);
            for target in Target::all() {
                for isa in IsaVersion::all().filter(|isa| !target.exists_in(*isa)).step_by(3) {
                    let error = Machine::new(Some(target), Some(isa)).unwrap_err();
                    let answer = Where::new(&spelling, Err(error));
                    let place = format!("{opcode} on {target} at ISA {isa}: {:?}", answer.problems);
                    let about = |problem: &&Problem| problem.message == error.to_string();
                    assert_eq!(answer.problems.iter().filter(about).count(), 1, "{place}");
                    let others: Vec<&Problem> = answer.problems.iter().filter(|one| !about(one)).collect();
                    assert_eq!(others.is_empty(), form.since(target).is_some(), "{place}");
                    assert!(others.iter().all(|one| !one.message.contains("version")), "{place}");
                    // What the help says is followed.
                    let help = answer.help.unwrap_or_default();
                    let word = |after: &str| {
                        let rest = help.split_once(after)?.1;
                        Some(rest.split([' ', '`', ',']).next().expect("a first part").to_owned())
                    };
                    let version = word("`.version ").map(|text| text.parse().expect("a version"));
                    let name = word("build for ").map(|text| text.parse().expect("a target"));
                    if version.is_none() && name.is_none() {
                        assert!(!others.is_empty(), "{place}: {help}");
                        continue;
                    }
                    let machine = Machine::new(name.or(Some(target)), version.or(Some(isa)));
                    let renamed = target.renamed().filter(|_| others.is_empty());
                    if name.is_some() && name == renamed {
                        built += 1;
                    } else {
                        assert!(Where::new(&spelling, machine).legal, "{place}: {help}");
                        declared += 1;
                    }
                }
            }
        }
        assert!(declared > 1000 && built > 10, "{declared} {built}");
    }
}
