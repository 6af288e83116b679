//! Problems of a spelling on a machine, and how to correct the spelling.
//!
//! The messages of `eval`, `where`, `check` and the bindings. All of them are derived from the table.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::ops::Range;

use super::form::Form;
use super::operand::Role;
use super::part::Part;
use super::spelling::Spelling;
use super::steps::alone;
use crate::error::Code;
use crate::round::Rounding;
use crate::targets::{IsaVersion, Machine, MachineError, Target};
use crate::text::{clip, listed};

/// Something that is wrong with an opcode. [`Spelling::help`] says how to correct it.
///
/// ```
/// use ptxcvt::Spelling;
/// use ptxcvt::targets::Machine;
/// let machine = Machine::new("sm_120".parse().ok(), "9.1".parse().ok())?;
/// let spelling = Spelling::new("cvt.rn.satfinite.e2m1x2.f32");
/// assert_eq!(spelling.problems(machine)[0].code().as_str(), "CVT011");
/// assert_eq!(spelling.help(machine).unwrap().text(), "build for sm_120a or sm_120f");
/// # Ok::<(), ptxcvt::targets::MachineError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    at: Range<usize>,
    code: Code,
    message: String,
}

/// A correction as data, for programs that apply it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Write this form.
    Form(Form),
    /// Declare this version.
    Version(IsaVersion),
    /// Build for this target.
    Target(Target),
}

/// How to correct a spelling: in words, as data, and whether the correction certainly has the intended meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    text: String,
    remedy: Option<Remedy>,
    certain: bool,
}

impl Help {
    fn new(text: impl Into<String>, remedy: Option<Remedy>) -> Self {
        Help { text: text.into(), remedy, certain: false }
    }

    /// How to correct the spelling, in one sentence.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The correction as data; `None` if it takes more than one step, such as two conversions.
    ///
    /// ```
    /// use ptxcvt::forms::Remedy;
    /// use ptxcvt::{Spelling, targets::Machine};
    /// let help = Spelling::new("cvt.rn.e4m3x2.f32").help(Machine::ANY).unwrap();
    /// let form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
    /// assert_eq!(help.remedy(), Some(Remedy::Form(form)));
    /// assert!(help.is_certain());
    /// // Another rounding is another result.
    /// assert!(!Spelling::new("cvt.f16.f32").help(Machine::ANY).unwrap().is_certain());
    /// # Ok::<(), ptxcvt::forms::Refusal>(())
    /// ```
    pub fn remedy(&self) -> Option<Remedy> {
        self.remedy
    }

    /// True if the remedy can be applied without review.
    ///
    /// Such a remedy has the types, rounding and modifiers that were written (even if misspelt, repeated or
    /// out of order) and accepts the expected operands. It adds only modifiers that every such form has.
    pub fn is_certain(&self) -> bool {
        self.certain
    }
}

impl Problem {
    /// The place in the opcode's text, in bytes.
    pub fn range(&self) -> Range<usize> {
        self.at.clone()
    }

    /// The code of the problem.
    pub const fn code(&self) -> Code {
        self.code
    }

    /// The problem in one sentence.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl MachineError {
    /// How to correct it: the new name of a renamed target, or the first version that has the target and is at least
    /// `needed`, the version that the code's forms need on it. `None` if the version does not exist.
    ///
    /// ```
    /// use ptxcvt::{Form, Target, targets::Machine};
    /// let sm_89: Target = "sm_89".parse()?;
    /// let error = Machine::new(Some(sm_89), "7.0".parse().ok()).unwrap_err();
    /// assert_eq!(error.correction(None).unwrap().text(), "declare `.version 7.8`");
    /// let form: Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
    /// assert_eq!(error.correction(form.since(sm_89)).unwrap().text(), "declare `.version 8.1`");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn correction(&self, needed: Option<IsaVersion>) -> Option<Help> {
        let target = self.target().filter(|_| self.isa().exists())?;
        let renamed = target.renamed().filter(|_| target.introduced() <= self.isa());
        Some(match renamed {
            Some(name) => Help::new(format!("build for {name}"), Some(Remedy::Target(name))),
            None => declare(target.introduced().max(needed.unwrap_or(target.introduced()))),
        })
    }
}

