//! Comparisons in conditions: a normal form, and what the outcome of one implies for another.
//!
//! The Python Language Reference, "Comparisons".

use super::constants::{Constant, are_equal, is_constant};
use super::outside::outside;

/// The comparison operators, ordered so that each precedes its own prefixes.
const OPERATORS: [&str; 10] = [" is not ", " not in ", " is ", " in ", "==", "!=", "<=", ">=", "<", ">"];

/// The normal form of a comparison, `a == b`, `a is b`, `a in b` or `a < b`, and the outcome for which the comparison
/// holds: `a > b` becomes `b < a`, and `a <= b` becomes `b < a` with the outcome false. `None` if the text is not a
/// single comparison.
pub(super) fn ordered(text: &str) -> Option<(String, bool)> {
    let (left, operator, right) = sides(text)?;
    Some(match operator {
        // A constant is on the right.
        "==" | "!=" if Constant::read(left).is_some() && Constant::read(right).is_none() => {
            (format!("{right} == {left}"), operator == "==")
        }
        "==" | "!=" => (format!("{left} == {right}"), operator == "=="),
        " is " | " is not " => (format!("{left} is {right}"), operator == " is "),
        " in " | " not in " => (format!("{left} in {right}"), operator == " in "),
        "<" | ">=" => (format!("{left} < {right}"), operator == "<"),
        _ => (format!("{right} < {left}"), operator == ">"),
    })
}

/// The sides of a comparison and its operator. `None` unless exactly one operator is outside of brackets and strings.
fn sides(text: &str) -> Option<(&str, &'static str, &str)> {
    let (mut found, mut skipped) = (None, 0);
    for at in outside(text) {
        let rest = &text[at..];
        // Shifts, `->` and `:=` are not comparisons, and neither is a condition with several parts.
        let other = [" and ", " or ", " if ", " lambda", "<<", ">>", "->", ":="];
        if at < skipped {
            continue;
        }
        if other.iter().any(|other| rest.starts_with(other)) || rest.starts_with("lambda") {
            return None;
        }
        let Some(operator) = OPERATORS.into_iter().find(|o| rest.starts_with(o)) else { continue };
        if found.is_some() {
            return None;
        }
        found = Some((at, operator));
        // The blank after one word may also be the blank before the next.
        skipped = at + operator.trim_end().len();
    }
    let (at, operator) = found?;
    Some((text[..at].trim(), operator, text[at + operator.len()..].trim()))
}

/// A comparison of an expression with a value.
struct Bound<'t> {
    subject: &'t str,
    value: &'t str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Equal,
    /// `is`: stricter than equal.
    Same,
    Below,
    Above,
}

impl<'t> Bound<'t> {
    fn read(atom: &'t str) -> Option<Self> {
        let (left, operator, right) = sides(atom)?;
        match operator {
            "==" => Some(Bound { subject: left, value: right, kind: Kind::Equal }),
            " is " => Some(Bound { subject: left, value: right, kind: Kind::Same }),
            "<" if number(left).is_some() => Some(Bound { subject: right, value: left, kind: Kind::Above }),
            "<" => Some(Bound { subject: left, value: right, kind: Kind::Below }),
            _ => None,
        }
    }

    fn holds_for(&self, number: f64, value: f64) -> bool {
        match self.kind {
            Kind::Equal | Kind::Same => number == value,
            Kind::Below => number < value,
            Kind::Above => number > value,
        }
    }
}

