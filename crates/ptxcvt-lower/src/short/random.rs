//! Short sequences for `.rs`: a sum adds the random bits below the last place, a second one cuts off what is there.

use super::row::Row;
use crate::contract::Contract;

/// An element: its magnitude, the power of two of its binade, and random·2^-(16 + fraction) and a constant, whose
/// product with that power of two adds the random bits below the last place; what is below them, both sums cut off.
macro_rules! element {
    ($to:literal, $from:literal, $random:literal, $add:literal, $code:literal) => {
        concat!(
            "  abs.f32 ",
            $to,
            ", ",
            $from,
            ";\n  min.NaN.f32 ",
            $to,
            ", ",
            $to,
            ", $MAX;\n",
            "  and.b32 p, ",
            $to,
            ", 0x7f800000;\n  max.s32 p, p, $FLOOR;\n  ",
            $random,
            ";\n",
            "  fma.rz.f32 ",
            $to,
            ", p, r, ",
            $to,
            ";\n  fma.rz.f32 ",
            $to,
            ", p, ",
            $add,
            ", ",
            $to,
            ";\n",
            "  mul.lo.u32 ",
            $to,
            ", ",
            $to,
            ", ",
            $code,
            ";\n"
        )
    };
}

/// The codes of four elements in the bytes of `a`, and the sources' signs in those of `s`, by this selector.
macro_rules! gathered {
    ($signs:literal) => {
        concat!(
            "  prmt.b32 a, b, a, 0x0073;\n  prmt.b32 e, f, e, 0x0073;\n  prmt.b32 a, e, a, 0x5410;\n",
            "  prmt.b32 b, %2, %1, ",
            $signs,
            ";\n  prmt.b32 s, %4, %3, ",
            $signs,
            ";\n  prmt.b32 s, s, b, 0x5410;\n"
        )
    };
}

/// Eight bits each. The second of a pair takes its half of the random bits as it is, the first takes it reversed.
macro_rules! bytes {
    ($signs:literal) => {
        concat!(
            "{\n  .reg .b32 a, b, e, f, p, r, s, z, k;\n  mov.b32 k, $RANDOM;\n  brev.b32 z, %5;\n",
            element!("a", "%1", "prmt.b32 r, z, k, 0x5410", "$ADD_RANDOM", "$CODE"),
            element!("b", "%2", "prmt.b32 r, %5, k, 0x5432", "$ADD_RANDOM", "$CODE"),
            element!("e", "%3", "prmt.b32 r, z, k, 0x5432", "$ADD_RANDOM", "$CODE"),
            element!("f", "%4", "prmt.b32 r, %5, k, 0x5410", "$ADD_RANDOM", "$CODE"),
            gathered!($signs)
        )
    };
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "fma", serves: &["cvt.rs.satfinite.e4m3x4.f32", "cvt.rs.satfinite.e5m2x4.f32"], contract: Contract::EVERY,
        source: "as without .rs, with a second sum for the random bits",
        text: concat!(bytes!("0x0073"), "  lop3.b32 %0, a, s, 0x80808080, 0x58;\n}"),
    },
    Row {
        name: "fma", serves: &["cvt.rs.satfinite.e2m3x4.f32", "cvt.rs.satfinite.e3m2x4.f32"], contract: Contract::EVERY,
        source: "as for FP8",
        text: concat!(bytes!("0x00fb"), "  lop3.b32 a, a, s, 0x20202020, 0x58;\n  and.b32 %0, a, 0x3f3f3f3f;\n}"),
    },
    Row {
        name: "fma", serves: &["cvt.rs.relu.satfinite.e4m3x4.f32", "cvt.rs.relu.satfinite.e5m2x4.f32"], contract: Contract::EVERY,
        source: "as without .relu; a negative number's byte is cleared, a NaN's is not",
        text: concat!(bytes!("0x00fb"), "  shr.u32 b, a, 7;\n  and.b32 b, b, 0x01010101;\n  mul.lo.u32 b, b, 255;\n",
            "  lop3.b32 a, a, s, b, 0xb0;\n  and.b32 %0, a, 0x7f7f7f7f;\n}"),
    },
    Row {
        name: "fma", serves: &["cvt.rs.relu.satfinite.e2m3x4.f32", "cvt.rs.relu.satfinite.e3m2x4.f32"], contract: Contract::EVERY,
        source: "as for FP8",
        text: concat!(bytes!("0x00fb"), "  shr.u32 b, a, 7;\n  and.b32 b, b, 0x01010101;\n  mul.lo.u32 b, b, 255;\n",
            "  lop3.b32 a, a, s, b, 0xb0;\n  and.b32 %0, a, 0x1f1f1f1f;\n}"),
    },
    Row {
        name: "fma", serves: &["cvt.rs.satfinite.e2m1x4.f32"], contract: Contract::EVERY,
        source: "as for FP8; the first code of each pair lies in the upper half of its byte",
        text: concat!("{\n  .reg .b32 a, b, e, f, p, r, s, z, k;\n  .reg .b16 t;\n  mov.b32 k, $RANDOM;\n  brev.b32 z, %5;\n",
            element!("a", "%1", "prmt.b32 r, z, k, 0x5420", "$ADD_TOP_RANDOM", "$CODE_TOP"),
            element!("b", "%2", "prmt.b32 r, %5, k, 0x5431", "$ADD_RANDOM", "$CODE"),
            element!("e", "%3", "prmt.b32 r, z, k, 0x5431", "$ADD_TOP_RANDOM", "$CODE_TOP"),
            element!("f", "%4", "prmt.b32 r, %5, k, 0x5420", "$ADD_RANDOM", "$CODE"),
            gathered!("0x00fb"), "  lop3.b32 a, a, s, 0x80088008, 0x58;\n  shr.u32 s, a, 8;\n",
            "  lop3.b32 a, s, a, 0x00f000f0, 0xe4;\n  prmt.b32 a, a, 0, 0x4420;\n  mov.b32 {%0, t}, a;\n}"),
    },
];
