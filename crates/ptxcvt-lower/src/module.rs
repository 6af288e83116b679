//! Rewrites a module for a target that lacks its conversions: each one becomes a sequence, everything else stays
//! unchanged.
//!
//! PTX ISA sections 5.4 (declarations and their scope), 9.3 (guards), 11.1 (module directives).

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use ptxcvt::forms::{Operand as FormOperand, RegisterClass, RegisterType};
use ptxcvt::targets::Machine;
use ptxcvt::{Code, Form, IsaVersion, Spelling, Target};
use ptxcvt_syntax::check::Scope;
use ptxcvt_syntax::parse::{Constant, Declaration, Entity, Instruction, Node, Operand, OperandKind, Tree};
use ptxcvt_syntax::{CheckOptions, Diagnostic, PtxCode, Severity, Source, Span, check};

use crate::choice::{LowerError, lower};
use crate::interface::Interface;
use crate::render::with_names;

/// The first target with registers of type `.f16x2`, according to ptxas; the manual does not say.
const FIRST_WITH_PAIRS: u16 = 53;

/// A rewritten module.
#[derive(Clone, Debug)]
pub struct Rewritten {
    /// Its text.
    pub text: Vec<u8>,
    /// The conversions that were replaced, in order.
    pub replaced: Vec<Form>,
    /// The version that the rewritten module declares.
    pub isa: IsaVersion,
}

/// Why a module was not rewritten.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RewriteError {
    /// It has errors other than conversions that its own target or version lacks.
    Findings(Vec<Diagnostic>),
    /// A form has no lowering.
    Lower(LowerError),
}

impl fmt::Display for RewriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RewriteError::Findings(found) => {
                let count = ptxcvt::counted(found.len(), "finding");
                write!(f, "the module has {count} besides forms that its target lacks")?;
                found.first().map_or(Ok(()), |first| write!(f, ": {}", first.message()))
            }
            RewriteError::Lower(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RewriteError {}

impl From<LowerError> for RewriteError {
    fn from(error: LowerError) -> Self {
        RewriteError::Lower(error)
    }
}

/// Rewrites a module so that its conversions are legal on `target`, which it then declares. Its version stays unless
/// the target does not exist in it; `isa` chooses another one.
///
/// The operands are copied to new registers before a sequence, and its result is copied from a new register after it,
/// under the instruction's guard. So operands may be any registers, immediates and vectors, and the destination may be
/// a source.
///
/// # Errors
///
/// Fails if the module has mistakes, or if the target does not exist in the version.
///
/// ```
/// let module = b".version 7.8\n.target sm_90\n.entry k() {\n .reg .f32 %f<2>; .reg .b16 %h; .reg .pred %p;\n \
///                @%p cvt.rn.satfinite.e4m3x2.f32 %h, %f0, %f1;\n ret;\n}\n";
/// let rewritten = ptxcvt_lower::rewrite(module, "sm_80".parse()?, None).unwrap();
/// let text = String::from_utf8(rewritten.text)?;
/// assert!(text.starts_with(".version 7.8\n.target sm_80\n"));
/// assert!(text.contains("mov.b32 %low0_1, %f0;") && text.contains("@%p mov.b16 %h, %low0_0;"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn rewrite(module: &[u8], target: Target, isa: Option<IsaVersion>) -> Result<Rewritten, RewriteError> {
    // Comments may contain any bytes. One byte for each byte keeps positions valid.
    let text: String = module.iter().map(|b| if b.is_ascii() { char::from(*b) } else { '?' }).collect();
    let tree = Tree::of_module(&text);
    let declared = tree.nodes.iter().find_map(|node| match node {
        Node::Version(word) => word.text.parse::<IsaVersion>().ok(),
        _ => None,
    });
    let isa = isa.or(declared.filter(|isa| target.exists_in(*isa))).unwrap_or_else(|| match declared {
        Some(isa) if isa < target.introduced() => target.introduced(),
        _ => target.newest(),
    });
    Machine::new(Some(target), Some(isa)).map_err(LowerError::NoSuchMachine)?;
    let mistakes = |text: &[u8]| -> Vec<Diagnostic> {
        let source = Source::new("", text);
        let mut findings = check(&source, &CheckOptions::default()).diagnostics;
        findings.retain(|found| found.severity() == Severity::Error);
        keep_lasting(&source, &mut findings, target, isa);
        findings
    };
    if !mistakes(text.as_bytes()).is_empty() {
        // The positions of these refer to the caller's text.
        return Err(RewriteError::Findings(mistakes(module)));
    }
    let mut writer = Writer {
        module,
        text: &text,
        target,
        isa,
        prefix: prefix(&text),
        edits: Vec::new(),
        replaced: Vec::new(),
    };
    let mut scope = Scope::default();
    for node in &tree.nodes {
        match node {
            Node::Version(word) => writer.replace(word.span, isa.to_string()),
            Node::Target(words) => {
                // Its own target may be unknown.
                for word in words.iter().filter(|word| word.text.starts_with("sm_")) {
                    writer.replace(word.span, target.to_string());
                }
            }
            Node::Open(_) => scope.open(),
            Node::Close(_) => scope.close(),
            Node::Declaration(declaration) => {
                writer.declaration(declaration);
                // The check has found names that are declared twice.
                let _ = scope.declare(*declaration);
            }
            Node::Instruction(instruction) => writer.instruction(instruction, &scope)?,
            _ => {}
        }
    }
    Ok(Rewritten { text: writer.apply(), replaced: writer.replaced, isa })
}

