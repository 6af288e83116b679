//! Configurations of a device compiler (a target and a CUDA toolkit), and sets of configurations.
//!
//! CUDA C++ Programming Guide, "Compute capabilities"; PTX ISA section 13 (release notes).

use std::sync::LazyLock;

use ptxcvt::targets::Suffix;
use ptxcvt::{IsaVersion, Target};

/// A CUDA toolkit, `(12, 8)` for 12.8.
pub(super) type Toolkit = (u32, u32);

/// The two axes. Each ends with an entry for the future, newer than all known ones.
struct Axes {
    /// Old and known targets; `None` is a target of the future.
    targets: Vec<Option<Target>>,
    /// Known toolkits; `None` is a toolkit of the future.
    toolkits: Vec<Option<Toolkit>>,
    /// For each target from sm_50 on and each toolkit that builds for it, the toolkit's ISA version.
    versions: Vec<Vec<Option<IsaVersion>>>,
}

static AXES: LazyLock<Axes> = LazyLock::new(|| {
    let targets: Vec<_> = Target::legacy().chain(Target::all()).map(Some).chain([None]).collect();
    let toolkits: Vec<_> = IsaVersion::cuda_toolkits().map(Some).chain([None]).collect();
    assert!(toolkits.len() <= 64, "a row of a set has a bit for each toolkit");
    let version = |target: Option<Target>, toolkit: Option<Toolkit>| {
        let target = target.filter(|target| Target::all().any(|known| known == *target))?;
        IsaVersion::of_cuda_toolkit(toolkit?).filter(|isa| target.exists_in(*isa))
    };
    let row = |target: &Option<Target>| toolkits.iter().map(|toolkit| version(*target, *toolkit)).collect();
    let versions = targets.iter().map(row).collect();
    Axes { targets, toolkits, versions }
});

/// The value of `__CUDA_ARCH__` for a target of the future.
pub(super) const FUTURE_ARCH: i64 = 9_990;

/// The value of `__CUDACC_VER_MAJOR__` for a toolkit of the future.
pub(super) const FUTURE_MAJOR: i64 = 99;

/// A set of configurations: for each target a word with a bit for each toolkit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Set(Box<[u64]>);

impl Set {
    fn full_row() -> u64 {
        ptxcvt::mask(AXES.toolkits.len() as u32)
    }

    /// The configurations of the targets for which `holds` returns true; its argument is `None` for the future.
    pub fn targets(holds: impl Fn(Option<Target>) -> bool) -> Set {
        let row = |target: &Option<Target>| if holds(*target) { Self::full_row() } else { 0 };
        Set(AXES.targets.iter().map(row).collect())
    }

    /// The configurations of the toolkits for which `holds` returns true; its argument is `None` for the future.
    pub fn toolkits(holds: impl Fn(Option<Toolkit>) -> bool) -> Set {
        let bits = AXES.toolkits.iter().enumerate();
        let row = bits.fold(0, |row, (bit, toolkit)| row | u64::from(holds(*toolkit)) << bit);
        Set(vec![row; AXES.targets.len()].into())
    }

    /// No configuration.
    pub fn none() -> Set {
        Set(vec![0; AXES.targets.len()].into())
    }

    /// Every configuration.
    pub fn all() -> Set {
        Set(vec![Self::full_row(); AXES.targets.len()].into())
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|row| *row == 0)
    }

    pub fn is_all(&self) -> bool {
        let full = Self::full_row();
        self.0.iter().all(|row| *row == full)
    }

    fn with(&self, other: &Set, each: impl Fn(u64, u64) -> u64) -> Set {
        Set(self.0.iter().zip(&other.0).map(|(a, b)| each(*a, *b)).collect())
    }

    /// The configurations of both sets.
    pub fn and(&self, other: &Set) -> Set {
        self.with(other, |a, b| a & b)
    }

    /// The configurations of either set.
    pub fn or(&self, other: &Set) -> Set {
        self.with(other, |a, b| a | b)
    }

    /// The configurations of `self` that are not in `other`.
    pub fn without(&self, other: &Set) -> Set {
        self.with(other, |a, b| a & !b)
    }

    /// True if the set does not admit all targets equally.
    pub fn restricts_targets(&self) -> bool {
        self.0.windows(2).any(|rows| rows[0] != rows[1])
    }

    /// True if the set admits only some toolkits for some target.
    pub fn restricts_toolkits(&self) -> bool {
        self.0.iter().any(|row| *row != 0 && *row != Self::full_row())
    }

    /// The known targets of the set, from sm_50 on, that a toolkit of the set supports, each with the lowest ISA
    /// version of such a toolkit.
    pub fn known(&self) -> impl Iterator<Item = (Target, IsaVersion)> {
        AXES.targets.iter().zip(&AXES.versions).zip(&self.0).filter_map(|((target, versions), row)| {
            let admitted = versions.iter().enumerate().filter(|(bit, _)| row >> bit & 1 == 1);
            Some(((*target)?, admitted.filter_map(|(_, version)| *version).min()?))
        })
    }
}

/// The value of `__CUDA_ARCH__`.
pub(super) fn arch(target: Option<Target>) -> i64 {
    target.map_or(FUTURE_ARCH, |target| i64::from(target.sm()) * 10)
}

/// For each value of `__CUDA_ARCH__`, the set of targets that have it.
pub(super) fn by_arch(has: impl Fn(Option<Target>) -> bool) -> Vec<(i64, Set)> {
    let mut values: Vec<i64> = AXES.targets.iter().copied().filter(|t| has(*t)).map(arch).collect();
    values.dedup();
    let set = |value: i64| Set::targets(|target| has(target) && arch(target) == value);
    values.into_iter().map(|value| (value, set(value))).collect()
}

/// For each number that `number` derives from releases, the set of toolkits that have it.
pub(super) fn by_toolkit(number: impl Fn(i64, i64) -> i64) -> Vec<(i64, Set)> {
    let of = |toolkit: Option<Toolkit>| match toolkit {
        Some((major, minor)) => number(major.into(), minor.into()),
        None => number(FUTURE_MAJOR, 0),
    };
    let mut values: Vec<i64> = AXES.toolkits.iter().copied().map(of).collect();
    values.sort_unstable();
    values.dedup();
    values.into_iter().map(|value| (value, Set::toolkits(|toolkit| of(toolkit) == value))).collect()
}

/// True for targets such as sm_100a.
pub(super) fn is_architecture(target: Option<Target>) -> bool {
    target.is_some_and(|target| target.suffix() == Suffix::Architecture)
}

/// True for targets such as sm_100f and sm_100a: an architecture has all features of its family.
pub(super) fn is_family(target: Option<Target>) -> bool {
    target.is_some_and(|target| target.suffix() != Suffix::Plain)
}
