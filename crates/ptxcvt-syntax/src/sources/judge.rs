//! Judges assemblies: closes holes, checks the text for each machine, and moves findings to their places in the source
//! file.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use ptxcvt::targets::Machine;

use super::assembly::{Assembly, Kind};
use super::foreign::is_foreign;
use super::hole::{Closed, close_holes};
use super::mention::words;
use super::plan::Plan;
use super::reading::{Embedded, Literal};
use super::reported::{Reported, statement};
use super::template::formatted;
use super::text::{HOLE, Joined};
use super::unknown::unknown_opcodes;
use super::written::{self, is_broken, is_head, is_syntax};
use crate::check::{CheckOptions, Fillers, Findings, Listed, Uses, check_filled, may_be_misspelt};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::Span;

/// Reasons why a conversion was not judged.
const MACRO: &str = "part of it is a macro or a template's argument";
const PLACEHOLDER: &str = "part of it is a placeholder, which the program may replace";
const OPCODE: &str = "its opcode is not known, so it may be a conversion";
const FOREIGN: &str = "it is another machine's assembly";
pub(super) const UNREADABLE: &str = "the statement cannot be read";
pub(super) const DEAD: &str = "no device compiler sees it";
const OUTSIDE: &str = "its string is not known to be inline assembly";
const DOCUMENT: &str = "it is documentation";
const UNREAD: &str = "the language around it is not read";
const PARTLY: &str = "some of its values are not known, and only the others were judged";

/// The outcome for a conversion in all assemblies that contain its string.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    judged: bool,
    /// Why the conversion was not judged in some assembly.
    skipped: Option<&'static str>,
    /// True if some assembly has an unknown part, so that not every value of the conversion was judged.
    partly: bool,
}

impl Outcome {
    /// Why the conversion was not judged, or not for every value. `None` if it was judged.
    fn reason(self) -> Option<&'static str> {
        match self.judged {
            true => self.partly.then_some(PARTLY),
            false => self.skipped,
        }
    }
}

/// The outcome for each conversion in the strings of a source file, and for instructions that may be conversions, by
/// place.
#[derive(Debug, Default)]
struct Account(BTreeMap<u32, Outcome>);

impl Account {
    fn judged(&mut self, place: u32) {
        self.0.entry(place).or_default().judged = true;
    }

    /// Counts a conversion that was not judged, unless another assembly with the same string is judged.
    fn skipped(&mut self, place: u32, reason: &'static str) {
        self.0.entry(place).or_default().skipped.get_or_insert(reason);
    }

    /// Counts a conversion that has an unknown part, even if another assembly with the same string is judged.
    fn unknown(&mut self, place: u32, reason: &'static str) {
        self.skipped(place, reason);
        self.0.entry(place).or_default().partly = true;
    }

    /// True if a conversion of a text was judged or counted.
    fn knows(&self, joined: &Joined) -> bool {
        joined.mentions().any(|(_, place)| self.0.contains_key(&place))
    }

    /// The number of conversions that were not judged, by reason.
    fn reasons(&self) -> BTreeMap<&'static str, usize> {
        let mut reasons = BTreeMap::new();
        let all = self.0.values().filter_map(|outcome| outcome.reason());
        all.for_each(|reason| *reasons.entry(reason).or_default() += 1);
        reasons
    }
}

/// A judge of all assemblies of a file.
#[derive(Default)]
pub(super) struct Judge {
    account: Account,
    /// The counts.
    found: Findings,
    reported: Reported,
    /// The number of strings that mention a conversion, and of those in which all conversions were judged.
    strings: [u64; 2],
    /// Places of conversions in strings of embedded texts, where they are counted.
    embedded: HashSet<u32>,
    /// Places of the conversions that were counted.
    counted: HashSet<u32>,
    /// The values that were counted, by the places of the conversions.
    values: HashSet<(u32, Listed)>,
}

impl Judge {
    /// The findings, in the order of the text.
    pub fn findings(self) -> Findings {
        let mut found = self.found;
        found.stats.skipped = self.account.reasons();
        [found.stats.strings, found.stats.judged_strings] = self.strings;
        found.stats.source = true;
        found.diagnostics = self.reported.sorted();
        found
    }

