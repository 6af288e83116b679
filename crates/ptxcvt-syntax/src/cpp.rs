//! Numbers and operators of C++: what conditions of the preprocessor (`sources`) and of LLVM's sources (`ptxcvt-audit`)
//! share.
//!
//! ISO C++, "Integer literals", "Character literals" and "Expressions"; ISO C, section 6.10.1: the preprocessor
//! computes with `intmax_t` and `uintmax_t`. Constant expressions of code, where numbers have the types of literals, are
//! in `constant`.

pub mod constant;

/// An integer: 64 bits, and whether they are read without a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integer {
    /// The bits.
    pub bits: i64,
    /// True for the suffix `u`, and for a number that 64 bits with a sign do not hold.
    pub is_unsigned: bool,
}

/// The kind of a word in the name of an arithmetic type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    /// `bool`
    Bool,
    /// An integer with a sign, as wide as `int` or wider.
    Signed,
    /// An integer without a sign, as wide as `unsigned` or wider.
    Unsigned,
    /// A narrow integer, or a floating-point number: a conversion to it may change an integer.
    Other,
}

/// The words of arithmetic types: the kind, and whether the integers have 64 bits.
const ARITHMETIC: [(&str, Arithmetic, bool); 25] = [
    ("bool", Arithmetic::Bool, false),
    ("int", Arithmetic::Signed, false),
    ("signed", Arithmetic::Signed, false),
    ("long", Arithmetic::Signed, true),
    ("int32_t", Arithmetic::Signed, false),
    ("int64_t", Arithmetic::Signed, true),
    ("intptr_t", Arithmetic::Signed, true),
    ("ptrdiff_t", Arithmetic::Signed, true),
    ("ssize_t", Arithmetic::Signed, true),
    ("unsigned", Arithmetic::Unsigned, false),
    ("uint", Arithmetic::Unsigned, false),
    ("uint32_t", Arithmetic::Unsigned, false),
    ("uint64_t", Arithmetic::Unsigned, true),
    ("uintptr_t", Arithmetic::Unsigned, true),
    ("size_t", Arithmetic::Unsigned, true),
    ("char", Arithmetic::Other, false),
    ("short", Arithmetic::Other, false),
    ("int8_t", Arithmetic::Other, false),
    ("uint8_t", Arithmetic::Other, false),
    ("int16_t", Arithmetic::Other, false),
    ("uint16_t", Arithmetic::Other, false),
    ("half", Arithmetic::Other, false),
    ("__half", Arithmetic::Other, false),
    ("float", Arithmetic::Other, false),
    ("double", Arithmetic::Other, false),
];

/// The kind of a word in the name of an arithmetic type, and whether its integers have 64 bits. `None` for other words.
pub(crate) fn arithmetic(word: &str) -> Option<(Arithmetic, bool)> {
    let row = ARITHMETIC.iter().find(|(name, ..)| *name == word)?;
    Some((row.1, row.2))
}

/// Reads `890`, `1'000`, `0x37A`, `012`, `0b1` or `200000UL`; `None` for anything else, and for more than 64 bits.
#[must_use]
pub fn integer(text: &str) -> Option<Integer> {
    let text = text.replace('\'', "").to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l', 'z']);
    let suffix = &text[digits.len()..];
    let size = suffix.strip_prefix('u').or(suffix.strip_suffix('u')).unwrap_or(suffix);
    let is_suffix = matches!(size, "" | "l" | "ll" | "z");
    let (digits, base) = match digits.strip_prefix('0') {
        None | Some("") => (digits, 10),
        Some(rest) => match (rest.strip_prefix('x'), rest.strip_prefix('b')) {
            (Some(digits), _) => (digits, 16),
            (_, Some(digits)) => (digits, 2),
            _ => (rest, 8),
        },
    };
    let is_number = is_suffix && digits.starts_with(|c: char| c.is_digit(base));
    let number = u64::from_str_radix(digits, base).ok().filter(|_| is_number)?;
    let is_unsigned = suffix.contains('u') || i64::try_from(number).is_err();
    Some(Integer { bits: number as i64, is_unsigned })
}

/// Reads the text between the quotation marks of a character constant with one ASCII character or escape. The value is
/// that of a signed `char`. `None` for other texts.
#[must_use]
pub fn character(text: &str) -> Option<i64> {
    let mut rest = text.chars();
    let first = rest.next()?;
    let Some(escaped) = rest.as_str().chars().next().filter(|_| first == '\\') else {
        return (first.is_ascii() && first != '\\' && rest.as_str().is_empty())
            .then(|| i64::from(first as u8));
    };
    let digits = &rest.as_str()[escaped.len_utf8()..];
    let byte = match escaped {
        'x' if !digits.is_empty() => u8::from_str_radix(digits, 16).ok()?,
        '0'..='7' if rest.as_str().len() <= 3 => u8::from_str_radix(rest.as_str(), 8).ok()?,
        _ if !digits.is_empty() => return None,
        'a' => 7,
        'b' => 8,
        't' => 9,
        'n' => 10,
        'v' => 11,
        'f' => 12,
        'r' => 13,
        '\'' | '"' | '?' | '\\' => escaped as u8,
        _ => return None,
    };
    Some(i64::from(byte as i8))
}

