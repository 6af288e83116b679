//! Declarations: a name and the entity that it names.
//!
//! PTX ISA sections 5.1 (state spaces), 5.4 (variables), 7.1 (functions).

use ptxcvt::forms::RegisterType;

use crate::source::Word;

/// The entity that a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Entity<'s> {
    /// A register, or a vector of `lanes` registers; the type is `None` if the declaration is wrong.
    Register {
        /// The declared type.
        ty: Option<RegisterType>,
        /// 1, 2 or 4.
        lanes: u8,
    },
    /// A variable, with its state space without the dot: `global`, `shared`, `param`.
    Variable(&'s str),
    /// A function or kernel.
    Function,
    /// A label.
    Label,
}

/// A declaration of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declaration<'s> {
    /// The name; of a parameterised name the part before `<`.
    pub name: Word<'s>,
    /// The number of registers that `name<count>` declares; `None` for a plain name.
    pub count: Option<u64>,
    /// The named entity.
    pub entity: Entity<'s>,
}

impl<'s> Declaration<'s> {
    /// The declaration of one name.
    pub const fn new(name: Word<'s>, entity: Entity<'s>) -> Self {
        Self { name, count: None, entity }
    }
}
