//! The number types: their bits, and conversions from and to f32 and f64.
//!
//! PTX ISA sections 5.2.3 (alternate floating-point formats), 5.2.4 (fixed-point formats) and 9.7.9.21 (`cvt`).

use super::list::numbers;
use super::quick::{Quick, to_odd};
use crate::bits::mask;
use crate::conversion::{Conversion, Extra};
use crate::formats::Format;
use crate::outcome::NanRule;
use crate::overflow::Overflow;
use crate::round::Rounding;

/// The reference's conversion between a format and f32 or f64. Next to f64, the formats of 16 bits and more keep the
/// payload of NaN, as the forms of PTX do.
const fn conversion(source: Format, destination: Format) -> Conversion {
    let conversion = Conversion::new(source, destination);
    match (source, destination) {
        (Format::F64, Format::F16 | Format::Bf16) | (_, Format::F64) => conversion.nan(NanRule::Quieted),
        _ => conversion,
    }
}

/// Declares a type for each row. `E4m3: u8 = …;` expands to `pub struct E4m3(u8)` with its bits and its conversions.
macro_rules! declare {
    ($(
        $(#[$doc:meta])*
        $name:ident: $bits:ident = $form:literal ($rounding:ident, $overflow:ident), [$($has:ident)*];
    )*) => {$(
        $(#[$doc])*
        ///
        /// The methods are those of `f32`. Arithmetic computes with the exact numbers and rounds once.
        #[derive(Clone, Copy, Default)]
        #[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
        #[cfg_attr(
            feature = "zerocopy",
            derive(zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::KnownLayout, zerocopy::Immutable)
        )]
        #[repr(transparent)]
        pub struct $name($bits);

        const _: () = {
            let storage = Format::$name.storage().div_ceil(8) * 8;
            assert!(storage == $bits::BITS, "the type has the bytes of the format's storage");
        };

        /// Bits and conversions.
        impl $name {
            /// The format: its widths, its largest and smallest numbers, its names.
            pub const FORMAT: Format = Format::$name;

            const QUICK: Quick = Quick::new(Format::$name, Overflow::$overflow);
            const CODE: $bits = (mask(Format::$name.bits()) << Format::$name.low_padding()) as $bits;

            /// The number with this code. Bits that do not belong to the code are ignored.
            #[inline]
            pub const fn from_bits(bits: $bits) -> Self {
                $name(bits & Self::CODE)
            }

            /// The code.
            #[inline]
            pub const fn to_bits(self) -> $bits {
                self.0 & Self::CODE
            }

            /// The code's bytes, the lowest first.
            #[inline]
            pub const fn to_le_bytes(self) -> [u8; size_of::<$bits>()] {
                self.to_bits().to_le_bytes()
            }

            /// The number with these bytes, the lowest first.
            #[inline]
            pub const fn from_le_bytes(bytes: [u8; size_of::<$bits>()]) -> Self {
                Self::from_bits($bits::from_le_bytes(bytes))
            }

            /// The code's bytes, the highest first.
            #[inline]
            pub const fn to_be_bytes(self) -> [u8; size_of::<$bits>()] {
                self.to_bits().to_be_bytes()
            }

            /// The number with these bytes, the highest first.
            #[inline]
            pub const fn from_be_bytes(bytes: [u8; size_of::<$bits>()]) -> Self {
                Self::from_bits($bits::from_be_bytes(bytes))
            }

            /// The code's bytes in the order of this machine.
            #[inline]
            pub const fn to_ne_bytes(self) -> [u8; size_of::<$bits>()] {
                self.to_bits().to_ne_bytes()
            }

            /// The number with these bytes in the order of this machine.
            #[inline]
            pub const fn from_ne_bytes(bytes: [u8; size_of::<$bits>()]) -> Self {
                Self::from_bits($bits::from_ne_bytes(bytes))
            }

            #[doc = concat!("Rounds an f32 as `", $form, "` does.")]
            ///
            #[doc = concat!("[`from_f32_with`](", stringify!($name), "::from_f32_with) has the other roundings.")]
            ///
            /// ```
            #[doc = concat!("use ptxcvt::", stringify!($name), ";")]
            #[doc = concat!("const ONE: ", stringify!($name), " = ", stringify!($name), "::from_f32(1.0);")]
            #[doc = concat!("assert_eq!(ONE, ", stringify!($name), "::ONE);")]
            /// ```
            #[inline]
            pub const fn from_f32(x: f32) -> Self {
                $name(Self::QUICK.narrow(x.to_bits()) as $bits)
            }

            /// Rounds an f64 once: the result is that of [`from_f32`](Self::from_f32) for an f32 of unlimited precision.
            #[inline]
            pub const fn from_f64(x: f64) -> Self {
                if x.is_nan() {
                    return $name(conversion(Format::F64, Format::$name).eval(x.to_bits()) as $bits);
                }
                $name(Self::QUICK.narrow(to_odd(x.to_bits())) as $bits)
            }

            /// Rounds an f32 as [`Format::encode`] does. NaN becomes the canonical NaN, or the largest number if the
            /// format has no NaN.
            ///
            /// - [`Rounding::Rni`] and its like round to an integer, and that into the format. PTX has them only between
            ///   equal formats, where numbers are rounded once; of a more precise source, a large number is rounded twice.
            /// - [`Rounding::Rs`] truncates, but overflows beyond the range; random bits are given to `from_f32_random`.
            /// - Unsigned formats drop the sign before rounding, and fixed point always saturates.
            ///
            /// ```
            #[doc = concat!("use ptxcvt::{Overflow, Rounding, ", stringify!($name), "};")]
            #[doc = concat!("let x = ", stringify!($name), "::from_f32_with(1e-9, Rounding::Rp, Overflow::Saturate);")]
            #[doc = concat!("assert!(x.to_f32() > 1e-9 && x.next_down().is_none_or(|below| below.to_f32() < 1e-9));")]
            /// ```
            pub const fn from_f32_with(x: f32, rounding: Rounding, overflow: Overflow) -> Self {
                let conversion = conversion(Format::F32, Format::$name).rounding(rounding).overflow(overflow);
                $name(conversion.eval(x.to_bits() as u64) as $bits)
            }

            /// Like [`from_f32_with`](Self::from_f32_with), from f64.
            pub const fn from_f64_with(x: f64, rounding: Rounding, overflow: Overflow) -> Self {
                let conversion = conversion(Format::F64, Format::$name).rounding(rounding).overflow(overflow);
                $name(conversion.eval(x.to_bits()) as $bits)
            }

            /// The number as an f32, which is exact.
            #[inline]
            pub const fn to_f32(self) -> f32 {
                f32::from_bits(Self::QUICK.widen(self.to_bits() as u32))
            }

            /// The number as an f64, which is exact.
            #[inline]
            pub const fn to_f64(self) -> f64 {
                let x = self.to_f32();
                if x.is_nan() {
                    let bits = self.to_bits() as u64;
                    return f64::from_bits(conversion(Format::$name, Format::F64).eval(bits));
                }
                x as f64
            }
        }

        $($has!($name $bits $overflow);)*
    )*};
}

