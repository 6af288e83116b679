//! Instruction names that are misspelt conversions: `CVT.u32.u64`, `cvtt.u32.u64`, `cvt_pack.sat.u8.s32.b32`.

use ptxcvt::Spelling;
use ptxcvt::forms::Part;

use super::checker::Checker;
use super::uses::Uses;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::edit::{Applicability, Fix};
use crate::parse::Instruction;

/// The instruction that a name in lower case was probably meant to be, if that is a conversion.
fn meant(name: &str) -> Option<&'static str> {
    match name {
        // Another instruction.
        "cvta" => None,
        "cvt_pack" | "cvtpack" => Some("cvt.pack"),
        _ => one_edit_from_cvt(name.as_bytes()).then_some("cvt"),
    }
}

/// True if a text may have a misspelt conversion: a word like `cvt` before a dot.
pub(crate) fn may_be_misspelt(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !"_.%$".contains(c));
    let names = words.filter_map(|word| Some(word.split_once('.')?.0));
    names.into_iter().any(|name| (2..=8).contains(&name.len()) && meant(&name.to_ascii_lowercase()).is_some())
}

/// The right opcode for a misspelt conversion; `None` for every other instruction.
fn corrected(name: &str, opcode: impl FnOnce() -> String) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let right = meant(&lower)?;
    let opcode = opcode();
    let modifiers = &opcode[name.len()..];
    let modifiers = if lower == name { modifiers.to_owned() } else { modifiers.to_ascii_lowercase() };
    let corrected = format!("{right}{modifiers}");
    // An instruction of a newer PTX may have a similar name, but not the types of a conversion.
    let spelling = Spelling::new(&corrected);
    let types = spelling.parts().filter(|(part, _)| matches!(part, Part::Type(_))).count();
    (lower == "cvt" || types >= 2).then_some(corrected)
}

/// True for `cvt` and for names with one insertion, deletion, replacement or exchange of neighbours.
fn one_edit_from_cvt(name: &[u8]) -> bool {
    const CVT: &[u8] = b"cvt";
    match name.len() {
        2 => (0..3)
            .any(|left_out| CVT[..left_out] == name[..left_out] && CVT[left_out + 1..] == name[left_out..]),
        3 => matches!(name, b"vct" | b"ctv") || name.iter().zip(CVT).filter(|(a, b)| a != b).count() <= 1,
        4 => (0..4).any(|added| name[..added] == CVT[..added] && name[added + 1..] == CVT[added..]),
        _ => false,
    }
}

impl<'s> Checker<'s> {
    /// Reports an instruction that is a misspelt conversion.
    pub(super) fn misspelt(&mut self, instruction: &Instruction<'s>) {
        let name = instruction.opcode.name();
        if !(2..=8).contains(&name.len()) {
            return;
        }
        let Some(right) = corrected(name, || instruction.opcode.text().into_owned()) else { return };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let right = |opcode: &str| {
            let (name, _) = opcode.split_once('.').unwrap();
            corrected(name, || opcode.to_owned())
        };
        for wrong in
            ["CVT", "Cvt", "cvtt", "ccvt", "cv", "ct", "vt", "vct", "ctv", "cxt", "cvf", "cvt2", "xcvt"]
        {
            assert_eq!(right(&format!("{wrong}.u32.u64")).as_deref(), Some("cvt.u32.u64"), "{wrong}");
        }
        assert_eq!(right("cvt_pack.sat.u8.s32.b32").as_deref(), Some("cvt.pack.sat.u8.s32.b32"));
        assert_eq!(right("CVT.RN.F16.F32").as_deref(), Some("cvt.rn.f16.f32"));
        // No other instruction has this name, whatever follows it.
        assert_eq!(right("CVT.pred").as_deref(), Some("cvt.pred"));
        for other in
            ["cvta.global.u64", "cvta.to.global.u64", "add.u32", "ld.u32", "set.u32.u32", "abcd.u32.u64"]
        {
            assert_eq!(right(other), None, "{other}");
        }
    }
}
