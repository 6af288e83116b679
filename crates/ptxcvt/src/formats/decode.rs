//! Bits to values: one decoder for every format.

use super::parameters::{Kind, Specials};
use super::rows::Format;
use crate::bits::{mask, sign_extend};
use crate::exact::{Exact, Value};

impl Format {
    /// Decodes one element from its bits (its storage's low bits; anything above is ignored).
    ///
    /// ```
    /// use ptxcvt::{Format, Value};
    /// assert_eq!(Format::E4m3.decode(0x7e).to_f64(), 448.0);
    /// assert!(matches!(Format::E4m3.decode(0x7f), Value::Nan { .. }));
    /// ```
    #[inline(always)]
    pub const fn decode(self, bits: u64) -> Value {
        let width = self.bits();
        let code = (bits >> self.low_padding()) & mask(width);
        match self.parameters().kind {
            Kind::Integer { signed: false } => Value::Finite(Exact::new(false, code, 0)),
            Kind::Integer { signed: true } => Value::Finite(Exact::from_i64(sign_extend(code, width), 0)),
            Kind::Fixed { fraction } => {
                Value::Finite(Exact::from_i64(sign_extend(code, width), -(fraction as i32)))
            }
            Kind::PowerOfTwo { .. } if code == mask(width) => Value::Nan { negative: false, payload: 0 },
            Kind::PowerOfTwo { bias } => Value::Finite(Exact::new(false, 1, code as i32 - bias)),
            Kind::Float { signed, exponent, fraction, bias, specials } => {
                let negative = signed && code >> (width - 1) != 0;
                let magnitude = code & mask(width - signed as u32);
                let (field, low) = (magnitude >> fraction, magnitude & mask(fraction));
                match specials {
                    Specials::Ieee if field == mask(exponent) && low == 0 => Value::Infinity { negative },
                    Specials::Ieee if field == mask(exponent) => {
                        Value::Nan { negative, payload: low << (64 - fraction) }
                    }
                    Specials::NanOnly if magnitude == mask(width - signed as u32) => {
                        Value::Nan { negative, payload: 0 }
                    }
                    _ if field == 0 => Value::Finite(Exact::new(negative, low, 1 - bias - fraction as i32)),
                    _ => Value::Finite(Exact::new(
                        negative,
                        low | 1 << fraction,
                        field as i32 - bias - fraction as i32,
                    )),
                }
            }
        }
    }
}

impl From<f32> for Value {
    /// The value of an f32, which is exact.
    fn from(x: f32) -> Value {
        Format::F32.decode(x.to_bits().into())
    }
}

impl From<f64> for Value {
    /// The value of an f64, which is exact.
    fn from(x: f64) -> Value {
        Format::F64.decode(x.to_bits())
    }
}

impl From<i64> for Value {
    fn from(x: i64) -> Value {
        Value::Finite(Exact::from_i64(x, 0))
    }
}

impl From<u64> for Value {
    fn from(x: u64) -> Value {
        Value::Finite(Exact::new(false, x, 0))
    }
}
