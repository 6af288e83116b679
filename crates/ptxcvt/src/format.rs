//! Number formats: one row of parameters each, and one generic decoder for all of them.
//!
//! PTX ISA sections 5.2.1 (fundamental types), 5.2.3 (alternate floating-point formats) and 5.2.4
//! (fixed-point formats). A [`Format`] is a single element; [`crate::Type`] is what an instruction
//! names, one to four elements packed in a register.

use crate::exact::{Exact, Value};

/// What the bits of a format mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Binary integer; `signed` is two's complement.
    Integer {
        /// Two's complement rather than unsigned.
        signed: bool,
    },
    /// Sign (where there is one), biased exponent, fraction, from the top bit down.
    Float {
        /// Has a sign bit.
        signed: bool,
        /// Width of the exponent field in bits.
        exponent: u32,
        /// Width of the fraction field in bits, without the hidden bit.
        fraction: u32,
        /// What is subtracted from the exponent field.
        bias: i32,
        /// Which codes are not finite numbers.
        specials: Specials,
    },
    /// An unsigned power of two: code `c` is 2^(c − bias); no zero; all ones is NaN.
    PowerOfTwo {
        /// What is subtracted from the code.
        bias: i32,
    },
    /// Two's complement with `fraction` bits right of the binary point.
    Fixed {
        /// Bits right of the binary point.
        fraction: u32,
    },
}

/// Which codes of a floating-point format are infinities and NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Specials {
    /// As IEEE 754: an all-ones exponent is infinity (fraction 0) or NaN.
    Ieee,
    /// No infinity; the one NaN of each sign has every magnitude bit set.
    NanOnly,
    /// Every code is finite.
    None,
}

/// The parameters of a [`Format`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// PTX's name, without the dot.
    pub name: &'static str,
    /// Significant bits of a code.
    pub bits: u32,
    /// Bits one element takes in a register: FP6 sits in a byte, tf32 in the top of 32 bits.
    pub storage: u32,
    /// The meaning of the bits.
    pub kind: Kind,
    /// One line for a reader who meets the format for the first time.
    pub about: &'static str,
}

const fn integer(name: &'static str, bits: u32, signed: bool, about: &'static str) -> Parameters {
    Parameters { name, bits, storage: bits, kind: Kind::Integer { signed }, about }
}

const fn float(
    name: &'static str,
    (exponent, fraction, bias): (u32, u32, i32),
    specials: Specials,
    storage: u32,
    about: &'static str,
) -> Parameters {
    let kind = Kind::Float { signed: true, exponent, fraction, bias, specials };
    Parameters { name, bits: 1 + exponent + fraction, storage, kind, about }
}

/// Declares [`Format`] and its rows. `formats! { U8 => integer(...), }` expands to an enum with the
/// variant `U8`, the list `Format::ALL`, and the table that [`Format::parameters`] indexes.
macro_rules! formats {
    ($($variant:ident => $row:expr,)*) => {
        /// A number format: the meaning of one element's bits.
        ///
        /// ```
        /// use ptxcvt::Format;
        /// let e4m3 = Format::from_name("e4m3").unwrap();
        /// assert_eq!(e4m3.bits(), 8);
        /// assert_eq!(e4m3.max_finite(), 0x7e); // 448
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)] // the row says it
        #[rustfmt::skip]
        pub enum Format { $($variant),* }

        impl Format {
            /// Every format, in the order of the table.
            pub const ALL: &'static [Format] = &[$(Format::$variant),*];
        }

        pub(super) const ROWS: &[Parameters] = &[$($row),*];
    };
}

#[rustfmt::skip]
mod rows {
    use super::*;
    use Specials::{Ieee, NanOnly};
    formats! {
        U2  => integer("u2", 2, false, "unsigned 2-bit integer (cvt.pack only)"),
        S2  => integer("s2", 2, true,  "signed 2-bit integer (cvt.pack only)"),
        U4  => integer("u4", 4, false, "unsigned 4-bit integer (cvt.pack only)"),
        S4  => integer("s4", 4, true,  "signed 4-bit integer (cvt.pack only)"),
        U8  => integer("u8", 8, false, "unsigned 8-bit integer"),
        U16 => integer("u16", 16, false, "unsigned 16-bit integer"),
        U32 => integer("u32", 32, false, "unsigned 32-bit integer"),
        U64 => integer("u64", 64, false, "unsigned 64-bit integer"),
        S8  => integer("s8", 8, true, "signed 8-bit integer"),
        S16 => integer("s16", 16, true, "signed 16-bit integer"),
        S32 => integer("s32", 32, true, "signed 32-bit integer"),
        S64 => integer("s64", 64, true, "signed 64-bit integer"),
        //             name    (e, f, bias)  specials  storage
        F16  => float("f16",  (5, 10, 15), Ieee, 16, "IEEE 754 binary16 (half precision)"),
        Bf16 => float("bf16", (8, 7, 127), Ieee, 16, "bfloat16: the upper half of an f32"),
        Tf32 => float("tf32", (8, 10, 127), Ieee, 32, "f32 with 10 fraction bits, kept in the upper 19 bits of a register"),
        F32  => float("f32",  (8, 23, 127), Ieee, 32, "IEEE 754 binary32 (single precision)"),
        F64  => float("f64",  (11, 52, 1023), Ieee, 64, "IEEE 754 binary64 (double precision)"),
        E4m3 => float("e4m3", (4, 3, 7), NanOnly, 8, "FP8 with 4 exponent bits; no infinity"),
        E5m2 => float("e5m2", (5, 2, 15), Ieee, 8, "FP8 with 5 exponent bits"),
        E2m3 => float("e2m3", (2, 3, 1), Specials::None, 8, "FP6 with 2 exponent bits; every code is finite"),
        E3m2 => float("e3m2", (3, 2, 3), Specials::None, 8, "FP6 with 3 exponent bits; every code is finite"),
        E2m1 => float("e2m1", (2, 1, 1), Specials::None, 4, "FP4; every code is finite"),
        Ue8m0 => Parameters { name: "ue8m0", bits: 8, storage: 8, kind: Kind::PowerOfTwo { bias: 127 },
            about: "unsigned power of two, the scale of block formats; no zero, no infinity" },
        Ue5m3 => Parameters { name: "ue5m3", bits: 8, storage: 8,
            kind: Kind::Float { signed: false, exponent: 5, fraction: 3, bias: 15, specials: NanOnly },
            about: "unsigned FP8 with 5 exponent bits; no infinity (ISA 9.4)" },
        S2f6 => Parameters { name: "s2f6", bits: 8, storage: 8, kind: Kind::Fixed { fraction: 6 },
            about: "8-bit two's complement fixed point with 6 fraction bits, -2 to 1.984375" },
    }
}
pub use rows::Format;
use rows::ROWS;

