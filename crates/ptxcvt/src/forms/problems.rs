//! Everything that is wrong with a spelling, found by comparing it with the legal forms of its types.
//!
//! PTX ISA sections 9.7.9.21 and 9.7.9.22.

use core::ops::Range;

use super::fault::{Fault, What};
use super::form::Form;
use super::modifier::Modifier;
use super::part::Part;
use super::spelling::Spelling;
#[cfg(feature = "alloc")]
use crate::error::Code;
use crate::round::Rounding;
use crate::targets::Machine;
#[cfg(feature = "alloc")]
use crate::text::clip_to;

impl Spelling<'_> {
    /// Calls `report` with every problem; those with a place in the text are in its order. The messages list
    /// the choices that are legal on `machine`.
    pub(super) fn visit_problems(&self, machine: Machine, report: &mut dyn FnMut(Fault)) {
        let whole = 0..self.text().len();
        let mut report = |at: Range<usize>, what: What| {
            report(Fault { at, what, types: self.written.types, opcode: self.opcode(), machine })
        };
        let Some(opcode) = self.opcode() else {
            return report(whole, What::NotConversion);
        };
        let mut unknown = false;
        for (part, at) in self.parts() {
            if let Some(width) = self.untyped(&at) {
                unknown = true;
                report(at, What::Untyped { width });
            } else if part == Part::Unknown {
                unknown = true;
                let meant = Part::meant_by(&self.text()[at.start + 1..at.end]);
                report(at, What::UnknownModifier { meant });
            } else if let Some(first) = self.earlier(part, &at) {
                report(at, What::Duplicate { first, second: part });
            }
        }
        let (Some(destination), Some(source), 2) =
            (self.written.types[0], self.written.types[1], self.written.type_count)
        else {
            // An unknown part may be the missing type; then one message is enough.
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
        } else if self.written.rest_early {
            report(self.span_of(Part::Rest), What::RestEarly);
        }
        let mut alone_legal = true;
        if forms().all(|f| f.rounding() != self.written.rounding) {
            alone_legal = false;
            match self.written.rounding {
                // The misspelt rounding has been reported.
                None if self.meant.rounding.is_some() => {}
                None => report(whole.clone(), What::MissingRounding),
                Some(r) => report(self.span_of(Part::Rounding(r)), What::IllegalRounding(r)),
            }
        }
        for &modifier in Modifier::ALL {
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

    /// Finds two choices that no form of these types combines.
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
        (0..self.text().len(), What::Combination)
    }

    fn span_of(&self, wanted: Part) -> Range<usize> {
        self.parts().find(|(p, _)| *p == wanted).map_or(0..self.text().len(), |(_, at)| at)
    }

    fn span_of_types(&self) -> Range<usize> {
        let mut types = self.parts().filter(|(p, _)| matches!(p, Part::Type(_))).map(|(_, at)| at);
        match (types.next(), types.next()) {
            (Some(a), Some(b)) => a.start..b.end,
            _ => 0..self.text().len(),
        }
    }

    /// The message of a problem. It begins with the part in question if `cvt` has no such part.
    #[cfg(feature = "alloc")]
    pub(super) fn describe(&self, problem: &Fault) -> alloc::string::String {
        let message = alloc::string::ToString::to_string(problem);
        match self.text().get(problem.at.clone()).filter(|_| problem.code() == Code::UnknownModifier) {
            Some(part) => alloc::format!("`{}`: {message}", clip_to(part, LONGEST_SHOWN)),
            None => message,
        }
    }
}

/// Shows at most this many characters of an unknown part.
#[cfg(feature = "alloc")]
const LONGEST_SHOWN: usize = 40;
