//! The sequences of a function for all architectures, and the conditions under which each is compiled.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::OnceLock;

use ptxcvt::{Form, IsaVersion, Target};
use ptxcvt_exec::Op;

use super::condition::condition;
use crate::sequence::{Kind, Sequence};

/// A target and a version. Machines with the same forms and instructions have the same sequences and the same number.
struct Machine {
    target: Target,
    isa: IsaVersion,
    same: usize,
}

/// Every target from sm_50 on at its newest version, the newest target first, then at its first version.
fn machines() -> &'static [Machine] {
    static MACHINES: OnceLock<Vec<Machine>> = OnceLock::new();
    MACHINES.get_or_init(|| {
        let mut kinds: BTreeMap<Vec<bool>, usize> = BTreeMap::new();
        let mut all = Vec::new();
        for version in [Target::newest, Target::introduced] {
            let targets: Vec<Target> = Target::all().filter(|t| t.sm() >= 50).collect();
            for target in targets.into_iter().rev() {
                let isa = version(target);
                let forms = Form::all().map(|form| form.since(target));
                let since = forms.chain(Op::all().map(|op| op.since(target)));
                let takes = since.map(|since| since.is_some_and(|since| since <= isa)).collect();
                let next = kinds.len();
                all.push(Machine { target, isa, same: *kinds.entry(takes).or_insert(next) });
            }
        }
        all
    })
}

/// A condition of the preprocessor, `None` for the last branch, and the block that it selects.
pub(super) type Branches = Vec<(Option<String>, String)>;

/// The instruction, then each sequence with the targets for which it is best, then one that every target accepts. Without
/// the last one, the targets that no condition names lack the function.
pub(super) fn by_target<S: AsRef<Sequence>, E>(
    instruction: &str,
    since: impl Fn(Target) -> Option<IsaVersion>,
    lower: impl Fn(Target, IsaVersion) -> Result<Option<S>, E>,
) -> Result<Branches, E> {
    let Some(own) = condition(&since, |_| false) else {
        return Ok(vec![(None, instruction.to_owned())]);
    };
    // The best sequence at the newest version of each target, with the version that it needs; then the best one for
    // every compiler that has the target.
    let mut sequences: Vec<(String, BTreeMap<Target, IsaVersion>)> = Vec::new();
    let mut known: BTreeMap<usize, Option<S>> = BTreeMap::new();
    for Machine { target, isa, same } in machines() {
        if let Entry::Vacant(place) = known.entry(*same) {
            place.insert(lower(*target, *isa)?);
        }
        let best = known.get(same).and_then(Option::as_ref).map(S::as_ref);
        let Some(best) = best.filter(|best| best.kind != Kind::Instruction) else { continue };
        let since = best.since(*target).expect("the target accepts what was chosen for it");
        match sequences.iter_mut().find(|(known, _)| known == best.body()) {
            Some((_, targets)) => drop(targets.insert(*target, since)),
            None => sequences.push((best.body().to_owned(), BTreeMap::from([(*target, since)]))),
        }
    }
    // The sequence of the oldest target is last: every target accepts it.
    let oldest = sequences.iter().position(|(_, targets)| targets.keys().any(|t| t.sm() == 50));
    let last = oldest.map(|at| sequences.remove(at));
    let has_instruction = |target: Target| since(target) == Some(target.introduced());
    let is_possible = own != "0";
    let mut branches: Branches =
        is_possible.then(|| (Some(own), instruction.to_owned())).into_iter().collect();
    for (body, targets) in sequences {
        branches.push((condition(|target| targets.get(&target).copied(), has_instruction), body));
    }
    branches.extend(last.map(|(body, _)| (None, body)));
    Ok(branches)
}
