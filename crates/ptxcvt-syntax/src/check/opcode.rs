//! What there is to say about an opcode on a target: judged once for each spelling, then remembered.
//!
//! PTX ISA sections 9.7.9.21 `cvt` and 9.7.9.22 `cvt.pack`; the rules are all the library's.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use ptxcvt::forms::{Part, Remedy};
use ptxcvt::targets::Machine;
use ptxcvt::{Form, Modifier, Opcode, Spelling};

use super::slot::{Slot, slots};
use crate::code::{Code, PtxCode};

/// A finding whose place is a range of the opcode's text.
#[derive(Debug)]
pub(super) struct Finding {
    pub at: Range<usize>,
    pub code: Code,
    pub message: Arc<str>,
    pub help: Option<Arc<str>>,
    /// What the help comes to, and whether that is beyond doubt.
    pub remedy: Option<Remedy>,
    pub certain: bool,
}

impl Finding {
    /// The end of a finding that another spelling of the same makes go away.
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

/// All about one spelling.
#[derive(Debug)]
pub(super) struct Verdict {
    pub form: Option<Form>,
    pub slots: Vec<Slot>,
    pub findings: Vec<Finding>,
}

/// A verdict in a text: how often the spelling was met, and the first places.
#[derive(Debug)]
pub(super) struct Judgement {
    pub verdict: Arc<Verdict>,
    pub count: u64,
    pub places: Vec<u32>,
}

/// The verdicts of this process. Sources hold a few spellings in many assemblies, and an editor asks at every key.
static KNOWN: LazyLock<RwLock<HashMap<Machine, Verdicts>>> = LazyLock::new(RwLock::default);

/// Verdicts by spelling.
type Verdicts = HashMap<Box<str>, Arc<Verdict>>;

/// No more verdicts than this are remembered for a machine, nor those on longer spellings.
const MAX_KNOWN: usize = 4_000;
const MAX_LENGTH: usize = 200;

impl Judgement {
    /// Judges a spelling; without `help` no nearest form is looked for, which takes the longest.
    pub(super) fn new(text: &str, machine: Machine, help: bool) -> Self {
        let verdict = if help { known(text, machine) } else { Arc::new(Verdict::new(text, machine, false)) };
        Judgement { verdict, count: 0, places: Vec::new() }
    }
}

/// The verdict with help, remembered.
fn known(text: &str, machine: Machine) -> Arc<Verdict> {
    // What a thread that panicked left behind is as good as before: a verdict is inserted whole.
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
        let advice = if help { spelling.advice(machine) } else { spelling.problems_on(machine) };
        findings.extend(advice.into_iter().map(|advice| Finding {
            at: advice.range(),
            code: advice.code().into(),
            message: advice.message().into(),
            help: advice.help().map(Arc::from),
            remedy: advice.remedy(),
            certain: advice.is_certain(),
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

/// Legal, but not where readers expect it.
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
        ..Finding::write(form)
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
        ..Finding::write(without)
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
        ..Finding::write(form)
    })
}
