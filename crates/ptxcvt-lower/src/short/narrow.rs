//! Short sequences from f32, f16 and bf16 to FP8, FP6 and FP4; `words.rs` says how they round.

use super::row::Row;
use crate::contract::Contract;

const EVERY: Contract = Contract::EVERY;

/// The power of two of each magnitude's binade, then the magnitude rounded by one sum: `rounds!("$ADD", "$ADD")`.
macro_rules! rounds {
    ($a:literal, $b:literal) => {
        concat!(
            "  and.b32 p, a, 0x7f800000;\n  and.b32 q, b, 0x7f800000;\n",
            "  max.s32 p, p, $FLOOR;\n  max.s32 q, q, $FLOOR;\n",
            "  fma.$RND.f32 a, p, ",
            $a,
            ", a;\n  fma.$RND.f32 b, q, ",
            $b,
            ", b;\n"
        )
    };
}

/// Magnitudes, at most the largest number, or NaN.
macro_rules! magnitudes {
    ($x:literal, $y:literal) => {
        concat!(
            "  abs.f32 a, ",
            $x,
            ";\n  abs.f32 b, ",
            $y,
            ";\n",
            "  min.NaN.f32 a, a, $MAX;\n  min.NaN.f32 b, b, $MAX;\n"
        )
    };
}

/// The same without min.NaN, which came with sm_80.
macro_rules! magnitudes_by_select {
    ($x:literal, $y:literal) => {
        concat!(
            "  .reg .pred o;\n  abs.f32 a, ",
            $x,
            ";\n  setp.gt.f32 o, a, $MAX;\n  selp.b32 a, $MAX, a, o;\n",
            "  abs.f32 b, ",
            $y,
            ";\n  setp.gt.f32 o, b, $MAX;\n  selp.b32 b, $MAX, b, o;\n"
        )
    };
}

/// Magnitudes, at most the largest number, which NaN becomes too; v and w are numbers with their signs.
macro_rules! magnitudes_of_numbers {
    ($x:literal, $y:literal) => {
        concat!(
            "  .reg .b32 v, w;\n  min.f32 v, ",
            $x,
            ", $MAX;\n  min.f32 w, ",
            $y,
            ", $MAX;\n  abs.f32 a, v;\n",
            "  abs.f32 b, w;\n  min.f32 a, a, $MAX;\n  min.f32 b, b, $MAX;\n"
        )
    };
}

/// No less than 0, at most the largest number, or NaN.
macro_rules! positive {
    ($x:literal, $y:literal) => {
        concat!(
            "  max.NaN.f32 a, ",
            $x,
            ", 0f00000000;\n  max.NaN.f32 b, ",
            $y,
            ", 0f00000000;\n",
            "  min.NaN.f32 a, a, $MAX;\n  min.NaN.f32 b, b, $MAX;\n"
        )
    };
}

/// The same without max.NaN and min.NaN.
macro_rules! positive_by_select {
    ($x:literal, $y:literal) => {
        concat!(
            "  .reg .pred o;\n  setp.gt.f32 o, ",
            $x,
            ", $MAX;\n  selp.b32 a, $MAX, ",
            $x,
            ", o;\n",
            "  setp.le.f32 o, a, 0f00000000;\n  selp.b32 a, 0, a, o;\n  setp.gt.f32 o, ",
            $y,
            ", $MAX;\n",
            "  selp.b32 b, $MAX, ",
            $y,
            ", o;\n  setp.le.f32 o, b, 0f00000000;\n  selp.b32 b, 0, b, o;\n"
        )
    };
}

/// No less than 0, at most the largest number, which NaN becomes too.
macro_rules! positive_numbers {
    ($x:literal, $y:literal) => {
        concat!(
            "  min.f32 a, ",
            $x,
            ", $MAX;\n  min.f32 b, ",
            $y,
            ", $MAX;\n",
            "  max.f32 a, a, 0f00000000;\n  max.f32 b, b, 0f00000000;\n"
        )
    };
}

