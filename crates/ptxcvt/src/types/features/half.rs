//! F16 and Bf16 as the types of the crate `half`, which have the same bits.

use crate::types::number::{Bf16, F16};

/// Moves the bits in both directions.
macro_rules! same_bits {
    ($ours:ident, $theirs:ty) => {
        impl From<$theirs> for $ours {
            /// Moves the bits.
            #[inline]
            fn from(x: $theirs) -> $ours {
                $ours::from_bits(x.to_bits())
            }
        }

        impl From<$ours> for $theirs {
            /// Moves the bits.
            #[inline]
            fn from(x: $ours) -> $theirs {
                <$theirs>::from_bits(x.to_bits())
            }
        }
    };
}

same_bits!(F16, ::half::f16);
same_bits!(Bf16, ::half::bf16);
