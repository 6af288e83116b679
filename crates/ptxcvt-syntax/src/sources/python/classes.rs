//! The heads of classes: their names and those from which they are made.
//!
//! The Python Language Reference, "Class definitions".

use crate::identifier::first_name;

/// A class.
#[derive(Debug)]
pub(super) struct Class<'s> {
    pub name: &'s str,
    pub bases: Vec<&'s str>,
    /// Its attributes are no more than their values: it has no decorator, and no base such as `Enum`.
    pub plain: bool,
}

/// Parts of the names of bases that make other things of a class's values.
const SPECIAL: [&str; 6] = ["Enum", "Flag", "NamedTuple", "TypedDict", "Structure", "="];
impl<'s> Class<'s> {
    /// Reads what follows the word `class`.
    pub fn new(head: &'s str, decorated: bool) -> Self {
        let name = first_name(head);
        let bases = head[name.len()..].trim().trim_start_matches('(').trim_end_matches(')');
        let bases: Vec<&str> = bases.split(',').map(str::trim).filter(|base| !base.is_empty()).collect();
        let special = |base: &&str| SPECIAL.iter().any(|part| base.contains(part));
        let plain = !decorated && !bases.iter().any(special);
        Class { name, bases, plain }
    }
}
