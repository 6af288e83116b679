//! Arithmetic of the signed number types, with one rounding.
//!
//! Operands are widened to a host float, which computes, and the result is rounded with `from_f32`. Under two conditions,
//! two roundings give the result of one (Figueroa, *When is double rounding innocuous?*, 1995): the wide format has at
//! least 2p + 2 significant bits for operands of p bits, and its exponents do not run out. The types meet them:
//!
//! - f32 has 24 bits, which suffices for p ≤ 11: every type here. Products and quotients of two numbers of F16 or of a
//!   format of 8 bits are far from the ends of f32's range.
//! - Bf16 (p = 8) has the exponents of f32. Its subnormal numbers are multiples of 2^−133. A product that does not vanish
//!   has its lowest bit at 2^−149 or above, so f32 holds it. A quotient that is not a midpoint of two numbers is at least
//!   2^−142 away from it, and f32 is at most 2^−150 off.
//! - Tf32 (p = 11) has the exponents of f32, too, but its products have 22 bits, of which a subnormal f32 loses some.
//!   Tf32 therefore computes in f64.

use core::iter::{Product, Sum};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign};

use super::list::numbers;
use super::number::*;

/// An operator and its assignment, by value and by reference.
macro_rules! operator {
    ($name:ident $wide:ident: $trait:ident $method:ident, $assign:ident $assign_method:ident) => {
        impl $trait for $name {
            type Output = $name;
            #[inline]
            fn $method(self, other: $name) -> $name {
                $name::from_wide($wide::from(self).$method($wide::from(other)))
            }
        }

        impl $trait<&$name> for $name {
            type Output = $name;
            #[inline]
            fn $method(self, other: &$name) -> $name {
                self.$method(*other)
            }
        }

        impl $trait<$name> for &$name {
            type Output = $name;
            #[inline]
            fn $method(self, other: $name) -> $name {
                (*self).$method(other)
            }
        }

        impl $trait for &$name {
            type Output = $name;
            #[inline]
            fn $method(self, other: &$name) -> $name {
                (*self).$method(*other)
            }
        }

        impl $assign for $name {
            #[inline]
            fn $assign_method(&mut self, other: $name) {
                *self = self.$method(other);
            }
        }

        impl $assign<&$name> for $name {
            #[inline]
            fn $assign_method(&mut self, other: &$name) {
                *self = self.$method(*other);
            }
        }
    };
}

macro_rules! arithmetic {
    ($name:ident, $wide:ident, $from_wide:ident) => {
        impl $name {
            #[inline]
            fn from_wide(x: $wide) -> Self {
                $name::$from_wide(x)
            }
        }

        operator!($name $wide: Add add, AddAssign add_assign);
        operator!($name $wide: Sub sub, SubAssign sub_assign);
        operator!($name $wide: Mul mul, MulAssign mul_assign);
        operator!($name $wide: Div div, DivAssign div_assign);
        operator!($name $wide: Rem rem, RemAssign rem_assign);

        impl Neg for $name {
            type Output = $name;
            /// Flips the sign, of NaN, too. In fixed point, −2 becomes the largest number.
            #[inline]
            fn neg(self) -> $name {
                self.negated()
            }
        }

        impl Neg for &$name {
            type Output = $name;
            #[inline]
            fn neg(self) -> $name {
                self.negated()
            }
        }

        impl Sum for $name {
            /// Adds in the wide format and rounds the sum.
            fn sum<I: Iterator<Item = $name>>(numbers: I) -> $name {
                $name::from_wide(numbers.map($wide::from).sum())
            }
        }

        impl<'a> Sum<&'a $name> for $name {
            fn sum<I: Iterator<Item = &'a $name>>(numbers: I) -> $name {
                numbers.copied().sum()
            }
        }

        impl Product for $name {
            /// Multiplies in the wide format and rounds the product.
            fn product<I: Iterator<Item = $name>>(numbers: I) -> $name {
                $name::from_wide(numbers.map($wide::from).product())
            }
        }

        impl<'a> Product<&'a $name> for $name {
            fn product<I: Iterator<Item = &'a $name>>(numbers: I) -> $name {
                numbers.copied().product()
            }
        }
    };
}

macro_rules! with_operators {
    ($(
        $(#[$doc:meta])*
        $name:ident: $bits:ident = $form:literal ($rounding:ident, $overflow:ident), [$($has:ident)*];
    )*) => {$(
        impl From<$name> for f32 {
            /// The number, which is exact.
            #[inline]
            fn from(x: $name) -> f32 {
                x.to_f32()
            }
        }

        impl From<$name> for f64 {
            /// The number, which is exact.
            #[inline]
            fn from(x: $name) -> f64 {
                x.to_f64()
            }
        }

        $($has!($name);)*
    )*};
}

macro_rules! signed {
    (Tf32) => {
        arithmetic!(Tf32, f64, from_f64);
    };
    ($name:ident) => {
        arithmetic!($name, f32, from_f32);
    };
}

macro_rules! other {
    ($name:ident) => {};
}
use other as zero;
use other as nan;
use other as infinity;
use other as random;

numbers!(with_operators);
