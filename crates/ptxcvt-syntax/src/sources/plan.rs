//! The machines for which an assembly is judged: those that its guards admit, restricted by the options.

use ptxcvt::targets::{Machine, Suffix};
use ptxcvt::{IsaVersion, Target};

use super::assembly::Assembly;
use super::guard::Set;
use crate::check::{CheckOptions, Findings};

/// The machines for which an assembly is judged.
pub(super) struct Plan {
    /// Machines that compile it for all values of the unknown flags.
    pub certain: Vec<Machine>,
    /// Machines that compile it only for some values of the unknown flags.
    pub possible: Vec<Machine>,
}

impl Assembly {
    /// The first machine for which it is judged.
    pub fn machine(&self, options: &CheckOptions) -> Machine {
        let plan = Plan::new(self, options, &Findings::default());
        plan.certain.into_iter().chain(plan.possible).next().unwrap_or_default()
    }
}

impl Plan {
    /// `base` has the findings that do not depend on a machine.
    pub fn new(assembly: &Assembly, options: &CheckOptions, base: &Findings) -> Plan {
        let guards = assembly.guards.for_target(options.machine.target());
        let judged = |sets: &mut dyn Iterator<Item = Set>| {
            let mut all: Vec<Machine> =
                sets.flat_map(|set| machines(&set, guards.isa(), options, base)).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let certain = judged(&mut guards.certain());
        let mut possible = judged(&mut guards.possible());
        possible.retain(|machine| !machine.is_any() && !certain.contains(machine));
        Plan { certain, possible }
    }
}

/// The machines of a set of configurations for which an assembly is judged. If the set does not restrict targets, the
/// target is that of the options. If it does not restrict toolkits, the version is that of the options or the module's
/// (`own`).
fn machines(set: &Set, own: Option<IsaVersion>, options: &CheckOptions, base: &Findings) -> Vec<Machine> {
    let version = |lowest: Option<IsaVersion>| {
        let least = own.or(lowest.filter(|_| set.restricts_toolkits()));
        least.max(options.machine.isa())
    };
    if !set.restricts_targets() {
        // The oldest toolkit of the set that supports a target for which this assembly may be intended.
        let takes = |target: Target| match options.machine.target() {
            Some(wanted) => wanted == target,
            None => base.stats.forms.keys().all(|form| form.since(target).is_some()),
        };
        let meant = set.known().filter(|(target, _)| takes(*target));
        return vec![Machine::lenient(options.machine.target(), version(meant.map(|(_, isa)| isa).min()))];
    }
    let admitted: Vec<(Target, IsaVersion)> = set.known().collect();
    // A guard for CUDA 13 around code for sm_101 cannot hold, for example: the target then counts at any version.
    let judged = admitted.iter().filter(|(target, _)| wanted(*target, &admitted, options));
    judged.map(|(target, isa)| Machine::lenient(Some(*target), version(Some(*isa)))).collect()
}

/// True for a target that a project builds, of those that guards admit.
fn wanted(target: Target, admitted: &[(Target, IsaVersion)], options: &CheckOptions) -> bool {
    match (options.machine.target(), options.built) {
        (Some(only), _) if admitted.iter().any(|(target, _)| *target == only) => target == only,
        // The code is for other targets: newer ones; for `sm_100a`, others with an `a`.
        (Some(other), _) if other.suffix() == Suffix::Plain => target.sm() > other.sm(),
        (Some(other), _) => target.suffix() == other.suffix(),
        (None, Some(built)) => built.contains(target),
        (None, None) => true,
    }
}
