//! Integers as Python writes them.
//!
//! The Python Language Reference, "Integer literals".

/// The value of an integer.
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
