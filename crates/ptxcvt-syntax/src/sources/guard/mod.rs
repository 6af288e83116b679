//! Guards: in which configurations a piece of C++ is compiled, by the `#if` directives around it.
//!
//! A configuration is a target and a CUDA toolkit. Conditions are evaluated in every configuration at once. Undefined
//! flags are free variables. Operations on them are free too, except comparisons with numbers.

mod cast;
mod code;
mod configurations;
mod constant;
mod directive;
mod expand;
mod expression;
mod flags;
mod include;
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
pub(crate) use directive::split;
pub(crate) use outcome::{Outcome, Test};
pub(crate) use piece::Used;
pub(crate) use preprocessor::Preprocessor;
pub(crate) use reach::Reach;
pub(crate) use scopes::{Declared, Definition};

/// The configurations that compile an assembly.
#[derive(Clone, Debug)]
pub(crate) struct Guards {
    /// For each place that compiles it, a set for each outcome of the unknown flags; neither is ever empty. Uses of the macro
    /// that holds it are places.
    places: Vec<Vec<Set>>,
    /// The configurations that compile nothing of the file, because of an `#error`.
    refused: Set,
    /// The ISA version that a module names.
    isa: Option<IsaVersion>,
}

impl Guards {
    /// One of these sets compiles it, for each outcome of the unknown flags.
    fn among(outcomes: Vec<Set>) -> Guards {
        Guards { places: vec![outcomes], refused: Set::none(), isa: None }
    }

    /// The guards of a place that `reach` reaches.
    pub fn of(reach: &Reach) -> Guards {
        Guards::among(reach.configurations())
    }

    /// The configurations that compile it and that this reaches. Which values of the flags lead to both is not followed.
    pub fn restricted(&self, reach: &Reach) -> Guards {
        self.used(std::slice::from_ref(reach))
    }

    /// The configurations that compile it in each of these places, as [`Guards::restricted`] has them for one.
    pub fn used(&self, uses: &[Reach]) -> Guards {
        /// The outcomes of more places than this are replaced by what all of them and what any of them has.
        const MAX_PLACES: usize = 64;
        let mut places: Vec<Vec<Set>> = Vec::new();
        for leaves in uses.iter().map(Reach::configurations) {
            for place in self.places.iter().map(|outcomes| both(outcomes, &leaves)) {
                let place = if places.len() < MAX_PLACES { place } else { vec![common(&place), any(&place)] };
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        Guards { places, ..self.clone() }
    }

    /// Says that the file compiles nothing in these configurations.
    pub fn refuse(&mut self, refused: &Set) {
        self.refused = refused.clone();
    }

    /// No guard.
    pub fn none() -> Guards {
        Guards::among(vec![Set::all()])
    }

    /// No device compiler compiles it.
    pub fn dead() -> Guards {
        Guards::among(vec![Set::none()])
    }

    /// A target and an ISA version, as a module names them. Compilers other than CUDA's may combine any.
    pub fn module(target: Option<Target>, isa: Option<IsaVersion>) -> Guards {
        let targets = target.map_or_else(Set::all, |target| Set::targets(|other| other == Some(target)));
        Guards { isa, ..Guards::among(vec![targets]) }
    }

    /// The ISA version that a module names.
    pub fn isa(&self) -> Option<IsaVersion> {
        self.isa
    }

    /// For each place, the configurations that compile it whatever the unknown flags are.
    pub fn certain(&self) -> impl Iterator<Item = Set> {
        let certain = self.places.iter().map(|outcomes| common(outcomes).without(&self.refused));
        certain.filter(|set| !set.is_empty())
    }

    /// Sets of configurations that compile it for some values of the unknown flags.
    pub fn possible(&self) -> impl Iterator<Item = Set> {
        self.places.iter().flatten().map(|set| set.without(&self.refused)).filter(|set| !set.is_empty())
    }

    /// True if no configuration of a device compiler compiles it: it is for the host, or its guards contradict each
    /// other.
    pub fn is_dead(&self) -> bool {
        self.possible().next().is_none()
    }
}

/// What all sets have.
fn common(sets: &[Set]) -> Set {
    sets.iter().fold(Set::all(), |all, set| all.and(set))
}

/// What any of the sets has.
fn any(sets: &[Set]) -> Set {
    sets.iter().fold(Set::none(), |all, set| all.or(set))
}

/// A set for each pair of outcomes. More than a limit are replaced by what all of them and what any of them has.
fn both(a: &[Set], b: &[Set]) -> Vec<Set> {
    const MAX_OUTCOMES: usize = 256;
    if a.len() * b.len() > MAX_OUTCOMES {
        return vec![common(a).and(&common(b)), any(a).and(&any(b))];
    }
    let mut sets: Vec<Set> = Vec::new();
    for set in a.iter().flat_map(|a| b.iter().map(|b| a.and(b))) {
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    sets
}