/// The help to declare a version.
fn declare(version: IsaVersion) -> Help {
    Help::new(format!("declare `.version {version}`"), Some(Remedy::Version(version)))
}

/// The reason why a machine does not accept a form.
enum Lacking {
    /// The form needs this version.
    Version(IsaVersion),
    /// This target does not have the form.
    Target(Target),
}

impl Spelling<'_> {
    /// Lists everything that is wrong with the spelling, or with its form on this machine; empty if it is legal there.
    ///
    /// The error of parsing a [`Form`] is made from this list.
    ///
    /// ```
    /// use ptxcvt::{Code, Spelling, targets::Machine};
    /// let problems = Spelling::new("cvt.relu.e4m3x2.f32").problems(Machine::ANY);
    /// let codes: Vec<Code> = problems.iter().map(|problem| problem.code()).collect();
    /// assert_eq!(codes, [Code::MissingRounding, Code::MissingModifier]);
    /// ```
    pub fn problems(&self, machine: Machine) -> Vec<Problem> {
        let mut all = vec![];
        match self.form() {
            Some(form) => all.extend(self.lacking(&form, machine).map(|(problem, _)| problem)),
            None => self.visit_problems(machine, &mut |fault| {
                let message = self.describe(&fault);
                all.push(Problem { code: fault.code(), at: fault.at, message });
            }),
        }
        all
    }

    /// How to correct the spelling for this machine: one correction for all of its [`problems`](Self::problems), such as
    /// the form that was probably meant. `None` if there are no problems, or if nothing can be suggested.
    ///
    /// The search for the nearest form takes longer than the list of problems.
    ///
    /// ```
    /// use ptxcvt::{Spelling, targets::Machine};
    /// let help = Spelling::new("cvt.relu.e4m3x2.f32").help(Machine::ANY).unwrap();
    /// assert_eq!(help.text(), "write `cvt.rn.satfinite.relu.e4m3x2.f32`");
    /// ```
    pub fn help(&self, machine: Machine) -> Option<Help> {
        match self.form() {
            Some(form) => match self.lacking(&form, machine)?.1 {
                Lacking::Version(needed) => Some(declare(needed)),
                Lacking::Target(target) => self.elsewhere(&form, target, machine),
            },
            None => self.other_form(machine),
        }
    }

    /// The problem that the machine lacks the form, if it does.
    fn lacking(&self, form: &Form, machine: Machine) -> Option<(Problem, Lacking)> {
        if machine.takes(form) {
            return None;
        }
        let problem = |code, message| Problem { at: 0..self.text().len(), code, message };
        let Some(target) = machine.target() else {
            let isa = machine.isa()?;
            let first = Target::every().filter_map(|target| form.since(target)).min()?;
            let message = format!("`{form}` needs PTX ISA {first}; the version is {isa}");
            return Some((problem(Code::Version, message), Lacking::Version(first)));
        };
        if let (Some(since), Some(isa)) = (form.since(target), machine.isa()) {
            let message = format!("`{form}` needs PTX ISA {since} on {target}; the version is {isa}");
            return Some((problem(Code::Version, message), Lacking::Version(since)));
        }
        let mut message = format!("`{form}` needs {}", form.needed_targets());
        // Target and version in one message, if the version is too old as well.
        let (first, _) = form.first()?;
        match machine.isa().filter(|isa| *isa < first) {
            Some(isa) => {
                message += &format!(" and PTX ISA {first}; the target is {target}, the version {isa}");
            }
            None => message += &format!("; the target is {target}"),
        }
        Some((problem(Code::Target, message), Lacking::Target(target)))
    }

    /// Help for a target without the form: use the architecture's target with a letter, or a form that the
    /// target has, or another target.
    fn elsewhere(&self, form: &Form, target: Target, machine: Machine) -> Option<Help> {
        let near = form.targets_near(target);
        let build = || {
            let names: Vec<String> = near.iter().map(Target::to_string).collect();
            let since = near.iter().filter_map(|t| form.since(*t)).min()?;
            let version = match machine.isa() {
                Some(isa) if isa < since => format!(" with `.version {since}`"),
                _ => String::new(),
            };
            // Prefer a target that needs no newer version.
            let here = |t: &&Target| {
                machine.isa().is_none_or(|isa| form.since(**t).is_some_and(|since| since <= isa))
            };
            let remedy = near.iter().find(here).or(near.first()).copied().map(Remedy::Target);
            Some(Help::new(format!("build for {}{version}", listed(&names, "or")), remedy))
        };
        if near.first().is_some_and(|t| t.sm() == target.sm()) {
            return build();
        }
        let types = (form.destination(), form.source());
        let similar = self.nearest(|f| (f.destination(), f.source()) == types && machine.takes(f));
        match similar.filter(|f| (f.destination(), f.source()) == types) {
            Some(similar) => {
                let text = format!("{target} has `{similar}`{}", self.changes(&similar));
                Some(Help::new(text, Some(Remedy::Form(similar))))
            }
            None => {
                let alone = alone(form).filter(|alone| machine.takes(alone));
                let alone =
                    alone.map(|alone| format!("use `{alone}` for each element, and pack the results"));
                let steps = || self.steps(machine).filter(|steps| steps.compute(form));
                alone
                    .or_else(|| steps().map(|steps| format!("convert in two steps: {steps}")))
                    .map(|way| Help::new(format!("on {target} {way}"), None))
                    .or_else(build)
            }
        }
    }

    /// The nearest form, and its requirements if the machine lacks it.
    fn other_form(&self, machine: Machine) -> Option<Help> {
        let Some(opcode) = self.opcode() else {
            let Some(right) = self.corrected() else {
                return Some(Help::new("an opcode looks like `cvt.rn.satfinite.e4m3x2.f32`", None));
            };
            let is_large = right == self.text().to_ascii_lowercase();
            let lead = if is_large { "PTX is written in small letters:" } else { "write" };
            let form = Spelling::new(&right).form();
            return Some(Help::new(format!("{lead} `{}`", clip(&right)), form.map(Remedy::Form)));
        };
        // `.bN` names no number format; suggest nothing.
        if self.parts().any(|(_, at)| self.untyped(&at).is_some()) {
            return None;
        }
        let pair = match self.meant.types {
            [Some(destination), Some(source)] if self.written.type_count <= 2 => Some((destination, source)),
            _ => None,
        };
        if let Some(help) = pair.and_then(|(destination, source)| {
            let exists = Form::of_types(opcode, destination, source).next().is_some();
            (!exists).then(|| self.other_way(machine)).flatten()
        }) {
            return Some(help);
        }
        let anywhere = self.nearest(|_| true)?;
        let types = |f: &Form| (f.destination(), f.source());
        let here = if machine.takes(&anywhere) {
            Some(anywhere)
        } else {
            self.nearest(|f| types(f) == types(&anywhere) && machine.takes(f))
                .filter(|f| types(f) == types(&anywhere))
        };
        // A change of modifiers is probably right. A change of types is a guess, and so is a type for an
        // unknown word.
        let certain = self.distance(&here.unwrap_or(anywhere)) < 10;
        if !certain && self.parts().any(|(part, _)| part == Part::Unknown) {
            return None;
        }
        let lead = if certain { "write" } else { "the nearest form is" };
        let text = match here {
            Some(form) => format!("{lead} `{form}`{}", self.changes(&form)),
            None => {
                let needed = match machine.target().and_then(|target| anywhere.since(target)) {
                    Some(since) => format!("PTX ISA {since}"),
                    None => anywhere.needed_targets(),
                };
                format!("{lead} `{anywhere}`{}; it needs {needed}", self.changes(&anywhere))
            }
        };
        let remedy = Some(Remedy::Form(here.unwrap_or(anywhere)));
        Some(Help { text, remedy, certain: here.is_some_and(|form| self.says_the_same(&form)) })
    }

    /// True if `form` has the written parts and no others.
    fn says_the_same(&self, form: &Form) -> bool {
        let as_written = self.parts().all(|(part, at)| {
            let meant = match part {
                Part::Unknown => Part::surely_meant_by(&self.text()[at.start + 1..at.end]),
                known => Some(known),
            };
            match meant {
                Some(Part::Rounding(rounding)) => form.rounding() == Some(rounding),
                Some(Part::Modifier(modifier)) => form.has(modifier),
                Some(Part::Type(_)) => true,
                Some(Part::Rest) => form.takes_rest(),
                Some(Part::Unknown) | None => false,
            }
        });
        let types = [Some(form.destination()), Some(form.source())];
        if !as_written
            || self.meant.type_count != 2
            || self.meant.types != types
            || self.operands_change(form)
        {
            return false;
        }
        // Every form with all of the above has the added modifiers, too.
        let meant = &self.meant;
        Form::of_types(form.opcode(), form.destination(), form.source())
            .filter(|other| meant.modifiers.iter().all(|m| other.has(m)))
            .filter(|other| meant.rounding.is_none() || other.rounding() == meant.rounding)
            .all(|other| other.rounding() == form.rounding() && form.modifiers().iter().all(|m| other.has(m)))
    }

    /// Help for two types without a form: swap them, or convert in two steps.
    fn other_way(&self, machine: Machine) -> Option<Help> {
        let [Some(destination), Some(source)] = self.meant.types else { return None };
        let swapped =
            Form::new(self.opcode()?, self.meant.rounding, self.meant.modifiers, source, destination);
        if let Some(form) = swapped {
            let text = format!("the destination's type comes first: write `{form}`");
            return Some(Help::new(text, Some(Remedy::Form(form))));
        }
        let steps = self.steps(machine).or_else(|| self.steps(Machine::ANY))?;
        Some(Help::new(format!("convert in two steps: {steps}"), None))
    }

    /// The end of a sentence with the changes of `form` beyond the spelling: operands and results.
    fn changes(&self, form: &Form) -> String {
        let mut changes = String::new();
        if self.operands_change(form) {
            changes += &format!(", which takes `{}`", form.syntax());
        }
        match (self.meant.rounding, form.rounding()) {
            (Some(written), Some(other)) if written.direction() != other.direction() => {
                let and = if changes.is_empty() { ", which" } else { " and" };
                changes += &match (written, other) {
                    (Rounding::Rna, Rounding::Rn) => format!("{and} rounds ties to even, not away from zero"),
                    _ => format!("{and} rounds {}, not {}", other.direction(), written.direction()),
                };
            }
            (None, Some(Rounding::Rzi)) => {
                changes += ", which truncates as a cast in C does (`.rni` rounds to nearest)";
            }
            _ => {}
        }
        changes
    }

    /// True if `form` has other operands than the written opcode suggests.
    fn operands_change(&self, form: &Form) -> bool {
        let extra = |role: Role| form.operands().any(|operand| operand.role == role);
        let scale = self.meant.modifiers.iter().any(|m| m.is_scale());
        let shape = match self.written.types {
            [Some(destination), Some(source)] => {
                (destination.lanes() / source.lanes().max(1)).max(1)
                    != (form.destination().lanes() / form.source().lanes().max(1)).max(1)
            }
            _ => form.operands().count() > 2,
        };
        shape
            || (self.meant.rounding == Some(Rounding::Rs)) != extra(Role::RandomBits)
            || scale != extra(Role::ScaleFactor)
    }
}
