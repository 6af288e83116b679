//! The options of a conversion of words: a scale, an omitted power of two, another order, inputs without NaN.

use std::fmt;

use ptxcvt::{Form, Format, Modifier, Rounding, Value, one_of};

use super::order;
use super::shape::Shape;
use crate::short::words::Small;

/// A variant of a word conversion. The default is the form on every element, in memory order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// The format of a factor for all elements, in the low bits of a 16-bit operand after the sources. Only for
    /// conversions to f16 and bf16.
    pub scale: Option<Format>,
    /// Leave out the multiplication by a power of two that ends the conversion of codes to f16 or bf16.
    pub skip_factor: bool,
    /// The order of the codes in their registers.
    pub order: Order,
    /// No source is NaN.
    pub numbers: bool,
}

/// The order of codes in a source register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Element 0 in the lowest bits.
    #[default]
    Memory,
    /// As [`interleave`](super::interleave) puts them, which saves instructions.
    Interleaved,
}

/// Why the options do not fit the form or each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VariantError {
    /// The option is only for conversions from FP8, FP6 and FP4 to f16 and bf16.
    OnlyWiden(&'static str),
    /// Two options that cannot be combined.
    Both(&'static str, &'static str),
    /// A number of this format cannot be the factor.
    Scale(Format),
    /// No other order saves instructions.
    Order(Form),
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VariantError::OnlyWiden(option) => {
                write!(f, "{option} is only for conversions from FP8, FP6 and FP4 to f16 and bf16")
            }
            VariantError::Both(one, other) => write!(f, "{one} and {other} cannot be combined"),
            VariantError::Order(form) => {
                write!(f, "`{form}` has no interleaved order, because it would not save instructions")
            }
            VariantError::Scale(format) => {
                write!(f, "a factor cannot be {format}: give {}", one_of(&Variant::SCALES))
            }
        }
    }
}

impl std::error::Error for VariantError {}

impl Variant {
    /// The formats of a factor.
    pub const SCALES: [Format; 4] = [Format::Ue8m0, Format::E4m3, Format::F16, Format::Bf16];

    /// True for a factor with which the scaled conversion returns each element times the factor, rounded once to nearest
    /// even: the product of the factor and 2^`power` is a number of the result's format, and zero or normal. `power` is
    /// [`Word::power`](super::Word::power).
    ///
    /// ```
    /// use ptxcvt::Format;
    /// use ptxcvt_lower::word::Variant;
    /// let f16 = |scale| Variant::accepts(Format::F16, Format::F16, 14, scale);
    /// assert!(f16(0x3c00) && !f16(0x4400)); // 1.0; 4.0 times 2^14 is more than f16 has
    /// ```
    pub fn accepts(scale: Format, result: Format, power: i32, bits: u64) -> bool {
        let Value::Finite(value) = scale.decode(bits) else { return false };
        // The factor is computed in f32, where code 0 of ue8m0 would be subnormal.
        if scale == Format::Ue8m0 && bits & 0xff == 0 {
            return false;
        }
        let product = value.to_f64() * 2_f64.powi(power);
        let code = result.encode(product, Rounding::Rn);
        let normal = result.decode(result.min_normal()).to_f64();
        let is_same = result.decode(code).to_f64() == product;
        is_same && product.is_finite() && (product == 0.0 || product.abs() >= normal)
    }

    /// Checks that the options fit each other and the form.
    pub(super) fn check(self, shape: Shape) -> Result<(), VariantError> {
        let [from, to] = [shape.form().source(), shape.form().destination()].map(|ty| ty.format());
        let widens = matches!(to, Format::F16 | Format::Bf16) && Small::new(from).is_some();
        for (given, name) in [
            (self.scale.is_some(), "--scale"),
            (self.skip_factor, "--skip-factor"),
            (self.order == Order::Interleaved, "--order interleaved"),
        ] {
            if given && !widens {
                return Err(VariantError::OnlyWiden(name));
            }
        }
        if self.skip_factor && shape.form().has(Modifier::Relu) {
            return Err(VariantError::Both("--skip-factor", ".relu"));
        }
        if self.order == Order::Interleaved && order::places(shape).is_none() {
            return Err(VariantError::Order(shape.form()));
        }
        match self.scale {
            Some(_) if shape.form().has(Modifier::Satfinite) => {
                Err(VariantError::Both("--scale", ".satfinite"))
            }
            Some(_) if self.skip_factor => Err(VariantError::Both("--scale", "--skip-factor")),
            Some(format) if !Self::SCALES.contains(&format) => Err(VariantError::Scale(format)),
            _ => Ok(()),
        }
    }
}
