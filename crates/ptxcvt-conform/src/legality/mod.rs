//! Compares the table with an assembler: every spelling, every version, every operand kind.
//!
//! PTX ISA sections 9.7.9.21 and 9.7.9.22. There are three comparisons for each target of the assembler:
//!
//! - **spellings**: rounding × modifiers × types at the newest version, legal or not;
//! - **versions**: every form that is legal anywhere, at every version of the target;
//! - **operands**: every legal form with every register type and kind of immediate in every place, and with
//!   one operand too many or too few.

mod lines;
mod report;

use std::collections::BTreeSet;

use ptxcvt::{Form, IsaVersion, Target};
use serde::Serialize;

use crate::assembler::{Assembler, Frame, Unusable, Verdict};
use crate::deviations::ptxas::{Judged, Known};
use crate::report::Progress;
use lines::{Line, operand_lines, registers, spellings};

/// The options of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only this target.
    pub target: Option<Target>,
    /// Only this version, instead of all.
    pub isa: Option<IsaVersion>,
    /// Fewer spellings, and one of several targets with the same forms.
    pub quick: bool,
}

/// The kind of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// Rounding, modifiers and types.
    Spellings,
    /// The forms, version after version.
    Versions,
    /// Registers and immediates.
    Operands,
}

/// A verdict of the assembler that differs from the table's.
#[derive(Clone, Debug, Serialize)]
pub struct Disagreement {
    /// The instruction as it was written.
    pub line: String,
    /// The version of the module.
    pub isa: IsaVersion,
    /// The table's answer.
    pub legal: bool,
    /// The assembler's message if it does not accept the line.
    pub message: Option<String>,
    /// The deviation's name, if it is a documented one.
    pub known: Option<&'static str>,
}

/// One comparison on one target.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// The target.
    pub target: Target,
    /// The kind of comparison.
    pub subject: Subject,
    /// The number of lines that the assembler judged.
    pub lines: usize,
    /// The number of lines that it accepted.
    pub accepted: usize,
    /// The differences.
    pub disagreements: Vec<Disagreement>,
}

/// Every comparison with one assembler.
#[derive(Clone, Debug, Serialize)]
pub struct Legality {
    /// The assembler's version.
    pub assembler: String,
    /// The comparisons.
    pub checks: Vec<Check>,
}

/// Compares the table with an assembler.
///
/// # Errors
///
/// Fails if the assembler cannot be run.
pub fn run(
    assembler: &Assembler,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Legality, Unusable> {
    let targets = targets(assembler, options);
    let spellings = spellings(options.quick);
    let mut legality = Legality { assembler: assembler.version.clone(), checks: Vec::new() };
    let total = (targets.len() * 3) as u64;
    for target in targets {
        let versions: Vec<IsaVersion> =
            assembler.versions(target).filter(|v| options.isa.is_none_or(|isa| isa == *v)).collect();
        let Some(newest) = versions.last().copied() else { continue };
        for subject in [Subject::Spellings, Subject::Versions, Subject::Operands] {
            let mut check = Check { target, subject, lines: 0, accepted: 0, disagreements: Vec::new() };
            match subject {
                Subject::Spellings => ask(assembler, &mut check, newest, &spellings)?,
                Subject::Versions => {
                    let forms: Vec<Line> = Form::all().map(Line::of).collect();
                    versions.iter().try_for_each(|isa| ask(assembler, &mut check, *isa, &forms))?;
                }
                Subject::Operands => {
                    let legal = Form::all().filter(|form| form.is_legal(target, newest));
                    let lines: Vec<Line> =
                        legal.flat_map(|form| operand_lines(&form, target, newest)).collect();
                    ask(assembler, &mut check, newest, &lines)?;
                }
            }
            legality.checks.push(check);
            progress(Progress { done: legality.checks.len() as u64, total });
        }
    }
    Ok(legality)
}

/// The targets to compare.
fn targets(assembler: &Assembler, options: &Options) -> Vec<Target> {
    let wanted = |t: &Target| {
        options.target.is_none_or(|target| target == *t)
            && options.isa.is_none_or(|isa| assembler.versions(*t).any(|v| v == isa))
    };
    let mut seen = BTreeSet::new();
    let mut is_new = |target: &Target| {
        let isa = assembler.versions(*target).last().unwrap_or(assembler.newest);
        seen.insert(Form::all().map(|form| form.is_legal(*target, isa)).collect::<Vec<_>>())
    };
    let wanted = assembler.targets.iter().copied().filter(wanted);
    wanted.filter(|target| !options.quick || options.target.is_some() || is_new(target)).collect()
}

/// Assembles the lines and collects the differences from the table.
fn ask(assembler: &Assembler, check: &mut Check, isa: IsaVersion, lines: &[Line]) -> Result<(), Unusable> {
    let Some(depth) = lines.first().map(|line| line.depth) else { return Ok(()) };
    let target = check.target;
    let registers = registers(target, isa).map(|ty| format!(".reg {ty} %{};", ty.name()));
    let frame = Frame { target, isa, registers: registers.collect::<Vec<_>>().join(" ") };
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    let verdicts = assembler.verdicts(&frame, depth, &texts)?;
    for (line, verdict) in lines.iter().zip(verdicts) {
        let legal = line.operands && line.form.is_some_and(|form| form.is_legal(target, isa));
        let accepted = verdict == Verdict::Accepted;
        check.lines += 1;
        check.accepted += usize::from(accepted);
        if legal != accepted {
            let message = match verdict {
                Verdict::Accepted => None,
                Verdict::Rejected(message) | Verdict::Crashed(message) => Some(message),
            };
            let judged = Judged::new(&line.text, target, accepted);
            let known = judged.and_then(|judged| Known::of(&assembler.version, &judged));
            let known = known.map(|known| known.account.what);
            check.disagreements.push(Disagreement { line: line.text.clone(), isa, legal, message, known });
        }
    }
    Ok(())
}
