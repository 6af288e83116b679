//! The conditions under which code is compiled: a set of configurations for each value of the flags that the file does
//! not define, as a decision diagram.

use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::configurations::Set;
use super::subset::Subset;

/// Limit on the leaves of a diagram; larger ones are replaced by an approximation.
const MAX_LEAVES: usize = 1_024;

/// The number of the flag `__cplusplus`.
pub(super) const STANDARD: u32 = 0;

/// A set of configurations that depends on flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reach(Rc<Node>);

#[derive(Debug, PartialEq, Eq)]
enum Node {
    /// These configurations, for all values of the other flags.
    Leaf(Set),
    /// A flag's number, and a diagram for each group of its values. Flags with lower numbers are nearer to the root.
    Flag(u32, Vec<(Subset, Reach)>),
}

thread_local! {
    /// All configurations and none: the reach of most code.
    static ENDS: [Reach; 2] = [Reach::of(Set::all()), Reach::of(Set::none())];
    /// The known targets, and a future target.
    static TARGETS: [Reach; 2] = [Reach::of(Set::targets(|it| it.is_some())), Reach::of(Set::targets(|it| it.is_none()))];
}

impl Reach {
    pub fn of(set: Set) -> Reach {
        Reach(Rc::new(Node::Leaf(set)))
    }

    pub fn all() -> Reach {
        ENDS.with(|[all, _]| all.clone())
    }

    pub fn none() -> Reach {
        ENDS.with(|[_, none]| none.clone())
    }

    /// All configurations if the value of a flag is in `values`, otherwise none.
    pub(super) fn flag(flag: u32, values: Subset) -> Reach {
        let others = values.not();
        branch(flag, vec![(values, Reach::all()), (others, Reach::none())])
    }

    /// All configurations or none, depending on something unknown.
    pub fn unknown() -> Reach {
        /// Numbers of flags that do not occur in files, from the top down.
        static FRESH: AtomicU32 = AtomicU32::new(u32::MAX);
        Reach::flag(FRESH.fetch_sub(1, Ordering::Relaxed), Subset::defined())
    }

    /// Like [`Reach::unknown`], for something that may depend on the target.
    pub fn unknown_by_target() -> Reach {
        Reach::by_target(&Reach::unknown(), &Reach::unknown())
    }

    /// `known` for the known targets, and `future` for a future target. The result restricts targets even if both are
    /// unknown.
    pub(super) fn by_target(known: &Reach, future: &Reach) -> Reach {
        TARGETS.with(|[all_known, all_future]| all_known.and(known).or(&all_future.and(future)))
    }

    /// An approximation of `self`: no configuration for certain, and each configuration of its leaves possibly.
    fn perhaps(&self) -> Reach {
        let possible = self.leaves().into_iter().reduce(|a, b| a.or(&b)).unwrap_or_else(Set::none);
        Reach::of(possible).and(&Reach::unknown())
    }

    pub fn and(&self, other: &Reach) -> Reach {
        if self.is_all() || other.is_none() {
            return other.clone();
        }
        if other.is_all() || self.is_none() || self == other {
            return self.clone();
        }
        common(self, other).limited()
    }

    pub fn or(&self, other: &Reach) -> Reach {
        if self.is_all() || other.is_none() {
            return self.clone();
        }
        if other.is_all() || self.is_none() || self == other {
            return other.clone();
        }
        self.not().and(&other.not()).not()
    }

    pub fn not(&self) -> Reach {
        match &*self.0 {
            Node::Leaf(_) if self.is_all() => Reach::none(),
            Node::Leaf(_) if self.is_none() => Reach::all(),
            Node::Leaf(set) => Reach::of(Set::all().without(set)),
            Node::Flag(flag, branches) => {
                let branches = branches.iter().map(|(values, reach)| (values.clone(), reach.not())).collect();
                Reach(Rc::new(Node::Flag(*flag, branches)))
            }
        }
    }

    pub fn is_all(&self) -> bool {
        matches!(&*self.0, Node::Leaf(set) if set.is_all())
    }

    /// True if no configuration reaches the code for any values of the flags.
    pub fn is_none(&self) -> bool {
        matches!(&*self.0, Node::Leaf(set) if set.is_empty())
    }

    /// All configurations for the values of the flags for which all reach the code, otherwise none.
    pub fn for_all(&self) -> Reach {
        match &*self.0 {
            Node::Leaf(_) if self.is_all() => Reach::all(),
            Node::Leaf(_) => Reach::none(),
            Node::Flag(flag, branches) => branch(
                *flag,
                branches.iter().map(|(values, reach)| (values.clone(), reach.for_all())).collect(),
            ),
        }
    }

    /// The configurations that reach the code, without those values of the flags for which all configurations are in
    /// `excluded`. It has all or none for each value.
    pub fn without_values(&self, excluded: &Reach) -> Reach {
        allowed(self, excluded).unwrap_or_else(Reach::none)
    }

    /// True if some configurations reach the code and others do not, for some values of the flags.
    pub fn depends(&self) -> bool {
        self.leaves().iter().any(|set| !set.is_empty() && !set.is_all())
    }

