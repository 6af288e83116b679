//! A problem of an opcode: its place, its code, and a message that lists the legal choices.
//!
//! PTX ISA sections 9.7.9.21 and 9.7.9.22. The legal choices come from the table.

use core::fmt;
use core::ops::Range;

use super::form::Form;
use super::modifier::Modifier;
use super::opcode::Opcode;
use super::part::Part;
use crate::error::Code;
use crate::round::Rounding;
use crate::targets::Machine;
use crate::types::Type;

/// One problem of an opcode, and its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: Range<usize>,
    pub(super) what: What,
    pub(super) types: [Option<Type>; 2],
    pub(super) opcode: Option<Opcode>,
    /// The machine whose legal choices the message lists.
    pub(super) machine: Machine,
}

/// The kinds of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    NotConversion,
    UnknownModifier {
        meant: Option<Part>,
    },
    Duplicate {
        first: Part,
        second: Part,
    },
    TypeCount {
        given: usize,
    },
    TypePair,
    Rest {
        needed: bool,
    },
    RestEarly,
    /// `.b32` and similar, which name no number format.
    Untyped {
        width: u32,
    },
    MissingRounding,
    IllegalRounding(Rounding),
    MissingModifier(Modifier),
    IllegalModifier(Modifier),
    Conflict(Part, Part),
    NeedsRounding(Modifier),
    Combination,
}

impl Fault {
    /// The code of the problem.
    pub(super) fn code(&self) -> Code {
        match self.what {
            What::NotConversion => Code::NotConversion,
            What::UnknownModifier { .. } | What::Untyped { .. } => Code::UnknownModifier,
            What::Duplicate { .. } => Code::DuplicateModifier,
            What::TypeCount { .. } | What::Rest { .. } | What::RestEarly => Code::TypeCount,
            What::TypePair => Code::TypePair,
            What::MissingRounding => Code::MissingRounding,
            What::IllegalRounding(_) => Code::IllegalRounding,
            What::MissingModifier(_) => Code::MissingModifier,
            What::IllegalModifier(_) => Code::IllegalModifier,
            What::Conflict(..) | What::NeedsRounding(_) | What::Combination => Code::Conflict,
        }
    }

    /// The legal forms of the two types that were written.
    fn all_forms(&self) -> impl Iterator<Item = Form> {
        let known = match (self.opcode, self.types) {
            (Some(opcode), [Some(destination), Some(source)]) => Some((opcode, destination, source)),
            _ => None,
        };
        known.into_iter().flat_map(|(o, d, s)| Form::of_types(o, d, s))
    }

    /// The forms that the machine accepts, or all of them if it accepts none.
    fn forms(&self) -> impl Iterator<Item = Form> {
        let here = self.all_forms().any(|form| self.machine.takes(&form));
        self.all_forms().filter(move |form| !here || self.machine.takes(form))
    }

    /// Writes `; legal:`, or `; legal on sm_90 at ISA 8.0:` if more is legal elsewhere.
    fn legal(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let taken = |form: &Form| self.machine.takes(form);
        if self.all_forms().any(|form| taken(&form)) && !self.all_forms().all(|form| taken(&form)) {
            write!(f, "; legal on {}:", self.machine)
        } else {
            f.write_str("; legal:")
        }
    }

    /// Writes `{lead} .a .b .c`, or nothing if there are no names.
    fn list(
        f: &mut fmt::Formatter<'_>,
        lead: &str,
        names: impl Iterator<Item = &'static str>,
    ) -> fmt::Result {
        for (i, name) in names.enumerate() {
            let before = if i == 0 { lead } else { "" };
            write!(f, "{before} .{name}")?;
        }
        Ok(())
    }

