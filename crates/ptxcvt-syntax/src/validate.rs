//! Judges a module: its version and target, its declarations as far as conversions use them, and every conversion.
//!
//! PTX ISA sections 9.4.1 (operand sizes), 9.7.9.21, 9.7.9.22, 11.1.1 `.version`, 11.1.2 `.target`; which opcodes and
//! operands are legal is asked of [`ptxcvt`].

use std::borrow::Cow;
use std::collections::HashMap;

use ptxcvt::{IsaVersion, RegisterClass, RegisterType, Target};

use crate::codes::PtxCode;
use crate::diagnostics::{Diagnostic, Severity};
use crate::judge::{Judgement, Place};
use crate::operand::{Operand, OperandKind};
use crate::parse::{Conversion, Declaration, Entity, Parser, Visitor, Word};
use crate::scope::Scope;
use crate::span::{Source, Span};
use crate::special::{Shape, Special};
use crate::stats::{PLACES, Stats};

/// No more findings than this are kept of one file.
const MAX_FINDINGS: usize = 100_000;

/// After so many different opcodes (there are not half as many legal ones) no nearest form is looked for.
const MAX_HELPED: usize = 3_000;

/// How to judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// This target, whatever the module says.
    pub target: Option<Target>,
    /// This version, whatever the module says.
    pub isa: Option<IsaVersion>,
    /// The text is a block or an instruction of inline assembly. What `%0` and `$0` stand for is not judged, nor,
    /// in a text without any `.reg`, what is not declared.
    pub snippet: bool,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The findings, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// What the module holds.
    pub stats: Stats,
}

impl Report {
    /// How many errors.
    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    /// How many warnings.
    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|d| d.severity() == severity).count()
    }
}

/// Reads a module and judges every conversion in it.
///
/// ```
/// use ptxcvt_syntax::{Options, Source, check};
/// // Inline assembly: what `%0` stands for is not known.
/// let options = Options { target: "sm_120a".parse().ok(), snippet: true, ..Options::default() };
/// let source = Source::new("asm", b"cvt.rs.f16x2.f32 %0, %1, %2, %3;");
/// let report = check(&source, &options);
/// assert_eq!(&*report.diagnostics[0].message,
///     "`cvt.rs.f16x2.f32` needs sm_100a, sm_103a or sm_107a; this module targets sm_120a");
/// ```
pub fn check(source: &Source<'_>, options: &Options) -> Report {
    let text = source.text();
    let mut checker = Checker {
        options: *options,
        scope: Scope::default(),
        place: Place { target: options.target, isa: options.isa.unwrap_or(IsaVersion::NEWEST) },
        version: None,
        target: None,
        no_version_reported: false,
        lenient: options.snippet && !text.contains(".reg"),
        judged: HashMap::new(),
        judgements: Vec::new(),
        report: Report::default(),
    };
    if u32::try_from(text.len()).is_err() {
        let message = "the file is larger than 4 GiB";
        checker.problem(Diagnostic::new(PtxCode::Limit, Span::default(), message));
    } else {
        Parser::new(text, options.snippet, &mut checker).run();
    }
    checker.finish()
}

pub(crate) struct Checker<'s> {
    options: Options,
    pub(crate) scope: Scope<'s>,
    place: Place,
    version: Option<Word<'s>>,
    target: Option<Word<'s>>,
    no_version_reported: bool,
    pub(crate) lenient: bool,
    judged: HashMap<Cow<'s, str>, usize>,
    judgements: Vec<Judgement>,
    report: Report,
}

impl Checker<'_> {
    fn finish(mut self) -> Report {
        for judgement in self.judgements {
            let Some(form) = judgement.form else { continue };
            let (count, places) = self.report.stats.forms.entry(form).or_default();
            *count += judgement.count;
            places.extend(judgement.places);
            places.sort_unstable();
            places.truncate(PLACES);
        }
        self.report.diagnostics.sort_by_key(|d| d.span.start);
        self.report
    }
}

