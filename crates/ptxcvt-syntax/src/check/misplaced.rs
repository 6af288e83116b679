//! Reports operands that no conversion accepts: undeclared names, `_`, addresses, offsets.

use ptxcvt::forms::Operand as Wanted;

use super::checker::Checker;
use super::special::Special;
use crate::Word;
use crate::code::PtxCode;
use crate::diagnostic::Diagnostic;
use crate::parse::{Operand, OperandKind, Reference};

impl<'s> Checker<'s> {
    /// Reports undeclared names among operands that cannot be checked otherwise.
    pub(super) fn names(&mut self, operands: &[Operand<'s>]) {
        for operand in operands {
            match &operand.kind {
                OperandKind::Name(Reference { name, .. })
                    if self.scope.find(name.text).is_none() && Special::find(name.text).is_none() =>
                {
                    self.undeclared(*name, None);
                }
                OperandKind::Vector(elements) => self.names(elements),
                _ => {}
            }
        }
    }

    pub(super) fn sink(&mut self, operand: &Operand<'s>) {
        let message = "`_` cannot be an operand of a conversion";
        self.report(Diagnostic::new(PtxCode::Sink, operand.span, message));
    }

    pub(super) fn address(&mut self, operand: &Operand<'s>) {
        let message = "a conversion reads registers, not memory";
        let help = "load the value first, with `ld`";
        self.report(Diagnostic::new(PtxCode::OperandForm, operand.span, message).with_help(help));
    }

    pub(super) fn offset(&mut self, operand: &Operand<'s>) {
        let message = "an offset is added to an operand, which the assembler reads as an address expression";
        let help = "use `add`";
        self.report(Diagnostic::new(PtxCode::Offset, operand.span, message).with_help(help));
    }

    pub(super) fn undeclared(&mut self, name: Word<'s>, wanted: Option<&Wanted>) {
        if self.lenient {
            return;
        }
        let diagnostic =
            Diagnostic::new(PtxCode::Undeclared, name.span, format!("`{}` is not declared here", name.text));
        let diagnostic = match (self.scope.find_family(name.text), wanted) {
            (Some((stem, 0, declared)), _) => {
                diagnostic.with_related(declared, format!("`{stem}<0>` declares no register"))
            }
            (Some((stem, count, declared)), _) => diagnostic.with_related(
                declared,
                format!("`{stem}<{count}>` declares `{stem}0` to `{stem}{}`", count - 1),
            ),
            (None, Some(wanted)) => {
                diagnostic.with_help(format!("declare it: `.reg {} {};`", wanted.register(), name.text))
            }
            (None, None) => diagnostic,
        };
        self.report(diagnostic);
    }
}
