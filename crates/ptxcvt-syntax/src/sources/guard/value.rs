//! The value of an expression of the preprocessor: each number with where the expression has it.

use std::collections::BTreeMap;

use super::configurations::Set;
use super::reach::Reach;

/// Disjoint parts of all configurations, by the number that the expression is there.
#[derive(Clone, Debug)]
pub(super) struct Value(BTreeMap<i64, Reach>);

impl Value {
    pub fn number(number: i64) -> Value {
        Value(BTreeMap::from([(number, Reach::all())]))
    }

    /// 1 where `reach` holds, and 0 elsewhere.
    pub fn truth(reach: Reach) -> Value {
        Value::of([(0, reach.not()), (1, reach)])
    }

    /// These numbers, and 0 elsewhere.
    pub fn by_set(parts: Vec<(i64, Set)>) -> Value {
        let covered = parts.iter().fold(Set::none(), |all, (_, set)| all.or(set));
        let rest = (0, Reach::of(Set::all().without(&covered)));
        Value::of(parts.into_iter().map(|(number, set)| (number, Reach::of(set))).chain([rest]))
    }

    pub fn of(parts: impl IntoIterator<Item = (i64, Reach)>) -> Value {
        let mut all = BTreeMap::new();
        for (number, reach) in parts.into_iter().filter(|(_, reach)| !reach.is_none()) {
            let part = match all.get(&number) {
                Some(other) => reach.or(other),
                None => reach,
            };
            all.insert(number, part);
        }
        Value(all)
    }

    pub fn unary(&self, each: impl Fn(i64) -> i64) -> Value {
        Value::of(self.0.iter().map(|(number, reach)| (each(*number), reach.clone())))
    }

    pub fn binary(&self, other: &Value, each: impl Fn(i64, i64) -> i64) -> Value {
        let pairs = self.0.iter().flat_map(|(a, p)| other.0.iter().map(move |(b, q)| (a, b, p, q)));
        Value::of(pairs.map(|(a, b, p, q)| (each(*a, *b), p.and(q))))
    }

    /// `self` where `condition` holds, and `other` elsewhere.
    pub fn choose(condition: &Reach, yes: &Value, no: &Value) -> Value {
        let (not, yes, no) = (condition.not(), yes.0.iter(), no.0.iter());
        let yes = yes.map(|(number, reach)| (*number, reach.and(condition)));
        Value::of(yes.chain(no.map(|(number, reach)| (*number, reach.and(&not)))).collect::<Vec<_>>())
    }

    /// The configurations in which the value is not 0.
    pub fn is_true(&self) -> Reach {
        self.0.get(&0).map_or_else(Reach::all, Reach::not)
    }
}
