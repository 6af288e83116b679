//! Completions of an unfinished opcode, from the table of forms, in the order in which PTX prints modifiers.

use ptxcvt::forms::{Part, use_rank};
use ptxcvt::targets::Machine;
use ptxcvt::{Form, Spelling};

/// The kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "report", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum CompletionKind {
    /// The name of an instruction.
    Instruction,
    /// A rounding modifier.
    Rounding,
    /// Another modifier.
    Modifier,
    /// A type.
    Type,
}

impl CompletionKind {
    /// The name in messages and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            CompletionKind::Instruction => "instruction",
            CompletionKind::Rounding => "rounding",
            CompletionKind::Modifier => "modifier",
            CompletionKind::Type => "type",
        }
    }

    /// The kind of a part of a form.
    fn of(part: Part) -> CompletionKind {
        match part {
            Part::Rounding(_) => CompletionKind::Rounding,
            Part::Modifier(_) => CompletionKind::Modifier,
            _ => CompletionKind::Type,
        }
    }
}

/// A completion.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "report", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Completion {
    /// The name of the part without the dot: `satfinite`, `e4m3x2`.
    pub name: &'static str,
    /// The opcode with this part instead of the unfinished one.
    pub opcode: String,
    /// Its kind.
    pub kind: CompletionKind,
    /// The number of forms that begin like this.
    pub forms: usize,
    /// The number of these forms that are legal on the machine.
    pub legal: usize,
    /// The opcode is a form without further parts.
    pub whole: bool,
}

/// The completions of `text`, whose last part may be unfinished. Parts that lead to forms which are legal on `machine`
/// come first; among these, the most frequently used ones, then the others in table order.
///
/// ```
/// use ptxcvt::targets::Machine;
/// use ptxcvt_syntax::complete;
/// let names = |text| complete(text, Machine::ANY).iter().map(|c| c.name).collect::<Vec<_>>();
/// // No form continues this one.
/// assert_eq!(names("cvt.rn.satfinite.relu.ue8m0x2."), [""; 0]);
/// assert_eq!(names("cvt.rn.satfinite.e4m3x2.")[..2], ["f32", "f16x2"]);
/// assert_eq!(names("cvt.rn.satf"), ["satfinite"]);
/// assert!(names("cvt.rn.f16.f32").is_empty());
/// assert_eq!(names("cv"), ["cvt", "cvt.pack"]);
/// ```
pub fn complete(text: &str, machine: Machine) -> Vec<Completion> {
    let Some((head, begun)) = text.rsplit_once('.') else { return instructions(text, machine) };
    let begun = begun.to_ascii_lowercase();
    let spelling = Spelling::new(head);
    if spelling.opcode().is_none() {
        return Vec::new();
    }
    let written: Vec<Part> = spelling.parts().map(|(part, _)| part).collect();
    let mut found: Vec<Completion> = Vec::new();
    for form in Form::all() {
        // Only `cvt` alone may become another instruction, `cvt.pack`.
        let printed = form.to_string();
        let parts = Spelling::new(&printed).parts().map(|(part, _)| part);
        let same = spelling.opcode() == Some(form.opcode());
        let Some(next) = next(&written, parts).filter(|_| same) else { continue };
        let Some(name) = next.0.name().filter(|name| name.starts_with(&begun)) else { continue };
        let legal = usize::from(machine.takes(&form));
        match found.iter_mut().find(|c| c.name == name) {
            Some(known) => {
                known.forms += 1;
                known.legal += legal;
                known.whole |= next.1;
            }
            None => found.push(Completion {
                name,
                opcode: format!("{head}.{name}"),
                kind: CompletionKind::of(next.0),
                forms: 1,
                legal,
                whole: next.1,
            }),
        }
    }
    // A part that is complete and ends a form is not a completion.
    found.retain(|c| c.name != begun || !c.whole);
    ptxcvt::order_by(&mut found, |c| u64::from(c.legal == 0) << 32 | use_rank(c.name) as u64);
    found
}

/// The first part of a form that is not written yet, and whether it is the last missing one. `None` if a written part
/// is not in the form, or if the types are in another order.
fn next(written: &[Part], parts: impl Iterator<Item = Part>) -> Option<(Part, bool)> {
    let mut left = written.to_vec();
    let mut missing = Vec::new();
    let mut open = false;
    for part in parts {
        let is_type = matches!(part, Part::Type(_) | Part::Rest);
        match left.iter().position(|other| *other == part) {
            // The second type cannot precede the first.
            Some(at) if !(is_type && open) => {
                // The next type is the first one left.
                let first = left.iter().position(|other| matches!(other, Part::Type(_) | Part::Rest));
                if is_type && first != Some(at) {
                    return None;
                }
                left.remove(at);
            }
            _ => {
                open |= is_type;
                missing.push(part);
            }
        }
    }
    let first = *missing.first()?;
    left.is_empty().then_some((first, missing.len() == 1))
}

/// The names of the instructions.
fn instructions(begun: &str, machine: Machine) -> Vec<Completion> {
    let names = ["cvt", "cvt.pack"].into_iter().filter(|name| name.starts_with(begun));
    names
        .map(|name| {
            let forms = || Form::all().filter(|form| form.opcode().name() == name);
            Completion {
                name,
                opcode: name.to_owned(),
                kind: CompletionKind::Instruction,
                forms: forms().count(),
                legal: forms().filter(|form| machine.takes(form)).count(),
                whole: false,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every form can be written by choosing completions part by part, and every completion leads to a form.
    #[test]
    fn every_form_can_be_reached() {
        for form in Form::all().step_by(7) {
            let printed = form.to_string();
            let mut text = form.opcode().name().to_owned();
            while text != printed {
                let offered = complete(&format!("{text}."), Machine::ANY);
                let next = offered
                    .iter()
                    .filter(|c| printed == c.opcode || printed.starts_with(&format!("{}.", c.opcode)));
                let next = next.max_by_key(|c| c.opcode.len()).unwrap_or_else(|| panic!("{printed}: {text}"));
                assert!(next.forms > 0);
                text.clone_from(&next.opcode);
            }
        }
    }

    #[test]
    fn the_machine_comes_first() {
        let old = Machine::new("sm_80".parse().ok(), "7.0".parse().ok()).expect("ISA 7.0 has sm_80");
        let offered = complete("cvt.rn.satfinite.", old);
        assert!(offered.iter().all(|c| c.legal == 0));
        assert!(offered.iter().any(|c| c.name == "e4m3x2"));
        let offered = complete("cvt.rn.", old);
        assert!(offered[0].legal > 0 && offered.windows(2).all(|w| (w[0].legal > 0) >= (w[1].legal > 0)));
    }

    #[test]
    fn what_is_used_most_comes_first() {
        let names: Vec<_> = complete("cvt.", Machine::ANY).iter().map(|c| c.name).collect();
        let at =
            |name| names.iter().position(|n| *n == name).unwrap_or_else(|| panic!("{name} in {names:?}"));
        assert!(at("rn") < at("rz") && at("f32") < at("u8"), "{names:?}");
    }

    #[test]
    fn any_order() {
        let names: Vec<_> =
            complete("cvt.satfinite.rn.e4m3x2.", Machine::ANY).iter().map(|c| c.name).collect();
        assert_eq!(names, ["f32", "f16x2", "bf16x2", "relu", "pzo", "scaled::n1::ue8m0"]);
        assert!(complete("cvt.nonsense.", Machine::ANY).is_empty());
        assert!(complete("add.", Machine::ANY).is_empty());
    }
}