/// The codes in the uppermost bytes, and both in the lower bytes of `a`.
macro_rules! bytes {
    ($code:literal) => {
        concat!(
            "  mul.lo.u32 a, a, ",
            $code,
            ";\n  mul.lo.u32 b, b, ",
            $code,
            ";\n  prmt.b32 a, b, a, 0x0073;\n"
        )
    };
}

/// A block from two f32 registers: declarations, the given steps, and the destination.
macro_rules! block {
    ($($step:expr),*) => {
        concat!("{\n  .reg .b32 a, b, p, q, s;\n  .reg .b16 t;\n", $($step,)* "  mov.b32 {%0, t}, a;\n}")
    };
}

/// The signs come back from the sources, but not to a NaN, whose uppermost bit says so.
macro_rules! eight {
    ($prefix:expr, $magnitudes:ident, $x:literal, $y:literal) => {
        block!(
            $prefix,
            $magnitudes!($x, $y),
            rounds!("$ADD", "$ADD"),
            bytes!("$CODE"),
            "  prmt.b32 s, ",
            $y,
            ", ",
            $x,
            ", 0x0073;\n  lop3.b32 a, a, s, 0x8080, 0x58;\n"
        )
    };
}

macro_rules! eight_relu {
    ($prefix:expr, $magnitudes:ident, $x:literal, $y:literal) => {
        block!(
            $prefix,
            $magnitudes!($x, $y),
            rounds!("$ADD", "$ADD"),
            bytes!("$CODE"),
            "  and.b32 a, a, 0x7f7f;\n"
        )
    };
}

/// The sign is repeated through its byte, so that it needs no shift to where FP6 has it.
macro_rules! six {
    ($prefix:expr, $x:literal, $y:literal) => {
        block!(
            $prefix,
            magnitudes!($x, $y),
            rounds!("$ADD", "$ADD"),
            bytes!("$CODE"),
            "  prmt.b32 s, ",
            $y,
            ", ",
            $x,
            ", 0x00fb;\n  lop3.b32 a, a, s, 0x2020, 0x58;\n  and.b32 a, a, 0x3f3f;\n"
        )
    };
}

macro_rules! six_of_numbers {
    ($prefix:expr, $x:literal, $y:literal) => {
        block!(
            $prefix,
            magnitudes_of_numbers!($x, $y),
            rounds!("$ADD_PLAIN", "$ADD_PLAIN"),
            bytes!("$CODE_PLAIN"),
            "  prmt.b32 s, w, v, 0x00fb;\n  lop3.b32 a, a, s, 0x2020, 0xf8;\n"
        )
    };
}

macro_rules! six_relu {
    ($prefix:expr, $x:literal, $y:literal) => {
        block!($prefix, positive_numbers!($x, $y), rounds!("$ADD_PLAIN", "$ADD_PLAIN"), bytes!("$CODE_PLAIN"))
    };
}

/// One code is made at the top of its word, the other below that place.
macro_rules! four {
    ($prefix:expr, $x:literal, $y:literal) => {
        block!(
            $prefix, magnitudes!($x, $y), rounds!("$ADD_TOP", "$ADD"),
            "  mul.lo.u32 a, a, $CODE_TOP;\n  mul.lo.u32 b, b, $CODE;\n  lop3.b32 a, a, b, 0xf0000000, 0xe4;\n",
            "  shr.b32 s, ", $y, ", 4;\n  lop3.b32 s, ", $x, ", s, 0xf0000000, 0xe4;\n",
            "  lop3.b32 a, a, s, 0x88000000, 0x58;\n  shr.u32 a, a, 24;\n"
        )
    };
}

/// Without NaN one multiplication and addition puts both codes into a byte.
macro_rules! four_of_numbers {
    ($prefix:expr, $x:literal, $y:literal) => {
        block!(
            $prefix, magnitudes_of_numbers!($x, $y), rounds!("$ADD_TOP_PLAIN", "$ADD_PLAIN"),
            "  mul.lo.u32 b, b, $CODE_PLAIN;\n  mad.lo.u32 a, a, $CODE_TOP_PLAIN, b;\n  shr.u32 w, w, 4;\n",
            "  lop3.b32 s, v, w, 0xf0000000, 0xe4;\n  lop3.b32 a, a, s, 0x88000000, 0xf8;\n  shr.u32 a, a, 24;\n"
        )
    };
}