impl<'s> Visitor<'s> for Checker<'s> {
    fn stop(&self) -> bool {
        self.report.diagnostics.len() > MAX_FINDINGS
    }

    fn version(&mut self, version: Word<'s>) {
        if self.version.is_some() {
            let message = "`.version` can only stand once, at the beginning";
            return self.problem(Diagnostic::new(PtxCode::Syntax, version.span, message));
        }
        self.version = Some(version);
        if self.options.isa.is_some() || version.text.is_empty() {
            return;
        }
        // `9.01` is 9.1 to ptxas.
        match version.text.parse::<IsaVersion>().ok().filter(|isa| isa.exists()) {
            Some(isa) => self.place.isa = isa,
            None => {
                let message = format!("there is no PTX ISA version {}", version.text);
                let help = format!("versions up to {} are known", IsaVersion::NEWEST);
                self.problem(Diagnostic::new(PtxCode::UnknownVersion, version.span, message).help(help));
            }
        }
    }

    fn target(&mut self, directive: Span, names: &[Word<'s>]) {
        if self.version.is_none() && self.options.isa.is_none() {
            self.missing_version(directive);
        }
        // Of several targets the last counts.
        for name in names {
            const OPTIONS: [&str; 4] = ["debug", "map_f64_to_f32", "texmode_unified", "texmode_independent"];
            if OPTIONS.contains(&name.text) && self.target.is_some() {
                continue;
            }
            self.target = Some(*name);
            if self.options.target.is_none() {
                self.place.target = name.text.parse().ok();
                if self.place.target.is_none() {
                    self.problem(unknown_target(*name));
                }
            }
        }
        self.judged.clear();
    }

    fn body(&mut self, at: Span) {
        if self.options.snippet {
            return;
        }
        if self.version.is_none() && self.options.isa.is_none() {
            self.missing_version(at);
        }
        if self.target.is_none() && self.options.target.is_none() {
            let message = "the module has no `.target`, which has to follow `.version`";
            let help = "write `.target sm_90`, say, or choose one with `--target`";
            self.problem(Diagnostic::new(PtxCode::MissingTarget, at, message).help(help));
        }
        let Place { target: Some(target), isa } = self.place else { return };
        if target.exists_in(isa) {
            return;
        }
        let at = match (self.options.target, self.target, self.version) {
            (None, Some(word), _) | (_, None, Some(word)) => word.span,
            (_, _, Some(word)) => word.span,
            _ => at,
        };
        let message = match target.withdrawn().filter(|withdrawn| *withdrawn <= isa) {
            Some(withdrawn) => {
                format!("{target} was withdrawn in PTX ISA {withdrawn}; this module declares {isa}")
            }
            None => {
                let since = target.introduced();
                format!("{target} exists from PTX ISA {since} on; this module declares {isa}")
            }
        };
        let help = match target.withdrawn() {
            Some(withdrawn) if withdrawn <= isa => "the same architecture is sm_110 from then on".to_string(),
            _ => format!("declare `.version {}`", target.introduced()),
        };
        self.problem(Diagnostic::new(PtxCode::TargetVersion, at, message).help(help));
    }

    fn open(&mut self) {
        self.scope.open();
    }

    fn close(&mut self) {
        self.scope.close();
    }

    fn declare(&mut self, declaration: Declaration<'s>) {
        let Err(earlier) = self.scope.declare(declaration) else { return };
        // Labels, functions and variables are declared and defined by rules of their own.
        if !matches!(declaration.entity, Entity::Register { .. }) {
            return;
        }
        let name = declaration.name;
        let message = format!("`{}` is declared already in this block", name.text);
        let diagnostic = Diagnostic::new(PtxCode::Redeclared, name.span, message);
        self.problem(diagnostic.related(earlier, "the first declaration"));
    }

    fn instruction(&mut self) {
        self.report.stats.instructions += 1;
    }

    fn conversion(&mut self, conversion: Conversion<'s, '_>) {
        self.report.stats.instructions += 1;
        self.report.stats.conversions += 1;
        if let Some(guard) = conversion.guard {
            self.guard(guard);
        }
        let text = conversion.opcode.text();
        let at = match self.judged.get(&*text) {
            Some(&at) => at,
            None => {
                let help = self.judgements.len() < MAX_HELPED;
                self.judgements.push(Judgement::new(&text, self.place, help));
                self.judged.insert(text, self.judgements.len() - 1);
                self.judgements.len() - 1
            }
        };
        let judgement = &mut self.judgements[at];
        judgement.count += 1;
        if judgement.places.len() < PLACES {
            judgement.places.push(conversion.span.start);
        }
        for finding in &judgement.findings {
            let span = conversion.opcode.locate(finding.at.clone());
            let (message, help) = (finding.message.clone(), finding.help.clone());
            let diagnostic = Diagnostic { code: finding.code, span, message, help, related: None };
            self.report.diagnostics.push(diagnostic);
        }
        let (form, slots) = (judgement.form, std::mem::take(&mut judgement.slots));
        match form {
            Some(form) => self.operands(form, &slots, &conversion),
            None => self.names(conversion.operands, conversion.elements),
        }
        self.judgements[at].slots = slots;
    }

    fn problem(&mut self, diagnostic: Diagnostic) {
        self.report.diagnostics.push(diagnostic);
    }
}

