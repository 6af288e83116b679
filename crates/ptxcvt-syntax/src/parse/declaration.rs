//! Declarations: what a name stands for.
//!
//! PTX ISA sections 5.1 (state spaces), 5.4 (variables), 7.1 (functions).

use ptxcvt::forms::RegisterType;

use crate::source::Word;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Entity<'s> {
    /// A register, or `lanes` of them in a vector; the type is `None` where the declaration is wrong.
    Register {
        /// The declared type.
        ty: Option<RegisterType>,
        /// 1, 2 or 4.
        lanes: u8,
    },
    /// A variable of a state space, which is named without the dot: `global`, `shared`, `param`.
    Variable(&'s str),
    /// A function or kernel.
    Function,
    /// A label.
    Label,
}

/// A name that is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declaration<'s> {
    /// The name; of a parameterised one what stands before `<`.
    pub name: Word<'s>,
    /// How many registers `name<count>` declares.
    pub count: Option<u64>,
    /// What it stands for.
    pub entity: Entity<'s>,
}

impl<'s> Declaration<'s> {
    /// The declaration of one name.
    pub const fn new(name: Word<'s>, entity: Entity<'s>) -> Self {
        Self { name, count: None, entity }
    }

    /// The declaration of the family `name<count>`.
    #[must_use]
    pub const fn family(self, count: u64) -> Self {
        Self { count: Some(count), ..self }
    }
}
