//! Floats as decimal text.

use core::fmt::{self, Display, LowerExp};

/// A float in the fewest digits that parse to it again, with an exponent if zeros would hide the digits. A whole number
/// without an exponent has its own digits.
pub fn decimal<F: Copy + Into<f64> + Display + LowerExp>(value: F) -> impl Display {
    Decimal(value)
}

struct Decimal<F>(F);

impl<F: Copy + Into<f64> + Display + LowerExp> Display for Decimal<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value: f64 = self.0.into();
        let size = value.abs();
        match size {
            _ if size.is_nan() => f.write_str("nan"),
            // The fewest digits of 2^32 as an f32 are those of 4294967300.
            1.0..1e17 if size as u64 as f64 == size => write!(f, "{}", value as i64),
            _ if size == 0.0 || (1e-5..1e17).contains(&size) => write!(f, "{}", self.0),
            _ => write!(f, "{:e}", self.0),
        }
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use alloc::string::ToString;

    use super::decimal;

    #[test]
    fn exponents_replace_zeros() {
        let text = |value: f64| decimal(value).to_string();
        assert_eq!(
            [0.0, -0.0, 1e-5, 9e-6, -1e16, 1e17].map(text),
            ["0", "-0", "0.00001", "9e-6", "-10000000000000000", "1e17"]
        );
        assert_eq!([f64::NAN, f64::INFINITY, -f64::INFINITY].map(text), ["nan", "inf", "-inf"]);
        let wide =
            [16777216.0_f32, 4294967296.0, -72057594037927936.0_f32].map(|value| decimal(value).to_string());
        assert_eq!(wide, ["16777216", "4294967296", "-72057594037927936"]);
        assert_eq!(text(72057594037927936.0), "72057594037927936");
        assert_eq!([0.1_f32, f32::MAX].map(|value| decimal(value).to_string()), ["0.1", "3.4028235e38"]);
    }
}
