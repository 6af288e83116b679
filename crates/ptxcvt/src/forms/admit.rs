//! The spellings that a row admits.
//!
//! The functions are `const` because the list of all forms is made when compiling.

use super::modifier::Modifiers;
use super::row::{Need, Row};
use crate::formats::Kind;
use crate::round::Rounding;
use crate::types::Type;

impl Row {
    /// The types at a place of the list that combines each destination of the row with each of its sources; `None` at
    /// its end.
    pub const fn pair(&self, place: usize) -> Option<(Type, Type)> {
        let mut left = place;
        let mut at = 0;
        while at < self.types.len() {
            let (destinations, sources) = self.types[at];
            if left < destinations.len() * sources.len() {
                return Some((destinations[left / sources.len()], sources[left % sources.len()]));
            }
            left -= destinations.len() * sources.len();
            at += 1;
        }
        None
    }

    /// The choices at a place of the list that combines each rounding of the row with each subset of its modifiers;
    /// `None` at its end. [`takes`](Self::takes) says whether types admit the modifiers.
    pub const fn choice(&self, place: usize) -> Option<(Option<Rounding>, Modifiers)> {
        let (rounding, subset) = (place >> self.modifiers.len(), place % (1 << self.modifiers.len()));
        if rounding >= self.rounding.len() {
            return None;
        }
        let mut modifiers = Modifiers::NONE;
        let mut at = 0;
        while at < self.modifiers.len() {
            if subset >> at & 1 != 0 {
                modifiers = modifiers.with(self.modifiers[at].0);
            }
            at += 1;
        }
        Some((self.rounding[rounding].0, modifiers))
    }

    /// True if the row has these types.
    pub const fn has_types(&self, destination: Type, source: Type) -> bool {
        let mut at = 0;
        while at < self.types.len() {
            if contains(self.types[at].0, destination) && contains(self.types[at].1, source) {
                return true;
            }
            at += 1;
        }
        false
    }

    /// True if the row has this rounding, or forms without one.
    pub const fn has_rounding(&self, rounding: Option<Rounding>) -> bool {
        let mut at = 0;
        while at < self.rounding.len() {
            let is_same = match (self.rounding[at].0, rounding) {
                (Some(a), Some(b)) => a as u8 == b as u8,
                (None, None) => true,
                _ => false,
            };
            if is_same {
                return true;
            }
            at += 1;
        }
        false
    }

    /// True if exactly these modifiers may be written for these types.
    pub const fn takes(&self, modifiers: Modifiers, destination: Type, source: Type) -> bool {
        let mut known = Modifiers::NONE;
        let mut at = 0;
        while at < self.modifiers.len() {
            let (modifier, need, _) = self.modifiers[at];
            let has = modifiers.has(modifier);
            let fits = match need {
                Need::Optional => true,
                Need::Required => has,
                Need::WhereRangeShrinks => !has || range_shrinks(destination, source),
            };
            if !fits {
                return false;
            }
            if has {
                known = known.with(modifier);
            }
            at += 1;
        }
        known.len() == modifiers.len()
    }
}

/// True if the list has the type.
const fn contains(types: &[Type], ty: Type) -> bool {
    let mut at = 0;
    while at < types.len() {
        if types[at].format() as u8 == ty.format() as u8 && types[at].lanes() == ty.lanes() {
            return true;
        }
        at += 1;
    }
    false
}

/// True if the integer type `source` has values that `destination` lacks.
const fn range_shrinks(destination: Type, source: Type) -> bool {
    let (Kind::Integer { signed: to }, Kind::Integer { signed: from }) =
        (destination.format().parameters().kind, source.format().parameters().kind)
    else {
        panic!("`check` admits integers only")
    };
    match (to, from) {
        (false, true) => true,
        (true, false) => destination.width() <= source.width(),
        _ => destination.width() < source.width(),
    }
}