    /// Counts a string that mentions a conversion. Call this after all assemblies are judged; `reason` returns why a
    /// conversion is in no assembly.
    pub fn string(&mut self, string: &Literal, reason: impl Fn(u32) -> Option<&'static str>) {
        let mut judged = true;
        let places = string.conversions(|place| self.account.0.contains_key(&place));
        for &place in &places {
            let reason = match string.document {
                true => DOCUMENT,
                false if self.account.0.contains_key(&place) => OUTSIDE,
                false => reason(place).unwrap_or(OUTSIDE),
            };
            self.account.skipped(place, reason);
            judged &= self.account.0.get(&place).is_some_and(|outcome| outcome.reason().is_none());
        }
        if !string.document && !places.iter().all(|place| self.embedded.contains(place)) {
            self.strings[0] += 1;
            self.strings[1] += u64::from(judged);
        }
    }

    /// Adds a finding about the file itself.
    pub fn found(&mut self, diagnostic: Diagnostic) {
        self.reported.add(diagnostic, None);
    }

    /// Counts the conversions of a text in a language that is not read.
    pub fn unread(&mut self, text: &Joined) {
        for (_, place) in text.mentions() {
            self.account.skipped(place, UNREAD);
        }
        self.strings[0] += u64::from(text.mentions().next().is_some());
    }

    /// Judges PTX that the program writes, unless it is part of an assembly. Its target is unknown.
    pub fn written(&mut self, mut assemblies: Vec<&Assembly>, replaced: &[String]) {
        // The same string may occur with several values, so all are collected before any is judged.
        assemblies.retain(|assembly| {
            assembly.joined.mentions().next().is_some() && !self.account.knows(&assembly.joined)
        });
        assemblies.into_iter().for_each(|assembly| self.write(assembly, replaced));
    }

    fn write(&mut self, assembly: &Assembly, replaced: &[String]) {
        if assembly.guards.is_dead() {
            return assembly.joined.mentions().for_each(|(_, place)| self.account.skipped(place, DEAD));
        }
        if is_foreign(assembly.text()) {
            return assembly.joined.mentions().for_each(|(_, place)| self.account.skipped(place, FOREIGN));
        }
        let Some(found) = written::check(assembly, replaced) else { return };
        let part = unknown_part(assembly);
        let assembly = &*found.assembly;
        self.unknown(assembly, OPCODE);
        for (at, place) in assembly.joined.mentions() {
            match found.closed.contains(at) {
                true => self.account.unknown(place, part),
                false => self.account.judged(place),
            }
        }
        if found.closed.is_empty() || found.findings.stats.conversions > 0 {
            self.count(assembly, &found.findings, &found.closed);
        }
        let relevant = |d: &Diagnostic| found.closed.is_empty() || !is_broken(d);
        for diagnostic in found.findings.diagnostics.into_iter().filter(relevant) {
            self.report(assembly, diagnostic);
        }
    }

    /// Adds the verdict on an embedded text.
    pub fn embed(&mut self, inner: Judge, text: &Embedded) {
        let place = |at: u32| text.joined.locate(Span::new(at, at + 1)).start;
        for (at, outcome) in &inner.account.0 {
            self.embedded.insert(place(*at));
            let known = self.account.0.entry(place(*at)).or_default();
            known.judged |= outcome.judged;
            known.partly |= outcome.partly;
            known.skipped = known.skipped.or(outcome.skipped);
        }
        self.strings.iter_mut().zip(inner.strings).for_each(|(sum, count)| *sum += count);
        self.found.stats.assemblies += inner.found.stats.assemblies;
        self.found.stats.add(&inner.found.stats, place);
        for diagnostic in inner.reported.sorted() {
            let (before, cell) = match text.cells.iter().rev().find(|(at, _)| *at <= diagnostic.span().start)
            {
                Some((at, number)) => (*at, Some(*number)),
                None => (0, None),
            };
            let line = || {
                let until = &text.joined.text.as_bytes()[before as usize..diagnostic.span().start as usize];
                until.iter().filter(|byte| **byte == b'\n').count() + 1
            };
            let message =
                cell.map(|number| format!("cell {number}, line {}: {}", line(), diagnostic.message()));
            let mut moved = diagnostic.moved(|span| text.joined.locate(span), |span| text.joined.exact(span));
            if let Some(message) = message {
                moved = moved.with_message(message);
            }
            self.reported.add(moved, None);
        }
    }