/// True for an error that says only that a target or a version lacks a form, which lowering removes.
pub fn is_gate(diagnostic: &Diagnostic) -> bool {
    [Code::Target, Code::Version].iter().any(|code| diagnostic.code() == (*code).into())
}

/// Removes the findings in a module that disappear once it declares `target` and `isa`: its own target or version lacks
/// a form or a type of registers, or the version lacks the target.
///
/// ```
/// use ptxcvt_syntax::{CheckOptions, Source, check};
/// let module = Source::new("", b".version 7.0\n.target sm_120\n.entry k() { .reg .b16 h; cvt.f16.f32 h, 1.0; ret; }\n");
/// let mut found = check(&module, &CheckOptions::default()).diagnostics;
/// assert_eq!(found.len(), 2); // ISA 7.0 has no sm_120; the rounding is missing
/// ptxcvt_lower::keep_lasting(&module, &mut found, "sm_80".parse()?, "7.0".parse()?);
/// assert_eq!(found.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn keep_lasting(source: &Source<'_>, findings: &mut Vec<Diagnostic>, target: Target, isa: IsaVersion) {
    // A target and a version are there only if the module declares them.
    const DECLARED: [PtxCode; 2] = [PtxCode::MissingTarget, PtxCode::MissingVersion];
    findings.retain(|found| !is_gate(found));
    if findings.is_empty() {
        return;
    }
    let machine = Machine::lenient(Some(target), Some(isa));
    let there = check(source, &CheckOptions::default().machine(machine)).diagnostics;
    let there: HashSet<_> = there.iter().map(|found| (found.code(), found.span().start)).collect();
    findings.retain(|found| {
        DECLARED.iter().any(|code| found.code() == (*code).into())
            || there.contains(&(found.code(), found.span().start))
    });
}

/// True if the first line ends with `\r\n`.
fn has_carriage_return(text: &[u8]) -> bool {
    text.iter().position(|byte| *byte == b'\n').is_some_and(|end| text[..end].ends_with(b"\r"))
}

/// Appends a text, whose lines end with `\r\n` if the module's do.
fn extend(all: &mut Vec<u8>, text: &[u8], carriage_return: bool) {
    for byte in text {
        if carriage_return && *byte == b'\n' && all.last() != Some(&b'\r') {
            all.push(b'\r');
        }
        all.push(*byte);
    }
}

/// The places of the comments within an instruction, which has no strings.
fn comments(instruction: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &instruction[at..];
        let begin = [rest.find("//"), rest.find("/*")].into_iter().flatten().min()?;
        let comment = &rest[begin..];
        let length = match comment.starts_with("//") {
            true => comment.find(['\r', '\n']),
            false => comment[2..].find("*/").map(|end| end + 4),
        };
        let begin = at + begin;
        at = length.map_or(instruction.len(), |length| begin + length);
        Some(begin..at)
    })
}

/// A prefix of names that the module does not use.
fn prefix(text: &str) -> String {
    let taken = |prefix: &String| text.contains(prefix.as_str());
    let mut prefix = "%low".to_owned();
    while taken(&prefix) {
        prefix.push('_');
    }
    prefix
}

struct Writer<'t> {
    module: &'t [u8],
    /// The module with `?` for bytes that are not ASCII.
    text: &'t str,
    target: Target,
    isa: IsaVersion,
    prefix: String,
    /// Replacements in the order of the text.
    edits: Vec<(Span, Vec<u8>)>,
    replaced: Vec<Form>,
}

impl<'t> Writer<'t> {
    fn replace(&mut self, at: Span, with: impl Into<Vec<u8>>) {
        self.edits.push((at, with.into()));
    }

    /// Turns registers for pairs of f16, which older targets lack, into registers for bits.
    fn declaration(&mut self, declaration: &Declaration<'t>) {
        let Some(span) = declaration.ty.filter(|_| self.target.sm() < FIRST_WITH_PAIRS) else { return };
        // One type may declare several names.
        let is_done = self.edits.last().is_some_and(|(last, _)| *last == span);
        if &self.text[span.range()] == ".f16x2" && !is_done {
            self.replace(span, ".b32");
        }
    }

    fn apply(&self) -> Vec<u8> {
        let module = self.module;
        let (mut all, mut from) = (Vec::with_capacity(module.len() * 2), 0);
        for (span, text) in &self.edits {
            all.extend_from_slice(&module[from..span.range().start]);
            extend(&mut all, text, has_carriage_return(&module[span.range().start..]));
            from = span.range().end;
        }
        all.extend_from_slice(&module[from..]);
        all
    }

