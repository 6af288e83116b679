//! Guards: in which configurations a piece of C++ is compiled, by the `#if` directives around it.
//!
//! A configuration is a target and a CUDA toolkit. Conditions are evaluated in every configuration at once; flags
//! that the file does not define are free variables, and so is every operation with one that is no comparison with a
//! number: what cannot be decided counts as free both ways.

mod cast;
mod code;
mod configurations;
mod constant;
mod expand;
mod expression;
mod operands;
mod outcome;
mod piece;
mod predefined;
mod preprocessor;
mod reach;
mod scopes;
mod selection;
mod subset;
mod token;
mod value;

use ptxcvt::{IsaVersion, Target};

pub(crate) use code::Expanded;
pub(crate) use configurations::Set;
pub(crate) use outcome::{Outcome, Test};
pub(crate) use piece::Used;
pub(crate) use preprocessor::{Preprocessor, split};
pub(crate) use reach::Reach;
pub(crate) use scopes::{Declared, Definition};

/// The configurations that compile an assembly.
#[derive(Clone, Debug)]
pub(crate) struct Guards {
    /// A set for each outcome of the unknown flags; never empty.
    outcomes: Vec<Set>,
    /// The configurations that compile nothing of the file, because of an `#error`.
    refused: Set,
}

impl Guards {
    /// The guards of a place that `reach` reaches.
    pub fn of(reach: &Reach) -> Guards {
        Guards { outcomes: reach.leaves(), refused: Set::none() }
    }

    /// The configurations that compile it and that this reaches. Which values of the flags lead to both is not followed.
    pub fn restricted(&self, reach: &Reach) -> Guards {
        /// More sets than this are replaced by what all of them and what any of them has.
        const MAX_OUTCOMES: usize = 256;
        let leaves = reach.leaves();
        let refused = self.refused.clone();
        if self.outcomes.len() * leaves.len() > MAX_OUTCOMES {
            let common = |sets: &[Set]| sets.iter().fold(Set::all(), |all, set| all.and(set));
            let any = |sets: &[Set]| sets.iter().fold(Set::none(), |all, set| all.or(set));
            let both = [common(&self.outcomes).and(&common(&leaves)), any(&self.outcomes).and(&any(&leaves))];
            return Guards { outcomes: both.into(), refused };
        }
        let mut outcomes: Vec<Set> = Vec::new();
        for set in self.outcomes.iter().flat_map(|a| leaves.iter().map(|b| a.and(b))) {
            if !outcomes.contains(&set) {
                outcomes.push(set);
            }
        }
        Guards { outcomes, refused }
    }

    /// Says that the file compiles nothing in these configurations.
    pub fn refuse(&mut self, refused: &Set) {
        self.refused = refused.clone();
    }

    /// The configurations of a set in which the file compiles. A set that does not restrict targets, or toolkits, stays so:
    /// an `#error` is not meant as the guard of everything else.
    fn compiled(&self, set: &Set) -> Set {
        match (set.restricts_targets(), set.restricts_toolkits()) {
            (_, true) => set.without(&self.refused),
            (true, false) => set.without(&self.refused.whole_targets()),
            (false, false) => set.clone(),
        }
    }

    /// No guard.
    pub fn none() -> Guards {
        Guards { outcomes: vec![Set::all()], refused: Set::none() }
    }

    /// No device compiler compiles it.
    pub fn dead() -> Guards {
        Guards { outcomes: vec![Set::none()], refused: Set::none() }
    }

    /// A target and an ISA version, as a module names them.
    pub fn module(target: Option<Target>, isa: Option<IsaVersion>) -> Guards {
        let targets = target.map_or_else(Set::all, |target| Set::targets(|other| other == Some(target)));
        let has = |toolkit: Option<_>| toolkit.and_then(IsaVersion::of_cuda_toolkit) == isa;
        // No toolkit may have the version.
        let toolkits = Some(Set::toolkits(has)).filter(|set| isa.is_some() && !set.is_empty());
        let set = toolkits.map_or(targets.clone(), |toolkits| targets.and(&toolkits));
        Guards { outcomes: vec![set], ..Guards::none() }
    }

    /// The configurations that compile it whatever the unknown flags are.
    pub fn certain(&self) -> Set {
        self.compiled(&self.outcomes.iter().fold(Set::all(), |all, set| all.and(set)))
    }

    /// Sets of configurations that compile it for some values of the unknown flags.
    pub fn possible(&self) -> impl Iterator<Item = Set> {
        self.outcomes.iter().map(|set| self.compiled(set)).filter(|set| !set.is_empty())
    }

    /// True if no configuration of a device compiler compiles it: it is for the host, or its guards contradict each
    /// other.
    pub fn is_dead(&self) -> bool {
        self.possible().next().is_none()
    }
}
