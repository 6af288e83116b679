//! `Serialize` and `Deserialize` of the number types and the packed types as their bits, an unsigned integer, as `half`
//! does: NaN and its like pass through formats that lack them.

use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::types::list::{numbers, packed_types};
use crate::types::number::*;
use crate::types::packed::*;

macro_rules! as_bits {
    ($($name:ident: $bits:ident)*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.to_bits().serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $bits::deserialize(deserializer).map(Self::from_bits)
            }
        }
    )*};
}

macro_rules! numbers_as_bits {
    ($(
        $(#[$doc:meta])*
        $name:ident: $bits:ident = $form:literal ($rounding:ident, $overflow:ident), [$($has:ident)*];
    )*) => {
        as_bits!($($name: $bits)*);
    };
}

macro_rules! packed_as_bits {
    ($(
        $name:ident: $bits:ident = $count:literal of $number:ident, $type:ident, halves $half:ident, [$($has:ident)*];
    )*) => {
        as_bits!($($name: $bits)*);
    };
}

numbers!(numbers_as_bits);
packed_types!(packed_as_bits);
