//! Statistics of a module: the forms in it, and the lowest target that accepts all of them.

use std::collections::BTreeMap;

use ptxcvt::targets::Suffix;
use ptxcvt::{Form, IsaVersion, Target};

use super::uses::{PLACES, Uses};

/// How often each form occurs in a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Instructions, including conversions.
    pub instructions: u64,
    /// Conversions, legal or not: the uses of all forms, and [`Self::not_legal`]. In sources, a statement that has
    /// several values counts once for each.
    pub conversions: u64,
    /// The uses of each form that exists, on whichever target.
    pub forms: BTreeMap<Form, Uses>,
    /// Conversions without a form, such as misspelt ones.
    pub not_legal: u64,
    /// The text is a source in another language than PTX, whose compiler may write more conversions.
    pub source: bool,
    /// In sources: the number of inline assemblies.
    pub assemblies: u64,
    /// In sources: the number of strings that mention a conversion, without documentation.
    pub strings: u64,
    /// In sources: the number of those strings in which every conversion was judged.
    pub judged_strings: u64,
    /// In sources: the number of texts that could not be checked, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
}

/// A target and the ISA version in which it accepts a module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lowest {
    /// The target.
    pub target: Target,
    /// The version.
    pub isa: IsaVersion,
    /// The places of conversions that the target does not accept.
    pub but: Vec<u32>,
}

impl Lowest {
    /// The lowest target that accepts every one of these forms, and the first ISA version in which it does.
    ///
    /// Targets are ordered by number. Those of one number are ordered by how many machines run their code: plain,
    /// then `f`, then `a`.
    pub fn of(forms: impl Iterator<Item = Form> + Clone) -> Option<Lowest> {
        ascending().find_map(|target| {
            let mut since = forms.clone().map(|form| form.since(target));
            let isa = since.try_fold(target.introduced(), |isa, since| Some(isa.max(since?)))?;
            Some(Lowest { target, isa, but: Vec::new() })
        })
    }
}

impl Stats {
    /// Adds the statistics of a part of a text; `place` maps its places to the whole text.
    pub(crate) fn add(&mut self, part: &Stats, place: impl Fn(u32) -> u32) {
        self.instructions += part.instructions;
        self.conversions += part.not_legal;
        self.not_legal += part.not_legal;
        for (form, uses) in &part.forms {
            self.convert(Some(*form), uses.moved(&place));
        }
    }

    /// Adds conversions with or without a form. Every count of conversions is made here, so that they agree.
    pub(crate) fn convert(&mut self, form: Option<Form>, uses: Uses) {
        self.conversions += uses.count();
        match form {
            Some(form) => {
                self.forms.entry(form).and_modify(|known| known.join(uses)).or_insert(uses);
            }
            None => self.not_legal += uses.count(),
        }
    }

    /// The lowest target that accepts every form, and the first ISA version in which it does.
    pub fn lowest(&self) -> Option<Lowest> {
        Lowest::of(self.forms.keys().copied())
    }

    /// A target lower than [`Self::lowest`] that accepts all but a few conversions.
    pub fn nearly(&self) -> Option<Lowest> {
        let lowest = self.lowest().map(|l| l.target);
        ascending()
            .take_while(|target| lowest != Some(*target))
            .filter_map(|target| self.at(target))
            .filter(|l| self.forms.len() > l.but.len())
            .min_by_key(|l| l.but.len())
    }

    /// The conversions that `target` accepts; `None` if it lacks more than a few.
    fn at(&self, target: Target) -> Option<Lowest> {
        let mut found = Lowest { target, isa: target.introduced(), but: Vec::new() };
        for (form, uses) in &self.forms {
            match form.since(target) {
                Some(since) => found.isa = found.isa.max(since),
                None if uses.count() as usize + found.but.len() > PLACES => return None,
                None => found.but.extend(uses.places()),
            }
        }
        found.but.sort_unstable();
        Some(found)
    }
}

/// Every target, the lowest first.
fn ascending() -> impl Iterator<Item = Target> {
    let mut targets: Vec<Target> = Target::all().collect();
    ptxcvt::order_by(&mut targets, |target| {
        let rank = match target.suffix() {
            Suffix::Plain => 0,
            Suffix::Family => 1,
            _ => 2,
        };
        u64::from(target.sm()) << 2 | rank
    });
    targets.into_iter()
}
