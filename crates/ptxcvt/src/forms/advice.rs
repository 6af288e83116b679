//! Advice: everything that is wrong with a spelling on a machine, and what to do about it.
//!
//! The one place where `eval`, `where` and `check` have their messages from. All of it is read off the table.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::ops::Range;

use super::error::What;
use super::form::Form;
use super::operand::Role;
use super::part::Part;
use super::requirement::any_of;
use super::spelling::Spelling;
use crate::error::Code;
use crate::round::Rounding;
use crate::targets::{IsaVersion, Machine, Target};

/// What is wrong with an opcode at a place, and what to do about it.
///
/// ```
/// use ptxcvt::Spelling;
/// use ptxcvt::targets::Machine;
/// let machine = Machine::new("sm_120".parse().ok(), "9.1".parse().ok());
/// let advice = &Spelling::new("cvt.rn.satfinite.e2m1x2.f32").advice(machine)[0];
/// assert_eq!(advice.code().as_str(), "CVT011");
/// assert_eq!(advice.help(), Some("build for sm_120a or sm_120f"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    at: Range<usize>,
    code: Code,
    message: String,
    help: Option<Help>,
}

/// What an advice comes to, for programs that take it.
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

/// What to do: in words, for programs, and whether it is what was meant beyond doubt.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Help {
    text: String,
    remedy: Option<Remedy>,
    certain: bool,
}

impl Help {
    fn new(text: String, remedy: Option<Remedy>) -> Self {
        Help { text, remedy, certain: false }
    }
}

impl Advice {
    /// The place in the opcode's text, in bytes.
    pub fn range(&self) -> Range<usize> {
        self.at.clone()
    }

    /// The code of what is wrong.
    pub const fn code(&self) -> Code {
        self.code
    }

    /// What is wrong, in one sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do. Several problems of one spelling have the same help: the form that was probably meant.
    pub fn help(&self) -> Option<&str> {
        self.help.as_ref().map(|help| &*help.text)
    }

    /// The help as data; none where it is more than one step (two conversions, say).
    ///
    /// ```
    /// use ptxcvt::forms::Remedy;
    /// use ptxcvt::{Spelling, targets::Machine};
    /// let advice = &Spelling::new("cvt.rn.e4m3x2.f32").advice(Machine::ANY)[0];
    /// let form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
    /// assert_eq!(advice.remedy(), Some(Remedy::Form(form)));
    /// assert!(advice.is_certain());
    /// // Another rounding is another result.
    /// assert!(!Spelling::new("cvt.f16.f32").advice(Machine::ANY)[0].is_certain());
    /// # Ok::<(), ptxcvt::forms::SpellingError>(())
    /// ```
    pub fn remedy(&self) -> Option<Remedy> {
        self.help.as_ref()?.remedy
    }

    /// True where the remedy can be taken unseen: it says what was written (types, rounding and modifiers, perhaps
    /// misspelt, repeated or out of order), with the same operands, and adds nothing but what every form that says
    /// all of it has.
    pub fn is_certain(&self) -> bool {
        self.help.as_ref().is_some_and(|help| help.certain)
    }
}

