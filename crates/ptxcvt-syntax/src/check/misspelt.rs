//! Instruction names that are misspelt conversions: `CVT.u32.u64`, `cvtt.u32.u64`, `cvt_pack.sat.u8.s32.b32`.

use ptxcvt::{Opcode, Spelling};

use super::checker::Checker;
use super::uses::Uses;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::edit::{Applicability, Fix};
use crate::identifier::is_plain_char;
use crate::parse::Instruction;

/// True if a text may have a misspelt conversion, or one without modifiers: a word like `cvt`.
pub(crate) fn may_be_misspelt(text: &str) -> bool {
    let words = text.split(|c: char| !is_plain_char(c) && !".%$".contains(c));
    let mut names = words.map(|word| word.split('.').next().unwrap_or_default());
    names.any(|name| name == "cvt" || Opcode::meant_by(name).is_some())
}

impl<'s> Checker<'s> {
    /// Reports an instruction that is a misspelt conversion.
    pub(super) fn misspelt(&mut self, instruction: &Instruction<'s>) {
        let name = instruction.opcode.name();
        // Most names are right, and need no text of the opcode.
        if Opcode::meant_by(name).is_none() {
            return;
        }
        let text = instruction.opcode.text();
        let Some(right) = Spelling::new(&text).corrected() else { return };
        self.found.stats.convert(None, Uses::one(instruction.span.start));
        self.list(instruction.span.start, None, &right);
        let name_span = instruction.opcode.parts().next().map_or(instruction.span, |part| part.span);
        let message = format!("there is no instruction `{name}`");
        let title = format!("write `{right}`");
        let code = Code::Opcode(ptxcvt::Code::NotConversion);
        let mut diagnostic = Diagnostic::new(code, name_span, message).with_help(&*title);
        if !instruction.opcode.has_comment() {
            let span = instruction.opcode.span();
            diagnostic = diagnostic.with_fix(Fix::new(Applicability::Safe, title, span, right));
        }
        self.report(diagnostic);
    }
}
