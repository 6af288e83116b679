//! Python's literals for constants, and whether two are equal: `16`, `0x10`, `1_6` and `16.0` are equal, and so are
//! `True` and `1`.
//!
//! The Python Language Reference, "Literals", "Comparisons" and "Truth Value Testing".

use super::super::text::{HOLE, Joined};
use super::literals::{escapes, plain};
use super::quoted::{self, Quotes};
use crate::identifier::is_name;

/// The value of a literal, or of `True`, `False` or `None`.
#[derive(Clone, Debug)]
pub(super) enum Constant {
    Integer(i64),
    Float(f64),
    Text(String),
    Bytes(String),
    None,
}

/// Modules whose attributes are types, formats and other constants.
const MODULES: [&str; 9] = ["cutlass", "gl", "jnp", "ml_dtypes", "np", "numpy", "tl", "torch", "ttgl"];

/// Magnitudes below this have an exact `f64`, and so have their neighbours.
const LARGE: i64 = 1 << 52;

/// 2^63, the first number above `i64`.
const TWO_63: f64 = 9_223_372_036_854_775_808.0;

/// The value of an integer literal, which may be negative.
pub(super) fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let plain = digits.replace('_', "").to_ascii_lowercase();
    let radix =
        |prefix: &str, radix| plain.strip_prefix(prefix).map(|digits| i64::from_str_radix(digits, radix));
    let value = radix("0x", 16).or_else(|| radix("0o", 8)).or_else(|| radix("0b", 2));
    let value = value.unwrap_or_else(|| plain.parse()).ok()?;
    Some(if negative { -value } else { value })
}

impl Constant {
    /// Reads a text that is one constant. `None` for other texts, and for integers of more than 64 bits.
    pub fn read(text: &str) -> Option<Self> {
        match text {
            "True" => return Some(Constant::Integer(1)),
            "False" => return Some(Constant::Integer(0)),
            "None" => return Some(Constant::None),
            _ => {}
        }
        if let Some(value) = integer(text) {
            return Some(Constant::Integer(value));
        }
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            // Only floats contain one of these; an integer that is too large must not become a float.
            digits.find(['.', 'e', 'E'])?;
            return text.replace('_', "").parse().ok().map(Constant::Float);
        }
        Self::string(text)
    }

    /// Reads a string or bytes literal. One with `{…}` is not a constant.
    fn string(text: &str) -> Option<Self> {
        let prefix = text.find(['"', '\''])?;
        let letters = text[..prefix].to_ascii_lowercase();
        if !["", "u", "r", "b", "br", "rb"].contains(&letters.as_str()) {
            return None;
        }
        let escapes = escapes(&letters);
        let quote = text.as_bytes()[prefix];
        let triple = text.as_bytes()[prefix..].starts_with(&[quote; 3]);
        let start = prefix + if triple { 3 } else { 1 };
        let (end, after) = quoted::end(text, start, Quotes { quote, triple, formatted: false }, 0);
        if after != text.len() || after == end {
            return None;
        }
        let mut joined = Joined::default();
        plain(text, start, end, escapes, &mut joined);
        // Characters given by name (`\N{…}`) are unknown.
        let value = Some(joined.text).filter(|text| escapes.is_none() || !text.contains(HOLE))?;
        Some(if letters.contains('b') { Constant::Bytes(value) } else { Constant::Text(value) })
    }

    /// The number, if every integer near it has an exact `f64`.
    pub fn number(&self) -> Option<f64> {
        match self {
            Constant::Integer(value) => Some(*value as f64).filter(|_| (-LARGE..LARGE).contains(value)),
            Constant::Float(value) => Some(*value).filter(|value| value.abs() < LARGE as f64),
            _ => None,
        }
    }

    /// Python's truth value.
    pub fn is_true(&self) -> bool {
        match self {
            Constant::Integer(value) => *value != 0,
            Constant::Float(value) => *value != 0.0,
            Constant::Text(text) | Constant::Bytes(text) => !text.is_empty(),
            Constant::None => false,
        }
    }
}

