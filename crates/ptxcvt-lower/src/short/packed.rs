//! Short sequences from pairs of f16 to FP8 by half-precision arithmetic.
//!
//! PTX ISA section 9.7.9.21.

use super::row::Row;
use crate::contract::Contract;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "fma-f16x2", serves: &["cvt.rn.satfinite.e4m3x2.f16x2"], contract: Contract::EVERY,
        source: "as from f32, both at once: 2^7 times the binade's power of two rounds at the third fraction bit; the \
                 product with 0x102 brings exponent and fraction together, and what the lower half carries over stays \
                 below the upper code",
        text: include_str!("packed/fma-f16x2.ptx"),
    },
    Row {
        name: "integer-f16x2", serves: &["cvt.rn.satfinite.e5m2x2.f16x2"], contract: Contract::EVERY,
        source: "e5m2 is the upper half of f16: half a place less a bit is added, and the lowest bit that stays",
        text: include_str!("packed/integer-f16x2.ptx"),
    },
];