    /// The configurations that reach the code for some values of these flags.
    pub fn for_some(&self, flags: &[u32]) -> Reach {
        match &*self.0 {
            Node::Leaf(_) => self.clone(),
            Node::Flag(flag, branches) => {
                let inner = branches.iter().map(|(values, reach)| (values, reach.for_some(flags)));
                match flags.contains(flag) {
                    true => inner.fold(Reach::none(), |all, (_, reach)| all.or(&reach)),
                    false => branch(*flag, inner.map(|(values, reach)| (values.clone(), reach)).collect()),
                }
            }
        }
    }

    /// The sets for the values of the unknown flags. `__cplusplus` does not count as a flag: every standard is
    /// possible.
    pub fn configurations(&self) -> Vec<Set> {
        self.for_some(&[STANDARD]).leaves()
    }

    /// The different sets for the values of all flags.
    pub fn leaves(&self) -> Vec<Set> {
        let mut leaves = Vec::new();
        self.visit(&mut |set| {
            if !leaves.contains(set) {
                leaves.push(set.clone());
            }
        });
        leaves
    }

    fn visit(&self, each: &mut impl FnMut(&Set)) {
        match &*self.0 {
            Node::Leaf(set) => each(set),
            Node::Flag(_, branches) => branches.iter().for_each(|(_, reach)| reach.visit(each)),
        }
    }

    fn limited(self) -> Reach {
        let mut leaves = 0;
        self.visit(&mut |_| leaves += 1);
        if leaves > MAX_LEAVES { self.perhaps() } else { self }
    }
}

/// A node for a flag. Merges groups with equal diagrams, and omits a flag that makes no difference.
fn branch(flag: u32, branches: Vec<(Subset, Reach)>) -> Reach {
    let mut groups: Vec<(Subset, Reach)> = Vec::new();
    for (values, reach) in branches {
        match groups.iter_mut().find(|(_, other)| *other == reach) {
            _ if values.is_empty() => {}
            Some((group, _)) => *group = group.or(&values),
            None => groups.push((values, reach)),
        }
    }
    match &groups[..] {
        [(_, only)] => only.clone(),
        _ => Reach(Rc::new(Node::Flag(flag, groups))),
    }
}

/// See [`Reach::without_values`]. `None` if all values are excluded.
fn allowed(reach: &Reach, excluded: &Reach) -> Option<Reach> {
    let among = |flag: u32, inner: Vec<(Subset, Option<Reach>)>| {
        let inner: Vec<_> = inner.into_iter().filter_map(|(values, reach)| Some((values, reach?))).collect();
        (!inner.is_empty()).then(|| branch(flag, inner))
    };
    match (&*reach.0, &*excluded.0) {
        (_, Node::Leaf(set)) => set.is_empty().then(|| reach.clone()),
        // Some values remain, or the diagram would have no flag.
        (Node::Leaf(_), _) => Some(reach.clone()),
        (Node::Flag(x, xs), Node::Flag(y, ys)) if x == y => {
            let pairs = xs.iter().flat_map(|(m, p)| ys.iter().map(move |(n, q)| (m.and(n), p, q)));
            let pairs = pairs.filter(|(values, ..)| !values.is_empty());
            among(*x, pairs.map(|(values, p, q)| (values, allowed(p, q))).collect())
        }
        (Node::Flag(x, xs), Node::Flag(y, _)) if x < y => {
            among(*x, xs.iter().map(|(values, p)| (values.clone(), allowed(p, excluded))).collect())
        }
        (_, Node::Flag(y, ys)) => {
            among(*y, ys.iter().map(|(values, q)| (values.clone(), allowed(reach, q))).collect())
        }
    }
}

/// The intersection of two diagrams.
fn common(a: &Reach, b: &Reach) -> Reach {
    match (&*a.0, &*b.0) {
        (Node::Leaf(x), Node::Leaf(y)) => Reach::of(x.and(y)),
        // These cases do not visit the other diagram, which may be deep.
        (Node::Leaf(x), _) if x.is_empty() => a.clone(),
        (_, Node::Leaf(y)) if y.is_empty() => b.clone(),
        (Node::Leaf(x), _) if x.is_all() => b.clone(),
        (_, Node::Leaf(y)) if y.is_all() => a.clone(),
        (Node::Flag(x, xs), Node::Flag(y, ys)) if x == y => {
            let pairs = xs.iter().flat_map(|(m, p)| ys.iter().map(move |(n, q)| (m.and(n), p, q)));
            let pairs = pairs.filter(|(values, ..)| !values.is_empty());
            branch(*x, pairs.map(|(values, p, q)| (values, common(p, q))).collect())
        }
        (Node::Flag(x, xs), Node::Flag(y, _)) if x < y => {
            branch(*x, xs.iter().map(|(values, p)| (values.clone(), common(p, b))).collect())
        }
        (Node::Flag(x, xs), Node::Leaf(_)) => {
            branch(*x, xs.iter().map(|(values, p)| (values.clone(), common(p, b))).collect())
        }
        (_, Node::Flag(y, ys)) => {
            branch(*y, ys.iter().map(|(values, q)| (values.clone(), common(a, q))).collect())
        }
    }
}
