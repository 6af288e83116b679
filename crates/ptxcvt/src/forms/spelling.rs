//! Text to form: reads an opcode's modifiers in any order.
//!
//! In PTX, modifiers can be in any order, even after the types. The table says which combinations are legal.

use core::ops::Range;

use super::form::Form;
use super::modifier::Modifiers;
use super::opcode::Opcode;
use super::part::Part;
use crate::round::Rounding;
use crate::types::Type;

/// The choices in an opcode's parts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Choices {
    pub rounding: Option<Rounding>,
    pub modifiers: Modifiers,
    pub types: [Option<Type>; 2],
    pub type_count: usize,
    pub rest: bool,
    /// A type follows `.b32`.
    pub rest_early: bool,
}

impl Choices {
    /// Adds a part. If two parts exclude each other, the first one counts.
    fn add(&mut self, part: Part) {
        match part {
            Part::Rounding(r) => self.rounding = self.rounding.or(Some(r)),
            Part::Modifier(m) => self.modifiers = self.modifiers.with(m),
            Part::Type(t) => {
                if let Some(free) = self.types.iter_mut().find(|slot| slot.is_none()) {
                    *free = Some(t);
                }
                self.type_count += 1;
                self.rest_early |= self.rest;
            }
            Part::Rest => self.rest = true,
            Part::Unknown => {}
        }
    }
}

/// An opcode as text, which may be illegal.
///
/// ```
/// use ptxcvt::Spelling;
/// let spelling = Spelling::new("cvt.relu.e4m3x2.f32");
/// assert_eq!(spelling.form(), None);
/// assert_eq!(spelling.nearest(|_| true).unwrap().to_string(), "cvt.rn.satfinite.relu.e4m3x2.f32");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Spelling<'t> {
    text: &'t str,
    opcode: Option<Opcode>,
    pub(super) written: Choices,
    /// The choices with unknown parts replaced by the parts that were probably meant.
    pub(super) meant: Choices,
}

impl<'t> Spelling<'t> {
    /// Parses an opcode such as `cvt.rn.f16.f32`. Never fails: `problems` lists what is wrong.
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

    /// `cvt` or `cvt.pack`, if it is one of them.
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

    /// The places of parts, without their dots, that resemble nothing known: they have capitals or `_`, and are neither the
    /// name of a format nor the misspelling of one modifier. In a program that writes PTX, such a part is a placeholder. A
    /// word of small letters is PTX, even if no modifier resembles it.
    ///
    /// ```
    /// use ptxcvt::Spelling;
    /// let spelling = Spelling::new("cvt.rq.TYPE.f31");
    /// let found: Vec<&str> = spelling.foreign_parts().map(|at| &spelling.text()[at]).collect();
    /// assert_eq!(found, ["TYPE"]);
    /// ```
    pub fn foreign_parts(&self) -> impl Iterator<Item = Range<usize>> + use<'t> {
        let spelling = *self;
        self.parts().filter_map(move |(part, at)| {
            let name = at.start + 1..at.end;
            let foreign = part == Part::Unknown
                && spelling.untyped(&at).is_none()
                && Part::is_foreign(&spelling.text[name.clone()]);
            foreign.then_some(name)
        })
    }

    /// The form, if the spelling is legal.
    pub fn form(&self) -> Option<Form> {
        let form = Form::new(
            self.opcode?,
            self.written.rounding,
            self.written.modifiers,
            self.written.types[0].filter(|_| self.written.type_count == 2)?,
            self.written.types[1]?,
        )?;
        // Only a repeated or unknown part, or a missing `.b32`, can still be wrong.
        let clean = self.parts().all(|(part, at)| part != Part::Unknown && self.earlier(part, &at).is_none());
        let rest = form.takes_rest() == self.written.rest && !self.written.rest_early;
        (clean && rest).then_some(form)
    }

    /// The width of a part such as `.b32` if the types of a `cvt` are incomplete without it.
    pub(super) fn untyped(&self, at: &Range<usize>) -> Option<u32> {
        if self.opcode() != Some(Opcode::Cvt) || self.written.type_count >= 2 {
            return None;
        }
        match &self.text()[at.start + 1..at.end] {
            "b8" => Some(8),
            "b16" => Some(16),
            "b32" => Some(32),
            "b64" => Some(64),
            _ => None,
        }
    }

    /// An earlier part that `part` repeats.
    pub(super) fn earlier(&self, part: Part, at: &Range<usize>) -> Option<Part> {
        let mut before = self.parts().take_while(|(_, other)| other.start < at.start);
        before
            .find(|(other, _)| part.repeats(*other) || (part == Part::Rest && *other == part))
            .map(|(p, _)| p)
    }
}
