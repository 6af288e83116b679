//! Short sequences from FP8, FP6 and FP4 to f16 and bf16 (`$HALF`), with or without `.relu` (`$RELU`).

use super::row::Row;
use crate::contract::Contract;

const EVERY: Contract = Contract::EVERY;
const NUMBERS: Contract = Contract::NUMBERS;

/// Two bytes, each in a half with its sign before it, then the fields at the place that the wide format has for them.
macro_rules! fields {
    () => {
        "  cvt.u32.u16 u, %1;\n  prmt.b32 u, u, 0, 0x9180;\n  shl.b32 u, u, $SHIFT;\n  and.b32 u, u, $FIELD;\n"
    };
}

/// The same of FP6, whose sign is not at the top of its byte.
macro_rules! fields_of_six {
    () => {
        "  cvt.u32.u16 u, %1;\n  shl.b32 u, u, 2;\n  prmt.b32 u, u, 0, 0x9180;\n  shl.b32 u, u, $SHIFT;\n  \
         and.b32 u, u, $FIELD;\n"
    };
}

/// The same of FP4: each code at the top of a half, the sign of the lower one before the upper half's end, where the
/// shift takes it from.
macro_rules! fields_of_four {
    () => {
        "  cvt.u32.u16 u, %1;\n  shl.b32 n, u, 4;\n  prmt.b32 u, n, u, 0x4804;\n  shr.s32 u, u, $SHIFT;\n  \
         and.b32 u, u, $FIELD;\n"
    };
}

/// Two halves of f16 with the bits of two bytes above zeros: e5m2 is the upper half of f16.
macro_rules! upper_halves {
    () => {
        "  cvt.u32.u16 u, %1;\n  prmt.b32 u, u, 0, 0x1404;\n"
    };
}

/// The product with the scale. Minus zero is added, which changes nothing.
macro_rules! scaled {
    () => {
        "  mov.b32 k, $SCALE;\n  mov.b32 n, 0x80008000;\n  fma.rn$RELU.$HALF %0, u, k, n;\n}"
    };
}

/// The product with the scale, to which −0 is added, or NaN where the code is one: a comparison makes 0 or all ones,
/// the sign of which is turned.
macro_rules! scaled_or_nan {
    () => {
        concat!(
            "  mov.b32 k, $NAN;\n  abs.f16x2 n, u;\n  set.ge.u32.f16x2 n, n, k;\n  neg.$HALF n, n;\n",
            "  mov.b32 k, $SCALE;\n  fma.rn$RELU.$HALF %0, u, k, n;\n}"
        )
    };
}

/// The forms from this format to f16 and bf16.
macro_rules! forms {
    ($($from:literal),*) => {
        &[$(
            concat!("cvt.rn.f16x2.", $from),
            concat!("cvt.rn.relu.f16x2.", $from),
            concat!("cvt.rn.bf16x2.", $from),
            concat!("cvt.rn.relu.bf16x2.", $from),
            concat!("cvt.rn.satfinite.bf16x2.", $from),
            concat!("cvt.rn.relu.satfinite.bf16x2.", $from),
        )*]
    };
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "product", serves: forms!("e4m3x2"), contract: EVERY,
        source: "as Marlin's dequantization, with NaN; PRMT repeats the sign, so that one mask clears what is left over; \
                 the bits of bf16, too, compare as f16 does, for which older targets have the instruction",
        text: concat!("{\n  .reg .b32 u, n, k;\n", fields!(), scaled_or_nan!()),
    },
    Row {
        name: "product-of-numbers", contract: NUMBERS,
        serves: &["cvt.rn.f16x2.e4m3x2", "cvt.rn.bf16x2.e4m3x2", "cvt.rn.satfinite.bf16x2.e4m3x2"],
        source: "as Marlin's dequantization: both NaN become ±480",
        text: concat!("{\n  .reg .b32 u, n, k;\n", fields!(), scaled!()),
    },
    Row {
        name: "product", serves: forms!("e2m3x2", "e3m2x2"), contract: EVERY,
        source: "as of e4m3; FP6 has no NaN",
        text: concat!("{\n  .reg .b32 u, n, k;\n", fields_of_six!(), scaled!()),
    },
    Row {
        name: "product", serves: forms!("e2m1x2"), contract: EVERY,
        source: "as Marlin's dequantization, from packed codes",
        text: concat!("{\n  .reg .b32 u, n, k;\n", fields_of_four!(), scaled!()),
    },
    Row {
        name: "permute", serves: &["cvt.rn.f16x2.e5m2x2"], contract: EVERY,
        source: "as Triton's; the sum with −0 makes every NaN the canonical one",
        text: concat!("{\n  .reg .b32 u, k;\n", upper_halves!(), "  mov.b32 k, 0x80008000;\n  add.rn.f16x2 %0, u, k;\n}"),
    },
    Row {
        name: "permute-any-nan", serves: &["cvt.rn.f16x2.e5m2x2"], contract: Contract::ANY_NAN,
        source: "Triton's: a NaN keeps its payload",
        text: "{\n  .reg .b32 u;\n  cvt.u32.u16 u, %1;\n  prmt.b32 %0, u, 0, 0x1404;\n}",
    },
    Row {
        name: "permute", serves: &["cvt.rn.relu.f16x2.e5m2x2"], contract: EVERY,
        source: "as without .relu",
        text: concat!("{\n  .reg .b32 u, k, n;\n", upper_halves!(), "  mov.b32 k, 0x3c003c00;\n  mov.b32 n, 0x80008000;\n",
            "  fma.rn.relu.f16x2 %0, u, k, n;\n}"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.bf16x2.e5m2x2", "cvt.rn.relu.bf16x2.e5m2x2", "cvt.rn.satfinite.bf16x2.e5m2x2", "cvt.rn.relu.satfinite.bf16x2.e5m2x2"],
        source: "e5m2 is the upper half of f16; what packs two f32 makes NaN canonical",
        text: concat!("{\n  .reg .b32 u, v;\n  .reg .b16 l, h;\n", upper_halves!(),
            "  mov.b32 {l, h}, u;\n  cvt.f32.f16 u, l;\n  cvt.f32.f16 v, h;\n  $FROM_F32 %0, v, u;\n}"),
    },
];
