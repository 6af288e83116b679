//! Checks placeholders against the operands of the `asm` statement.
//!
//! The CUDA guide "Inline PTX Assembly in CUDA".

use ptxcvt::counted;
use ptxcvt::forms::{Immediate, Operand as Wanted, Role};

use super::checker::Checker;
use super::filler::{Filler, Kind, Words, letter};
use super::wording::{kinds, role};
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::parse::{Operand, OperandKind, Placeholder, Reference, Sign};

impl<'s> Checker<'s> {
    /// The operand that replaces a placeholder, or `None` if it is unknown.
    pub(super) fn filler(&self, reference: &Reference<'s>) -> Option<&'s Filler> {
        let operands = self.fillers.operands;
        match Placeholder::from_text(reference.name.text)? {
            Placeholder::Number(number) => operands.get(number as usize),
            Placeholder::Name(name) => operands.iter().find(|o| o.has_name(name)),
            // `{$r0}` is the operand of the name `r0`.
            _ => {
                let name = reference.name.text.strip_prefix("{$")?.strip_suffix('}')?;
                operands.iter().find(|o| o.has_name(name))
            }
        }
    }

    /// True for a placeholder without an operand. Its text is unknown, and may be several operands.
    pub(super) fn is_unknown(&self, operand: &Operand<'s>) -> bool {
        matches!(&operand.kind, OperandKind::Placeholder(reference)
            if Placeholder::from_text(reference.name.text) == Some(Placeholder::Name("_")) && self.filler(reference).is_none())
    }

    /// Reports a placeholder without an operand, if all operands are known.
    fn no_operand(&mut self, operand: &Operand<'s>, reference: &Reference<'s>) {
        let (operands, words) = (self.fillers.operands, self.fillers.words);
        if operands.is_empty() || self.fillers.names_unknown || self.is_unknown(operand) {
            return;
        }
        let (message, help) = match Placeholder::from_text(reference.name.text) {
            Some(Placeholder::Number(number)) => {
                let known = counted(operands.len(), "operand");
                let sign = if reference.name.text.starts_with('$') { '$' } else { '%' };
                let last = words.shown(&format!("{sign}{}", operands.len() - 1));
                (
                    format!("no operand {number}: the statement has {known}"),
                    format!("the last one is `{last}`"),
                )
            }
            Some(Placeholder::Name(name)) => {
                let names: Vec<&str> = operands.iter().filter_map(Filler::name).collect();
                let help = match names.is_empty() {
                    true if words == Words::Rust => format!("declare it: `{name} = in(reg32) x`"),
                    true => format!("declare it: `[{name}] \"r\"(x)`"),
                    false => format!("the names are {}", names.join(", ")),
                };
                (format!("no operand is named `{name}`"), help)
            }
            _ if matches!(words, Words::Mlir | Words::Cute) => {
                let known = operands.iter().filter_map(Filler::name).map(|name| format!("`{{${name}}}`"));
                let known: Vec<String> = known.collect();
                let name = reference.name.text;
                (format!("no operand is named `{name}`"), format!("the names are {}", known.join(", ")))
            }
            // These count only operands that are read, or only operands that are written, which this check does not
            // know.
            _ => return,
        };
        self.report(Diagnostic::new(PtxCode::NoOperand, operand.span, message).with_help(help));
    }

    /// Checks a placeholder against the operand that replaces it.
    pub(super) fn placeholder(&mut self, wanted: &Wanted, operand: &Operand<'s>, reference: &Reference<'s>) {
        let Some(filler) = self.filler(reference) else { return self.no_operand(operand, reference) };
        if let (Some(sign), Some(_)) = (reference.sign, filler.register_type()) {
            let what = match sign {
                Sign::Minus => "`cvt` does not accept a negated operand",
                Sign::Not => "`!` negates predicates, which `cvt` does not accept",
            };
            return self.report(Diagnostic::new(PtxCode::OperandForm, operand.span, what));
        }
        if reference.sign.is_some() || reference.tail.is_some() || reference.selector.is_some() {
            return;
        }
        let words = self.fillers.words;
        let shown = match filler.name().filter(|_| words == Words::Rust) {
            // The text has the number.
            Some(name) => format!("{{{name}}}"),
            None => words.shown(reference.name.text),
        };
        let diagnostic = match filler.kind {
            Kind::Unknown => return,
            Kind::Register(ty) if wanted.accepts(ty) => return,
            Kind::Register(_) | Kind::Memory => {
                let what = match filler.register_type() {
                    Some(ty) => format!("`{ty}`"),
                    None => "an address in memory".to_owned(),
                };
                let message = format!("`{shown}` is {what}, but {} takes {}", role(wanted), kinds(wanted));
                let letter = letter(|register| wanted.accepts(register), wanted.width);
                let help = match letter.and_then(|letter| words.advice(letter)) {
                    Some(advice) => advice,
                    None => {
                        let register = wanted.register();
                        let what = match words {
                            Words::Constraints => "constraint",
                            Words::Rust => "class",
                            Words::Mlir | Words::Cute => "type",
                        };
                        format!(
                            "no {what} gives such a register: declare a `{register}` register in the assembly, and use `mov`"
                        )
                    }
                };
                Diagnostic::new(PtxCode::RegisterKind, operand.span, message).with_help(help)
            }
            Kind::Immediate if wanted.role == Role::Destination => {
                let message = "the destination is a constant; it must be a register";
                Diagnostic::new(PtxCode::Destination, operand.span, message)
            }
            Kind::Immediate => match wanted.immediate() {
                Immediate::Integer | Immediate::IntegerOrFloatBits => return,
                _ => {
                    let message =
                        format!("`{shown}` is an integer, but {} does not accept one", role(wanted));
                    Diagnostic::new(PtxCode::ImmediateKind, operand.span, message)
                }
            },
        };
        let why = match words {
            Words::Constraints => format!("by its constraint `{}`", filler.letters),
            Words::Rust => "by its class".to_owned(),
            Words::Mlir | Words::Cute => "by its type".to_owned(),
        };
        let at = filler.at;
        self.report(diagnostic.with_related(at, why));
    }
}
