//! Gates: on which targets something is legal, and from which ISA version on.
//!
//! The "Target ISA Notes" of PTX ISA section 9.7.9.21, and what ptxas accepts
//! (`conformance/records/legality.tsv`).

use crate::targets::IsaVersion;
use crate::targets::{Suffix, Target};

/// A set of targets, as the manual's notes draw it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Targets {
    /// Every target from this number on.
    From(u16),
    /// This number, whatever its letter.
    Only(u16),
    /// These numbers with `a` or with `f`.
    Specific(&'static [u16]),
    /// These numbers with `a`.
    Architecture(&'static [u16]),
}

impl Targets {
    fn contains(self, target: Target) -> bool {
        match self {
            Targets::From(sm) => target.sm() >= sm,
            Targets::Only(sm) => target.sm() == sm,
            Targets::Specific(sms) => target.suffix() != Suffix::Plain && sms.contains(&target.sm()),
            Targets::Architecture(sms) => {
                target.suffix() == Suffix::Architecture && sms.contains(&target.sm())
            }
        }
    }
}

/// Where something is legal: the first of these whose targets contain the one in question decides from
/// which ISA version; none means nowhere.
pub(super) type Gate = &'static [(Targets, IsaVersion)];

/// The first ISA version at which `gate` admits `target`, never before the target itself existed.
pub(super) fn first_version(gate: Gate, target: Target) -> Option<IsaVersion> {
    let (_, since) = gate.iter().find(|(targets, _)| targets.contains(target))?;
    let first = target.introduced().max(*since);
    target.exists_in(first).then_some(first)
}
