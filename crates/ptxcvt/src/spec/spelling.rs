//! Text to form: reads an opcode's modifiers in any order and says everything that is wrong with them.
//!
//! The order of modifiers is free in PTX, even after the types. Which combinations are legal is read off
//! the table: an error is found by looking at the legal forms of the same two types.

use core::fmt;
use core::ops::Range;

use super::form::{Form, Opcode};
use super::modifier::{Modifier, Modifiers};
use crate::error::Code;
use crate::round::Rounding;
use crate::types::Type;

/// One dotted part of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A rounding modifier.
    Rounding(Rounding),
    /// Another modifier.
    Modifier(Modifier),
    /// A type.
    Type(Type),
    /// `.b32`, the third type of `cvt.pack`.
    Rest,
    /// Nothing that `cvt` knows.
    Unknown,
}

impl Part {
    fn read(name: &str) -> Part {
        if name == "b32" {
            return Part::Rest;
        }
        Rounding::from_name(name)
            .map(Part::Rounding)
            .or_else(|| Modifier::from_name(name).map(Part::Modifier))
            .or_else(|| Type::from_name(name).map(Part::Type))
            .unwrap_or(Part::Unknown)
    }

    /// PTX's name, without the dot.
    pub fn name(&self) -> &'static str {
        match self {
            Part::Rounding(r) => r.name(),
            Part::Modifier(m) => m.name(),
            Part::Type(t) => t.name(),
            Part::Rest => "b32",
            Part::Unknown => "",
        }
    }

    /// Two parts that cannot both be written.
    fn repeats(self, other: Part) -> bool {
        match (self, other) {
            (Part::Rounding(_), Part::Rounding(_)) => true,
            (Part::Modifier(a), Part::Modifier(b)) => a == b || (a.is_scale() && b.is_scale()),
            _ => false,
        }
    }
}

/// An opcode as it was written, before it is known to be legal.
///
/// ```
/// use ptxcvt::{Code, Spelling};
/// let spelling = Spelling::new("cvt.relu.e4m3x2.f32");
/// let codes: Vec<_> = spelling.problems().iter().map(|p| p.code()).collect();
/// assert_eq!(codes, [Code::MissingRounding, Code::MissingModifier]);
/// assert_eq!(spelling.nearest(|_| true).unwrap().to_string(), "cvt.rn.satfinite.relu.e4m3x2.f32");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Spelling<'t> {
    text: &'t str,
    opcode: Option<Opcode>,
    rounding: Option<Rounding>,
    modifiers: Modifiers,
    types: [Option<Type>; 2],
    type_count: usize,
    rest: bool,
}

impl<'t> Spelling<'t> {
    /// Reads an opcode such as `cvt.rn.f16.f32`. Never fails: what is wrong is in [`Self::problems`].
    pub fn new(text: &'t str) -> Self {
        let mut spelling = Spelling {
            text,
            opcode: match text.split('.').next() {
                Some("cvt") if text == "cvt.pack" || text.starts_with("cvt.pack.") => Some(Opcode::CvtPack),
                Some("cvt") => Some(Opcode::Cvt),
                _ => None,
            },
            rounding: None,
            modifiers: Modifiers::NONE,
            types: [None; 2],
            type_count: 0,
            rest: false,
        };
        for (part, _) in spelling.parts() {
            match part {
                Part::Rounding(r) => spelling.rounding = spelling.rounding.or(Some(r)),
                Part::Modifier(m) => spelling.modifiers = spelling.modifiers.with(m),
                Part::Type(t) => {
                    if let Some(free) = spelling.types.iter_mut().find(|slot| slot.is_none()) {
                        *free = Some(t);
                    }
                    spelling.type_count += 1;
                }
                Part::Rest => spelling.rest = true,
                Part::Unknown => {}
            }
        }
        spelling
    }

    /// The text that was read.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// `cvt` or `cvt.pack`, if it is one.
    pub fn opcode(&self) -> Option<Opcode> {
        self.opcode
    }

