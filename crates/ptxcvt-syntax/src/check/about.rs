//! A form in words: its operands, and where it is legal.
//!
//! Everything comes from the table of forms. A hover in an editor shows all of it, `ptxcvt where` a part.

use std::collections::BTreeMap;

use ptxcvt::forms::Operand as Wanted;
use ptxcvt::{Form, IsaVersion, Target};

use super::slot::{Slot, slots};
use super::wording::{kinds, pattern, role};

/// A form with its operands in words.
///
/// ```
/// use ptxcvt_syntax::About;
/// let about = About::new("cvt.rn.satfinite.e4m3x2.f32".parse()?);
/// assert_eq!(about.statement, "cvt.rn.satfinite.e4m3x2.f32 d, a, b;");
/// assert_eq!(about.operands[0], ("d", "the destination (`.e4m3x2`): `.b16`".to_string()));
/// assert_eq!(about.since.keys().next().unwrap().to_string(), "7.8");
/// # Ok::<(), ptxcvt::forms::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// The form.
    pub form: Form,
    /// The form with the names of its operands.
    pub statement: String,
    /// Each operand: its name, and in words its role and the registers that it accepts.
    pub operands: Vec<(&'static str, String)>,
    /// The targets that accept the form, by the first ISA version in which they do.
    pub since: BTreeMap<IsaVersion, Vec<Target>>,
}

impl About {
    /// The description of a form.
    pub fn new(form: Form) -> Self {
        let slots = slots(form);
        let statement = format!("{form} {};", pattern(&slots));
        let one = |wanted: &Wanted| (wanted.role.name(), format!("{}: {}", role(wanted), kinds(wanted)));
        let operands = slots.iter().flat_map(|slot| match slot {
            Slot::One(wanted) => vec![one(wanted)],
            Slot::Vector(elements) => elements.iter().map(one).collect(),
        });
        About { form, operands: operands.collect(), statement, since: form.by_version() }
    }
}
