//! The packed types: two or four numbers in a register.
//!
//! PTX ISA section 5.2.5 (packed data types), and 9.7.9.21 for the operands of `cvt`: the first source operand becomes the
//! upper part. In memory, the lower part is first.

use core::fmt;

use super::list::packed_types;
use super::number::*;
use super::table::Type;
use crate::bits::mask;
use crate::formats::Format;
use crate::forms::random_field;

/// Declares the packed types. `E4m3x2: u16 = 2 of E4m3, E4M3X2, halves E4m3, [];` expands to
/// `pub struct E4m3x2(u16)`, whose upper and lower halves are an `E4m3` each. `[random]` adds stochastic rounding.
macro_rules! packed {
    ($(
        $name:ident: $bits:ident = $count:literal of $number:ident, $type:ident, halves $half:ident,
        [$($has:ident)*];
    )*) => {$(
        #[doc = concat!("PTX's `.", stringify!($name), "`, in lower case:")]
        #[doc = concat!(stringify!($count), " numbers of type [`", stringify!($number), "`] in a register of ")]
        #[doc = concat!(stringify!($bits), ".")]
        ///
        /// ```
        #[doc = concat!("use ptxcvt::", stringify!($name), ";")]
        #[doc = concat!("let x = ", stringify!($name), "::from_f32_array([1.0; ", stringify!($count), "]);")]
        #[doc = concat!("assert_eq!(", stringify!($name), "::from_hi_lo(x.hi(), x.lo()), x);")]
        #[doc = concat!("assert_eq!(x.to_f32_array(), [1.0; ", stringify!($count), "]);")]
        /// ```
        #[derive(Clone, Copy, Default)]
        #[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
        #[cfg_attr(
            feature = "zerocopy",
            derive(zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::KnownLayout, zerocopy::Immutable)
        )]
        #[repr(transparent)]
        pub struct $name($bits);

        const _: () = {
            let listed = Type::$type;
            assert!(listed.width() == $bits::BITS && listed.lanes() == $count, "as in the table of types");
            assert!(listed.format() as u32 == Format::$number as u32, "as in the table of types");
        };

        impl $name {
            /// The type as instructions name it.
            pub const TYPE: Type = Type::$type;

            /// The bits of a number, and the distance between two.
            const CODE: u64 = mask(Format::$number.bits()) << Format::$number.low_padding();
            const STEP: u32 = Format::$number.storage();

            /// The numbers with these bits. Bits that do not belong to a code are ignored.
            #[inline]
            pub const fn from_bits(bits: $bits) -> Self {
                $name(bits)
            }

            /// The bits as a register holds them; those that do not belong to a code are zero.
            #[inline]
            pub const fn to_bits(self) -> $bits {
                let (mut bits, mut i) = (0, 0);
                while i < $count {
                    bits |= (Self::CODE << (Self::STEP * i)) as $bits;
                    i += 1;
                }
                self.0 & bits
            }

            /// The upper half. If it is one number, that is PTX's first operand.
            #[inline]
            pub const fn hi(self) -> $half {
                $half::from_bits((self.0 >> ($bits::BITS / 2)) as _)
            }

            /// The lower half, which is first in memory. If it is one number, that is PTX's second operand.
            #[inline]
            pub const fn lo(self) -> $half {
                $half::from_bits((self.0 & ($bits::MAX >> ($bits::BITS / 2))) as _)
            }

            /// Two halves, the upper one first.
            #[inline]
            pub const fn from_hi_lo(hi: $half, lo: $half) -> Self {
                $name((hi.to_bits() as $bits) << ($bits::BITS / 2) | lo.to_bits() as $bits)
            }

            /// The numbers in the order of memory: the lowest one first.
            #[inline]
            pub const fn to_array(self) -> [$number; $count] {
                let (mut array, mut i) = ([$number::ONE; $count], 0);
                while i < $count {
                    array[i] = $number::from_bits((self.0 as u64 >> (Self::STEP * i as u32) & Self::CODE) as _);
                    i += 1;
                }
                array
            }

            /// Numbers in the order of memory: the first one becomes the lowest.
            #[inline]
            pub const fn from_array(array: [$number; $count]) -> Self {
                let (mut bits, mut i) = (0, 0);
                while i < $count {
                    bits |= (array[i].to_bits() as u64) << (Self::STEP * i as u32);
                    i += 1;
                }
                $name(bits as $bits)
            }

            /// The numbers as f32 in the order of memory.
            #[inline]
            pub const fn to_f32_array(self) -> [f32; $count] {
                let (numbers, mut array, mut i) = (self.to_array(), [0.0; $count], 0);
                while i < $count {
                    array[i] = numbers[i].to_f32();
                    i += 1;
                }
                array
            }

            /// Rounds f32 as
            #[doc = concat!("[`", stringify!($number), "::from_f32`](", stringify!($number), "::from_f32) does, in the")]
            /// order of memory: PTX's first operand is the last number.
            #[inline]
            pub const fn from_f32_array(array: [f32; $count]) -> Self {
                let (mut numbers, mut i) = ([$number::ONE; $count], 0);
                while i < $count {
                    numbers[i] = $number::from_f32(array[i]);
                    i += 1;
                }
                Self::from_array(numbers)
            }
        }

        $(packed!(@$has $name $number $count);)*

        impl PartialEq for $name {
            /// Compares number by number.
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.to_array() == other.to_array()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("hi", &self.hi()).field("lo", &self.lo()).finish()
            }
        }

        impl From<[$number; $count]> for $name {
            /// Numbers in the order of memory.
            #[inline]
            fn from(array: [$number; $count]) -> Self {
                Self::from_array(array)
            }
        }

        impl From<$name> for [$number; $count] {
            /// Numbers in the order of memory.
            #[inline]
            fn from(packed: $name) -> Self {
                packed.to_array()
            }
        }
    )*};
    (@random $name:ident $number:ident $count:literal) => {
        impl $name {
            /// Rounds stochastically with the bits that `cvt.rs` takes from its operand `rbits`, in the order of memory:
            /// PTX's first operand is the last number.
            ///
            /// ```
            #[doc = concat!("use ptxcvt::", stringify!($name), ";")]
            #[doc = concat!("let up = ", stringify!($name), "::from_f32_array_random([1.01; ", stringify!($count), "], !0);")]
            #[doc = concat!("assert!(up.to_f32_array().iter().all(|x| *x > 1.0));")]
            #[doc = concat!("let down = ", stringify!($name), "::from_f32_array_random([1.01; ", stringify!($count), "], 0);")]
            #[doc = concat!("assert!(down.to_f32_array().iter().all(|x| *x < 1.01));")]
            /// ```
            pub const fn from_f32_array_random(array: [f32; $count], rbits: u32) -> Self {
                let (mut numbers, mut i) = ([$number::ONE; $count], 0);
                while i < $count {
                    // PTX counts from the upper end.
                    let field = random_field(Format::$number, rbits, $count - 1 - i as u32);
                    numbers[i] = $number::from_f32_random(array[i], field);
                    i += 1;
                }
                Self::from_array(numbers)
            }
        }
    };
}

packed_types!(packed);