/// The outcome of `atom`, if the outcome of `known` decides it: `c == 1` excludes `c == 2` and `c > 3`.
pub(super) fn decides(known: &str, holds: bool, atom: &str) -> Option<bool> {
    if known == atom {
        return Some(holds);
    }
    let (one, other) = (Bound::read(known)?, Bound::read(atom)?);
    if one.subject != other.subject {
        return None;
    }
    let ordered = |kind| matches!(kind, Kind::Below | Kind::Above);
    if !ordered(one.kind) && !ordered(other.kind) {
        return match (are_equal(one.value, other.value)?, one.kind, other.kind) {
            (false, ..) => holds.then_some(false),
            // `1 == True`, but `1` is not `True`.
            (true, Kind::Equal, Kind::Same) => (!holds).then_some(false),
            (true, Kind::Same, Kind::Equal) => holds.then_some(true),
            (true, Kind::Same, _) if one.value != other.value => None,
            (true, ..) => Some(holds),
        };
    }
    // Objects that are not identical may still be equal.
    if (one.kind == Kind::Same && !holds) || other.kind == Kind::Same {
        return None;
    }
    let (a, b) = (number(one.value)?, number(other.value)?);
    // Both comparisons have constant outcomes between the two numbers, below and above them.
    let near = [a.min(b) - 1.0, a, (a + b) / 2.0, b, a.max(b) + 1.0].into_iter();
    let mut outcomes =
        near.filter(|n| one.holds_for(*n, a) == holds).map(|number| other.holds_for(number, b));
    let first = outcomes.next()?;
    outcomes.all(|outcome| outcome == first).then_some(first)
}