    /// Judges an assembly.
    pub fn judge(&mut self, assembly: &Assembly, options: &CheckOptions, replaced: &[String]) {
        let part = unknown_part(assembly);
        let assembly = &*match assembly.template {
            true => formatted(assembly, replaced),
            false => Cow::Borrowed(assembly),
        };
        let reason = not_judged(assembly);
        if !assembly.judged_in_uses {
            self.unknown(assembly, reason.unwrap_or(OPCODE));
        }
        if assembly.joined.mentions().next().is_none() && (!options.snippet || reason.is_some()) {
            return self.misspelt(assembly, options, reason);
        }
        if let Some(reason) = reason {
            if assembly.judged_in_uses {
                return;
            }
            return assembly.joined.mentions().for_each(|(_, place)| self.account.skipped(place, reason));
        }
        let mut text = assembly.text().to_owned();
        let closed = close_holes(&mut text);
        for (at, place) in assembly.joined.mentions() {
            match closed.contains(at) {
                true if assembly.judged_in_uses => {}
                true => self.account.unknown(place, part),
                false => self.account.judged(place),
            }
        }
        if assembly.judged_in_uses && assembly.joined.mentions().all(|(at, _)| closed.contains(at)) {
            return;
        }
        for problem in assembly.operands.problems() {
            self.reported.add(problem, None);
        }
        self.judge_text(assembly, options, &text, &closed);
    }

    /// Judges the text of an assembly, with its unknown parts closed, for each machine that its guards admit.
    fn judge_text(&mut self, assembly: &Assembly, options: &CheckOptions, text: &str, closed: &Closed) {
        let known = !assembly.operands.unknown;
        let operands = if known { &assembly.operands.fillers[..] } else { &[] };
        let fillers = Fillers {
            operands,
            names_unknown: !closed.is_empty(),
            words: assembly.operands.words,
            of_program: true,
        };
        let part_of_module = assembly.kind == Kind::Module;
        let check = |machine: Machine| {
            let options = CheckOptions { machine, snippet: !part_of_module, ..*options };
            let mut found = check_filled(text, &options, &fillers);
            // The compiler writes the module's head.
            found.diagnostics.retain(|d| !part_of_module || !is_head(d));
            found
        };
        // Findings that do not depend on the machine.
        let base = check(Machine::ANY);
        self.count(assembly, &base, closed);
        let plan = Plan::new(assembly, options, &base);
        let relevant = |diagnostic: &Diagnostic| closed.is_empty() || !is_broken(diagnostic);
        // If several machines reject a place, the first one is reported.
        let mut rejected: Vec<Span> = Vec::new();
        for machine in &plan.certain {
            let report = if machine.is_any() { base.clone() } else { check(*machine) };
            let before = rejected.len();
            for diagnostic in report.diagnostics.into_iter().filter(relevant) {
                let place = diagnostic.span();
                if !rejected[..before].iter().any(|known| overlap(*known, place)) {
                    rejected.push(place);
                    self.report(assembly, doubtful(assembly, diagnostic));
                }
            }
        }
        if plan.certain.is_empty() {
            rejected.extend(base.diagnostics.iter().map(Diagnostic::span));
            for diagnostic in base.diagnostics.iter().filter(|d| relevant(d)) {
                self.report(assembly, doubtful(assembly, diagnostic.clone()));
            }
        }
        for machine in &plan.possible {
            for diagnostic in check(*machine).diagnostics.into_iter().filter(relevant) {
                let place = diagnostic.span();
                if !rejected.iter().any(|known| overlap(*known, place)) {
                    rejected.push(place);
                    self.report(assembly, note(diagnostic, FLAG));
                }
            }
        }
    }

    /// Counts the instructions whose opcodes are unknown: each may be a conversion.
    fn unknown(&mut self, assembly: &Assembly, reason: &'static str) {
        for at in unknown_opcodes(assembly.text()) {
            let at = at as u32;
            let place = assembly.joined.locate(Span::new(at, at + 1));
            // A value without a place in the text is counted at the assembly.
            let place = if place.end == 0 { assembly.span() } else { place };
            self.account.skipped(place.start, reason);
        }
    }

