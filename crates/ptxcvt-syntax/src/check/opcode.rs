//! What there is to say about an opcode on a target: judged once for each spelling, then remembered.
//!
//! PTX ISA sections 9.7.9.21 `cvt` and 9.7.9.22 `cvt.pack`; the rules are all the library's.

use std::ops::Range;
use std::sync::Arc;

use ptxcvt::forms::Part;
use ptxcvt::targets::Suffix;
use ptxcvt::{Form, IsaVersion, Modifier, Opcode, Spelling, Target};

use super::slot::{Slot, slots};
use super::wording::any_of;
use crate::code::{Code, PtxCode};

/// A finding whose place is a range of the opcode's text.
#[derive(Debug)]
pub(super) struct Finding {
    pub at: Range<usize>,
    pub code: Code,
    pub message: Arc<str>,
    pub help: Option<Arc<str>>,
}

/// All about one spelling.
#[derive(Debug)]
pub(super) struct Judgement {
    pub form: Option<Form>,
    pub slots: Vec<Slot>,
    pub findings: Vec<Finding>,
    /// How often it was met, and the first places.
    pub count: u64,
    pub places: Vec<u32>,
}

/// Where a module is meant to run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// `None` where the module's target is missing or unknown: then it is not judged.
    pub target: Option<Target>,
    pub isa: IsaVersion,
}

impl Place {
    fn takes(&self, form: &Form) -> bool {
        match self.target {
            // The module's version may be too old for its target, which is said once for the module.
            Some(target) => {
                form.since(target).is_some_and(|since| since <= self.isa.max(target.introduced()))
            }
            None => true,
        }
    }
}

impl Judgement {
    /// Judges a spelling; without `help` no nearest form is looked for, which takes the longest.
    pub(super) fn new(text: &str, place: Place, help: bool) -> Self {
        let spelling = Spelling::new(text);
        let form = spelling.form();
        let mut findings = Vec::new();
        match form {
            Some(form) => {
                findings.extend(gate(form, &spelling, place));
                findings.extend(after_types(form, &spelling));
                findings.extend(redundant_sat(form, &spelling));
                findings.extend(repeated(form, &spelling));
            }
            None => {
                let help = if help { spelling_help(&spelling, place) } else { None };
                findings.extend(spelling.problems().into_iter().map(|problem| Finding {
                    at: problem.range(),
                    code: problem.code().into(),
                    message: spelling.describe(&problem).to_string().into(),
                    help: help.clone(),
                }));
            }
        }
        let slots = form.map(slots).unwrap_or_default();
        Judgement { form, slots, findings, count: 0, places: Vec::new() }
    }
}

/// The form that was probably meant, and what it needs if the module does not give it.
fn spelling_help(spelling: &Spelling<'_>, place: Place) -> Option<Arc<str>> {
    let anywhere = spelling.nearest(|_| true)?;
    let same_types = |f: &Form| (f.destination(), f.source()) == (anywhere.destination(), anywhere.source());
    let here = if place.takes(&anywhere) {
        Some(anywhere)
    } else {
        spelling.nearest(|f| same_types(f) && place.takes(f))
    };
    // A change of modifiers is what was meant, a change of type is a guess, and so is a type for an unknown word.
    let certain = spelling.distance(&here.unwrap_or(anywhere)) < 10;
    if !certain && spelling.parts().any(|(part, _)| part == Part::Unknown) {
        return None;
    }
    Some(match (here, certain) {
        (Some(form), true) => format!("write `{form}`").into(),
        (Some(form), false) => format!("the nearest form is `{form}`").into(),
        (None, _) => {
            format!("the nearest form is `{anywhere}`, which needs {}", requirement(anywhere, place)).into()
        }
    })
}

