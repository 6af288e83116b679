//! The targets and versions that a form needs, and their names in messages.
//!
//! The "Target ISA Notes" of PTX ISA section 9.7.9.21, derived from the table.

#[cfg(feature = "alloc")]
use alloc::{format, string::String, string::ToString as _, vec::Vec};

use super::form::Form;
#[cfg(feature = "alloc")]
use crate::targets::Suffix;
use crate::targets::{IsaVersion, Machine, Target};
#[cfg(feature = "alloc")]
use crate::text::listed;

impl Machine {
    /// True if the form is legal here. An unspecified target or version means any.
    pub fn takes(self, form: &Form) -> bool {
        match (self.target(), self.isa()) {
            (Some(target), isa) => form.since(target).is_some_and(|since| isa.is_none_or(|isa| since <= isa)),
            (None, Some(isa)) => Target::every().any(|target| form.is_legal(target, isa)),
            (None, None) => true,
        }
    }
}

impl Form {
    /// The first ISA version at which any target accepts the form, and the first such target; `None` if no assembler
    /// accepts it yet.
    ///
    /// ```
    /// let form: ptxcvt::Form = "cvt.rn.satfinite.e4m3x2.f32".parse()?;
    /// let (isa, target) = form.first().expect("a form of released assemblers");
    /// assert_eq!((isa.to_string(), target.to_string()), ("7.8".into(), "sm_90".into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn first(&self) -> Option<(IsaVersion, Target)> {
        Target::all().filter_map(|target| Some((self.since(target)?, target))).min()
    }

    /// The targets that accept the form: those of `near`'s architecture, or the first one if there are none.
    #[cfg(feature = "alloc")]
    pub(super) fn targets_near(&self, near: Target) -> Vec<Target> {
        let all = || Target::all().filter(|t| self.since(*t).is_some());
        let same: Vec<Target> = all().filter(|t| t.sm() == near.sm()).collect();
        if same.is_empty() { all().take(1).collect() } else { same }
    }

    /// The targets that accept the form, in words: "sm_89 or higher", "sm_100a or sm_103a".
    #[cfg(feature = "alloc")]
    pub(super) fn needed_targets(&self) -> String {
        let takes = |t: &Target| self.since(*t).is_some();
        let supported: Vec<Target> = Target::all().filter(takes).collect();
        let Some(first) = supported.first() else { return "another target".into() };
        if first.suffix() == Suffix::Plain
            && Target::all().filter(|t| t.sm() >= first.sm()).all(|t| takes(&t))
        {
            return format!("sm_{} or higher", first.sm());
        }
        // If every number is accepted with both letters, name the numbers only.
        let mut numbers: Vec<u16> = supported.iter().map(|t| t.sm()).collect();
        numbers.dedup();
        let with = |sm: u16, suffix: Suffix| supported.iter().any(|t| t.sm() == sm && t.suffix() == suffix);
        let both = |&sm: &u16| with(sm, Suffix::Architecture) && with(sm, Suffix::Family);
        if numbers.len() > 1 && numbers.iter().all(both) {
            let names: Vec<String> = numbers.iter().map(|sm| format!("sm_{sm}")).collect();
            return format!("{} with the suffix `a` or `f`", listed(&names, "or"));
        }
        listed(&supported.iter().map(Target::to_string).collect::<Vec<_>>(), "or")
    }
}