/// Stochastic rounding, which PTX has for some formats.
macro_rules! random {
    ($name:ident $bits:ident $overflow:ident) => {
        /// Stochastic rounding.
        impl $name {
            /// Random bits that `from_f32_random` uses.
            pub const RANDOM_BITS: u32 = if matches!(Format::$name, Format::F16) { 13 } else { 16 };

            /// Rounds stochastically, as `cvt.rs` does with one element: the low
            #[doc = concat!("[`RANDOM_BITS`](", stringify!($name), "::RANDOM_BITS)")]
            /// bits of `rbits` are added to the discarded bits just below the last place, and a carry rounds away from
            /// zero. If `rbits` is uniform, the expected value of the result is `x`, as long as `x` has no further bits.
            ///
            /// An instruction converts two or four elements and takes these bits from fields of its operand `rbits`;
            /// the packed types do that.
            ///
            /// ```
            #[doc = concat!("use ptxcvt::", stringify!($name), ";")]
            /// // A number a quarter of the way from 1 to the next one is rounded up by a quarter of all random bits.
            #[doc = concat!("let x = 1.0 + ", stringify!($name), "::EPSILON.to_f32() / 4.0;")]
            #[doc = concat!("let up = (0..1 << ", stringify!($name), "::RANDOM_BITS)")]
            #[doc = concat!("    .filter(|rbits| ", stringify!($name), "::from_f32_random(x, *rbits).to_f32() > 1.0);")]
            #[doc = concat!("assert_eq!(up.count(), (1 << ", stringify!($name), "::RANDOM_BITS) / 4);")]
            /// ```
            pub const fn from_f32_random(x: f32, rbits: u32) -> Self {
                let conversion = conversion(Format::F32, Format::$name)
                    .stochastic(Self::RANDOM_BITS)
                    .overflow(Overflow::$overflow);
                let random = rbits & mask(Self::RANDOM_BITS) as u32;
                $name(conversion.eval_with(x.to_bits() as u64, Extra::random(random)) as $bits)
            }
        }
    };
}

/// Other properties concern other files.
macro_rules! other {
    ($name:ident $bits:ident $overflow:ident) => {};
}
use other as signed;
use other as zero;
use other as nan;
use other as infinity;

numbers!(declare);
