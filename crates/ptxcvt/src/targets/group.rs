//! Groups of targets, as the manual's "Target ISA Notes" describe them.

use super::target::{Suffix, Target};
use super::version::IsaVersion;

/// The targets to which a rule of the manual applies.
///
/// ```
/// use ptxcvt::targets::Targets;
/// let blackwell = Targets::Specific(&[100, 103]);
/// assert!(blackwell.contains("sm_100a".parse()?) && blackwell.contains("sm_103f".parse()?));
/// assert!(!blackwell.contains("sm_100".parse()?) && !blackwell.contains("sm_120a".parse()?));
/// # Ok::<(), ptxcvt::targets::TargetError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Targets {
    /// Every target from this number on.
    From(u16),
    /// This number, with any letter or none.
    Only(u16),
    /// These numbers with `a` or with `f`.
    Specific(&'static [u16]),
    /// These numbers with `a`.
    Architecture(&'static [u16]),
}

impl Targets {
    /// True if `target` belongs to the group.
    pub fn contains(self, target: Target) -> bool {
        match self {
            Targets::From(sm) => target.sm() >= sm,
            Targets::Only(sm) => target.sm() == sm,
            Targets::Specific(sms) => target.suffix() != Suffix::Plain && sms.contains(&target.sm()),
            Targets::Architecture(sms) => {
                target.suffix() == Suffix::Architecture && sms.contains(&target.sm())
            }
        }
    }

    /// True if every number that the group names is a target's, so that a misspelt one in a table does not compile.
    /// [`From`](Self::From) may begin between two targets.
    ///
    /// ```
    /// use ptxcvt::targets::Targets;
    /// assert!(Targets::Specific(&[100, 103]).exist() && !Targets::Specific(&[100, 104]).exist());
    /// ```
    pub const fn exist(self) -> bool {
        let numbers = match self {
            Targets::From(_) => return true,
            Targets::Only(sm) => return Target::has_number(sm),
            Targets::Specific(sms) | Targets::Architecture(sms) => sms,
        };
        let mut at = 0;
        while at < numbers.len() {
            if !Target::has_number(numbers[at]) {
                return false;
            }
            at += 1;
        }
        !numbers.is_empty()
    }

    /// The first ISA version in which `target` has a feature that the group has from version `isa` on. It is
    /// never older than the target. `None` if the target lacks the feature in every version.
    ///
    /// ```
    /// use ptxcvt::{IsaVersion, targets::Targets};
    /// let since = Targets::Specific(&[100]).since(IsaVersion::new(8, 6), "sm_100f".parse()?);
    /// assert_eq!(since, Some(IsaVersion::new(8, 8))); // ISA 8.8 introduced targets with `f`
    /// # Ok::<(), ptxcvt::targets::TargetError>(())
    /// ```
    pub fn since(self, isa: IsaVersion, target: Target) -> Option<IsaVersion> {
        let first = target.introduced().max(isa);
        (self.contains(target) && target.exists_in(first)).then_some(first)
    }
}