    /// Reports misspelt conversions in an assembly without others, such as `CVT.u32.u64` and `cvt d, a`. If there is a
    /// `reason` not to judge them, they are counted.
    fn misspelt(&mut self, assembly: &Assembly, options: &CheckOptions, reason: Option<&'static str>) {
        if !may_be_misspelt(assembly.text()) {
            return;
        }
        let mut text = assembly.text().to_owned();
        let closed = close_holes(&mut text);
        let fillers = Fillers {
            operands: &assembly.operands.fillers,
            names_unknown: !closed.is_empty(),
            words: assembly.operands.words,
            of_program: true,
        };
        let snippet = assembly.kind != Kind::Module;
        let options = CheckOptions { machine: Machine::ANY, snippet, ..*options };
        let mut found = check_filled(&text, &options, &fillers);
        // Syntax errors are reported in a statement that has the name of a conversion.
        let is_conversion = |d: &Diagnostic| {
            let statement = statement(assembly.text(), d.span().start as usize);
            is_syntax(d.code()) && words(statement).next().is_some()
        };
        found.diagnostics.retain(|d| matches!(d.code(), Code::Opcode(_)) || is_conversion(d));
        if found.diagnostics.is_empty() {
            return;
        }
        if let Some(reason) = reason {
            let places = found.diagnostics.iter().map(|d| assembly.joined.locate(d.span()).start);
            return places.for_each(|place| self.account.skipped(place, reason));
        }
        self.count_values(assembly, &found);
        found.diagnostics.into_iter().for_each(|diagnostic| self.report(assembly, diagnostic));
    }

    /// Counts the assembly and its conversions. A string is counted once, but each value of a conversion in it counts.
    fn count(&mut self, assembly: &Assembly, base: &Findings, closed: &Closed) {
        let mut mentions: Vec<(usize, u32)> = assembly.joined.mentions().collect();
        // The other conversions are counted at the macro's uses.
        mentions.retain(|(at, _)| !assembly.judged_in_uses || !closed.contains(*at));
        if mentions.iter().filter(|(_, place)| self.counted.insert(*place)).count() == mentions.len() {
            self.found.stats.assemblies += 1;
            self.found.stats.instructions += base.stats.instructions - base.stats.conversions;
        }
        self.count_values(assembly, base);
    }

    /// Counts the conversions of an assembly, each value of a statement once.
    fn count_values(&mut self, assembly: &Assembly, found: &Findings) {
        for (at, value) in &found.listed {
            let place = assembly.joined.locate(Span::new(*at, at + 1)).start;
            if self.values.insert((place, value.clone())) {
                self.found.stats.instructions += 1;
                self.found.stats.convert(value.as_ref().ok().copied(), Uses::one(place));
            }
        }
    }

    /// Adds a finding of an assembly.
    fn report(&mut self, assembly: &Assembly, diagnostic: Diagnostic) {
        let own = diagnostic.span();
        let statement = statement(assembly.text(), own.start as usize);
        let moved =
            |text: &Joined| diagnostic.clone().moved(|span| text.locate(span), |span| text.exact(span));
        let Some(expansion) = &assembly.expansion else {
            return self.reported.add(moved(&assembly.joined), Some(statement));
        };
        // The body of the macro was judged before.
        let exact = assembly.joined.exact(own);
        if exact.is_some_and(|span| self.reported.has(diagnostic.code(), span)) {
            return;
        }
        self.reported.add(expansion.placed(moved(&expansion.used), own), Some(statement));
    }
}

/// Why an assembly is not judged, if it is not.
fn not_judged(assembly: &Assembly) -> Option<&'static str> {
    match () {
        () if !assembly.complete => Some(UNREADABLE),
        () if assembly.guards.is_dead() => Some(DEAD),
        () if assembly.operands.foreign || is_foreign(assembly.text()) => Some(FOREIGN),
        () => None,
    }
}

/// Why a statement with an unknown part is not judged. A string that the program replaces is not a macro.
fn unknown_part(assembly: &Assembly) -> &'static str {
    if assembly.text().contains(HOLE) { MACRO } else { PLACEHOLDER }
}

fn overlap(a: Span, b: Span) -> bool {
    a.start < b.end.max(b.start + 1) && b.start < a.end.max(a.start + 1)
}

/// Why a finding is a note.
const FLAG: &str = "whether this is compiled depends on a flag that the file does not define";
const APART: &str = "this is wrong only if conditions that do not depend on each other hold together";

/// A finding in an assembly; a note if the assembly's combination of parts may never occur.
fn doubtful(assembly: &Assembly, diagnostic: Diagnostic) -> Diagnostic {
    if assembly.kind == Kind::Doubtful { note(diagnostic, APART) } else { diagnostic }
}

/// Turns a finding that depends on something unknown into a note.
fn note(diagnostic: Diagnostic, why: &str) -> Diagnostic {
    let help = match diagnostic.help() {
        Some(help) => format!("{help}; {why}"),
        None => why.to_owned(),
    };
    match diagnostic.severity() {
        Severity::Error => diagnostic.with_help(help).with_severity(Severity::Note),
        _ => diagnostic,
    }
}