    /// Writes the rounding modifiers of the two types.
    fn list_roundings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has = |rounding| self.forms().any(|form| form.rounding() == rounding);
        let legal = || Rounding::ALL.iter().copied().filter(|r| has(Some(*r)));
        if legal().next().is_none() {
            return f.write_str(if has(None) { "; these types take none" } else { "" });
        }
        self.legal(f)?;
        Self::list(f, "", legal().map(Rounding::name))?;
        f.write_str(if has(None) { ", or none" } else { "" })
    }

    /// Writes the modifiers of the two types.
    fn list_modifiers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let legal = || Modifier::ALL.iter().copied().filter(|m| self.forms().any(|form| form.has(*m)));
        if legal().next().is_none() {
            return Ok(());
        }
        self.legal(f)?;
        Self::list(f, "", legal().map(Modifier::name))
    }

    /// Writes the sources of the destination; if it has none, the destinations of the source.
    fn list_types(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(opcode), [Some(destination), Some(source)]) = (self.opcode, self.types) else {
            return Ok(());
        };
        let all = || Type::ALL.iter().copied();
        let exists = |d: Type, s: Type| Form::of_types(opcode, d, s).any(|form| self.machine.takes(&form));
        let sources = || all().filter(|t| exists(destination, *t));
        Self::list(f, "; sources are", sources().map(Type::name))?;
        if sources().next().is_none() {
            let destinations = all().filter(|t| exists(*t, source));
            Self::list(f, "; destinations are", destinations.map(Type::name))?;
        }
        Ok(())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pair = |f: &mut fmt::Formatter<'_>| {
            let name = |t: Option<Type>| t.expect("the message is about two known types").name();
            write!(f, "`.{}` from `.{}`", name(self.types[0]), name(self.types[1]))
        };
        match self.what {
            What::NotConversion => f.write_str("this is neither `cvt` nor `cvt.pack`"),
            What::UnknownModifier { meant: None } => f.write_str("`cvt` has no such modifier or type"),
            What::UnknownModifier { meant: Some(part) } => {
                write!(f, "`cvt` has no such modifier or type; did you mean `.{}`?", part.known_name())
            }
            What::Duplicate { first, second } if first == second => {
                write!(f, "`.{}` is written twice", second.known_name())
            }
            What::Duplicate { first, second } => {
                write!(
                    f,
                    "`.{}` after `.{}`: only one of them can be written",
                    second.known_name(),
                    first.known_name()
                )
            }
            What::TypeCount { given } => write!(
                f,
                "{given} type{} written; a destination and a source type are needed",
                if given == 1 { " is" } else { "s are" }
            ),
            What::TypePair => {
                f.write_str("no conversion to ")?;
                pair(f)?;
                f.write_str(" exists")?;
                self.list_types(f)
            }
            What::Rest { needed: true } => f.write_str("`.b32` is required after the types"),
            What::Rest { needed: false } => f.write_str("`.b32` does not belong to this conversion"),
            What::RestEarly => f.write_str("`.b32` has to follow the two other types"),
            What::Untyped { width: 8 } => f.write_str("bits alone cannot be converted; write `.u8` or `.s8`"),
            What::Untyped { width } => {
                write!(f, "bits alone cannot be converted; write `.u{width}`, `.s{width}` or `.f{width}`")
            }
            What::MissingRounding => {
                f.write_str("a rounding modifier is required for ")?;
                pair(f)?;
                self.list_roundings(f)
            }
            What::IllegalRounding(r) => {
                write!(f, "`.{}` is not a rounding modifier for ", r.name())?;
                pair(f)?;
                self.list_roundings(f)
            }
            What::MissingModifier(m) => {
                write!(f, "`.{}` is required for ", m.name())?;
                pair(f)
            }
            What::IllegalModifier(m) => {
                write!(f, "`.{}` does not apply to ", m.name())?;
                pair(f)?;
                self.list_modifiers(f)
            }
            What::Conflict(a, b) => {
                write!(f, "`.{}` cannot be combined with `.{}` for ", a.known_name(), b.known_name())?;
                pair(f)
            }
            What::NeedsRounding(m) => {
                write!(f, "`.{}` needs a rounding modifier for ", m.name())?;
                pair(f)
            }
            What::Combination => {
                f.write_str("these modifiers cannot be combined for ")?;
                pair(f)
            }
        }
    }
}