/// The outcome of a comparison of two constants, or of a constant with a list of constants.
pub(super) fn compared(atom: &str) -> Option<bool> {
    let (left, operator, right) = sides(atom)?;
    let constant = Constant::read(left)?;
    // One value in parentheses is not a tuple.
    let alone = right.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).map(str::trim);
    let right = alone.filter(|inner| Constant::read(inner).is_some()).unwrap_or(right);
    match operator {
        "==" => Some(constant == Constant::read(right)?),
        " is " => {
            let is_single = |text: &str| matches!(text, "True" | "False" | "None");
            (is_single(left) && is_single(right)).then_some(left == right)
        }
        "<" => Some(number(left)? < number(right)?),
        " in " => match (constant, Constant::read(right)) {
            (Constant::Text(part), Some(Constant::Text(whole))) => Some(whole.contains(&part)),
            (constant, None) => {
                let all = items(right)?.into_iter().map(Constant::read).collect::<Option<Vec<_>>>()?;
                Some(all.contains(&constant))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The outcome of a comparison of Python's version, if it is the same for every version of Python 3.
pub(super) fn version(atom: &str) -> Option<bool> {
    if !atom.contains("sys.version_info") {
        return None;
    }
    let (left, operator, right) = sides(atom)?;
    let major = |text: &str| matches!(text, "sys.version_info[0]" | "sys.version_info.major");
    if major(left) || major(right) {
        let (left, right) = if major(left) { (3.0, number(right)?) } else { (number(left)?, 3.0) };
        return match operator {
            "==" => Some(left == right),
            "<" => Some(left < right),
            _ => None,
        };
    }
    let is_below = right == "sys.version_info";
    let tuple = if is_below { left } else { right };
    if operator != "<" || (!is_below && left != "sys.version_info") {
        return None;
    }
    let numbers: Vec<f64> = items(tuple)?.into_iter().map(number).collect::<Option<_>>()?;
    match *numbers.first()? {
        first if first < 3.0 => Some(is_below),
        first if first > 3.0 => Some(!is_below),
        // The version has more items than the tuple, so it is not equal.
        _ if numbers.len() < 5 && numbers[1..].iter().all(|number| *number == 0.0) => Some(is_below),
        _ => None,
    }
}

/// The items of a tuple, a list or a set, none of which contains brackets.
fn items(text: &str) -> Option<Vec<&str>> {
    let brackets = ["()", "[]", "{}"].into_iter();
    let inside = |pair: &str| text.strip_prefix(&pair[..1])?.strip_suffix(&pair[1..]);
    let inner = brackets.filter_map(inside).next()?;
    let commas = outside(inner).filter(|at| inner.as_bytes()[*at] == b',');
    let (mut all, mut from) = (Vec::new(), 0);
    for comma in commas {
        all.push(inner[from..comma].trim());
        from = comma + 1;
    }
    all.extend(Some(inner[from..].trim()).filter(|last| !last.is_empty()));
    Some(all)
}

/// The expression that a comparison compares with a constant.
pub(super) fn subject(atom: &str) -> Option<&str> {
    let bound = Bound::read(atom)?;
    is_constant(bound.value).then_some(bound.subject)
}

/// The sides of `a == b` or `a is b`.
pub(super) fn equality(atom: &str) -> Option<(&str, &str)> {
    match sides(atom)? {
        (left, "==" | " is ", right) => Some((left, right)),
        _ => None,
    }
}

fn number(text: &str) -> Option<f64> {
    Constant::read(text)?.number()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_way_to_write_a_comparison() {
        for (text, expected) in [
            ("c > 3", Some(("3 < c", true))),
            ("c <= 3", Some(("3 < c", false))),
            ("c<3", Some(("c < 3", true))),
            ("3 >= c", Some(("3 < c", false))),
            ("c>=3", Some(("c < 3", false))),
            ("1 == c", Some(("c == 1", true))),
            ("c != 'a < b'", Some(("c == 'a < b'", false))),
            ("c not in d", Some(("c in d", false))),
            ("c is not None", Some(("c is None", false))),
            ("1 < c < 3", None),
            ("f(a < b)", None),
            ("c >> 3", None),
            ("a == b and c == d", None),
            ("(n := f()) > 1", Some(("1 < (n := f())", true))),
        ] {
            let found = ordered(text);
            let found = found.as_ref().map(|(text, holds)| (text.as_str(), *holds));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn versions_of_python() {
        for (text, expected) in [
            ("sys.version_info < (3,)", Some(false)),
            ("sys.version_info >= (3, 0)", Some(true)),
            ("sys.version_info > (3,)", Some(true)),
            ("sys.version_info > (2, 7)", Some(true)),
            ("(2, 7) > sys.version_info", Some(false)),
            ("sys.version_info >= (3, 9)", None),
            ("sys.version_info < (3, 12)", None),
            ("sys.version_info < (4,)", Some(true)),
            ("sys.version_info[0] == 2", Some(false)),
            ("sys.version_info[0] >= 3", Some(true)),
            ("sys.version_info.major < 3", Some(false)),
            ("2 == sys.version_info.major", Some(false)),
            ("sys.version_info[1] < 9", None),
            ("sys.version_info < wanted", None),
            ("version_info < (3,)", None),
        ] {
            let (normal, holds) = ordered(text).expect("a comparison");
            assert_eq!(version(&normal).map(|outcome| outcome == holds), expected, "{text}");
        }
    }

    #[test]
    fn one_comparison_decides_another() {
        for (known, holds, atom, expected) in [
            ("c == 1", true, "c == 2", Some(false)),
            ("c == 1", false, "c == 2", None),
            ("c == 'a'", true, "c == \"a\"", Some(true)),
            ("c == 1", true, "3 < c", Some(false)),
            ("c < 3", true, "c < 5", Some(true)),
            ("c < 3", false, "c < 5", None),
            ("c < 3", false, "c == 2", Some(false)),
            ("3 < c", true, "c < 4", None),
            ("c < 3", true, "d < 3", None),
            ("c < n", true, "c < 3", None),
            ("c == 0x10", false, "c == 16", Some(false)),
            ("c == 0x10", true, "c == 1_6", Some(true)),
            ("c == 0x10", true, "c < 0o20", Some(false)),
            ("c == True", false, "c == 1", Some(false)),
            ("c == '\\x61'", true, "c == 'a'", Some(true)),
            ("c == lo", true, "c == hi", None),
            ("c == lo", false, "c == hi", None),
            ("c == lo", true, "c == lo", Some(true)),
            ("c == tl.float16", true, "c == tl.bfloat16", Some(false)),
            ("0.1 < c", true, "c < 0.2", None),
            ("0.2 < c", true, "c < 0.1", Some(false)),
            ("c == 1", true, "c is True", None),
            ("c is None", true, "c == None", Some(true)),
            ("c is None", true, "c == 'a'", Some(false)),
            ("c is None", false, "c == 'a'", None),
            ("c is 1", false, "c < 1", None),
        ] {
            assert_eq!(decides(known, holds, atom), expected, "{known} {holds} {atom}");
        }
    }
}