/// The target or the version is missing.
fn gate(form: Form, spelling: &Spelling<'_>, place: Place) -> Option<Finding> {
    let target = place.target?;
    if place.takes(&form) {
        return None;
    }
    let at = 0..spelling.text().len();
    let needed = requirement(form, place);
    let Some(since) = form.since(target) else {
        let message = format!("`{form}` needs {needed}; this module targets {target}");
        let similar = spelling.nearest(|f| {
            (f.destination(), f.source()) == (form.destination(), form.source()) && place.takes(f)
        });
        let help = similar
            .map(|f| format!("{target} has `{f}`").into())
            .or_else(|| Some(format!("build for {}", example_target(form)?).into()));
        return Some(Finding { at, code: ptxcvt::Code::Target.into(), message: message.into(), help });
    };
    let message = format!("`{form}` needs PTX ISA {since} on {target}; this module declares {}", place.isa);
    let help = Some(format!("declare `.version {since}`").into());
    Some(Finding { at, code: ptxcvt::Code::Version.into(), message: message.into(), help })
}

fn example_target(form: Form) -> Option<Target> {
    Target::all().find(|t| form.since(*t).is_some())
}

/// What a form needs of a module, in words: "sm_89 or higher", "sm_100a or sm_103a".
fn requirement(form: Form, place: Place) -> String {
    if let Some(since) = place.target.and_then(|target| form.since(target)) {
        return format!("PTX ISA {since}");
    }
    let takes = |t: &Target| form.since(*t).is_some();
    let supported: Vec<Target> = Target::all().filter(takes).collect();
    let Some(first) = supported.first() else { return "another target".into() };
    if first.suffix() == Suffix::Plain && Target::all().filter(|t| t.sm() >= first.sm()).all(|t| takes(&t)) {
        return format!("sm_{} or higher", first.sm());
    }
    // With both letters of every number the list is half as long.
    let numbers = || {
        let mut numbers: Vec<u16> = supported.iter().map(|t| t.sm()).collect();
        numbers.dedup();
        numbers
    };
    let with = |sm: u16, suffix: Suffix| supported.iter().any(|t| t.sm() == sm && t.suffix() == suffix);
    if numbers().len() > 1
        && numbers().iter().all(|&sm| with(sm, Suffix::Architecture) && with(sm, Suffix::Family))
    {
        let names: Vec<String> = numbers().iter().map(|sm| format!("sm_{sm}")).collect();
        return format!("{} with the suffix `a` or `f`", any_of(&names));
    }
    any_of(&supported.iter().map(Target::to_string).collect::<Vec<_>>())
}

/// Legal, but nobody expects it.
fn after_types(form: Form, spelling: &Spelling<'_>) -> Option<Finding> {
    let types = spelling.parts().position(|(part, _)| matches!(part, Part::Type(_)))?;
    let (part, at) = spelling
        .parts()
        .skip(types)
        .find(|(part, _)| matches!(part, Part::Rounding(_) | Part::Modifier(_)))?;
    Some(Finding {
        at,
        code: PtxCode::AfterTypes.into(),
        message: format!("`.{}` stands after the first type", part.name()).into(),
        help: Some(format!("write `{form}`").into()),
    })
}

/// Legal, but without effect.
fn redundant_sat(form: Form, spelling: &Spelling<'_>) -> Option<Finding> {
    let float_to_integer = form.destination().format().is_integer() && !form.source().format().is_integer();
    if form.opcode() != Opcode::Cvt || !form.has(Modifier::Sat) || !float_to_integer {
        return None;
    }
    let (_, at) = spelling.parts().find(|(part, _)| *part == Part::Modifier(Modifier::Sat))?;
    let kept = form.modifiers().iter().filter(|&m| m != Modifier::Sat).collect();
    let without = Form::new(form.opcode(), form.rounding(), kept, form.destination(), form.source())?;
    Some(Finding {
        at,
        code: PtxCode::RedundantSat.into(),
        message: "`.sat` changes nothing: conversion from float to integer always saturates".into(),
        help: Some(format!("write `{without}`").into()),
    })
}

/// Legal, but written twice.
fn repeated(form: Form, spelling: &Spelling<'_>) -> Option<Finding> {
    let before = |at: usize| spelling.parts().take_while(move |(_, other)| other.start < at);
    let (part, at) = spelling.parts().find(|(part, at)| {
        matches!(part, Part::Modifier(_)) && before(at.start).any(|(other, _)| other == *part)
    })?;
    Some(Finding {
        at,
        code: PtxCode::Repeated.into(),
        message: format!("`.{}` is written twice", part.name()).into(),
        help: Some(format!("write `{form}`").into()),
    })
}
