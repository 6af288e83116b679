//! Distributions of the number types with zero: samples of f32, rounded by `from_f32`.

use ::rand_distr::{Distribution, Exp1, Open01, OpenClosed01, StandardNormal, StandardUniform};
use rand::Rng;

use crate::types::list::numbers;
use crate::types::number::*;

macro_rules! sampled {
    ($(
        $(#[$doc:meta])*
        $name:ident: $bits:ident = $form:literal ($rounding:ident, $overflow:ident), [$($has:ident)*];
    )*) => {
        $($($has!($name);)*)*
    };
}

macro_rules! signed {
    ($name:ident) => {
        signed!($name: StandardUniform StandardNormal Exp1 Open01 OpenClosed01);
    };
    ($name:ident: $($distribution:ident)*) => {$(
        impl Distribution<$name> for $distribution {
            /// Rounds a sample of f32; an end that the distribution excludes can be the result of rounding.
            fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> $name {
                $name::from_f32(Distribution::<f32>::sample(self, random))
            }
        }
    )*};
}

macro_rules! other {
    ($name:ident) => {};
}
use other as infinity;
use other as nan;
use other as random;
use other as zero;

numbers!(sampled);
