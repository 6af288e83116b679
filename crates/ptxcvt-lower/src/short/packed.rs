//! Short sequences from f16 pairs to FP8 by half-precision arithmetic.

use super::row::Row;
use crate::contract::Contract;

/// Bytes 1 and 3 of `r` have the codes; signs come back from the source, but a NaN is 0x7f whatever its sign.
macro_rules! finished {
    () => {
        "  lop3.b32 r, r, %1, 0x80008000, 0xd8;\n  lop3.b32 r, r, n, 0x80008000, 0x74;\n  \
         prmt.b32 r, r, 0, 0x4431;\n  mov.b32 {%0, t}, r;\n}"
    };
}

/// Magnitudes, at most the largest number; n is all ones where there is NaN.
macro_rules! magnitudes {
    () => {
        "  mov.b32 k, $MAX_HALVES;\n  abs.f16x2 m, %1;\n  min.NaN.f16x2 m, m, k;\n  set.nan.u32.f16x2 n, m, m;\n"
    };
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "fma-f16x2", serves: &["cvt.rn.satfinite.e4m3x2.f16x2"], contract: Contract::EVERY,
        source: "as from f32, both at once: 2^7 times the binade's power of two rounds at the third fraction bit; the \
                 product with 0x102 brings exponent and fraction together, and what the lower half carries over stays \
                 below the upper code",
        text: concat!("{\n  .reg .b32 m, n, k, p, r;\n  .reg .b16 t;\n", magnitudes!(),
            "  and.b32 p, m, 0x7c007c00;\n  mov.b32 k, $FLOOR_HALVES;\n  max.f16x2 p, p, k;\n  mov.b32 k, 0x58005800;\n",
            "  fma.rn.f16x2 r, p, k, m;\n  mul.lo.u32 r, r, 0x102;\n", finished!()),
    },
    Row {
        name: "integer-f16x2", serves: &["cvt.rn.satfinite.e5m2x2.f16x2"], contract: Contract::EVERY,
        source: "e5m2 is the upper half of f16: half a place less a bit is added, and the lowest bit that stays",
        text: concat!("{\n  .reg .b32 m, n, k, r;\n  .reg .b16 t;\n", magnitudes!(),
            "  shr.u32 r, m, 8;\n  and.b32 r, r, 0x00010001;\n  add.u32 r, r, m;\n  add.u32 r, r, 0x007f007f;\n", finished!()),
    },
];
