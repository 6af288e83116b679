//! The state of the checker while it reads a text: names, target, version, findings.

use std::borrow::Cow;
use std::collections::HashMap;

use ptxcvt::targets::Machine;
use ptxcvt::{Form, IsaVersion, Target};

use super::declared::Declared;
use super::filler::Fillers;
use super::findings::{CheckOptions, Findings};
use super::opcode::Judgement;
use super::scope::Scope;
use crate::code::PtxCode;
use crate::diagnostic::{Diagnostic, sort_by_place};
use crate::source::{Span, Word};

pub(super) struct Checker<'s> {
    pub(super) options: CheckOptions,
    pub(super) scope: Scope<'s>,
    /// The module's target, or `None` if it is missing or unknown; opcodes are then checked for any target.
    pub(super) built_for: Option<Target>,
    pub(super) isa: IsaVersion,
    pub(super) version: Option<Word<'s>>,
    pub(super) target: Option<Word<'s>>,
    /// `.target` has the option `map_f64_to_f32`, so no other target may replace its own.
    pub(super) maps_f64: bool,
    pub(super) no_version_reported: bool,
    /// The newest version that conversions need on the target, if the module's version does not have the target.
    pub(super) needed: Option<IsaVersion>,
    /// Undeclared names are not reported.
    pub(super) lenient: bool,
    /// The operands of the `asm` statement, which replace the placeholders.
    pub(super) fillers: Fillers<'s>,
    /// The index in `judgements` by the opcode's text.
    pub(super) judged: HashMap<Cow<'s, str>, usize>,
    pub(super) judgements: Vec<Judgement>,
    pub(super) found: Findings,
}

impl<'s> Checker<'s> {
    pub(super) fn new(text: &str, options: &CheckOptions, fillers: Fillers<'s>) -> Self {
        Checker {
            options: *options,
            scope: Scope::default(),
            built_for: options.machine.target(),
            isa: options.machine.isa().unwrap_or(IsaVersion::NEWEST),
            version: None,
            target: None,
            maps_f64: false,
            no_version_reported: false,
            needed: None,
            lenient: fillers.names_unknown || (options.snippet && !text.contains(".reg")),
            fillers,
            judged: HashMap::new(),
            judgements: Vec::new(),
            found: Findings::default(),
        }
    }

    pub(super) fn finish(mut self, text: &str) -> Findings {
        let found = &self.found;
        let is_given = self.options.snippet && !self.fillers.of_program;
        if is_given && found.stats.instructions == 0 && found.diagnostics.is_empty() {
            self.report(nothing_read(text));
        }
        self.declared().complete(&mut self.found.diagnostics, self.needed);
        for judgement in self.judgements {
            if let Some(uses) = judgement.uses {
                self.found.stats.convert(judgement.verdict.form, uses);
            }
        }
        sort_by_place(&mut self.found.diagnostics);
        self.found
    }

    /// Records the place and the spelling of a program's conversion. Its string may be in several assemblies.
    pub(super) fn list(&mut self, at: u32, form: Option<Form>, spelling: &str) {
        if self.fillers.of_program {
            self.found.listed.push((at, form.ok_or_else(|| spelling.into())));
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.found.diagnostics.push(diagnostic);
    }

    /// The target and version, for the finding that the version does not have the target.
    pub(super) fn declared(&self) -> Declared {
        Declared { target: self.built_for, isa: self.isa, chosen: self.options.machine.isa().is_some() }
    }

    /// The target and version for which opcodes are checked.
    pub(super) fn machine(&self) -> Machine {
        match self.built_for {
            // If the version does not have the target, this is a separate finding, and conversions are judged for the target
            // at any version.
            Some(target) => Machine::lenient(Some(target), Some(self.isa)),
            // Assembly may have a version without a target; a module names both.
            None => self.options.machine,
        }
    }
}

/// The warning that a snippet has nothing to check.
pub(crate) fn nothing_read(text: &str) -> Diagnostic {
    let first = text.len() - text.trim_ascii_start().len();
    let span = Span::new(first as u32, text.trim_ascii_end().len().max(first) as u32);
    let message = "this snippet has no instruction, so nothing was checked";
    let help = "give the PTX alone, or the `asm(\"…\" : …);` statement that contains it";
    Diagnostic::new(PtxCode::NothingRead, span, message).with_help(help)
}
