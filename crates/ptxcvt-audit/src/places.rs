//! Sets of machines, and how they are described.

use std::collections::BTreeMap;
use std::fmt;

use ptxcvt::{IsaVersion, Target};

use crate::report::Machines;
use crate::subtarget::Machine;

/// Describes the machines of a set: targets with equal versions together.
pub fn describe(machines: &[Machine], chosen: &[bool]) -> Vec<Machines> {
    let mut targets: Vec<(Target, Vec<(IsaVersion, bool)>)> = Vec::new();
    for (machine, is_chosen) in machines.iter().zip(chosen) {
        match targets.last_mut() {
            Some((target, versions)) if *target == machine.target => versions.push((machine.isa, *is_chosen)),
            _ => targets.push((machine.target, vec![(machine.isa, *is_chosen)])),
        }
    }
    let mut groups: BTreeMap<Option<(IsaVersion, IsaVersion)>, Vec<Target>> = BTreeMap::new();
    for (target, versions) in targets {
        for range in ranges(&versions) {
            let all = versions.iter().all(|(_, chosen)| *chosen);
            groups.entry((!all).then_some(range)).or_default().push(target);
        }
    }
    groups.into_iter().map(|(isa, targets)| Machines { targets, isa }).collect()
}

/// The runs of chosen versions: the first and last of each.
fn ranges(versions: &[(IsaVersion, bool)]) -> Vec<(IsaVersion, IsaVersion)> {
    let runs = versions.chunk_by(|a, b| a.1 == b.1).filter(|run| run[0].1);
    runs.map(|run| (run[0].0, run[run.len() - 1].0)).collect()
}

/// Whether targets have all of the table between the first and the last.
fn is_range(targets: &[Target]) -> bool {
    let (Some(first), Some(last)) = (targets.first(), targets.last()) else { return false };
    let place = |target: &Target| (target.sm(), target.to_string());
    let between = |target: &Target| (place(first)..=place(last)).contains(&place(target));
    Target::all().filter(between).all(|target| targets.contains(&target))
}

impl fmt::Display for Machines {
    /// `sm_80, sm_86 in PTX 7.0 to 8.0`; more than four targets by the first and the last if none is between them that
    /// is not meant.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.targets[..] {
            [first, .., last] if self.targets.len() > 4 && is_range(&self.targets) => {
                write!(f, "{first} to {last} ({})", ptxcvt::counted(self.targets.len(), "target"))?;
            }
            targets => {
                let names: Vec<String> = targets.iter().map(Target::to_string).collect();
                f.write_str(&names.join(", "))?;
            }
        }
        match self.isa {
            None => Ok(()),
            Some((from, to)) if from == to => write!(f, " in PTX {from}"),
            Some((from, to)) => write!(f, " in PTX {from} to {to}"),
        }
    }
}

/// Sets of machines in words.
pub fn in_words(machines: &[Machines]) -> String {
    let words: Vec<String> = machines.iter().map(Machines::to_string).collect();
    words.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_with_a_gap_are_listed() {
        let written = |names: &str| {
            let targets = names.split(' ').map(|name| name.parse().expect("a target")).collect();
            Machines { targets, isa: None }.to_string()
        };
        assert_eq!(written("sm_70 sm_72 sm_75 sm_80 sm_86"), "sm_70 to sm_86 (5 targets)");
        assert_eq!(written("sm_70 sm_72 sm_75 sm_80 sm_87"), "sm_70, sm_72, sm_75, sm_80, sm_87");
    }
}
