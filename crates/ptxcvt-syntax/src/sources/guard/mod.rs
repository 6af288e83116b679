//! Guards: the configurations in which a piece of C++ is compiled, from the `#if` directives around it.
//!
//! A configuration is a target and a CUDA toolkit. Conditions are evaluated in every configuration at once. Undefined
//! flags are free variables, and so are operations on them except comparisons with numbers.

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
mod regions;
mod scopes;
mod selection;
mod subset;
mod token;
mod value;

use ptxcvt::{IsaVersion, Target};

pub(crate) use code::Expanded;
pub(crate) use configurations::Set;
pub(crate) use directive::{split, split_body};
pub(crate) use operands::is_capital;
pub(crate) use outcome::{Outcome, Test};
pub(crate) use piece::Used;
pub(crate) use preprocessor::Preprocessor;
pub(crate) use reach::Reach;
pub(crate) use regions::{Given, Regions};
pub(crate) use scopes::{Declared, Definition, Homonyms, Outer};

/// The configurations that compile an assembly.
#[derive(Clone, Debug)]
pub(crate) struct Guards {
    /// For each place that compiles the assembly, a set for each outcome of the unknown flags; neither list is ever
    /// empty. If a macro contains the assembly, its uses are the places.
    places: Vec<Vec<Set>>,
    /// The configurations in which the file does not compile, because of an `#error`.
    refused: Refused,
    /// The ISA version that a module names.
    isa: Option<IsaVersion>,
    /// True if the only guard is the target that a module names.
    is_module: bool,
}

/// The different places. The outcomes of those above a limit are replaced by their intersection and their union.
fn distinct(all: impl Iterator<Item = Vec<Set>>) -> Vec<Vec<Set>> {
    const MAX_PLACES: usize = 64;
    let mut places: Vec<Vec<Set>> = Vec::new();
    for place in all {
        let place = if places.len() < MAX_PLACES { place } else { vec![common(&place), any(&place)] };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// The configurations in which an `#error` stops the compiler.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    /// For all values of the unknown flags.
    certain: Set,
    /// For some values of the flags that let other targets pass. A file that needs a flag for every target
    /// (`#ifndef FLAG`, `#error`) has it, and refuses none.
    possible: Set,
}

impl Refused {
    fn none() -> Refused {
        Refused { certain: Set::none(), possible: Set::none() }
    }

    /// What refuses the configurations of `reach`.
    pub fn of(reach: &Reach) -> Refused {
        let outcomes = reach.leaves();
        let some: Vec<Set> = outcomes.iter().filter(|set| !set.is_all()).cloned().collect();
        Refused { certain: common(&outcomes), possible: any(&some) }
    }
}

impl Guards {
    /// The guards of one place with these sets, one for each outcome of the unknown flags.
    fn among(outcomes: Vec<Set>) -> Guards {
        Guards { places: vec![outcomes], refused: Refused::none(), isa: None, is_module: false }
    }

    /// The guards of a place that is compiled in `reach`.
    pub fn of(reach: &Reach) -> Guards {
        Guards::among(reach.configurations())
    }

    /// The configurations that compile the assembly and are in `reach`. Values of flags that both depend on are not
    /// correlated.
    pub fn restricted(&self, reach: &Reach) -> Guards {
        self.used(std::slice::from_ref(reach))
    }

    /// Like [`Guards::restricted`], for several places.
    pub fn used(&self, uses: &[Reach]) -> Guards {
        let leaves = uses.iter().map(Reach::configurations);
        let places =
            leaves.flat_map(|leaves| self.places.iter().map(move |outcomes| both(outcomes, &leaves)));
        Guards { places: distinct(places), ..self.clone() }
    }

    /// The guards of code that is compiled at the places of all of these.
    pub fn at_all(all: &[Guards]) -> Guards {
        let places = distinct(all.iter().flat_map(|guards| guards.places.iter().cloned()));
        Guards { places, ..Guards::none() }
    }

    /// Sets the configurations in which the file does not compile.
    pub fn refuse(&mut self, refused: &Refused) {
        self.refused = refused.clone();
    }

    /// No guards: every configuration compiles the assembly.
    pub fn none() -> Guards {
        Guards::among(vec![Set::all()])
    }

    /// Guards of code that no device compiler compiles.
    pub fn dead() -> Guards {
        Guards::among(vec![Set::none()])
    }

    /// The target and the ISA version that a module names. Compilers other than CUDA's may combine any.
    pub fn module(target: Option<Target>, isa: Option<IsaVersion>) -> Guards {
        let targets = target.map_or_else(Set::all, |target| Set::targets(|other| other == Some(target)));
        Guards { isa, is_module: true, ..Guards::among(vec![targets]) }
    }

    /// The guards for a target that is given: it replaces the one that a module names.
    pub fn for_target(&self, given: Option<Target>) -> Guards {
        match given.filter(|_| self.is_module && !self.is_dead()) {
            Some(_) => Guards::module(None, self.isa),
            None => self.clone(),
        }
    }

    /// The ISA version that a module names.
    pub fn isa(&self) -> Option<IsaVersion> {
        self.isa
    }

    /// For each place, the configurations that compile the assembly for all values of the unknown flags.
    pub fn certain(&self) -> impl Iterator<Item = Set> {
        let certain = self
            .places
            .iter()
            .map(|outcomes| common(outcomes).without(&self.refused.certain).without(&self.refused.possible));
        certain.filter(|set| !set.is_empty())
    }

    /// Sets of configurations that compile the assembly for some values of the unknown flags.
    pub fn possible(&self) -> impl Iterator<Item = Set> {
        self.places
            .iter()
            .flatten()
            .map(|set| set.without(&self.refused.certain))
            .filter(|set| !set.is_empty())
    }

    /// True if no configuration of a device compiler compiles the assembly: it is for the host, or its guards
    /// contradict each other.
    pub fn is_dead(&self) -> bool {
        self.possible().next().is_none()
    }
}

/// The intersection of all sets.
fn common(sets: &[Set]) -> Set {
    sets.iter().fold(Set::all(), |all, set| all.and(set))
}

/// The union of all sets.
fn any(sets: &[Set]) -> Set {
    sets.iter().fold(Set::none(), |all, set| all.or(set))
}

/// A set for each pair of outcomes. If there are too many, returns their intersection and their union.
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