    /// The dotted parts after the instruction's name, each with its place in the text, dot included.
    pub fn parts(&self) -> impl Iterator<Item = (Part, Range<usize>)> + use<'t> {
        let text = self.text;
        let name = self.opcode.map_or(text.len(), |o| o.name().len());
        let mut at = name;
        text[name..].split('.').skip(1).map(move |part| {
            let start = at;
            at += 1 + part.len();
            (Part::read(part), start..at)
        })
    }

    /// The legal form, if this is one.
    pub fn form(&self) -> Option<Form> {
        let form = Form::new(
            self.opcode?,
            self.rounding,
            self.modifiers,
            self.types[0].filter(|_| self.type_count == 2)?,
            self.types[1]?,
        )?;
        // What is left can only be wrong in number: a repeated or an unknown part, a missing `.b32`.
        let clean = self.parts().all(|(part, at)| part != Part::Unknown && self.earlier(part, &at).is_none());
        (clean && form.takes_rest() == self.rest).then_some(form)
    }

    /// An earlier part that `part` repeats.
    fn earlier(&self, part: Part, at: &Range<usize>) -> Option<Part> {
        let mut before = self.parts().take_while(|(_, other)| other.start < at.start);
        before
            .find(|(other, _)| part.repeats(*other) || (part == Part::Rest && *other == part))
            .map(|(p, _)| p)
    }

    /// Calls `report` with every problem, in the order of the text where they have a place in it.
    pub fn visit_problems(&self, report: &mut dyn FnMut(SpellingError)) {
        let whole = 0..self.text.len();
        let mut report = |at: Range<usize>, what: What| {
            report(SpellingError { at, what, types: self.types, opcode: self.opcode })
        };
        let Some(opcode) = self.opcode else {
            return report(whole, What::NotConversion);
        };
        let mut unknown = false;
        for (part, at) in self.parts() {
            if part == Part::Unknown {
                unknown = true;
                report(at, What::UnknownModifier);
            } else if let Some(first) = self.earlier(part, &at) {
                report(at, What::Duplicate { first, second: part });
            }
        }
        let (Some(destination), Some(source), 2) = (self.types[0], self.types[1], self.type_count) else {
            // An unknown part may be the missing type: one message is enough then.
            if !unknown || self.type_count > 2 {
                report(whole, What::TypeCount { given: self.type_count });
            }
            return;
        };
        let forms = || pair(opcode, destination, source);
        if forms().next().is_none() {
            return report(self.span_of_types(), What::TypePair);
        }
        if self.rest != forms().any(|f| f.takes_rest()) {
            report(whole.clone(), What::Rest { needed: !self.rest });
        }
        let mut alone_legal = true;
        if forms().all(|f| f.rounding() != self.rounding) {
            alone_legal = false;
            match self.rounding {
                None => report(whole.clone(), What::MissingRounding),
                Some(r) => report(self.span_of(Part::Rounding(r)), What::IllegalRounding(r)),
            }
        }
        for modifier in Modifier::ALL {
            let (given, part) = (self.modifiers.has(modifier), Part::Modifier(modifier));
            if given && !forms().any(|f| f.has(modifier)) {
                alone_legal = false;
                report(self.span_of(part), What::IllegalModifier(modifier));
            } else if !given && forms().all(|f| f.has(modifier)) {
                alone_legal = false;
                report(whole.clone(), What::MissingModifier(modifier));
            }
        }
        if alone_legal && Form::new(opcode, self.rounding, self.modifiers, destination, source).is_none() {
            let (at, what) = self.conflict(forms);
            report(at, what);
        }
    }

    /// Two choices that no form of these types has together.
    fn conflict<I: Iterator<Item = Form>>(&self, forms: impl Fn() -> I) -> (Range<usize>, What) {
        let together = |a: Modifier, rounding: Option<Option<Rounding>>, b: Option<Modifier>| {
            forms()
                .any(|f| f.has(a) && rounding.is_none_or(|r| f.rounding() == r) && b.is_none_or(|b| f.has(b)))
        };
        for a in self.modifiers.iter() {
            let at = self.span_of(Part::Modifier(a));
            if !together(a, Some(self.rounding), None) {
                return match self.rounding {
                    Some(r) => (at, What::Conflict(Part::Modifier(a), Part::Rounding(r))),
                    None => (at, What::NeedsRounding(a)),
                };
            }
            for b in self.modifiers.iter().filter(|&b| b > a) {
                if !together(a, None, Some(b)) {
                    return (at, What::Conflict(Part::Modifier(a), Part::Modifier(b)));
                }
            }
        }
        (0..self.text.len(), What::Combination)
    }

    fn span_of(&self, wanted: Part) -> Range<usize> {
        self.parts().find(|(p, _)| *p == wanted).map_or(0..self.text.len(), |(_, at)| at)
    }

    fn span_of_types(&self) -> Range<usize> {
        let mut types = self.parts().filter(|(p, _)| matches!(p, Part::Type(_))).map(|(_, at)| at);
        match (types.next(), types.next()) {
            (Some(a), Some(b)) => a.start..b.end,
            _ => 0..self.text.len(),
        }
    }

    /// The problems, all of them, in a list.
    #[cfg(feature = "alloc")]
    pub fn problems(&self) -> alloc::vec::Vec<SpellingError> {
        let mut all = alloc::vec::Vec::new();
        self.visit_problems(&mut |p| all.push(p));
        all
    }

    /// The form that differs least from what was written, among those that `wanted` admits: fewest
    /// changes of type first, then of rounding and modifiers.
    pub fn nearest(&self, mut wanted: impl FnMut(&Form) -> bool) -> Option<Form> {
        Form::all()
            .filter(|f| self.opcode.is_none_or(|o| o == f.opcode()))
            .filter(|f| wanted(f))
            .min_by_key(|f| self.distance(f))
    }

    /// How far `form` is from what was written.
    pub fn distance(&self, form: &Form) -> u32 {
        // A wrong type outweighs every modifier; a type of the same format or width is a smaller change.
        let types = [(self.types[0], form.destination()), (self.types[1], form.source())];
        let types: u32 = types
            .into_iter()
            .map(|(written, legal)| match written {
                Some(t) if t == legal => 0,
                Some(t) if t.format() == legal.format() => 20,
                Some(t) if t.lanes() == legal.lanes() => 30 + u32::from(t.width() != legal.width()),
                Some(_) => 40,
                None => 10,
            })
            .sum();
        let rounding = match (self.rounding, form.rounding()) {
            (a, b) if a == b => 0,
            (None, Some(Rounding::Rn | Rounding::Rni)) | (Some(_), None) => 2,
            // The same direction under its other name.
            (Some(a), Some(b)) if a.is_integer() != b.is_integer() && a.mode(None) == b.mode(None) => 2,
            _ => 3,
        };
        types + rounding + 2 * self.modifiers.difference(form.modifiers()).len()
    }
}

