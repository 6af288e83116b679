//! Declarations: a name and the entity that it names.
//!
//! PTX ISA sections 5.1 (state spaces), 5.4 (variables), 7.1 (functions).

use ptxcvt::forms::RegisterType;

use crate::source::{Span, Word};

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
    /// The place of a register's type, such as `.b32`, which several names may share.
    pub ty: Option<Span>,
}

impl<'s> Declaration<'s> {
    /// The declaration of one name.
    pub const fn new(name: Word<'s>, entity: Entity<'s>) -> Self {
        Self { name, count: None, entity, ty: None }
    }

    /// True if `name` is the declared name, or one of the registers of a parameterised name.
    ///
    /// ```
    /// use ptxcvt_syntax::parse::Tree;
    /// let tree = Tree::of_snippet(".reg .b32 %r<4>, a1<3>;");
    /// let declared = |name: &str| tree.declarations().any(|declaration| declaration.declares(name));
    /// assert!(declared("%r3") && declared("%r03"));
    /// assert!(!declared("%r4") && !declared("a11"));
    /// ```
    pub fn declares(&self, name: &str) -> bool {
        match self.count {
            None => self.name.text == name,
            Some(count) => {
                Member::of(name).is_some_and(|member| member.stem == self.name.text && member.number < count)
            }
        }
    }
}

/// The parts of a name that may belong to a parameterised one: `%r12` is number 12 of `%r<…>`.
///
/// PTX ISA section 5.4.6 (parameterised variable names). Like ptxas, a look-up removes all digits at the end of a name:
/// `%r01` is `%r1`, and the registers of `a1<3>` cannot be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member<'s> {
    /// The name without the digits at its end.
    pub stem: &'s str,
    /// The number.
    pub number: u64,
    /// The number is written with zeros before it.
    pub leading_zeros: bool,
}

impl<'s> Member<'s> {
    /// Splits a name into a stem and a number. `None` if the name does not end in digits, or consists only of digits.
    pub fn of(name: &'s str) -> Option<Self> {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[stem.len()..];
        let number = digits.parse().ok().filter(|_| !stem.is_empty())?;
        Some(Member { stem, number, leading_zeros: digits.len() > 1 && digits.starts_with('0') })
    }
}

impl std::fmt::Display for Member<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.stem, self.number)
    }
}
