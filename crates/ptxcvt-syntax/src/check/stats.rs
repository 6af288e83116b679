//! The map of a module: which forms it holds, and where all of them are legal.

use std::collections::BTreeMap;

use ptxcvt::{Form, IsaVersion, Target};

/// How many of each form a module holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Instructions, conversions included.
    pub instructions: u64,
    /// Conversions, right and wrong.
    pub conversions: u64,
    /// Each legal form: how often, and the bytes of its first places.
    pub forms: BTreeMap<Form, (u64, Vec<u32>)>,
    /// In sources: the inline assemblies that were read.
    pub assemblies: u64,
    /// In sources: what could not be judged, by reason.
    pub skipped: BTreeMap<&'static str, usize>,
}

/// How many places of a form are kept: enough to say what holds a module back.
pub(crate) const PLACES: usize = 3;

/// A target and the ISA version at which it takes a module.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lowest {
    /// The target.
    pub target: Target,
    /// The version.
    pub isa: IsaVersion,
    /// The places of the conversions that it does not take.
    pub but: Vec<u32>,
}

impl Stats {
    /// Adds those of a part of a text, whose places are elsewhere in the whole.
    pub(crate) fn add(&mut self, part: &Stats, place: impl Fn(u32) -> u32) {
        self.instructions += part.instructions;
        self.conversions += part.conversions;
        for (form, (count, places)) in &part.forms {
            let (sum, all) = self.forms.entry(*form).or_default();
            *sum += count;
            all.extend(places.iter().map(|at| place(*at)));
            all.truncate(PLACES);
        }
    }

    /// The lowest target, by number, that takes every form, and from which version on.
    pub fn lowest(&self) -> Option<Lowest> {
        Target::all().find_map(|target| self.at(target).filter(|l| l.but.is_empty()))
    }

    /// A target lower than [`Self::lowest`] that takes all but a few conversions.
    pub fn nearly(&self) -> Option<Lowest> {
        let lowest = self.lowest().map(|l| l.target);
        Target::all()
            .take_while(|target| lowest != Some(*target))
            .filter_map(|target| self.at(target))
            .filter(|l| self.forms.len() > l.but.len())
            .min_by_key(|l| l.but.len())
    }

    /// What `target` takes; `None` where it lacks more than a few.
    fn at(&self, target: Target) -> Option<Lowest> {
        let mut found = Lowest { target, isa: target.introduced(), but: Vec::new() };
        for (form, (count, places)) in &self.forms {
            match form.since(target) {
                Some(since) => found.isa = found.isa.max(since),
                None if *count as usize + found.but.len() > PLACES => return None,
                None => found.but.extend(places),
            }
        }
        found.but.sort_unstable();
        Some(found)
    }
}