impl Form {
    /// True of the `cvt.pack` forms whose third type is `.b32`.
    pub(super) fn takes_rest(&self) -> bool {
        self.row().shape == super::rows::Shape::TwoAndRest
    }
}

/// The legal forms of an instruction with these two types.
fn pair(opcode: Opcode, destination: Type, source: Type) -> impl Iterator<Item = Form> {
    Form::all()
        .filter(move |f| f.opcode() == opcode && f.destination() == destination && f.source() == source)
}

/// What is wrong with an opcode, and where in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpellingError {
    at: Range<usize>,
    what: What,
    types: [Option<Type>; 2],
    opcode: Option<Opcode>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    NotConversion,
    UnknownModifier,
    Duplicate { first: Part, second: Part },
    TypeCount { given: usize },
    TypePair,
    Rest { needed: bool },
    MissingRounding,
    IllegalRounding(Rounding),
    MissingModifier(Modifier),
    IllegalModifier(Modifier),
    Conflict(Part, Part),
    NeedsRounding(Modifier),
    Combination,
}

impl SpellingError {
    /// The place in the opcode's text, in bytes; the whole opcode where something is missing.
    pub fn range(&self) -> Range<usize> {
        self.at.clone()
    }

    /// The code of the error.
    pub fn code(&self) -> Code {
        match self.what {
            What::NotConversion => Code::NotConversion,
            What::UnknownModifier => Code::UnknownModifier,
            What::Duplicate { .. } => Code::DuplicateModifier,
            What::TypeCount { .. } | What::Rest { .. } => Code::TypeCount,
            What::TypePair => Code::TypePair,
            What::MissingRounding => Code::MissingRounding,
            What::IllegalRounding(_) => Code::IllegalRounding,
            What::MissingModifier(_) => Code::MissingModifier,
            What::IllegalModifier(_) => Code::IllegalModifier,
            What::Conflict(..) | What::NeedsRounding(_) | What::Combination => Code::Conflict,
        }
    }
}

impl fmt::Display for SpellingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pair = |f: &mut fmt::Formatter<'_>| {
            let name = |t: Option<Type>| t.map_or("", Type::name);
            write!(f, "`.{}` from `.{}`", name(self.types[0]), name(self.types[1]))
        };
        match self.what {
            What::NotConversion => f.write_str("this is neither `cvt` nor `cvt.pack`"),
            What::UnknownModifier => f.write_str("no such modifier or type of `cvt`"),
            What::Duplicate { first, second } if first == second => {
                write!(f, "`.{}` is written twice", second.name())
            }
            What::Duplicate { first, second } => {
                write!(f, "`.{}` after `.{}`: only one of them can be written", second.name(), first.name())
            }
            What::TypeCount { given } => write!(
                f,
                "{given} type{} written; a destination and a source type are needed",
                if given == 1 { "" } else { "s" }
            ),
            What::TypePair => {
                f.write_str("no conversion to ")?;
                pair(f)?;
                f.write_str(" exists")
            }
            What::Rest { needed: true } => f.write_str("`.b32` is required after the types"),
            What::Rest { needed: false } => f.write_str("`.b32` does not belong to this conversion"),
            What::MissingRounding => {
                f.write_str("a rounding modifier is required for ")?;
                pair(f)
            }
            What::IllegalRounding(r) => {
                write!(f, "`.{}` is not a rounding modifier for ", r.name())?;
                pair(f)
            }
            What::MissingModifier(m) => {
                write!(f, "`.{}` is required for ", m.name())?;
                pair(f)
            }
            What::IllegalModifier(m) => {
                write!(f, "`.{}` does not apply to ", m.name())?;
                pair(f)
            }
            What::Conflict(a, b) => {
                write!(f, "`.{}` cannot be combined with `.{}` for ", a.name(), b.name())?;
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

impl core::error::Error for SpellingError {}

impl core::str::FromStr for Form {
    type Err = SpellingError;

    /// Reads an opcode, modifiers in any order. Of several problems the first is returned;
    /// [`Spelling::problems`] has them all.
    fn from_str(text: &str) -> Result<Form, SpellingError> {
        let spelling = Spelling::new(text);
        if let Some(form) = spelling.form() {
            return Ok(form);
        }
        let mut first = None;
        spelling.visit_problems(&mut |problem| first = first.take().or(Some(problem)));
        Err(first.unwrap_or(SpellingError {
            at: 0..text.len(),
            what: What::Combination,
            types: spelling.types,
            opcode: spelling.opcode,
        }))
    }
}