impl Format {
    /// The format's row of the table.
    #[inline]
    pub const fn parameters(self) -> &'static Parameters {
        &ROWS[self as usize]
    }

    /// PTX's name, without the dot.
    pub const fn name(self) -> &'static str {
        self.parameters().name
    }

    /// The format of that PTX name (without the dot).
    pub fn from_name(name: &str) -> Option<Format> {
        Self::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// Significant bits of a code.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.parameters().bits
    }

    /// Bits one element takes in a register; see [`Parameters::storage`].
    #[inline]
    pub const fn storage(self) -> u32 {
        self.parameters().storage
    }

    /// Zero bits below the code in its storage: 13 for tf32, else 0.
    #[inline]
    pub const fn low_padding(self) -> u32 {
        match self {
            Format::Tf32 => 13,
            _ => 0,
        }
    }

    /// True of the integer formats.
    #[inline]
    pub const fn is_integer(self) -> bool {
        matches!(self.parameters().kind, Kind::Integer { .. })
    }

    /// True where negative numbers exist.
    #[inline]
    pub const fn is_signed(self) -> bool {
        match self.parameters().kind {
            Kind::Integer { signed } | Kind::Float { signed, .. } => signed,
            Kind::PowerOfTwo { .. } => false,
            Kind::Fixed { .. } => true,
        }
    }

    /// The largest finite code of positive sign, as it lies in a register.
    ///
    /// ```
    /// use ptxcvt::Format;
    /// assert_eq!(Format::F16.max_finite(), 0x7bff);
    /// assert_eq!(Format::Tf32.max_finite(), 0x7f7f_e000);
    /// assert_eq!(Format::S8.max_finite(), 0x7f);
    /// ```
    #[inline]
    pub const fn max_finite(self) -> u64 {
        let magnitude = match self.parameters().kind {
            Kind::Integer { signed } => mask(self.bits() - signed as u32),
            Kind::Fixed { .. } => mask(self.bits() - 1),
            Kind::PowerOfTwo { .. } => mask(self.bits()) - 1,
            Kind::Float { signed, fraction, specials, .. } => {
                let all = mask(self.bits() - signed as u32);
                match specials {
                    Specials::Ieee => all - (1 << fraction),
                    Specials::NanOnly => all - 1,
                    Specials::None => all,
                }
            }
        };
        magnitude << self.low_padding()
    }

    /// The sign bit as it lies in a register, 0 where there is none.
    #[inline]
    pub const fn sign_bit(self) -> u64 {
        if self.is_signed() { 1 << (self.bits() + self.low_padding() - 1) } else { 0 }
    }

    /// Every bit but the sign, as it lies in a register: the canonical NaN, and the largest number where a
    /// format has no NaN.
    #[inline]
    pub(crate) const fn canonical_nan(self) -> u64 {
        mask(self.bits() - self.is_signed() as u32) << self.low_padding()
    }

    /// The magnitude code of positive infinity, if the format has one.
    #[inline]
    pub const fn infinity(self) -> Option<u64> {
        match self.parameters().kind {
            Kind::Float { specials: Specials::Ieee, .. } => {
                Some(self.max_finite() + (1 << self.low_padding()))
            }
            _ => None,
        }
    }

    /// Decodes one element from its bits (its storage's low bits; anything above is ignored).
    ///
    /// ```
    /// use ptxcvt::{Format, Value};
    /// assert_eq!(Format::E4m3.decode(0x7e).to_f64(), 448.0);
    /// assert!(matches!(Format::E4m3.decode(0x7f), Value::Nan { .. }));
    /// ```
    #[inline]
    pub fn decode(self, bits: u64) -> Value {
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

/// `n` low ones; `n` up to 64.
#[inline]
pub(crate) const fn mask(n: u32) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// The two's complement number in the low `width` bits of `code`.
#[inline]
pub(crate) const fn sign_extend(code: u64, width: u32) -> i64 {
    ((code << (64 - width)) as i64) >> (64 - width)
}

impl core::fmt::Display for Format {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}
