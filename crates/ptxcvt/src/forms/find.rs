//! Every form, and the forms of two types, listed when compiling.
//!
//! Every search for a form reads these lists: parsing a spelling, finding the nearest form, listing the choices for two
//! types.

use super::form::Form;
use super::modifier::Modifiers;
use super::opcode::Opcode;
use super::table::TABLE;
use crate::formats::Format;
use crate::round::Rounding;
use crate::types::Type;

impl Form {
    /// The form of these parts, if it is legal on any target.
    ///
    /// ```
    /// use ptxcvt::{Form, Modifiers, Opcode, Rounding, Type};
    /// let parts = |rounding| Form::new(Opcode::Cvt, rounding, Modifiers::NONE, Type::F16, Type::F32);
    /// assert!(parts(Some(Rounding::Rn)).is_some());
    /// assert!(parts(None).is_none());
    /// ```
    pub fn new(
        opcode: Opcode,
        rounding: Option<Rounding>,
        modifiers: Modifiers,
        destination: Type,
        source: Type,
    ) -> Option<Form> {
        Form::of_types(opcode, destination, source)
            .find(|form| form.rounding() == rounding && form.modifiers() == modifiers)
    }

    /// Every legal form, in the order of the table.
    pub fn all() -> impl Iterator<Item = Form> {
        FORMS.iter().copied()
    }

    /// The legal forms of an instruction with these two types, in the order of the table.
    pub(super) fn of_types(opcode: Opcode, destination: Type, source: Type) -> impl Iterator<Item = Form> {
        let key = key(opcode, destination, source);
        let start = BY_TYPES.partition_point(|&at| key_of(at) < key);
        BY_TYPES[start..].iter().take_while(move |&&at| key_of(at) == key).map(|&at| FORMS[usize::from(at)])
    }
}

/// Every form, in the order of the table.
static FORMS: [Form; LISTED.1] = {
    let mut forms = [NO_FORM; LISTED.1];
    let mut at = 0;
    while at < forms.len() {
        forms[at] = LISTED.0[at];
        at += 1;
    }
    forms
};

/// The places in [`FORMS`] of all forms, by instruction and types. Forms of the same types keep their order.
static BY_TYPES: [u16; LISTED.1] = {
    // At first, the number of forms with a smaller key; later, the place of the next form with the key.
    let mut starts = [0_u16; KEYS + 1];
    let mut at = 0;
    while at < LISTED.1 {
        starts[key_of(at as u16) + 1] += 1;
        at += 1;
    }
    let mut key = 0;
    while key < KEYS {
        starts[key + 1] += starts[key];
        key += 1;
    }
    let mut places = [0; LISTED.1];
    let mut at = 0;
    while at < LISTED.1 {
        let key = key_of(at as u16);
        places[starts[key] as usize] = at as u16;
        starts[key] += 1;
        at += 1;
    }
    places
};

/// The number of keys.
const KEYS: usize = Opcode::ALL.len() * TYPES * TYPES;
/// Larger than the key of any type.
const TYPES: usize = Format::ALL.len() * LANES;
/// Larger than the number of elements of any type.
const LANES: usize = 5;

/// A number for an instruction and its types.
const fn key(opcode: Opcode, destination: Type, source: Type) -> usize {
    (opcode as usize * TYPES + key_of_type(destination)) * TYPES + key_of_type(source)
}

const fn key_of_type(ty: Type) -> usize {
    ty.format() as usize * LANES + ty.lanes() as usize
}

/// The key of the form at a place of [`FORMS`].
const fn key_of(at: u16) -> usize {
    let form = &FORMS[at as usize];
    key(form.opcode(), form.destination(), form.source())
}

/// Fills the unused places of [`LISTED`].
const NO_FORM: Form = Form::in_row(0, None, Modifiers::NONE, Type::U8, Type::U8);

/// The forms that the rows admit, and their number. A spelling that two rows admit belongs to the first one.
const LISTED: ([Form; 4_096], usize) = {
    let mut forms = [NO_FORM; 4_096];
    let mut count = 0;
    let mut at = 0;
    while at < TABLE.len() {
        let row = &TABLE[at];
        let mut pair = 0;
        while let Some((destination, source)) = row.pair(pair) {
            let first = first_row(row.opcode, destination, source);
            let mut choice = 0;
            while let Some((rounding, modifiers)) = row.choice(choice) {
                let is_listed = admits(first, at, rounding, modifiers, destination, source);
                if row.takes(modifiers, destination, source) && !is_listed {
                    forms[count] = Form::in_row(at, rounding, modifiers, destination, source);
                    count += 1;
                }
                choice += 1;
            }
            pair += 1;
        }
        at += 1;
    }
    (forms, count)
};

/// The first row of an instruction with these types.
const fn first_row(opcode: Opcode, destination: Type, source: Type) -> usize {
    let mut at = 0;
    while TABLE[at].opcode as u8 != opcode as u8 || !TABLE[at].has_types(destination, source) {
        at += 1;
    }
    at
}

/// True if a row from `first` to before `end`, of the same instruction as row `end`, admits these parts.
const fn admits(
    first: usize,
    end: usize,
    rounding: Option<Rounding>,
    modifiers: Modifiers,
    destination: Type,
    source: Type,
) -> bool {
    let mut at = first;
    while at < end {
        let row = &TABLE[at];
        if row.opcode as u8 == TABLE[end].opcode as u8
            && row.has_types(destination, source)
            && row.has_rounding(rounding)
            && row.takes(modifiers, destination, source)
        {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::vec::Vec;

    use super::*;

    /// The index has every form once, and the forms of two types in the order of the table.
    #[test]
    fn forms_of_types() {
        let unique: HashSet<Form> = Form::all().collect();
        assert_eq!(unique.len(), Form::all().count());
        let mut seen = 0;
        for opcode in Opcode::ALL.iter().copied() {
            for (d, s) in Type::ALL.iter().flat_map(|d| Type::ALL.iter().map(move |s| (*d, *s))) {
                let found: Vec<Form> = Form::of_types(opcode, d, s).collect();
                let is_wanted = |f: &Form| (f.opcode(), f.destination(), f.source()) == (opcode, d, s);
                assert_eq!(found, Form::all().filter(is_wanted).collect::<Vec<_>>(), "{opcode:?} {d} {s}");
                seen += found.len();
            }
        }
        assert_eq!(seen, Form::all().count());
    }
}
