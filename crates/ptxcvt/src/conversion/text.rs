//! A conversion in words.

use core::fmt;

use super::{Clamp, Conversion, Scale, Subnormals, default_nan};
use crate::overflow::Overflow;
use crate::round::Rounding;

impl fmt::Display for Conversion {
    /// `f32->e4m3, to nearest, overflow saturates`. Apart from rounding and overflow, defaults are omitted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}->{}", self.source, self.destination)?;
        if !(self.source.is_integer() && self.destination.is_integer()) {
            write!(f, ", {}", self.rounding.direction())?;
            if self.rounding == Rounding::Rs {
                write!(f, " ({} bits)", self.random_bits)?;
            } else if self.rounding.is_integer() && !self.destination.is_integer() {
                f.write_str(", to an integral number")?;
            }
        }
        f.write_str(match self.overflow {
            Overflow::Saturate => ", overflow saturates",
            Overflow::Ieee => ", overflow as IEEE 754",
            Overflow::InfinityOrNan => ", overflow to infinity or NaN",
            Overflow::Wrap => ", overflow wraps",
        })?;
        if self.nan != default_nan(self.destination) {
            write!(f, ", {}", self.nan.describe())?;
        }
        f.write_str(match self.source_subnormals {
            Subnormals::Keep => "",
            Subnormals::Zero => ", subnormal sources to zero",
            Subnormals::PositiveZero => ", subnormal sources to +0",
        })?;
        f.write_str(match self.scale {
            Scale::None => "",
            Scale::Divide => ", divided by a scale",
            Scale::Multiply => ", multiplied by a scale",
        })?;
        f.write_str(match self.clamp {
            Clamp::None => "",
            Clamp::NonNegative => ", negative numbers to +0",
            Clamp::UnitInterval => ", limited to [0, 1]",
        })?;
        f.write_str(match self.result_subnormals {
            Subnormals::Keep => "",
            Subnormals::Zero => ", subnormal results to zero",
            Subnormals::PositiveZero => ", subnormal results to +0",
        })?;
        if self.positive_zero { f.write_str(", -0 to +0") } else { Ok(()) }
    }
}
