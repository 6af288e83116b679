//! Which assignments of a name may be the last ones before a place.

use super::names::{Assignment, Here, Names, Step};
use super::world::World;

/// The assignments of `name` that may give it its value at a place, in the branches that the world takes. Empty if there are
/// none, or its value cannot be known.
pub(super) fn reaching<'n, 's>(
    names: &'n Names<'s>,
    world: &mut World,
    name: &str,
    here: &Here,
) -> Vec<&'n Assignment<'s>> {
    let Some((all, place, later)) = names.bound(name, here) else { return Vec::new() };
    let mut found = before(names, world, &all, &place);
    if later {
        add(&mut found, all.iter().filter(|assignment| assignment.here.before >= place.before));
    }
    found
}

fn add<'a, 'n: 'a, 's: 'n>(
    found: &mut Vec<&'n Assignment<'s>>,
    more: impl Iterator<Item = &'a &'n Assignment<'s>>,
) {
    for assignment in more {
        if !found.iter().any(|known| known.here.before == assignment.here.before) {
            found.push(assignment);
        }
    }
}

/// The assignments that may be the last ones when the program arrives at a place.
fn before<'n, 's>(
    names: &Names<'s>,
    world: &mut World,
    all: &[&'n Assignment<'s>],
    here: &Here,
) -> Vec<&'n Assignment<'s>> {
    // The loops around the place, the innermost last.
    let mut loops: Vec<Step> =
        here.path.iter().filter(|step| matches!(step, Step::Loop(_))).copied().collect();
    let within = |step: Step| all.iter().filter(move |a| a.here.path.contains(&step));
    let mut found = Vec::new();
    for assignment in all.iter().rev().filter(|assignment| assignment.here.before < here.before) {
        let path = &assignment.here.path;
        // Before a loop's body there may have been another round of it.
        while let Some(last) = loops.last().filter(|last| !path.contains(last)) {
            add(&mut found, within(*last));
            loops.pop();
        }
        let common = path.iter().zip(&here.path).take_while(|(a, b)| a == b).count();
        let mut certain = true;
        let mut possible = true;
        for (at, step) in path[common..].iter().enumerate() {
            match (step, here.path.get(common)) {
                (Step::Branch(number, _), Some(Step::Branch(own, _))) if at == 0 && number == own => {
                    possible = false;
                }
                (Step::Branch(number, branch), _) => {
                    possible = world.branch(names, *number) == Some(*branch);
                }
                // What is within may have other outcomes in each round.
                (Step::Loop(_) | Step::Perhaps(_), _) => certain = false,
                (Step::Scope(_), _) => unreachable!("these assignments are in one scope"),
            }
            if !possible || !certain {
                break;
            }
        }
        if possible {
            add(&mut found, [assignment].into_iter());
            if certain {
                return found;
            }
        }
    }
    while let Some(last) = loops.pop() {
        add(&mut found, within(last));
    }
    found
}
