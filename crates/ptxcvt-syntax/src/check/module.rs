//! Checks a module around its conversions: version and target, declarations, guards.
//!
//! PTX ISA sections 9.3 (guards), 11.1.1 `.version`, 11.1.2 `.target`.

use ptxcvt::forms::{RegisterClass, RegisterType, Remedy};
use ptxcvt::targets::TargetError;
use ptxcvt::{IsaVersion, Target, listed};

use super::checker::Checker;
use super::edits::{Context, nearest_target, this_target, this_version};
use super::opcode::Judgement;
use super::special::{Special, SpecialKind};
use super::uses::Uses;
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::parse::{Declaration, Entity, Instruction, Operand, OperandKind, Visitor};
use crate::source::{Span, Word};

/// The most findings that are kept of one file.
pub(super) const MAX_FINDINGS: usize = 100_000;

/// After this many different opcodes, the nearest form is no longer searched. Fewer than half as many opcodes are
/// legal.
pub(super) const MAX_HELPED: usize = 3_000;

/// An option of `.target` for the first targets, which had no `.f64`.
const MAPS_F64: &str = "map_f64_to_f32";

impl<'s> Visitor<'s> for Checker<'s> {
    fn stop(&self) -> bool {
        self.found.diagnostics.len() > MAX_FINDINGS
    }

    fn version(&mut self, version: Word<'s>) {
        if self.version.is_some() {
            let message = "`.version` is valid only once, at the beginning";
            return self.report(Diagnostic::new(PtxCode::Syntax, version.span, message));
        }
        self.version = Some(version);
        if self.options.machine.isa().is_some() || version.text.is_empty() {
            return;
        }
        // As ptxas does, it reads `9.01` as 9.1.
        match version.text.parse::<IsaVersion>() {
            Ok(isa) => self.isa = isa,
            Err(error) => {
                let diagnostic = Diagnostic::new(PtxCode::UnknownVersion, version.span, error.to_string());
                self.report(match error.help() {
                    Some(help) => diagnostic.with_help(help),
                    None => diagnostic,
                });
            }
        }
    }

    fn target(&mut self, directive: Span, names: &[Word<'s>]) {
        if self.version.is_none() && self.options.machine.isa().is_none() {
            self.missing_version(directive);
        }
        // If there are several targets, the last one counts.
        let mut maps_f64 = None;
        for name in names {
            const OPTIONS: [&str; 4] = ["debug", MAPS_F64, "texmode_unified", "texmode_independent"];
            if OPTIONS.contains(&name.text) && self.target.is_some() {
                maps_f64 = maps_f64.or((name.text == MAPS_F64).then_some(*name));
                continue;
            }
            self.target = Some(*name);
            if self.options.machine.target().is_none() {
                let read: Result<Target, TargetError> = name.text.parse();
                self.built_for = read.ok();
                if let Err(error) = read {
                    let diagnostic = unknown_target(*name, error);
                    let fixable = !names.iter().any(|name| name.text == MAPS_F64);
                    self.report(if fixable { diagnostic } else { diagnostic.with_fix(None) });
                }
            }
        }
        self.maps_f64 |= maps_f64.is_some();
        if let (Some(option), Some(target)) = (maps_f64, self.built_for.filter(|target| target.sm() >= 13)) {
            let message = format!("{target} has no option `{MAPS_F64}`");
            let help = "only targets below sm_13, which have no `.f64`, accept it";
            self.report(Diagnostic::new(PtxCode::UnknownTarget, option.span, message).with_help(help));
        }
        self.judged.clear();
    }

    fn body(&mut self, at: Span) {
        if self.options.snippet {
            return;
        }
        if self.version.is_none() && self.options.machine.isa().is_none() {
            self.missing_version(at);
        }
        if self.target.is_none() && self.options.machine.target().is_none() {
            let message = "the module has no `.target`, which must follow `.version`";
            let help = "write `.target sm_90`, for example, or choose a target";
            self.report(Diagnostic::new(PtxCode::MissingTarget, at, message).with_help(help));
        }
        let Some(error) = self.declared().error() else { return };
        let at = match (self.options.machine.target(), self.target, self.version) {
            (None, Some(word), _) | (_, None, Some(word)) => word.span,
            (_, _, Some(word)) => word.span,
            _ => at,
        };
        let diagnostic = Diagnostic::new(PtxCode::TargetVersion, at, error.to_string());
        self.report(match self.declared().correction(error, None) {
            Some((help, Remedy::Target(name))) => {
                let fix = this_target(&self.options, self.fixable_target(), Some(name));
                diagnostic.with_help(help).with_fix(fix)
            }
            Some((help, Remedy::Version(version))) => {
                let fix = this_version(&self.options, self.version, version);
                diagnostic.with_help(help).with_fix(fix)
            }
            _ => diagnostic,
        });
    }

    fn open(&mut self, _at: Span) {
        self.scope.open();
    }

    fn close(&mut self, _at: Span) {
        self.scope.close();
    }

    fn register_type(&mut self, ty: RegisterType, at: Span) {
        self.register_type_gate(ty, at);
    }

    fn declare(&mut self, declaration: Declaration<'s>) {
        let Err(earlier) = self.scope.declare(declaration) else { return };
        // Labels, functions and variables have other rules for repeated declarations.
        if !matches!(declaration.entity, Entity::Register { .. }) {
            return;
        }
        let name = declaration.name;
        let message = format!("`{}` is already declared in this block", name.text);
        let diagnostic = Diagnostic::new(PtxCode::Redeclared, name.span, message);
        self.report(diagnostic.with_related(earlier, "the first declaration"));
    }

    fn reads_all_operands(&self) -> bool {
        false
    }

    fn instruction(&mut self, instruction: &Instruction<'s>) {
        self.found.stats.instructions += 1;
        if instruction.opcode.name() == "cvt" {
            self.conversion(instruction);
        } else {
            self.misspelt(instruction);
        }
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.found.diagnostics.push(diagnostic);
    }
}

