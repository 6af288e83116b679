//! What the compiler puts in place of `%0` and `$0`: registers of which the constraints tell the type, immediates.

use ptxcvt::forms::{Immediate, Operand as Wanted, RegisterClass, RegisterType, Role};

use super::checker::Checker;
use super::wording::{kinds, role};
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::parse::{Operand, Placeholder, Reference, Sign};
use crate::source::Span;
use crate::sources::letter;

/// What one placeholder stands for.
#[derive(Clone, Debug)]
pub(crate) struct Filler {
    kind: Kind,
    letters: String,
    name: Option<String>,
    at: Span,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Register(RegisterType),
    Immediate,
    Unknown,
}

/// What all of them stand for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fillers<'f> {
    pub operands: &'f [Filler],
    /// Names may be declared where it cannot be seen.
    pub names_unknown: bool,
}

impl Filler {
    fn new(kind: Kind) -> Self {
        Filler { kind, letters: String::new(), name: None, at: Span::default() }
    }

    pub fn register(class: RegisterClass, width: u32) -> Self {
        Filler::new(Kind::Register(RegisterType { class, width }))
    }

    pub fn immediate() -> Self {
        Filler::new(Kind::Immediate)
    }

    pub fn unknown() -> Self {
        Filler::new(Kind::Unknown)
    }

    /// The same as it is written, at its place.
    pub fn named(self, letters: &str, name: Option<&str>, at: Span) -> Self {
        Filler { letters: letters.to_owned(), name: name.map(str::to_owned), at, ..self }
    }

    /// The register's type, if it is one.
    pub fn register_type(&self) -> Option<RegisterType> {
        match self.kind {
            Kind::Register(ty) => Some(ty),
            _ => None,
        }
    }

    /// True of the operand that `%[name]` means.
    pub fn has_name(&self, name: &str) -> bool {
        self.name.as_deref() == Some(name)
    }

    /// True of an immediate.
    pub fn is_immediate(&self) -> bool {
        matches!(self.kind, Kind::Immediate)
    }
}

impl<'s> Checker<'s> {
    /// What a placeholder stands for, if that is known.
    pub(super) fn filler(&self, reference: &Reference<'s>) -> Option<&'s Filler> {
        let operands = self.fillers.operands;
        match Placeholder::from_text(reference.name.text)? {
            Placeholder::Number(number) => operands.get(number as usize),
            Placeholder::Name(name) => operands.iter().find(|o| o.has_name(name)),
            _ => None,
        }
    }

    /// Judges a placeholder by what the compiler puts in its place.
    pub(super) fn placeholder(&mut self, wanted: &Wanted, operand: &Operand<'s>, reference: &Reference<'s>) {
        let Some(filler) = self.filler(reference) else { return };
        if let (Some(sign), Some(_)) = (reference.sign, filler.register_type()) {
            let what = match sign {
                Sign::Minus => "`cvt` does not take a negated operand",
                Sign::Not => "`!` is for predicates, which `cvt` does not take",
            };
            return self.report(Diagnostic::new(PtxCode::OperandForm, operand.span, what));
        }
        if reference.sign.is_some() || reference.tail.is_some() || reference.selector.is_some() {
            return;
        }
        let shown = reference.name.text;
        let diagnostic = match filler.kind {
            Kind::Unknown => return,
            Kind::Register(ty) if wanted.accepts(ty) => return,
            Kind::Register(ty) => {
                let message = format!("`{shown}` is `{ty}`, but {} takes {}", role(wanted), kinds(wanted));
                let help = match letter(|register| wanted.accepts(register), wanted.width) {
                    Some(letter) => format!("give it the constraint `{letter}`"),
                    None => {
                        let register = wanted.register();
                        format!(
                            "no constraint makes that: declare a `{register}` register in the assembly, and `mov`"
                        )
                    }
                };
                Diagnostic::new(PtxCode::RegisterKind, operand.span, message).with_help(help)
            }
            Kind::Immediate if wanted.role == Role::Destination => {
                let message = "the destination is a constant; it has to be a register";
                Diagnostic::new(PtxCode::Destination, operand.span, message)
            }
            Kind::Immediate => match wanted.immediate() {
                Immediate::Integer | Immediate::IntegerOrFloatBits => return,
                _ => {
                    let message = format!("`{shown}` is an integer, but {} takes none", role(wanted));
                    Diagnostic::new(PtxCode::ImmediateKind, operand.span, message)
                }
            },
        };
        let why = format!("by its constraint `{}`", filler.letters);
        let at = filler.at;
        self.report(diagnostic.with_related(at, why));
    }
}
