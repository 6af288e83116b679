//! Finds the last assignment of a name before a place.

use std::rc::Rc;

use super::doubt::Cause;
use super::flow::Reach;
use super::names::{Assignment, Names};
use super::place::{Here, Step};
use super::world::{KEPT, World};

/// The assignment that gives `name` its value at a place, in the branches that the world takes. `None` if there is
/// none, or if the value is unknown.
///
/// The world decides whether an assignment in a branch has happened. It decides about the last assignment first, so a
/// value depends only on the block that assigns it and on later assignments.
///
/// Also returns the place of the assignment.
pub(super) fn last<'n, 's>(
    names: &'n Names<'s>,
    world: &mut World,
    name: &str,
    here: &Here,
) -> Option<Last<'n, 's>> {
    let (all, place, later) = names.bound(name, here)?;
    let reaching = names.reaching(name, &place);
    let mut after: Vec<_> = all.iter().filter(|assignment| assignment.here.before >= place.before).collect();
    // The function may be called after each of these assignments.
    after.retain(|_| later);
    let later_ones = !after.is_empty();
    if later_ones && all.iter().any(|made| made.here.before != after[0].here.before) {
        // The function may be called with only one of the values.
        world.doubt();
    }
    let call = format!("call after {}", place.before);
    for assignment in after.iter().rev() {
        let event = format!("{call} and {}", assignment.here.before);
        let chance = Chance { event, block: call.clone(), path: &assignment.here.path };
        if chance.happens(world) {
            return Some(Last { assignment, here: assignment.here.clone(), items: None });
        }
    }
    let own = |assignment: &Assignment<'_>| -> Option<&[Reach]> {
        let (all, number) = (reaching.as_deref()?, assignment.here.before);
        let from = all.partition_point(|reach| reach.number < number);
        Some(&all[from..all.partition_point(|reach| reach.number <= number)])
    };
    let all: Vec<_> = all.into_iter().filter(|made| own(made).is_none_or(|own| !own.is_empty())).collect();
    let found = before(names, world, &all, &place);
    if found.is_none() && later_ones {
        world.ends();
    }
    let assignment = found?;
    let own = own(assignment);
    let copies = own.map(|own| Rc::new(own.iter().map(|reach| reach.copy).collect()));
    let items = own.and_then(|own| own.iter().map(|reach| reach.item).collect());
    Some(Last { assignment, here: Here { copies, ..assignment.here.clone() }, items })
}

/// The last assignment of a name.
pub(super) struct Last<'n, 's> {
    pub assignment: &'n Assignment<'s>,
    /// Its place.
    pub here: Here,
    /// For a target of a loop, the items of the loop's list that it can be. `None` if it can be any.
    pub items: Option<Vec<usize>>,
}

/// An assignment that may or may not have happened.
struct Chance<'c> {
    /// Assignments with equal events have the same outcome.
    event: String,
    /// The block, which is the cause of all assignments in it.
    block: String,
    /// The blocks around the assignment.
    path: &'c [Step],
}

impl Chance<'_> {
    fn happens(&self, world: &mut World) -> bool {
        let cause = |chosen| Cause { name: if chosen == 0 { &self.block } else { KEPT }, path: self.path };
        world.pick(&self.event, 2, cause) == 0
    }
}

/// Whether an assignment happens in a world.
enum Outcome {
    Impossible,
    Certain,
    /// It depends on whether this block runs.
    Open(Step),
}