impl Spelling<'_> {
    /// Everything that is wrong with the spelling, or with its form on this machine; empty where it is legal there.
    pub fn advice(&self, machine: Machine) -> Vec<Advice> {
        match self.form() {
            Some(form) => self.gate(&form, machine).into_iter().collect(),
            None => self.advice_with(machine, self.help(machine)),
        }
    }

    /// The same without help for what is no form, the search for which takes the longest.
    pub fn problems_on(&self, machine: Machine) -> Vec<Advice> {
        match self.form() {
            Some(form) => self.gate(&form, machine).into_iter().collect(),
            None => self.advice_with(machine, None),
        }
    }

    fn advice_with(&self, machine: Machine, help: Option<Help>) -> Vec<Advice> {
        let mut all = vec![];
        self.visit_problems_on(machine, &mut |problem| {
            // Of bits that are no number nobody knows what is meant.
            let help = help.clone().filter(|_| !matches!(problem.what, What::Untyped { .. }));
            let message = self.describe(&problem).to_string();
            all.push(Advice { at: problem.range(), code: problem.code(), message, help });
        });
        all
    }

    /// What the form needs and the machine has not.
    fn gate(&self, form: &Form, machine: Machine) -> Option<Advice> {
        if machine.takes(form) {
            return None;
        }
        let advice = |code, message, help| Some(Advice { at: 0..self.text().len(), code, message, help });
        let Some(target) = machine.target() else {
            let isa = machine.isa()?;
            let first = form.first_version()?;
            let message = format!("`{form}` needs PTX ISA {first}; the version is {isa}");
            return advice(Code::Version, message, Some(declare(first)));
        };
        if let (Some(since), Some(isa)) = (form.since(target), machine.isa()) {
            let message = format!("`{form}` needs PTX ISA {since} on {target}; the version is {isa}");
            return advice(Code::Version, message, Some(declare(since)));
        }
        let mut message = format!("`{form}` needs {}", form.needed_targets());
        // Both at once, where the version falls short too.
        let first = form.first_version()?;
        match machine.isa().filter(|isa| *isa < first) {
            Some(isa) => {
                message += &format!(" and PTX ISA {first}; the target is {target}, the version {isa}");
            }
            None => message += &format!("; the target is {target}"),
        }
        advice(Code::Target, message, self.elsewhere(form, target, machine))
    }

    /// What to do where the target does not have the form: build for the same architecture with its letter, or
    /// write what this target has, or build for another.
    fn elsewhere(&self, form: &Form, target: Target, machine: Machine) -> Option<Help> {
        let near = form.targets_near(target);
        let build = || {
            let names: Vec<String> = near.iter().map(Target::to_string).collect();
            let since = near.iter().filter_map(|t| form.since(*t)).min()?;
            let version = match machine.isa() {
                Some(isa) if isa < since => format!(" with `.version {since}`"),
                _ => String::new(),
            };
            // The first that needs no newer version.
            let here = |t: &&Target| {
                machine.isa().is_none_or(|isa| form.since(**t).is_some_and(|since| since <= isa))
            };
            let remedy = near.iter().find(here).or(near.first()).copied().map(Remedy::Target);
            Some(Help::new(format!("build for {}{version}", any_of(&names)), remedy))
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
            None => self
                .steps(machine)
                .map(|steps| Help::new(format!("on {target} convert in two steps: {steps}"), None))
                .or_else(build),
        }
    }

    /// The form that was probably meant, and what it needs if the machine has it not.
    fn help(&self, machine: Machine) -> Option<Help> {
        self.opcode()?;
        let pair = match self.meant.types {
            [Some(destination), Some(source)] if self.written.type_count <= 2 => Some((destination, source)),
            _ => None,
        };
        if let Some(help) = pair.and_then(|(destination, source)| {
            let exists = Form::of_types(self.opcode()?, destination, source).next().is_some();
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
        // A change of modifiers is what was meant, a change of type is a guess, and so is a type for an unknown
        // word.
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

    /// True where `form` says what was written and nothing else.
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
        // What it adds, every form adds that says all of it.
        let meant = &self.meant;
        Form::of_types(form.opcode(), form.destination(), form.source())
            .filter(|other| meant.modifiers.iter().all(|m| other.has(m)))
            .filter(|other| meant.rounding.is_none() || other.rounding() == meant.rounding)
            .all(|other| other.rounding() == form.rounding() && form.modifiers().iter().all(|m| other.has(m)))
    }

    /// Of types between which there is no form: the other way round, or two steps.
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

    /// What `form` changes beside its spelling, as the end of a sentence: operands, and results.
    fn changes(&self, form: &Form) -> String {
        let mut changes = String::new();
        if self.operands_change(form) {
            changes += &format!(", which takes `{}`", form.syntax());
        }
        match (self.meant.rounding, form.rounding()) {
            (Some(written), Some(other)) if direction(written) != direction(other) => {
                let and = if changes.is_empty() { ", which" } else { " and" };
                changes += &match (written, other) {
                    (Rounding::Rna, Rounding::Rn) => format!("{and} rounds ties to even, not away from zero"),
                    _ => format!("{and} rounds {}, not {}", direction(other), direction(written)),
                };
            }
            (None, Some(Rounding::Rzi)) => {
                changes += ", which truncates as a cast in C does (`.rni` rounds to nearest)";
            }
            _ => {}
        }
        changes
    }

    /// True where `form` takes other operands than what was written leads to expect.
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

fn declare(version: IsaVersion) -> Help {
    Help::new(format!("declare `.version {version}`"), Some(Remedy::Version(version)))
}

/// Where a modifier rounds to, in words.
fn direction(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::Rn | Rounding::Rni => "to nearest",
        Rounding::Rna => "to nearest, ties away from zero",
        Rounding::Rz | Rounding::Rzi => "towards zero",
        Rounding::Rm | Rounding::Rmi => "down",
        Rounding::Rp | Rounding::Rpi => "up",
        Rounding::Rs => "at random",
    }
}