impl<'s> Checker<'s> {
    /// Why this module may not use a special register.
    pub(crate) fn special_gate(&self, special: &Special) -> Option<String> {
        special.refused(self.place.target, self.place.isa)
    }

    fn missing_version(&mut self, at: Span) {
        if !std::mem::replace(&mut self.no_version_reported, true) {
            let message = "the module does not begin with `.version`";
            let help = format!("write `.version {}`, say, or choose one with `--isa`", IsaVersion::NEWEST);
            self.problem(Diagnostic::new(PtxCode::MissingVersion, at, message).help(help));
        }
    }

    fn guard(&mut self, guard: Word<'s>) {
        let Some(found) = self.scope.find(guard.text) else {
            if !self.lenient && Special::find(guard.text).is_none_or(|s| s.shape != Shape::Predicate) {
                let message = format!("the predicate `{}` is not declared", guard.text);
                let help = format!("declare it: `.reg .pred {};`", guard.text);
                self.problem(Diagnostic::new(PtxCode::Undeclared, guard.span, message).help(help));
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
                self.problem(diagnostic.related(found.declared, "declared here"));
            }
            _ => {
                let message = format!("the guard `{}` is no predicate register", guard.text);
                self.problem(Diagnostic::new(PtxCode::Guard, guard.span, message));
            }
        }
    }

    /// Of an opcode that is not legal only this can be said of the operands: whether they are declared.
    pub(crate) fn names(&mut self, operands: &[Operand<'s>], elements: &[Operand<'s>]) {
        for operand in operands.iter().chain(elements) {
            if let OperandKind::Name { name, .. } = &operand.kind {
                if self.scope.find(name.text).is_none() && Special::find(name.text).is_none() {
                    self.undeclared(*name, None);
                }
            }
        }
    }
}

/// `.target sm_91`
fn unknown_target(name: Word<'_>) -> Diagnostic {
    let message = format!("there is no target `{}`", name.text);
    let digits: String =
        name.text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let number: i64 = digits.parse().unwrap_or(90);
    let mut targets: Vec<Target> = Target::all().collect();
    targets.sort_by_key(|t| (i64::from(t.sm()) - number).abs());
    let nearest: Vec<String> = targets.iter().take(3).map(|t| format!("`{t}`")).collect();
    Diagnostic::new(PtxCode::UnknownTarget, name.span, message)
        .help(format!("the nearest are {}", crate::judge::any_of(&nearest).replace(" or ", " and ")))
}
