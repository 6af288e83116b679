//! Sets of values of an unknown name, which is undefined or a number.

/// A set of values. An undefined name counts as 0 in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subset {
    undefined: bool,
    /// Ranges of numbers, both ends included, in order, with gaps between them.
    ranges: Vec<(i64, i64)>,
}

impl Subset {
    /// Every value.
    pub fn all() -> Subset {
        Subset { undefined: true, ranges: vec![(i64::MIN, i64::MAX)] }
    }

    /// Every number, so the name is defined.
    pub fn defined() -> Subset {
        Subset { undefined: false, ..Subset::all() }
    }

    fn of(ranges: Vec<(i64, i64)>) -> Subset {
        let undefined = ranges.iter().any(|(first, last)| *first <= 0 && 0 <= *last);
        Subset { undefined, ranges }
    }

    /// The values for which `value OPERATOR number` holds, as signed numbers. `None` if the operator is not a
    /// comparison.
    pub fn comparison(operator: &str, number: i64) -> Option<Subset> {
        let above = number.checked_add(1).map(|next| (next, i64::MAX));
        Some(match operator {
            ">" => Subset::of(above.into_iter().collect()),
            "<=" => Subset::of(vec![(i64::MIN, number)]),
            "==" => Subset::of(vec![(number, number)]),
            "!=" => Subset::comparison("==", number)?.not(),
            ">=" => Subset::of(vec![(number, i64::MAX)]),
            "<" => Subset::comparison(">=", number)?.not(),
            _ => return None,
        })
    }

    pub fn is_empty(&self) -> bool {
        !self.undefined && self.ranges.is_empty()
    }

    /// The values of both sets.
    pub fn and(&self, other: &Subset) -> Subset {
        let pairs = self.ranges.iter().flat_map(|a| other.ranges.iter().map(move |b| (a, b)));
        let common = pairs.map(|(a, b)| (a.0.max(b.0), a.1.min(b.1)));
        let ranges = common.filter(|(first, last)| first <= last).collect();
        Subset { undefined: self.undefined && other.undefined, ranges }
    }

    /// The other values.
    pub fn not(&self) -> Subset {
        let (mut ranges, mut next) = (Vec::new(), Some(i64::MIN));
        for (first, last) in &self.ranges {
            let gap = next.filter(|start| start < first);
            ranges.extend(gap.map(|start| (start, first - 1)));
            next = last.checked_add(1);
        }
        ranges.extend(next.map(|start| (start, i64::MAX)));
        Subset { undefined: !self.undefined, ranges }
    }

    /// The values of either set.
    pub fn or(&self, other: &Subset) -> Subset {
        self.not().and(&other.not()).not()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_the_operators_say() {
        let has = |set: &Subset, number: i64| set.ranges.iter().any(|(a, b)| *a <= number && number <= *b);
        let around = [i64::MIN, i64::MIN + 1, -2, -1, 0, 1, 2, 3, i64::MAX - 1, i64::MAX];
        for (operator, holds) in [
            ("<", i64::lt as fn(&i64, &i64) -> bool),
            ("<=", i64::le),
            (">", i64::gt),
            (">=", i64::ge),
            ("==", i64::eq),
            ("!=", i64::ne),
        ] {
            for number in around {
                let set = Subset::comparison(operator, number).expect("a comparison");
                assert_eq!(set.undefined, holds(&0, &number), "undefined {operator} {number}");
                let (not, other) = (set.not(), Subset::comparison("<=", 1).expect("a comparison"));
                assert!(set.and(&not).is_empty() && set.or(&not) == Subset::all());
                for value in around {
                    assert_eq!(has(&set, value), holds(&value, &number), "{value} {operator} {number}");
                    assert_eq!(has(&not, value), !holds(&value, &number), "!({value} {operator} {number})");
                    assert_eq!(has(&set.and(&other), value), has(&set, value) && value <= 1);
                    assert_eq!(has(&set.or(&other), value), has(&set, value) || value <= 1);
                }
            }
        }
        assert_eq!(Subset::comparison("/", 1), None);
    }
}
