//! The targets and ISA versions that accept an opcode, or the problems of the opcode.

use std::ops::Range;

use ptxcvt::forms::{Help, Remedy};
use ptxcvt::targets::{Machine, MachineError};
use ptxcvt::{Code, Form, IsaVersion, Spelling, Target};
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
