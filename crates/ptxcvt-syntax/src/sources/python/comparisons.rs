//! Comparisons in conditions: one way to write each, and what one of them says about another.
//!
//! The Python Language Reference, "Comparisons".

/// The operators that compare, each before those that begin it.
const OPERATORS: [&str; 10] = [" is not ", " not in ", " is ", " in ", "==", "!=", "<=", ">=", "<", ">"];

/// A comparison as `a == b`, `a is b`, `a in b` or `a < b`, and the outcome that makes it hold: `a > b` is `b < a`, and `a <= b`
/// is the opposite of `b < a`. `None` if a text is not one comparison.
pub(super) fn ordered(text: &str) -> Option<(String, bool)> {
    let (left, operator, right) = sides(text)?;
    Some(match operator {
        // A literal is on the right.
        "==" | "!=" if is_literal(left) && !is_literal(right) => {
            (format!("{right} == {left}"), operator == "==")
        }
        "==" | "!=" => (format!("{left} == {right}"), operator == "=="),
        " is " | " is not " => (format!("{left} is {right}"), operator == " is "),
        " in " | " not in " => (format!("{left} in {right}"), operator == " in "),
        "<" | ">=" => (format!("{left} < {right}"), operator == "<"),
        _ => (format!("{right} < {left}"), operator == ">"),
    })
}

/// The sides of a comparison and its operator, outside of brackets and strings. `None` if there are several or none.
fn sides(text: &str) -> Option<(&str, &'static str, &str)> {
    let (mut found, mut depth, mut quote, mut skipped) = (None, 0_i32, None, 0);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            _ if at < skipped => {}
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(c),
            ('(' | '[' | '{', None) => depth += 1,
            (')' | ']' | '}', None) => depth -= 1,
            _ if depth > 0 => {}
            _ => {
                let rest = &text[at..];
                // Shifts, `->` and `:=` compare nothing; neither do several parts of a condition.
                let other = [" and ", " or ", " if ", " lambda", "<<", ">>", "->", ":="];
                if other.iter().any(|other| rest.starts_with(other)) || rest.starts_with("lambda") {
                    return None;
                }
                let Some(operator) = OPERATORS.into_iter().find(|o| rest.starts_with(o)) else { continue };
                if found.is_some() {
                    return None;
                }
                found = Some((at, operator));
                // The blank after a word may be the one before another.
                skipped = at + operator.trim_end().len();
            }
        }
    }
    let (at, operator) = found?;
    Some((text[..at].trim(), operator, text[at + operator.len()..].trim()))
}

/// A comparison of something with a literal.
struct Bound<'t> {
    subject: &'t str,
    value: &'t str,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Equal,
    Below,
    Above,
}

impl<'t> Bound<'t> {
    fn read(atom: &'t str) -> Option<Self> {
        if let Some((subject, value)) = equality(atom) {
            return Some(Bound { subject, value, kind: Kind::Equal });
        }
        let (left, operator, right) = sides(atom)?;
        match operator {
            "<" if number(left).is_some() => Some(Bound { subject: right, value: left, kind: Kind::Above }),
            "<" => Some(Bound { subject: left, value: right, kind: Kind::Below }),
            _ => None,
        }
    }

    fn holds_for(&self, number: f64, value: f64) -> bool {
        match self.kind {
            Kind::Equal => number == value,
            Kind::Below => number < value,
            Kind::Above => number > value,
        }
    }
}

/// The outcome of a condition if that of another one decides it: `c == 1` excludes `c == 2` and `c > 3`.
pub(super) fn decides(known: &str, holds: bool, atom: &str) -> Option<bool> {
    if known == atom {
        return Some(holds);
    }
    let (one, other) = (Bound::read(known)?, Bound::read(atom)?);
    if one.subject != other.subject {
        return None;
    }
    match (number(one.value), number(other.value)) {
        (Some(a), Some(b)) => {
            // Between and beyond the two numbers, nothing changes.
            let near = [a, b].into_iter().flat_map(|value| [value - 0.25, value, value + 0.25]);
            let mut outcomes =
                near.filter(|n| one.holds_for(*n, a) == holds).map(|number| other.holds_for(number, b));
            let first = outcomes.next()?;
            outcomes.all(|outcome| outcome == first).then_some(first)
        }
        _ if one.kind == Kind::Equal && other.kind == Kind::Equal => {
            let same = unquoted(one.value) == unquoted(other.value);
            (holds || same).then_some(same == holds)
        }
        _ => None,
    }
}

/// The sides of `a == b` or `a is b`.
pub(super) fn equality(atom: &str) -> Option<(&str, &str)> {
    match sides(atom)? {
        (left, "==" | " is ", right) => Some((left, right)),
        _ => None,
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|_| text.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
}

/// A literal's text without its quotes.
pub(super) fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}

pub(super) fn is_literal(key: &str) -> bool {
    key.starts_with(['"', '\'']) || (!key.is_empty() && key.bytes().all(|b| b.is_ascii_digit()))
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
        ] {
            assert_eq!(decides(known, holds, atom), expected, "{known} {holds} {atom}");
        }
    }
}
