//! Short sequences to and from ue8m0, which is the exponent field of f32 and bf16.

use super::row::Row;
use crate::contract::Contract;

const EVERY: Contract = Contract::EVERY;

/// A block: declarations, and the given steps.
macro_rules! block {
    ($registers:literal, $($step:expr),*) => {
        concat!("{\n  .reg .b32 ", $registers, ";\n  .reg .b16 t;\n", $($step),*)
    };
}

/// The exponent fields of two f32, and nothing of their signs, in the two lower bytes.
macro_rules! exponents {
    ($x:literal, $y:literal) => {
        concat!(
            "  shl.b32 a, ",
            $x,
            ", 1;\n  shl.b32 b, ",
            $y,
            ", 1;\n  prmt.b32 a, b, a, 0x0073;\n  mov.b32 {%0, t}, a;\n}"
        )
    };
}

/// The exponent fields of two bf16.
macro_rules! exponents_of_halves {
    () => {
        "  shl.b32 a, a, 1;\n  prmt.b32 a, a, 0, 0x4431;\n  mov.b32 {%0, t}, a;\n}"
    };
}

/// Upwards: the product with a little less than 2 stays in the binade for a power of two and leaves it for all else,
/// also where numbers are subnormal.
macro_rules! up {
    ($x:literal, $y:literal) => {
        concat!("  mul.rn.f32 a, ", $x, ", 0f3FFFFFFE;\n  mul.rn.f32 b, ", $y, ", 0f3FFFFFFE;\n")
    };
}
macro_rules! up_halves {
    () => {
        "  mov.b32 k, 0x3ffe3ffe;\n  mov.b32 n, 0x80008000;\n  fma.rn.bf16x2 a, a, k, n;\n"
    };
}

/// At most this number; NaN stays.
macro_rules! at_most {
    ($max:literal) => {
        concat!(
            "  abs.f32 a, %1;\n  abs.f32 b, %2;\n",
            "  min.NaN.f32 a, a, ",
            $max,
            ";\n  min.NaN.f32 b, b, ",
            $max,
            ";\n"
        )
    };
}
macro_rules! at_most_by_select {
    ($max:literal) => {
        concat!(
            "  .reg .pred o;\n  abs.f32 a, %1;\n  setp.gt.f32 o, a, ",
            $max,
            ";\n  selp.b32 a, ",
            $max,
            ", %1, o;\n",
            "  abs.f32 b, %2;\n  setp.gt.f32 o, b, ",
            $max,
            ";\n  selp.b32 b, ",
            $max,
            ", %2, o;\n"
        )
    };
}
macro_rules! halves_at_most {
    ($max:literal) => {
        concat!("  mov.b32 k, ", $max, ";\n  abs.bf16x2 a, %1;\n", "  min.NaN.bf16x2 a, a, k;\n")
    };
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "field", serves: &["cvt.rz.ue8m0x2.f32"], contract: EVERY,
        source: "the definition",
        text: block!("a, b", exponents!("%1", "%2")),
    },
    Row {
        name: "field", serves: &["cvt.rp.ue8m0x2.f32"], contract: EVERY,
        source: "a product leaves the binade of all but powers of two",
        text: block!("a, b", up!("%1", "%2"), exponents!("a", "b")),
    },
    Row {
        name: "field", serves: &["cvt.rz.satfinite.ue8m0x2.f32"], contract: EVERY,
        source: "min.NaN makes infinity finite",
        text: block!("a, b", at_most!("0f7F7FFFFF"), exponents!("a", "b")),
    },
    Row {
        name: "field", serves: &["cvt.rp.satfinite.ue8m0x2.f32"], contract: EVERY,
        source: "as without .satfinite",
        text: block!("a, b", at_most!("0f7F000000"), up!("a", "b"), exponents!("a", "b")),
    },
    Row {
        name: "field-select", serves: &["cvt.rz.satfinite.ue8m0x2.f32"], contract: EVERY,
        source: "a comparison in place of min.NaN, which came with sm_80",
        text: block!("a, b", at_most_by_select!("0f7F7FFFFF"), exponents!("a", "b")),
    },
    Row {
        name: "field-select", serves: &["cvt.rp.satfinite.ue8m0x2.f32"], contract: EVERY,
        source: "a comparison in place of min.NaN, which came with sm_80",
        text: block!("a, b", at_most_by_select!("0f7F000000"), up!("a", "b"), exponents!("a", "b")),
    },
    Row {
        name: "field", serves: &["cvt.rz.ue8m0x2.bf16x2"], contract: EVERY,
        source: "the definition",
        text: block!("a", "  and.b32 a, %1, 0x7fff7fff;\n", exponents_of_halves!()),
    },
    Row {
        name: "field", serves: &["cvt.rp.ue8m0x2.bf16x2"], contract: EVERY,
        source: "as from f32",
        text: block!("a, k, n", "  abs.bf16x2 a, %1;\n", up_halves!(), exponents_of_halves!()),
    },
    Row {
        name: "field", serves: &["cvt.rz.satfinite.ue8m0x2.bf16x2"], contract: EVERY,
        source: "as from f32",
        text: block!("a, k, n", halves_at_most!("0x7f7f7f7f"), exponents_of_halves!()),
    },
    Row {
        name: "field", serves: &["cvt.rp.satfinite.ue8m0x2.bf16x2"], contract: EVERY,
        source: "as from f32",
        text: block!("a, k, n", halves_at_most!("0x7f007f00"), up_halves!(), exponents_of_halves!()),
    },
    Row {
        name: "field", serves: &["cvt.rn.bf16x2.ue8m0x2"], contract: EVERY,
        source: "the shift of MX decoders; the maximum gives code 0 its value, the product of infinity with 0 the NaN",
        text: "{\n  .reg .b32 u, k;\n  cvt.u32.u16 u, %1;\n  prmt.b32 u, u, 0, 0x1404;\n  shr.u32 u, u, 1;\n  mov.b32 k, 0x00400040;\n  max.bf16x2 u, u, k;\n  mov.b32 k, 0;\n  fma.rn.bf16x2 %0, u, k, u;\n}",
    },
];
