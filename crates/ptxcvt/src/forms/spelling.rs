//! Text to form: reads an opcode's modifiers in any order and says everything that is wrong with them.
//!
//! The order of modifiers is free in PTX, even after the types. Which combinations are legal is read off
//! the table: an error is found by looking at the legal forms of the same two types.

use core::ops::Range;

use super::form::{Form, Opcode};
use super::modifier::{Modifier, Modifiers};
use super::problem::{SpellingError, What};
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

    /// Every name that can be a part.
    fn all() -> impl Iterator<Item = Part> {
        let roundings = Rounding::ALL.into_iter().map(Part::Rounding);
        let modifiers = Modifier::ALL.into_iter().map(Part::Modifier);
        roundings.chain(modifiers).chain(Type::ALL.iter().copied().map(Part::Type)).chain([Part::Rest])
    }

    /// The known part whose name is most like `name`, if one is near enough to be meant: an element format
    /// means its packed type, a slip of the pen its neighbour.
    fn meant_by(name: &str) -> Option<Part> {
        let packed = Type::ALL.iter().copied().find(|t| t.lanes() == 2 && t.format().name() == name);
        let limit = name.len().div_ceil(3);
        packed.map(Part::Type).or_else(|| {
            let near = Part::all().map(|part| (edit_distance(part.name(), name), part));
            near.filter(|(d, _)| *d <= limit && *d < name.len()).min_by_key(|(d, _)| *d).map(|(_, part)| part)
        })
    }

    /// Two parts that cannot both be written. (ptxas takes `.sat`, `.satfinite` and `.relu` twice.)
    fn repeats(self, other: Part) -> bool {
        match (self, other) {
            (Part::Rounding(_), Part::Rounding(_)) => true,
            (Part::Modifier(a), Part::Modifier(b)) => {
                let once = !matches!(a, Modifier::Sat | Modifier::Satfinite | Modifier::Relu);
                (a == b && once) || (a.is_scale() && b.is_scale())
            }
            _ => false,
        }
    }
}

/// How many insertions, deletions, and replacements of a character turn one name into the other; counted
/// no further than names go.
fn edit_distance(known: &str, written: &str) -> usize {
    const LONGEST: usize = 24;
    if written.len() > LONGEST {
        return usize::MAX;
    }
    // One row of the classic table at a time: row[j] is the distance to the first j bytes of `written`.
    let mut row: [usize; LONGEST + 1] = core::array::from_fn(|j| j);
    for (i, a) in known.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in written.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[written.len()]
}

/// What an opcode's parts amount to.
#[derive(Clone, Copy, Debug, Default)]
struct Choices {
    rounding: Option<Rounding>,
    modifiers: Modifiers,
    types: [Option<Type>; 2],
    type_count: usize,
    rest: bool,
}