    fn instruction(&mut self, instruction: &Instruction<'t>, scope: &Scope<'t>) -> Result<(), RewriteError> {
        if instruction.opcode.name() != "cvt" {
            return Ok(());
        }
        let opcode = instruction.opcode.text();
        let Some(form) = Spelling::new(&opcode).form() else { return Ok(()) };
        if form.is_legal(self.target, self.isa) {
            return Ok(());
        }
        let lowering = lower(form, self.target, self.isa)?;
        let mut operands = Vec::new();
        for operand in &instruction.operands {
            match &operand.kind {
                OperandKind::Vector(elements) => operands.extend(elements),
                _ => operands.push(operand),
            }
        }
        let destination = operands.first().expect("the check has counted the operands");
        let number = self.replaced.len();
        let names: Vec<String> =
            (0..operands.len()).map(|n| format!("{}{number}_{n}", self.prefix)).collect();
        let mut lines = vec![format!("// {form} computed with instructions of {}", self.target)];
        for (operand, name) in form.operands().zip(&names) {
            lines.push(format!(".reg .b{} {name};", width(&operand)));
        }
        for ((operand, given), name) in form.operands().zip(&operands).zip(&names).skip(1) {
            lines.push(self.copy_in(&operand, given, name, scope)?);
        }
        lines.extend(with_names(lowering.body(), &names).lines().map(str::to_owned));
        // The sequence is inserted before the guard, and the copy of its result replaces the instruction.
        let start = match &instruction.guard {
            Some(guard) => guard.span.range().start,
            None => instruction.span.range().start,
        };
        let before = &self.text[..start];
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let indent = &line[..line.len() - line.trim_start().len()];
        // After another statement it begins on a new line.
        let mut block =
            if line.trim_start().is_empty() { Vec::new() } else { format!("\n{indent}").into_bytes() };
        let place = instruction.span.range();
        let kept = comments(&self.text[place.clone()]).map(|comment| &self.module[place.clone()][comment]);
        for line in kept.chain(lines.iter().map(String::as_bytes)) {
            block.extend_from_slice(line);
            block.extend_from_slice(format!("\n{indent}").as_bytes());
        }
        self.replace(Span::new(start as u32, start as u32), block);
        let copy = self.copy_out(form, destination, &names[0], scope)?;
        self.replace(instruction.span, copy);
        self.replaced.push(form);
        Ok(())
    }

    /// The instruction that copies a source to its new register.
    fn copy_in(
        &self,
        operand: &FormOperand,
        given: &Operand<'t>,
        name: &str,
        scope: &Scope<'t>,
    ) -> Result<String, RewriteError> {
        let text = &self.text[given.span.range()];
        let width = width(operand);
        if let OperandKind::Constant(value) = &given.kind {
            // An integer is bits, other constants are numbers of the operand's type.
            let ty = match value {
                Ok(Constant::Integer(_)) => format!("b{width}"),
                _ => format!("f{}", width.max(32)),
            };
            return Ok(format!("mov.{ty} {name}, {text};"));
        }
        let register = self.register(given, scope)?;
        Ok(match (register.width, register.class) {
            (w, _) if w == width => format!("mov.b{width} {name}, {text};"),
            // The low bits of a float, which no conversion between integers reads.
            (w, RegisterClass::Float) => format!(
                "{{ .reg .b{w} {name}_all; mov.b{w} {name}_all, {text}; cvt.u{width}.u{w} {name}, {name}_all; }}"
            ),
            (w, _) => format!("cvt.u{width}.u{w} {name}, {text};"),
        })
    }

    /// The instruction that copies the result to the destination and extends it to its width.
    fn copy_out(
        &self,
        form: Form,
        given: &Operand<'t>,
        name: &str,
        scope: &Scope<'t>,
    ) -> Result<String, RewriteError> {
        let text = &self.text[given.span.range()];
        let register = self.register(given, scope)?;
        let width = width(&form.operands().next().expect("every form has a destination"));
        let format = form.destination().format();
        let letter = if format.is_integer() && format.is_signed() { 's' } else { 'u' };
        Ok(match register.width {
            w if w == width => format!("mov.b{width} {text}, {name}"),
            w => format!("cvt.{letter}{w}.{letter}{width} {text}, {name}"),
        })
    }

    /// The declared type of an operand's register.
    fn register(&self, given: &Operand<'t>, scope: &Scope<'t>) -> Result<RegisterType, RewriteError> {
        let found = match &given.kind {
            OperandKind::Name(reference) => scope.find(reference.name.text).map(|found| found.entity),
            _ => None,
        };
        match found {
            Some(Entity::Register { ty: Some(ty), .. }) if ty.width <= 64 => Ok(ty),
            _ => {
                let message = format!("`{}` cannot be copied", &self.text[given.span.range()]);
                let diagnostic = Diagnostic::new(ptxcvt_syntax::PtxCode::RegisterKind, given.span, message);
                Err(RewriteError::Findings(vec![
                    diagnostic.with_help("a conversion is lowered between registers of at most 64 bits"),
                ]))
            }
        }
    }
}

/// The width of the new register for an operand.
fn width(operand: &FormOperand) -> u32 {
    RegisterType::from_name(Interface::register(operand)).expect("it names a type of registers").width
}
