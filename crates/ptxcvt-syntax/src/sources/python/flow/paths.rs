//! Follows every path through the statements of a scope, for one name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::place::{ENDS, EXITS};
use super::learned::{Facts, Learned};
use super::tree::{Branch, Loop, Node, Rounds, Try};

/// An assignment that can be the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reach {
    /// The number of the assignment.
    pub number: usize,
    /// For a target of a loop, the item of the loop's list if it has only that one.
    pub item: Option<usize>,
    /// Identifies the round in which the assignment is made, if the rounds of the loops around it are followed one by
    /// one.
    pub copy: u64,
}

/// The assignments that reach each place of a scope, by the number of the statement and of the assignments before it,
/// then by round.
pub(super) type Places = HashMap<(usize, usize), BTreeMap<u64, BTreeSet<Reach>>>;

/// Stands for a name without a value in this scope.
const NONE: Reach = Reach { number: usize::MAX, item: None, copy: 0 };
/// Stands for the value before a loop.
const BEFORE: Reach = Reach { number: usize::MAX - 1, item: None, copy: 0 };

/// Limit on the rounds of loops over lists that are followed one by one.
const MAX_COPIES: usize = 64;

/// The possible last assignments. `None` if no path leads here.
type State = Option<BTreeSet<Reach>>;

/// The states in which exceptions are raised.
#[derive(Default)]
struct Raised {
    errors: State,
    /// States at exceptions that end the program unless something catches them.
    exits: State,
}

impl Raised {
    fn all(self) -> State {
        let mut all = self.errors;
        join(&mut all, self.exits);
        all
    }
}

/// The states in which a block ends.
#[derive(Default)]
struct End {
    next: State,
    breaks: State,
    continues: State,
    /// The states in which the block leaves the function.
    leaves: State,
}

impl End {
    fn next(state: State) -> Self {
        End { next: state, ..End::default() }
    }

    /// Adds the ends other than the next statement.
    fn add_exits(&mut self, other: End) -> State {
        join(&mut self.breaks, other.breaks);
        join(&mut self.continues, other.continues);
        join(&mut self.leaves, other.leaves);
        other.next
    }
}

fn join(to: &mut State, from: State) {
    match (to, from) {
        (Some(to), Some(from)) => to.extend(from),
        (to @ None, from) => *to = from,
        (_, None) => {}
    }
}

/// Identifies the round `round` of a loop inside the round `outside`.
fn inner(outside: u64, round: u64) -> u64 {
    outside.wrapping_mul(MAX_COPIES as u64 + 1).wrapping_add(round + 1)
}

/// The assignments that reach each place of a scope.
pub(super) fn places(nodes: &[Node<'_>], name: &str, facts: &Facts) -> Places {
    let mut run = Run {
        name,
        facts,
        learned: Learned::default(),
        places: Places::new(),
        raises: Vec::new(),
        loops: HashMap::new(),
        copies: 1,
        copy: 0,
        statement: 0,
    };
    run.block(nodes, Some(BTreeSet::from([NONE])), None, true);
    run.places
}

struct Run<'n> {
    name: &'n str,
    facts: &'n Facts,
    learned: Learned,
    places: Places,
    /// The states in which an exception may end each `try` around a statement.
    raises: Vec<Raised>,
    /// The assignments of each loop's rounds, by the loop's address, the round around it, and the known outcomes.
    loops: HashMap<(usize, u64, Learned), BTreeSet<Reach>>,
    /// How many times the current body is followed, once for each round of the loops around it.
    copies: usize,
    /// Identifies the current rounds.
    copy: u64,
    statement: usize,
}