impl Choices {
    /// Adds a part; of two that exclude each other the first counts.
    fn add(&mut self, part: Part) {
        match part {
            Part::Rounding(r) => self.rounding = self.rounding.or(Some(r)),
            Part::Modifier(m) => self.modifiers = self.modifiers.with(m),
            Part::Type(t) => {
                if let Some(free) = self.types.iter_mut().find(|slot| slot.is_none()) {
                    *free = Some(t);
                }
                self.type_count += 1;
            }
            Part::Rest => self.rest = true,
            Part::Unknown => {}
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
    written: Choices,
    /// With unknown parts replaced by what they were probably meant to be.
    meant: Choices,
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
            written: Choices::default(),
            meant: Choices::default(),
        };
        for (part, at) in spelling.parts() {
            spelling.written.add(part);
            let meant = match part {
                Part::Unknown => Part::meant_by(&text[at.start + 1..at.end]).unwrap_or(part),
                known => known,
            };
            spelling.meant.add(meant);
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
            self.written.rounding,
            self.written.modifiers,
            self.written.types[0].filter(|_| self.written.type_count == 2)?,
            self.written.types[1]?,
        )?;
        // What is left can only be wrong in number: a repeated or an unknown part, a missing `.b32`.
        let clean = self.parts().all(|(part, at)| part != Part::Unknown && self.earlier(part, &at).is_none());
        (clean && form.takes_rest() == self.written.rest).then_some(form)
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
            report(SpellingError { at, what, types: self.written.types, opcode: self.opcode })
        };
        let Some(opcode) = self.opcode else {
            return report(whole, What::NotConversion);
        };
        let mut unknown = false;
        for (part, at) in self.parts() {
            if part == Part::Unknown {
                unknown = true;
                let meant = Part::meant_by(&self.text[at.start + 1..at.end]);
                report(at, What::UnknownModifier { meant });
            } else if let Some(first) = self.earlier(part, &at) {
                report(at, What::Duplicate { first, second: part });
            }
        }
        let (Some(destination), Some(source), 2) =
            (self.written.types[0], self.written.types[1], self.written.type_count)
        else {
            // An unknown part may be the missing type: one message is enough then.
            if !unknown || self.written.type_count > 2 {
                report(whole, What::TypeCount { given: self.written.type_count });
            }
            return;
        };
        let forms = || Form::of_types(opcode, destination, source);
        if forms().next().is_none() {
            return report(self.span_of_types(), What::TypePair);
        }
        if self.written.rest != forms().any(|f| f.takes_rest()) {
            report(whole.clone(), What::Rest { needed: !self.written.rest });
        }
        let mut alone_legal = true;
        if forms().all(|f| f.rounding() != self.written.rounding) {
            alone_legal = false;
            match self.written.rounding {
                // A misspelt one has been reported.
                None if self.meant.rounding.is_some() => {}
                None => report(whole.clone(), What::MissingRounding),
                Some(r) => report(self.span_of(Part::Rounding(r)), What::IllegalRounding(r)),
            }
        }
        for modifier in Modifier::ALL {
            let (given, part) = (self.written.modifiers.has(modifier), Part::Modifier(modifier));
            if given && !forms().any(|f| f.has(modifier)) {
                alone_legal = false;
                report(self.span_of(part), What::IllegalModifier(modifier));
            } else if !given && forms().all(|f| f.has(modifier)) {
                alone_legal = false;
                if !self.meant.modifiers.has(modifier) {
                    report(whole.clone(), What::MissingModifier(modifier));
                }
            }
        }
        if alone_legal
            && Form::new(opcode, self.written.rounding, self.written.modifiers, destination, source).is_none()
        {
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
        for a in self.written.modifiers.iter() {
            let at = self.span_of(Part::Modifier(a));
            if !together(a, Some(self.written.rounding), None) {
                return match self.written.rounding {
                    Some(r) => (at, What::Conflict(Part::Modifier(a), Part::Rounding(r))),
                    None => (at, What::NeedsRounding(a)),
                };
            }
            for b in self.written.modifiers.iter().filter(|&b| b > a) {
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
        // A wrong type outweighs everything else: where the same types have a wanted form, it is the nearest.
        let same_types = match (self.opcode, self.meant.types) {
            (Some(opcode), [Some(d), Some(s)]) => {
                Form::of_types(opcode, d, s).filter(&mut wanted).min_by_key(|f| self.distance(f))
            }
            _ => None,
        };
        same_types.or_else(|| {
            Form::all()
                .filter(|f| self.opcode.is_none_or(|o| o == f.opcode()))
                .filter(wanted)
                .min_by_key(|f| self.distance(f))
        })
    }

    /// How far `form` is from what was written.
    pub fn distance(&self, form: &Form) -> u32 {
        // A wrong type outweighs every modifier; a type of the same format or width is a smaller change.
        let types = [(self.meant.types[0], form.destination()), (self.meant.types[1], form.source())];
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
        let rounding = match (self.meant.rounding, form.rounding()) {
            (a, b) if a == b => 0,
            (None, Some(Rounding::Rn | Rounding::Rni)) | (Some(_), None) => 2,
            // The same direction under its other name.
            (Some(a), Some(b)) if a.is_integer() != b.is_integer() && a.mode(None) == b.mode(None) => 2,
            _ => 3,
        };
        types + rounding + 2 * self.meant.modifiers.difference(form.modifiers()).len()
    }
}

impl Form {
    /// True of the `cvt.pack` forms whose third type is `.b32`.
    pub(super) fn takes_rest(&self) -> bool {
        self.row().shape == super::rows::Shape::TwoAndRest
    }
}

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
            types: spelling.written.types,
            opcode: spelling.opcode,
        }))
    }
}