impl<'s> Checker<'s> {
    /// The name in `.target` that a fix may replace.
    fn fixable_target(&self) -> Option<Word<'s>> {
        self.target.filter(|_| !self.maps_f64)
    }

    fn conversion(&mut self, conversion: &Instruction<'s>) {
        if let Some(Operand { kind: OperandKind::Name(guard), .. }) = &conversion.guard {
            self.guard(guard.name);
        }
        let text = conversion.opcode.text();
        let at = match self.judged.get(&*text) {
            Some(&at) => at,
            None => {
                let help = self.judgements.len() < MAX_HELPED;
                self.judgements.push(Judgement::new(&text, self.machine(), help));
                self.judged.insert(text, self.judgements.len() - 1);
                self.judgements.len() - 1
            }
        };
        let judgement = &mut self.judgements[at];
        let use_here = Uses::one(conversion.span.start);
        match &mut judgement.uses {
            Some(uses) => uses.join(use_here),
            uses => *uses = Some(use_here),
        }
        let verdict = judgement.verdict.clone();
        if let Some(target) = self.built_for.filter(|target| !target.exists_in(self.isa)) {
            self.needed = self.needed.max(verdict.since(target));
        }
        self.list(conversion.span.start, verdict.form, &conversion.opcode.text());
        for finding in &verdict.findings {
            let span = conversion.opcode.locate(finding.at.clone());
            let (message, help) = (finding.message.clone(), finding.help.clone());
            let context =
                Context { options: &self.options, version: self.version, target: self.fixable_target() };
            let fix = finding.remedy.and_then(|remedy| context.fix(remedy, finding.certain, conversion));
            let diagnostic = Diagnostic::new(finding.code, span, message).with_help_if(help).with_fix(fix);
            self.found.diagnostics.push(diagnostic);
        }
        match verdict.form {
            Some(form) => self.operands(form, &verdict.slots, conversion),
            None => self.names(&conversion.operands),
        }
    }

    fn missing_version(&mut self, at: Span) {
        if !std::mem::replace(&mut self.no_version_reported, true) {
            let message = "the module does not begin with `.version`";
            let help = format!("write `.version {}`, for example, or choose a version", IsaVersion::NEWEST);
            self.report(Diagnostic::new(PtxCode::MissingVersion, at, message).with_help(help));
        }
    }

    fn guard(&mut self, guard: Word<'s>) {
        let Some(found) = self.scope.find(guard.text) else {
            match Special::find(guard.text) {
                Some(special) if special.kind == SpecialKind::Predicate => {
                    self.special_gate(special, guard);
                }
                Some(_) => {
                    let message = format!("the guard `{}` is not a predicate", guard.text);
                    self.report(Diagnostic::new(PtxCode::Guard, guard.span, message));
                }
                None if self.lenient => {}
                None => {
                    let message = format!("the predicate `{}` is not declared", guard.text);
                    let help = format!("declare it: `.reg .pred {};`", guard.text);
                    self.report(Diagnostic::new(PtxCode::Undeclared, guard.span, message).with_help(help));
                }
            }
            return;
        };
        let predicate = RegisterType { class: RegisterClass::Predicate, width: 1 };
        match found.entity {
            Entity::Register { ty: None, .. } => {}
            Entity::Register { ty: Some(ty), .. } if ty == predicate => {}
            Entity::Register { ty: Some(ty), .. } => {
                let message = format!("the guard `{}` is `{ty}`, not `.pred`", guard.text);
                let diagnostic = Diagnostic::new(PtxCode::Guard, guard.span, message);
                self.report(diagnostic.with_related(found.declared, "declared here"));
            }
            _ => {
                let message = format!("the guard `{}` is not a predicate register", guard.text);
                self.report(Diagnostic::new(PtxCode::Guard, guard.span, message));
            }
        }
    }
}

/// The finding for an unknown name in `.target`.
fn unknown_target(name: Word<'_>, error: TargetError) -> Diagnostic {
    let message = format!("there is no target `{}`", name.text);
    let digits: String =
        name.text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let diagnostic = Diagnostic::new(PtxCode::UnknownTarget, name.span, message);
    // A name without a number, such as `volta`, is near to none.
    let Ok(number) = digits.parse::<u16>() else {
        return match error.help() {
            Some(help) => diagnostic.with_help(help),
            None => diagnostic,
        };
    };
    let mut targets: Vec<Target> = Target::all().collect();
    ptxcvt::order_by(&mut targets, |t| t.sm().abs_diff(number).into());
    let nearest: Vec<String> = targets.iter().take(3).map(|t| format!("`{t}`")).collect();
    diagnostic
        .with_help(format!("the nearest are {}", listed(&nearest, "and")))
        .with_fix(targets.first().map(|target| nearest_target(name, *target)))
}
