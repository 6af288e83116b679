//! The filter of a list of forms, as `ptxcvt forms`, Python's `forms` and the page have it.

use ptxcvt::targets::Machine;
use ptxcvt::{Form, Modifier, Opcode, Rounding, Type, UnknownName};

use crate::search::Words;

/// Which forms to list. The default admits all of them.
///
/// ```
/// use ptxcvt::{Form, Type};
/// use ptxcvt_report::forms::Filter;
/// let filter = Filter { dst: Some(Type::E2M1X4), ..Filter::default() };
/// assert_eq!(Form::all().filter(|form| filter.admits(form)).count(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The machine on which the form must be legal.
    pub machine: Machine,
    /// The destination type.
    pub dst: Option<Type>,
    /// The source type.
    pub src: Option<Type>,
    /// The rounding; `Some(None)` admits forms without one.
    pub rounding: Option<Option<Rounding>>,
    /// Modifiers that the form must have.
    pub with: Vec<Modifier>,
    /// Modifiers that the form must not have.
    pub without: Vec<Modifier>,
    /// The instruction.
    pub instruction: Option<Opcode>,
    /// Words that the opcode contains or lacks.
    pub words: Words,
}

impl Filter {
    /// Finds the rounding that a name means: a rounding modifier's, or `none` for forms without one.
    ///
    /// # Errors
    ///
    /// Fails if the name is neither `none` nor the name of a rounding modifier.
    pub fn read_rounding(name: &str) -> Result<Option<Rounding>, UnknownName> {
        let find = |name: &str| if name == "none" { Some(None) } else { Rounding::from_name(name).map(Some) };
        let known = Rounding::ALL.iter().map(|rounding| rounding.name()).chain(["none"]);
        ptxcvt::names::read("rounding", name, find, known)
    }

    /// True if a form is to be listed.
    pub fn admits(&self, form: &Form) -> bool {
        self.machine.takes(form)
            && self.dst.is_none_or(|ty| ty == form.destination())
            && self.src.is_none_or(|ty| ty == form.source())
            && self.rounding.is_none_or(|rounding| rounding == form.rounding())
            && self.instruction.is_none_or(|opcode| opcode == form.opcode())
            && self.with.iter().all(|modifier| form.has(*modifier))
            && !self.without.iter().any(|modifier| form.has(*modifier))
            && self.words.admits(form)
    }
}