/// Binary operators by precedence, the weakest first. `?:` is weaker than all of them.
pub const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// The operator with its operands exchanged, for comparisons.
#[must_use]
pub fn mirrored(operator: &'static str) -> &'static str {
    match operator {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        other => other,
    }
}

/// Whether an operator of [`LEVELS`] computes with unsigned numbers: if either operand is unsigned. A shift depends
/// only on its left operand.
#[must_use]
pub fn is_unsigned(operator: &str, a: bool, b: bool) -> bool {
    a || (b && !is_shift(operator))
}

fn is_shift(operator: &str) -> bool {
    matches!(operator, "<<" | ">>")
}

/// The bits of the result of an operator of [`LEVELS`]; `None` for a division by 0.
///
/// # Panics
///
/// Panics at any other operator.
#[must_use]
pub fn binary(operator: &str, left: Integer, right: Integer) -> Option<i64> {
    let is_unsigned = is_unsigned(operator, left.is_unsigned, right.is_unsigned);
    // A count without a sign is never negative.
    let is_huge = is_shift(operator) && right.is_unsigned && right.bits < 0;
    let (a, b) = (left.bits, if is_huge { i64::MAX } else { right.bits });
    let (c, d) = (a as u64, b as u64);
    let less = if is_unsigned { c < d } else { a < b };
    Some(match operator {
        "||" => i64::from(a != 0 || b != 0),
        "&&" => i64::from(a != 0 && b != 0),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<=" => i64::from(less || a == b),
        ">=" => i64::from(!less),
        "<" => i64::from(less),
        ">" => i64::from(!less && a != b),
        "<<" => shift(a, b, is_unsigned),
        ">>" => shift(a, b.saturating_neg(), is_unsigned),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" | "%" if b == 0 => return None,
        "/" if is_unsigned => (c / d) as i64,
        "%" if is_unsigned => (c % d) as i64,
        "/" => a.wrapping_div(b),
        "%" => a.wrapping_rem(b),
        other => unreachable!("`{other}` is not an operator of two numbers"),
    })
}

/// `number` shifted to the left or, by a negative number of places, to the right.
fn shift(number: i64, places: i64, is_unsigned: bool) -> i64 {
    match places {
        0..=63 => number << places,
        -63..=-1 if is_unsigned => ((number as u64) >> -places) as i64,
        -63..=-1 => number >> -places,
        _ if places < 0 && number < 0 && !is_unsigned => -1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        let signed = |bits| Some(Integer { bits, is_unsigned: false });
        let unsigned = |bits| Some(Integer { bits, is_unsigned: true });
        assert_eq!(integer("1'000"), signed(1000));
        assert_eq!(integer("0x37A"), signed(0x37a));
        assert_eq!(integer("0xffu"), unsigned(255));
        assert_eq!(integer("012"), signed(10));
        assert_eq!(integer("0b101LL"), signed(5));
        assert_eq!(integer("0"), signed(0));
        assert_eq!(integer("00"), signed(0));
        assert_eq!(integer("200000UL"), unsigned(200_000));
        assert_eq!(integer("0x8000000000000000"), unsigned(i64::MIN));
        assert_eq!(integer("18446744073709551615"), unsigned(-1));
        for no in ["", "08", "0x", "0b2", "1.0", "1f", "1uu", "1lul", "18446744073709551616", "+1", "0x+1"] {
            assert_eq!(integer(no), None, "{no}");
        }
    }

    #[test]
    fn characters() {
        let all =
            [("A", 65), ("\\n", 10), ("\\x41", 65), ("\\101", 65), ("\\0", 0), ("\\\\", 92), ("\\xff", -1)];
        for (text, value) in all {
            assert_eq!(character(text), Some(value), "{text}");
        }
        for no in ["", "ab", "\\", "\\q", "\\n0", "\\x", "\\x100", "\\1234", "\\8", "é", "\\é"] {
            assert_eq!(character(no), None, "{no}");
        }
    }

    #[test]
    fn arithmetic() {
        let signed = |bits| Integer { bits, is_unsigned: false };
        let unsigned = |bits| Integer { bits, is_unsigned: true };
        assert_eq!(binary("<", signed(-1), signed(1)), Some(1));
        assert_eq!(binary("<", signed(-1), unsigned(1)), Some(0));
        assert_eq!(binary(">>", signed(-8), signed(1)), Some(-4));
        assert_eq!(binary(">>", signed(-8), unsigned(1)), Some(-4));
        assert_eq!(binary(">>", unsigned(-8), signed(60)), Some(15));
        assert_eq!(binary("<<", unsigned(4), unsigned(-1)), Some(0));
        assert_eq!(binary("/", signed(1), signed(0)), None);
        assert_eq!(binary("/", signed(i64::MIN), signed(-1)), Some(i64::MIN));
    }
}