macro_rules! four_relu {
    ($prefix:expr, $x:literal, $y:literal) => {
        block!(
            $prefix,
            positive_numbers!($x, $y),
            rounds!("$ADD_TOP_PLAIN", "$ADD_PLAIN"),
            "  mul.lo.u32 b, b, $CODE_PLAIN;\n  mad.lo.u32 a, a, $CODE_TOP_PLAIN, b;\n  shr.u32 a, a, 24;\n"
        )
    };
}

/// The halves of a pair as f32.
macro_rules! from_f16 {
    () => {
        "  .reg .b32 x, y;\n  .reg .b16 l, h;\n  mov.b32 {l, h}, %1;\n  cvt.f32.f16 x, h;\n  cvt.f32.f16 y, l;\n"
    };
}
macro_rules! from_bf16 {
    () => {
        "  .reg .b32 x, y;\n  and.b32 x, %1, 0xffff0000;\n  shl.b32 y, %1, 16;\n"
    };
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "fma", contract: EVERY,
        serves: &["cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.satfinite.e5m2x2.f32", "cvt.rz.satfinite.e4m3x2.f32", "cvt.rz.satfinite.e5m2x2.f32"],
        source: "one fma an element rounds at the right place; NaN becomes all ones",
        text: eight!("", magnitudes, "%1", "%2"),
    },
    Row {
        name: "fma-select", contract: EVERY,
        serves: &["cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.satfinite.e5m2x2.f32", "cvt.rz.satfinite.e4m3x2.f32", "cvt.rz.satfinite.e5m2x2.f32"],
        source: "as fma, with a comparison in place of min.NaN, which came with sm_80",
        text: eight!("", magnitudes_by_select, "%1", "%2"),
    },
    Row {
        name: "fma", contract: EVERY,
        serves: &["cvt.rn.satfinite.relu.e4m3x2.f32", "cvt.rn.satfinite.relu.e5m2x2.f32", "cvt.rz.satfinite.relu.e4m3x2.f32", "cvt.rz.satfinite.relu.e5m2x2.f32"],
        source: "as without .relu; maximum and minimum keep NaN",
        text: eight_relu!("", positive, "%1", "%2"),
    },
    Row {
        name: "fma-select", contract: EVERY,
        serves: &["cvt.rn.satfinite.relu.e4m3x2.f32", "cvt.rn.satfinite.relu.e5m2x2.f32", "cvt.rz.satfinite.relu.e4m3x2.f32", "cvt.rz.satfinite.relu.e5m2x2.f32"],
        source: "as fma, with comparisons",
        text: eight_relu!("", positive_by_select, "%1", "%2"),
    },
    Row {
        name: "fma", contract: EVERY,
        serves: &["cvt.rn.satfinite.e2m3x2.f32", "cvt.rn.satfinite.e3m2x2.f32", "cvt.rz.satfinite.e2m3x2.f32", "cvt.rz.satfinite.e3m2x2.f32"],
        source: "as for FP8",
        text: six!("", "%1", "%2"),
    },
    Row {
        name: "fma-min", contract: EVERY,
        serves: &["cvt.rn.satfinite.e2m3x2.f32", "cvt.rn.satfinite.e3m2x2.f32", "cvt.rz.satfinite.e2m3x2.f32", "cvt.rz.satfinite.e3m2x2.f32"],
        source: "as fma; the first min turns NaN into the largest number, as FP6 wants it",
        text: six_of_numbers!("", "%1", "%2"),
    },
    Row {
        name: "fma", contract: EVERY,
        serves: &["cvt.rn.satfinite.relu.e2m3x2.f32", "cvt.rn.satfinite.relu.e3m2x2.f32", "cvt.rz.satfinite.relu.e2m3x2.f32", "cvt.rz.satfinite.relu.e3m2x2.f32"],
        source: "as without .relu; min turns NaN into the largest number",
        text: six_relu!("", "%1", "%2"),
    },
    Row {
        name: "fma", contract: EVERY,
        serves: &["cvt.rn.satfinite.e2m1x2.f32", "cvt.rz.satfinite.e2m1x2.f32"],
        source: "as for FP8",
        text: four!("", "%1", "%2"),
    },
    Row {
        name: "fma-min", contract: EVERY,
        serves: &["cvt.rn.satfinite.e2m1x2.f32", "cvt.rz.satfinite.e2m1x2.f32"],
        source: "as fma; the first min turns NaN into 6, as FP4 wants it",
        text: four_of_numbers!("", "%1", "%2"),
    },
    Row {
        name: "fma", contract: EVERY,
        serves: &["cvt.rn.satfinite.relu.e2m1x2.f32", "cvt.rz.satfinite.relu.e2m1x2.f32"],
        source: "as without .relu; min turns NaN into 6",
        text: four_relu!("", "%1", "%2"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.satfinite.e4m3x2.f16x2", "cvt.rn.satfinite.e5m2x2.f16x2", "cvt.rz.satfinite.e4m3x2.f16x2", "cvt.rz.satfinite.e5m2x2.f16x2"],
        source: "as from f32",
        text: eight!(from_f16!(), magnitudes, "x", "y"),
    },
    Row {
        name: "by-f32-select", contract: EVERY,
        serves: &["cvt.rn.satfinite.e4m3x2.f16x2", "cvt.rn.satfinite.e5m2x2.f16x2", "cvt.rz.satfinite.e4m3x2.f16x2", "cvt.rz.satfinite.e5m2x2.f16x2"],
        source: "as from f32",
        text: eight!(from_f16!(), magnitudes_by_select, "x", "y"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.satfinite.relu.e4m3x2.f16x2", "cvt.rn.satfinite.relu.e5m2x2.f16x2", "cvt.rz.satfinite.relu.e4m3x2.f16x2", "cvt.rz.satfinite.relu.e5m2x2.f16x2"],
        source: "as from f32",
        text: eight_relu!(from_f16!(), positive, "x", "y"),
    },
    Row {
        name: "by-f32-select", contract: EVERY,
        serves: &["cvt.rn.satfinite.relu.e4m3x2.f16x2", "cvt.rn.satfinite.relu.e5m2x2.f16x2", "cvt.rz.satfinite.relu.e4m3x2.f16x2", "cvt.rz.satfinite.relu.e5m2x2.f16x2"],
        source: "as from f32",
        text: eight_relu!(from_f16!(), positive_by_select, "x", "y"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.satfinite.e2m3x2.f16x2", "cvt.rn.satfinite.e3m2x2.f16x2", "cvt.rz.satfinite.e2m3x2.f16x2", "cvt.rz.satfinite.e3m2x2.f16x2"],
        source: "as from f32",
        text: six!(from_f16!(), "x", "y"),
    },
    Row {
        name: "by-f32-min", contract: EVERY,
        serves: &["cvt.rn.satfinite.e2m3x2.f16x2", "cvt.rn.satfinite.e3m2x2.f16x2", "cvt.rz.satfinite.e2m3x2.f16x2", "cvt.rz.satfinite.e3m2x2.f16x2"],
        source: "as from f32",
        text: six_of_numbers!(from_f16!(), "x", "y"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.satfinite.relu.e2m3x2.f16x2", "cvt.rn.satfinite.relu.e3m2x2.f16x2", "cvt.rz.satfinite.relu.e2m3x2.f16x2", "cvt.rz.satfinite.relu.e3m2x2.f16x2"],
        source: "as from f32",
        text: six_relu!(from_f16!(), "x", "y"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.satfinite.e2m1x2.f16x2", "cvt.rz.satfinite.e2m1x2.f16x2"],
        source: "as from f32",
        text: four!(from_f16!(), "x", "y"),
    },
    Row {
        name: "by-f32-min", contract: EVERY,
        serves: &["cvt.rn.satfinite.e2m1x2.f16x2", "cvt.rz.satfinite.e2m1x2.f16x2"],
        source: "as from f32",
        text: four_of_numbers!(from_f16!(), "x", "y"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.satfinite.relu.e2m1x2.f16x2", "cvt.rz.satfinite.relu.e2m1x2.f16x2"],
        source: "as from f32",
        text: four_relu!(from_f16!(), "x", "y"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.satfinite.e4m3x2.bf16x2", "cvt.rn.satfinite.e5m2x2.bf16x2", "cvt.rz.satfinite.e4m3x2.bf16x2", "cvt.rz.satfinite.e5m2x2.bf16x2"],
        source: "as from f32",
        text: eight!(from_bf16!(), magnitudes, "x", "y"),
    },
    Row {
        name: "by-f32-select", contract: EVERY,
        serves: &["cvt.rn.satfinite.e4m3x2.bf16x2", "cvt.rn.satfinite.e5m2x2.bf16x2", "cvt.rz.satfinite.e4m3x2.bf16x2", "cvt.rz.satfinite.e5m2x2.bf16x2"],
        source: "as from f32",
        text: eight!(from_bf16!(), magnitudes_by_select, "x", "y"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.satfinite.relu.e4m3x2.bf16x2", "cvt.rn.satfinite.relu.e5m2x2.bf16x2", "cvt.rz.satfinite.relu.e4m3x2.bf16x2", "cvt.rz.satfinite.relu.e5m2x2.bf16x2"],
        source: "as from f32",
        text: eight_relu!(from_bf16!(), positive, "x", "y"),
    },
    Row {
        name: "by-f32-select", contract: EVERY,
        serves: &["cvt.rn.satfinite.relu.e4m3x2.bf16x2", "cvt.rn.satfinite.relu.e5m2x2.bf16x2", "cvt.rz.satfinite.relu.e4m3x2.bf16x2", "cvt.rz.satfinite.relu.e5m2x2.bf16x2"],
        source: "as from f32",
        text: eight_relu!(from_bf16!(), positive_by_select, "x", "y"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.satfinite.e2m3x2.bf16x2", "cvt.rn.satfinite.e3m2x2.bf16x2", "cvt.rz.satfinite.e2m3x2.bf16x2", "cvt.rz.satfinite.e3m2x2.bf16x2"],
        source: "as from f32",
        text: six!(from_bf16!(), "x", "y"),
    },
    Row {
        name: "by-f32-min", contract: EVERY,
        serves: &["cvt.rn.satfinite.e2m3x2.bf16x2", "cvt.rn.satfinite.e3m2x2.bf16x2", "cvt.rz.satfinite.e2m3x2.bf16x2", "cvt.rz.satfinite.e3m2x2.bf16x2"],
        source: "as from f32",
        text: six_of_numbers!(from_bf16!(), "x", "y"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.satfinite.relu.e2m3x2.bf16x2", "cvt.rn.satfinite.relu.e3m2x2.bf16x2", "cvt.rz.satfinite.relu.e2m3x2.bf16x2", "cvt.rz.satfinite.relu.e3m2x2.bf16x2"],
        source: "as from f32",
        text: six_relu!(from_bf16!(), "x", "y"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.satfinite.e2m1x2.bf16x2", "cvt.rz.satfinite.e2m1x2.bf16x2"],
        source: "as from f32",
        text: four!(from_bf16!(), "x", "y"),
    },
    Row {
        name: "by-f32-min", contract: EVERY,
        serves: &["cvt.rn.satfinite.e2m1x2.bf16x2", "cvt.rz.satfinite.e2m1x2.bf16x2"],
        source: "as from f32",
        text: four_of_numbers!(from_bf16!(), "x", "y"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.satfinite.relu.e2m1x2.bf16x2", "cvt.rz.satfinite.relu.e2m1x2.bf16x2"],
        source: "as from f32",
        text: four_relu!(from_bf16!(), "x", "y"),
    },
];