/// The last assignment when the program reaches a place.
fn before<'n, 's>(
    names: &Names<'s>,
    world: &mut World,
    all: &[&'n Assignment<'s>],
    here: &Here,
) -> Option<&'n Assignment<'s>> {
    // The loops around the place, the innermost last.
    let mut loops: Vec<Step> =
        here.path.iter().filter(|step| matches!(step, Step::Loop(_))).copied().collect();
    let mut declined: Vec<usize> = Vec::new();
    let earlier: Vec<_> =
        all.iter().rev().filter(|assignment| assignment.here.before < here.before).collect();
    for (at, assignment) in earlier.iter().enumerate() {
        let path = &assignment.here.path;
        // An earlier round of the loop may have run before this one.
        while let Some(around) = loops.last().copied().filter(|around| !path.contains(around)) {
            if let Some(found) = another_round((names, here), world, all, around, &mut declined, false) {
                return Some(found);
            }
            loops.pop();
        }
        match outcome(names, world, assignment, here) {
            Outcome::Impossible => {}
            Outcome::Certain => return Some(assignment),
            Outcome::Open(_) if declined.contains(&assignment.here.before) => {}
            Outcome::Open(step) => {
                // The name has no earlier value, so it must have this one.
                let first = at + 1 == earlier.len() && loops.is_empty();
                let event = format!("{}", assignment.here.before);
                let chance = Chance { event, block: format!("{step:?}"), path };
                if first || chance.happens(world) {
                    return Some(assignment);
                }
                declined.push(assignment.here.before);
            }
        }
    }
    while let Some(around) = loops.pop() {
        if let Some(found) = another_round((names, here), world, all, around, &mut declined, loops.is_empty())
        {
            return Some(found);
        }
    }
    if !declined.is_empty() {
        // The name has no value, so the program ends before the place.
        world.ends();
    }
    None
}

/// The last assignment in an earlier round of a loop. `first`: there is no assignment before the loop.
fn another_round<'n, 's>(
    (names, here): (&Names<'s>, &Here),
    world: &mut World,
    all: &[&'n Assignment<'s>],
    around: Step,
    declined: &mut Vec<usize>,
    first: bool,
) -> Option<&'n Assignment<'s>> {
    let mut within: Vec<_> = all.iter().filter(|a| a.here.path.contains(&around)).collect();
    within.retain(|assignment| {
        let path = &assignment.here.path;
        // No round follows one that left the loop, not even in the same branch.
        let inside = path.iter().position(|step| *step == around).map_or(0, |at| at + 1);
        !declined.contains(&assignment.here.before)
            && !names.exits().end_before(path, inside, here, Some(around))
    });
    for (at, assignment) in within.iter().enumerate().rev() {
        let event = format!("{around:?} and {}", assignment.here.before);
        let chance = Chance { event, block: format!("{around:?}"), path: &assignment.here.path };
        // Every earlier round has made the assignment.
        let always = assignment.here.path.last() == Some(&around) && names.exits().is_completed(around);
        if (first && (at == 0 || always)) || chance.happens(world) {
            return Some(assignment);
        }
        declined.push(assignment.here.before);
        if always {
            // So there was no earlier round.
            declined.extend(within[..at].iter().map(|assignment| assignment.here.before));
            return None;
        }
    }
    None
}

/// Whether an assignment happens before a place.
fn outcome(names: &Names<'_>, world: &mut World, assignment: &Assignment<'_>, here: &Here) -> Outcome {
    let (path, exits) = (&assignment.here.path, names.exits());
    let common = common(path, &here.path);
    if exits.end_before(path, common, here, None) {
        return Outcome::Impossible;
    }
    for (at, step) in path[common..].iter().enumerate() {
        match (step, here.path.get(common)) {
            (Step::Branch(number, _), Some(Step::Branch(own, _))) if at == 0 && number == own => {
                return Outcome::Impossible;
            }
            (Step::Branch(number, branch), _) if world.branch(names, *number) == Some(*branch) => {}
            (Step::Branch(..), _) => return Outcome::Impossible,
            (Step::Loop(_), _)
                if assignment.target && common + at + 1 == path.len() && exits.is_entered(*step) => {}
            (Step::Loop(_), _) if path[common + at..].iter().all(|step| exits.is_certain(*step)) => {}
            // Blocks inside may have other outcomes in each round.
            (Step::Loop(_) | Step::Perhaps(_), _) => return Outcome::Open(*step),
            (Step::Scope(_), _) => unreachable!("these assignments are in one scope"),
        }
    }
    Outcome::Certain
}

/// The number of outermost blocks that two places share.
fn common(a: &[Step], b: &[Step]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}
