//! Short sequences among f32, tf32, f16 and bf16 for targets older than these conversions.

use super::row::Row;
use crate::contract::Contract;

const EVERY: Contract = Contract::EVERY;

/// A block that ends with the upper 16 bits of `a`, or of `a` and `b`, as the result.
macro_rules! one {
    ($registers:literal, $($step:expr),*) => {
        concat!("{\n  .reg .b32 ", $registers, ";\n  .reg .b16 t;\n  .reg .pred o;\n", $($step,)* "  mov.b32 {t, %0}, a;\n}")
    };
}
macro_rules! pair {
    ($registers:literal, $($step:expr),*) => {
        concat!("{\n  .reg .b32 ", $registers, ";\n  .reg .pred o;\n", $($step,)* "  prmt.b32 %0, b, a, 0x7632;\n}")
    };
}

/// A NaN is remembered, and the bits of the element with half a place less a bit added, and the lowest bit that stays:
/// of a place of 2^`shift`. NaN becomes 0x7fffffff.
macro_rules! to_even {
    ($to:literal, $from:literal, $shift:literal, $half:literal) => {
        concat!(
            "  setp.nan.f32 o, ",
            $from,
            ", ",
            $from,
            ";\n  mov.b32 z, ",
            $from,
            ";\n  shr.u32 ",
            $to,
            ", z, ",
            $shift,
            ";\n  and.b32 ",
            $to,
            ", ",
            $to,
            ", 1;\n  add.u32 ",
            $to,
            ", ",
            $to,
            ", z;\n  add.u32 ",
            $to,
            ", ",
            $to,
            ", ",
            $half,
            ";\n  selp.b32 ",
            $to,
            ", 0x7fffffff, ",
            $to,
            ", o;\n"
        )
    };
}

/// Rounds the upper 16 bits of an f32 to even.
macro_rules! to_bf16 {
    ($to:literal, $from:literal) => {
        to_even!($to, $from, 16, "0x7fff")
    };
}

/// Rounds to the 19 bits of tf32.
macro_rules! to_tf32 {
    ($from:literal) => {
        concat!(to_even!("b", $from, 13, "0xfff"), "  and.b32 %0, b, 0xffffe000;\n}")
    };
}

/// Cuts off, but a NaN becomes 0x7fff.
macro_rules! cut {
    ($to:literal, $from:literal) => {
        concat!(
            "  setp.nan.f32 o, ",
            $from,
            ", ",
            $from,
            ";\n  selp.b32 ",
            $to,
            ", 0x7fffffff, ",
            $from,
            ", o;\n"
        )
    };
}

