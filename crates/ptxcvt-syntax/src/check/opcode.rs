//! The findings about an opcode on a target, which are computed once for each spelling.
//!
//! PTX ISA sections 9.7.9.21 `cvt` and 9.7.9.22 `cvt.pack`. All rules are those of [`ptxcvt`].

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use ptxcvt::forms::{Help, Part, Remedy};
use ptxcvt::targets::Machine;
use ptxcvt::{Form, IsaVersion, Modifier, Opcode, Spelling, Target};

use super::slot::{Slot, slots};
use super::uses::Uses;
use crate::code::{Code, PtxCode};

/// A finding in an opcode; its place is a range of the opcode's text.
#[derive(Debug)]
pub(super) struct Finding {
    pub at: Range<usize>,
    pub code: Code,
    pub message: Arc<str>,
    pub help: Option<Arc<str>>,
    /// The remedy that the help describes, and whether it is certain.
    pub remedy: Option<Remedy>,
    pub certain: bool,
}

impl Finding {
    /// A finding that another spelling of the same form removes; place, code and message are placeholders.
    fn write(form: Form) -> Self {
        Finding {
            at: 0..0,
            code: PtxCode::Syntax.into(),
            message: "".into(),
            help: Some(format!("write `{form}`").into()),
            remedy: Some(Remedy::Form(form)),
            certain: true,
        }
    }
}

/// The result of checking a spelling.
#[derive(Debug)]
pub(super) struct Verdict {
    pub form: Option<Form>,
    pub slots: Vec<Slot>,
    pub findings: Vec<Finding>,
}

/// A verdict in a text, with the uses of the spelling; `None` before the first one.
#[derive(Debug)]
pub(super) struct Judgement {
    pub verdict: Arc<Verdict>,
    pub uses: Option<Uses>,
}

/// The verdicts of this process. Sources repeat a few spellings in many assemblies, and an editor checks at every
/// key.
static KNOWN: LazyLock<RwLock<HashMap<Machine, Verdicts>>> = LazyLock::new(RwLock::default);

/// Verdicts by spelling.
type Verdicts = HashMap<Box<str>, Arc<Verdict>>;

/// The most verdicts that are kept for a machine, and the longest spelling that is kept.
const MAX_KNOWN: usize = 4_000;
const MAX_LENGTH: usize = 200;

impl Judgement {
    /// Checks a spelling. Without `help`, no nearest form is searched for, which takes most of the time.
    pub(super) fn new(text: &str, machine: Machine, help: bool) -> Self {
        let verdict = if help { known(text, machine) } else { Arc::new(Verdict::new(text, machine, false)) };
        Judgement { verdict, uses: None }
    }
}

/// The verdict with help, from the cache or added to it.
fn known(text: &str, machine: Machine) -> Arc<Verdict> {
    // A verdict is inserted in one step, so the map is valid even if a thread panicked.
    let all = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(verdict) = all.get(&machine).and_then(|verdicts| verdicts.get(text)) {
        return verdict.clone();
    }
    drop(all);
    let verdict = Arc::new(Verdict::new(text, machine, true));
    if text.len() <= MAX_LENGTH {
        let mut all = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        let verdicts = all.entry(machine).or_default();
        if verdicts.len() < MAX_KNOWN {
            verdicts.insert(text.into(), verdict.clone());
        }
    }
    verdict
}

impl Verdict {
    fn new(text: &str, machine: Machine, help: bool) -> Self {
        let spelling = Spelling::new(text);
        let form = spelling.form();
        let mut findings = Vec::new();
        let problems = spelling.problems(machine);
        let help = if help && !problems.is_empty() { spelling.help(machine) } else { None };
        let text: Option<Arc<str>> = help.as_ref().map(|help| help.text().into());
        findings.extend(problems.into_iter().map(|problem| Finding {
            at: problem.range(),
            code: problem.code().into(),
            message: problem.message().into(),
            help: text.clone(),
            remedy: help.as_ref().and_then(Help::remedy),
            certain: help.as_ref().is_some_and(Help::is_certain),
        }));
        if let Some(form) = form {
            findings.extend(after_types(form, &spelling));
            findings.extend(redundant_sat(form, &spelling));
            findings.extend(repeated(form, &spelling));
        }
        let slots = form.map(slots).unwrap_or_default();
        Verdict { form, slots, findings }
    }
}

impl Verdict {
    /// The first version in which a target has the form, or the forms that the findings recommend; `None` if it has none.
    pub(super) fn since(&self, target: Target) -> Option<IsaVersion> {
        let recommended = self.findings.iter().filter_map(|finding| match finding.remedy {
            Some(Remedy::Form(form)) => Some(form),
            _ => None,
        });
        self.form.into_iter().chain(recommended).filter_map(|form| form.since(target)).max()
    }
}

/// A modifier after the types, which is legal but unusual.
fn after_types(form: Form, spelling: &Spelling<'_>) -> Option<Finding> {
    let types = spelling.parts().position(|(part, _)| matches!(part, Part::Type(_)))?;
    let (part, at) = spelling
        .parts()
        .skip(types)
        .find(|(part, _)| matches!(part, Part::Rounding(_) | Part::Modifier(_)))?;
    let name = part.name()?;
    Some(Finding {
        at,
        code: PtxCode::AfterTypes.into(),
        message: format!("`.{name}` is after the first type").into(),
        ..Finding::write(form)
    })
}

/// A `.sat` without effect, which is legal.
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
        ..Finding::write(without)
    })
}

/// A repeated modifier, which is legal.
fn repeated(form: Form, spelling: &Spelling<'_>) -> Option<Finding> {
    let before = |at: usize| spelling.parts().take_while(move |(_, other)| other.start < at);
    let (part, at) = spelling.parts().find(|(part, at)| {
        matches!(part, Part::Modifier(_)) && before(at.start).any(|(other, _)| other == *part)
    })?;
    let name = part.name()?;
    Some(Finding {
        at,
        code: PtxCode::Repeated.into(),
        message: format!("`.{name}` is written twice").into(),
        ..Finding::write(form)
    })
}
