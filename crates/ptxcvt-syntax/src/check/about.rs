//! What there is to say about a form where it is written: its operands, and where it is legal.
//!
//! All of it is read off the table; a hover in an editor shows it, and `ptxcvt where` a part.

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
/// # Ok::<(), ptxcvt::forms::SpellingError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// The form.
    pub form: Form,
    /// How it is written with its operands' names.
    pub statement: String,
    /// Each operand's name, and its role and the registers that it takes in words.
    pub operands: Vec<(&'static str, String)>,
    /// The targets that take it, by the ISA version from which on they do.
    pub since: BTreeMap<IsaVersion, Vec<Target>>,
}

impl About {
    /// Reads off the table.
    pub fn new(form: Form) -> Self {
        let slots = slots(form);
        let statement = format!("{form} {};", pattern(&slots));
        let one = |wanted: &Wanted| (wanted.role.name(), format!("{}: {}", role(wanted), kinds(wanted)));
        let operands = slots.iter().flat_map(|slot| match slot {
            Slot::One(wanted) => vec![one(wanted)],
            Slot::Vector(elements) => elements.iter().map(one).collect(),
        });
        About { form, operands: operands.collect(), statement, since: by_version(&form) }
    }
}

/// The targets that take a form, by the ISA version from which on they do.
pub fn by_version(form: &Form) -> BTreeMap<IsaVersion, Vec<Target>> {
    let mut groups: BTreeMap<IsaVersion, Vec<Target>> = BTreeMap::new();
    for target in Target::all() {
        if let Some(version) = form.since(target) {
            groups.entry(version).or_default().push(target);
        }
    }
    groups
}