/// No less than 0, or NaN.
macro_rules! relu {
    ($to:literal, $from:literal) => {
        concat!("  setp.le.f32 o, ", $from, ", 0f00000000;\n  selp.b32 ", $to, ", 0, ", $from, ", o;\n")
    };
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "upper-half",
        serves: &["cvt.f32.bf16", "cvt.rn.f32.bf16", "cvt.rz.f32.bf16", "cvt.rm.f32.bf16", "cvt.rp.f32.bf16"],
        contract: EVERY,
        source: "the definition of bf16",
        text: "{\n  .reg .b16 zero;\n  mov.b16 zero, 0;\n  mov.b32 %0, {zero, %1};\n}",
    },
    Row {
        name: "integer", serves: &["cvt.rn.bf16.f32"], contract: EVERY,
        source: "as PyTorch's and XLA's rounding to bf16 on a CPU",
        text: one!("z, a", to_bf16!("a", "%1")),
    },
    Row {
        name: "integer", serves: &["cvt.rn.bf16x2.f32"], contract: EVERY,
        source: "as of one",
        text: pair!("z, a, b", to_bf16!("a", "%1"), to_bf16!("b", "%2")),
    },
    Row {
        name: "integer", serves: &["cvt.rn.relu.bf16.f32"], contract: EVERY,
        source: "as without .relu",
        text: one!("z, a, x", relu!("x", "%1"), to_bf16!("a", "x")),
    },
    Row {
        name: "integer", serves: &["cvt.rn.relu.bf16x2.f32"], contract: EVERY,
        source: "as without .relu",
        text: pair!("z, a, b, x, y", relu!("x", "%1"), to_bf16!("a", "x"), relu!("y", "%2"), to_bf16!("b", "y")),
    },
    Row {
        name: "integer", serves: &["cvt.rz.bf16.f32"], contract: EVERY,
        source: "the upper half",
        text: one!("a", cut!("a", "%1")),
    },
    Row {
        name: "integer", serves: &["cvt.rz.bf16x2.f32"], contract: EVERY,
        source: "the upper halves",
        text: pair!("a, b", cut!("a", "%1"), cut!("b", "%2")),
    },
    Row {
        name: "permute-of-numbers", serves: &["cvt.rz.bf16x2.f32"], contract: Contract::NUMBERS,
        source: "the upper halves, without a look at NaN",
        text: "prmt.b32 %0, %2, %1, 0x7632;",
    },
    Row {
        name: "one-by-one", serves: &["cvt.rn.f16x2.f32", "cvt.rz.f16x2.f32"], contract: EVERY,
        source: "the instruction for one",
        text: "{\n  .reg .b16 l, h;\n  cvt.$RND.f16.f32 h, %1;\n  cvt.$RND.f16.f32 l, %2;\n  mov.b32 %0, {l, h};\n}",
    },
    Row {
        name: "one-by-one", serves: &["cvt.rn.relu.f16x2.f32", "cvt.rz.relu.f16x2.f32"], contract: EVERY,
        source: "the instruction for one",
        text: concat!("{\n  .reg .b32 a, b;\n  .reg .b16 l, h;\n  .reg .pred o;\n", relu!("a", "%1"), relu!("b", "%2"),
            "  cvt.$RND.f16.f32 h, a;\n  cvt.$RND.f16.f32 l, b;\n  mov.b32 %0, {l, h};\n}"),
    },
    Row {
        name: "integer", serves: &["cvt.rn.tf32.f32"], contract: EVERY,
        source: "as to bf16",
        text: concat!("{\n  .reg .b32 z, b;\n  .reg .pred o;\n", to_tf32!("%1")),
    },
    Row {
        name: "integer", serves: &["cvt.rn.relu.tf32.f32"], contract: EVERY,
        source: "as to bf16",
        text: concat!("{\n  .reg .b32 z, a, b;\n  .reg .pred o;\n", relu!("a", "%1"), to_tf32!("a")),
    },
    Row {
        name: "mask", serves: &["cvt.rz.tf32.f32"], contract: EVERY,
        source: "a sum with −0 makes every NaN the canonical one, a mask cuts off",
        text: "{\n  .reg .b32 a;\n  add.rn.f32 a, %1, 0f80000000;\n  and.b32 %0, a, 0xffffe000;\n}",
    },
    Row {
        name: "mask", serves: &["cvt.rz.relu.tf32.f32"], contract: EVERY,
        source: "as without .relu",
        text: "{\n  .reg .b32 a;\n  max.NaN.f32 a, %1, 0f00000000;\n  and.b32 %0, a, 0xffffe000;\n}",
    },
    Row {
        name: "integer", serves: &["cvt.rna.tf32.f32"], contract: EVERY,
        source: "half a place added to the magnitude, which is limited so that it cannot become a sign",
        text: "{\n  .reg .b32 a, s;\n  and.b32 a, %1, 0x7fffffff;\n  min.u32 a, a, 0x7fffefff;\n  add.u32 a, a, 0x1000;\n  and.b32 a, a, 0xffffe000;\n  and.b32 s, %1, 0x80000000;\n  or.b32 %0, a, s;\n}",
    },
    Row {
        name: "integer-of-numbers", serves: &["cvt.rna.tf32.f32"], contract: Contract::NUMBERS,
        source: "half a place added to the bits",
        text: "{\n  .reg .b32 a;\n  mov.b32 a, %1;\n  add.u32 a, a, 0x1000;\n  and.b32 %0, a, 0xffffe000;\n}",
    },
];
