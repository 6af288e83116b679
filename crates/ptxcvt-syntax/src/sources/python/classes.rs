//! The heads of classes: their names and base classes.
//!
//! The Python Language Reference, "Class definitions".

use crate::identifier::first_name;

/// A class.
#[derive(Debug)]
pub(super) struct Class<'s> {
    pub name: &'s str,
    pub bases: Vec<&'s str>,
    /// True if attributes have exactly the assigned values: the class has no decorator, and no base such as `Enum`.
    pub plain: bool,
}

/// Parts of the names of base classes that change a class's attributes.
const SPECIAL: [&str; 6] = ["Enum", "Flag", "NamedTuple", "TypedDict", "Structure", "="];
impl<'s> Class<'s> {
    /// Reads a class's head after the word `class`.
    pub fn new(head: &'s str, decorated: bool) -> Self {
        let name = first_name(head);
        let bases = head[name.len()..].trim().trim_start_matches('(').trim_end_matches(')');
        let bases: Vec<&str> = bases.split(',').map(str::trim).filter(|base| !base.is_empty()).collect();
        let special = |base: &&str| SPECIAL.iter().any(|part| base.contains(part));
        let plain = !decorated && !bases.iter().any(special);
        Class { name, bases, plain }
    }
}
