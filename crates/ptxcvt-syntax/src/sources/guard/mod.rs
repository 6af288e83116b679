//! Guards: in which configurations a piece of C++ is compiled, by the `#if` directives around it.
//!
//! A configuration is a target and a CUDA toolkit. Conditions are evaluated in every configuration at once; flags
//! that the file does not define are free variables, and so is every operation with one that is no comparison with a
//! number: what cannot be decided counts as free both ways.

mod configurations;
mod expression;
mod operator;
mod predefined;
mod preprocessor;
mod reach;
mod subset;
mod token;
mod value;

use ptxcvt::Target;

pub(crate) use configurations::Set;
pub(crate) use preprocessor::{Preprocessor, split};
pub(crate) use reach::Reach;

/// The configurations that compile an assembly.
#[derive(Clone, Debug)]
pub(crate) struct Guards {
    /// A set for each outcome of the unknown flags; never empty.
    outcomes: Vec<Set>,
}

impl Guards {
    /// Those of a place that this reaches.
    pub fn of(reach: &Reach) -> Guards {
        Guards { outcomes: reach.leaves() }
    }

    /// No guard.
    pub fn none() -> Guards {
        Guards { outcomes: vec![Set::all()] }
    }

    /// One target, as a module names it.
    pub fn target(target: Target) -> Guards {
        Guards { outcomes: vec![Set::targets(|other| other == Some(target))] }
    }

    /// The configurations that compile it whatever the unknown flags are.
    pub fn certain(&self) -> Set {
        self.outcomes.iter().fold(Set::all(), |all, set| all.and(set))
    }

    /// Sets of configurations that compile it for some values of the unknown flags.
    pub fn possible(&self) -> impl Iterator<Item = &Set> {
        self.outcomes.iter().filter(|set| !set.is_empty())
    }

    /// True if no configuration of a device compiler compiles it: it is for the host, or its guards contradict each
    /// other.
    pub fn is_dead(&self) -> bool {
        self.possible().next().is_none()
    }
}
