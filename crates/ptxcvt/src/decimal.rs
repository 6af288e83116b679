//! Floats as decimal text.

use core::fmt::{self, Display, LowerExp};

/// A float in the fewest digits that parse to it again, with an exponent if zeros would hide the digits.
pub fn decimal<F: Copy + Into<f64> + Display + LowerExp>(value: F) -> impl Display {
    Decimal(value)
}

struct Decimal<F>(F);

impl<F: Copy + Into<f64> + Display + LowerExp> Display for Decimal<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size: f64 = self.0.into().abs();
        match size {
            _ if size.is_nan() => f.write_str("nan"),
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
        assert_eq!([0.1_f32, f32::MAX].map(|value| decimal(value).to_string()), ["0.1", "3.4028235e38"]);
    }
}
