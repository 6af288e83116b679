//! Operators of two numbers, as the preprocessor computes them.
//!
//! ISO C, section 6.10.1: numbers are `intmax_t` and `uintmax_t`.

/// The operator with its operands exchanged, for comparisons.
pub(super) fn mirrored(operator: &'static str) -> &'static str {
    match operator {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        other => other,
    }
}

pub(super) fn binary(operator: &str, a: i64, b: i64, unsigned: bool) -> i64 {
    let (c, d) = (a as u64, b as u64);
    let less = if unsigned { c < d } else { a < b };
    match operator {
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "==" => i64::from(a == b),
        "!=" => i64::from(a != b),
        "<=" => i64::from(less || a == b),
        ">=" => i64::from(!less),
        "<" => i64::from(less),
        ">" => i64::from(!less && a != b),
        "<<" => shift(a, b, unsigned),
        ">>" => shift(a, b.saturating_neg(), unsigned),
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        // A division by 0 is an error of the compiler, so the value does not matter.
        "/" if unsigned => c.checked_div(d).unwrap_or(0) as i64,
        "%" if unsigned => c.checked_rem(d).unwrap_or(0) as i64,
        "/" => a.checked_div(b).unwrap_or(0),
        "%" => a.checked_rem(b).unwrap_or(0),
        other => unreachable!("`{other}` is not an operator of two evaluated operands"),
    }
}

/// `number` shifted to the left or, by a negative number of places, to the right.
fn shift(number: i64, places: i64, unsigned: bool) -> i64 {
    match places {
        0..=63 => number << places,
        -63..=-1 if unsigned => ((number as u64) >> -places) as i64,
        -63..=-1 => number >> -places,
        _ if places < 0 && number < 0 && !unsigned => -1,
        _ => 0,
    }
}