impl PartialEq for Constant {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Constant::Integer(a), Constant::Integer(b)) => a == b,
            (Constant::Float(a), Constant::Float(b)) => a == b,
            (Constant::Integer(a), Constant::Float(b)) | (Constant::Float(b), Constant::Integer(a)) => {
                // Exact: a number with a fraction or out of range is not equal to any 64-bit integer.
                (-TWO_63..TWO_63).contains(b) && b.fract() == 0.0 && *b as i64 == *a
            }
            (Constant::Text(a), Constant::Text(b)) | (Constant::Bytes(a), Constant::Bytes(b)) => a == b,
            (Constant::None, Constant::None) => true,
            _ => false,
        }
    }
}

/// Whether two operands of comparisons are equal. `None` if that is unknown: two variables may have the same value.
pub(super) fn are_equal(one: &str, other: &str) -> Option<bool> {
    if one == other {
        return Some(true);
    }
    match (Constant::read(one), Constant::read(other)) {
        (Some(one), Some(other)) => Some(one == other),
        // `tl.float16` and `tl.bfloat16`, `Mode.A` and `Mode.B`
        (None, None) if member_of(one).is_some_and(|owner| Some(owner) == member_of(other)) => Some(false),
        _ => None,
    }
}

/// True for a constant, and for an attribute of a class or module that is treated as a constant.
pub(super) fn is_constant(text: &str) -> bool {
    Constant::read(text).is_some() || member_of(text).is_some()
}

/// The class or module of an attribute that is treated as a constant. By PEP 8, names of classes begin with a capital.
fn member_of(text: &str) -> Option<&str> {
    let (owner, name) = text.rsplit_once('.')?;
    let root = owner.split('.').next()?;
    let named = owner.split('.').all(is_name) && is_name(name);
    (named && (root.starts_with(char::is_uppercase) || MODULES.contains(&root))).then_some(owner)
}

/// A string literal with this value.
pub(super) fn written(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => literal.extend(['\\', c]),
            '\n' => literal += "\\n",
            '\r' => literal += "\\r",
            c => literal.push(c),
        }
    }
    literal + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_that_are_equal() {
        let groups: [&[&str]; 9] = [
            &["16", "0x10", "1_6", "0b10000", "0o20", "16.0", "1.6e1", "0X1_0"],
            &["1", "True", "1.0", "0x1"],
            &["0", "False", "0.0", "-0", "0_0", "-0.0", ".0"],
            &["1000", "1_000", "1e3"],
            &["9007199254740993"],
            &["9007199254740992", "9007199254740992.0"],
            &["\"a\"", "'a'", "\"\\x61\"", "r'a'", "u\"a\"", "'''a'''"],
            &["b'a'", "B\"a\""],
            &["None"],
        ];
        for (m, group) in groups.iter().enumerate() {
            for (n, other) in groups.iter().enumerate() {
                for (a, b) in group.iter().flat_map(|a| other.iter().map(move |b| (a, b))) {
                    assert_eq!(are_equal(a, b), Some(m == n), "{a} {b}");
                }
            }
        }
    }

    #[test]
    fn what_may_be_equal() {
        for (one, other, expected) in [
            ("lo", "hi", None),
            ("lo", "16", None),
            ("cfg.lo", "cfg.hi", None),
            ("self.lo", "self.hi", None),
            ("Mode.A", "'a'", None),
            ("Mode.A", "Kind.A", None),
            ("f'{a}'", "'a'", None),
            ("'a' 'b'", "'ab'", None),
            ("18446744073709551616", "18446744073709551617", None),
            ("Mode.A", "Mode.B", Some(false)),
            ("tl.float16", "tl.bfloat16", Some(false)),
            ("torch.float16", "tl.float16", None),
            ("lo", "lo", Some(true)),
        ] {
            assert_eq!(are_equal(one, other), expected, "{one} {other}");
            assert_eq!(are_equal(other, one), expected, "{other} {one}");
        }
    }

    #[test]
    fn a_string_is_written_and_read() {
        for text in ["", "a", "a\"b'c", "a\\n", "a\nb\r\n\\"] {
            assert_eq!(Constant::read(&written(text)), Some(Constant::Text(text.to_owned())), "{text:?}");
        }
    }
}