impl Run<'_> {
    /// Follows a block. `item` is the current item if the block is the body of a loop. `records`: its places are
    /// recorded.
    fn block(&mut self, nodes: &[Node<'_>], state: State, item: Option<usize>, records: bool) -> End {
        let mut end = End::next(state);
        for node in nodes {
            let Some(state) = end.next.take() else { break };
            end.next = match node {
                Node::Point(statement, before) => {
                    self.statement = *statement;
                    self.record(*before, &state, records);
                    Some(state)
                }
                Node::Change(name) => {
                    self.learned.forget(name, false);
                    Some(state)
                }
                Node::Assign { name, number, target } => {
                    let assigns = *name == self.name || *name == "*";
                    let reach = Reach { number: *number, item: item.filter(|_| *target), copy: self.copy };
                    let state = if assigns { BTreeSet::from([reach]) } else { state };
                    self.learned.forget(name, true);
                    self.record(number + 1, &state, records);
                    Some(state)
                }
                Node::Raise => {
                    let errors = self.raises.iter_mut().map(|raised| &mut raised.errors);
                    errors.for_each(|errors| join(errors, Some(state.clone())));
                    Some(state)
                }
                Node::Exit(word) => {
                    match *word {
                        "break" => join(&mut end.breaks, Some(state)),
                        "continue" => join(&mut end.continues, Some(state)),
                        // `Node::Raise` before the statement has recorded the exception.
                        "raise" | ENDS => {}
                        EXITS => {
                            let exits = self.raises.iter_mut().map(|raised| &mut raised.exits);
                            exits.for_each(|exits| join(exits, Some(state.clone())));
                        }
                        _ => join(&mut end.leaves, Some(state)),
                    }
                    None
                }
                Node::If { branches, opaque } => {
                    let found = self.conditional(branches, *opaque, state, records);
                    end.add_exits(found)
                }
                Node::Loop(of) => {
                    let leaves = self.rounds(of, state, records);
                    end.add_exits(leaves)
                }
                Node::Try(of) => {
                    let found = self.attempt(of, state, records);
                    end.add_exits(found)
                }
            };
        }
        end
    }

    fn outcome(&self, condition: &str) -> Option<bool> {
        self.learned.outcome(condition, self.facts)
    }

    fn record(&mut self, before: usize, state: &BTreeSet<Reach>, records: bool) {
        if records {
            let place = self.places.entry((self.statement, before)).or_default();
            place.entry(self.copy).or_default().extend(state);
        }
    }

    fn conditional(
        &mut self,
        branches: &[Branch<'_>],
        opaque: bool,
        state: BTreeSet<Reach>,
        records: bool,
    ) -> End {
        let mut end = End::default();
        // The state in which no condition has held so far.
        let mut rest = Some(state);
        // The outcomes known at the end of every branch that continues.
        let mut after: Option<Learned> = None;
        let mut goes_on = |learned: &Learned| match &mut after {
            Some(after) => after.meet(learned),
            None => after = Some(learned.clone()),
        };
        for Branch { head, condition, body } in branches {
            if rest.is_none() {
                break;
            }
            let head = self.block(head, rest, None, records);
            rest = end.add_exits(head);
            let outcome = match condition {
                None => Some(true),
                Some(pattern) if opaque => (*pattern == "_").then_some(true),
                Some(condition) => self.outcome(condition),
            };
            let condition = condition.filter(|condition| !opaque && !condition.is_empty());
            let entered = rest.clone().filter(|_| outcome != Some(false));
            let before = self.learned.clone();
            condition.into_iter().for_each(|condition| self.learned.learn(condition, true));
            let found = self.block(body, entered, None, records);
            let next = end.add_exits(found);
            if next.is_some() {
                goes_on(&self.learned);
            }
            join(&mut end.next, next);
            self.learned = before;
            condition.into_iter().for_each(|condition| self.learned.learn(condition, false));
            rest = rest.filter(|_| outcome != Some(true));
        }
        if rest.is_some() {
            goes_on(&self.learned);
        }
        self.learned = after.unwrap_or_default();
        join(&mut end.next, rest);
        end
    }

    fn rounds(&mut self, of: &Loop<'_>, state: BTreeSet<Reach>, records: bool) -> End {
        let mut end = End::default();
        // A round may follow others.
        self.learned.forget_all(&of.head);
        self.learned.forget_all(&of.body);
        let known = self.learned.clone();
        // The states at the end of the loop, and after `break`.
        let mut breaks = None;
        let mut follow = |run: &mut Self, state: State, item: Option<usize>| {
            run.learned = known.clone();
            let head = run.block(&of.head, state, None, records);
            of.condition.into_iter().for_each(|condition| run.learned.learn(condition, true));
            let found = run.block(&of.body, head.next, item, records);
            run.learned = known.clone();
            join(&mut breaks, found.breaks);
            join(&mut end.leaves, found.leaves);
            let mut next = found.next;
            join(&mut next, found.continues);
            next
        };
        let over = match of.rounds {
            Rounds::Exactly(count) if count > 0 && self.copies * count <= MAX_COPIES => {
                self.copies *= count;
                let (mut over, outside) = (Some(state), self.copy);
                for round in 0..count {
                    self.copy = inner(outside, round as u64);
                    over = follow(self, over, Some(round));
                }
                self.copy = outside;
                self.copies /= count;
                over
            }
            Rounds::Exactly(0) => Some(state),
            rounds => {
                let outcome = of.condition.and_then(|condition| self.outcome(condition));
                let mut head = state;
                let mut after = None;
                if outcome != Some(false) {
                    head.extend(self.assigned(of));
                    after = follow(self, Some(head.clone()), None);
                }
                let over = match rounds {
                    Rounds::Any => Some(head).filter(|_| outcome != Some(true)),
                    _ => after,
                };
                // The head of `while` runs one more time.
                self.block(&of.head, over, None, records).next
            }
        };
        let other = self.block(&of.other, over, None, records);
        end.next = end.add_exits(other);
        join(&mut end.next, breaks);
        self.learned.meet(&known);
        end
    }

    /// The assignments in rounds of a loop after which another round may follow.
    fn assigned(&mut self, of: &Loop<'_>) -> BTreeSet<Reach> {
        let known = self.learned.clone();
        let key = (std::ptr::from_ref(of) as usize, self.copy, known.clone());
        if let Some(known) = self.loops.get(&key) {
            return known.clone();
        }
        let raises = std::mem::take(&mut self.raises);
        let head = self.block(&of.head, Some(BTreeSet::from([BEFORE])), None, false);
        of.condition.into_iter().for_each(|condition| self.learned.learn(condition, true));
        let found = self.block(&of.body, head.next, None, false);
        self.raises = raises;
        self.learned = known;
        let mut all = found.next.unwrap_or_default();
        all.extend(found.continues.unwrap_or_default());
        all.remove(&BEFORE);
        self.loops.insert(key, all.clone());
        all
    }

    fn attempt(&mut self, of: &Try<'_>, state: BTreeSet<Reach>, records: bool) -> End {
        let mut end = End::default();
        // An exception may end each part at any point.
        of.blocks().for_each(|block| self.learned.forget_all(block));
        let known = self.learned.clone();
        // An exception may end the handlers, too.
        self.raises.push(Raised::default());
        self.raises.push(Raised::default());
        let body = self.block(&of.body, Some(state), None, records);
        let raised = self.raises.pop().unwrap_or_default();
        let next = end.add_exits(body);
        let other = self.block(&of.other, next, None, records);
        end.next = end.add_exits(other);
        for handler in &of.handlers {
            self.learned = known.clone();
            let mut caught = raised.errors.clone();
            join(&mut caught, raised.exits.clone().filter(|_| handler.exits));
            let found = self.block(&handler.body, caught, None, records);
            let next = end.add_exits(found);
            join(&mut end.next, next);
        }
        let raised = self.raises.pop().unwrap_or_default().all();
        self.learned = known.clone();
        if of.last.is_empty() {
            return end;
        }
        let (mut all, outside) = (End::default(), self.copy);
        // After `finally`, execution continues as the `try` block ended.
        let mut last = |run: &mut Self, state: State, way: u64| {
            run.copy = inner(outside, way);
            let found = run.block(&of.last, state, None, records);
            run.copy = outside;
            run.learned = known.clone();
            all.add_exits(found)
        };
        let (next, breaks) = (last(self, end.next, 0), last(self, end.breaks, 1));
        let (continues, leaves) = (last(self, end.continues, 2), last(self, end.leaves, 3));
        last(self, raised, 4);
        all.next = next;
        join(&mut all.breaks, breaks);
        join(&mut all.continues, continues);
        join(&mut all.leaves, leaves);
        all
    }
}
