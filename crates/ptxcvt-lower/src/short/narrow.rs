//! Short sequences from f32, f16 and bf16 to FP8, FP6 and FP4; `words.rs` says how they round.
//!
//! `$X` and `$Y` are the elements as f32, the first operand's or upper one first, which `$ELEMENTS` makes of a pair.

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
    () => {
        "  abs.f32 a, $X;\n  abs.f32 b, $Y;\n  min.NaN.f32 a, a, $MAX;\n  min.NaN.f32 b, b, $MAX;\n"
    };
}

/// The same without min.NaN, which came with sm_80.
macro_rules! magnitudes_by_select {
    () => {
        concat!(
            "  .reg .pred o;\n  abs.f32 a, $X;\n  setp.gt.f32 o, a, $MAX;\n  selp.b32 a, $MAX, a, o;\n",
            "  abs.f32 b, $Y;\n  setp.gt.f32 o, b, $MAX;\n  selp.b32 b, $MAX, b, o;\n"
        )
    };
}

/// Magnitudes, at most the largest number, which NaN becomes too; v and w are numbers with their signs.
macro_rules! magnitudes_of_numbers {
    () => {
        concat!(
            "  .reg .b32 v, w;\n  min.f32 v, $X, $MAX;\n  min.f32 w, $Y, $MAX;\n  abs.f32 a, v;\n",
            "  abs.f32 b, w;\n  min.f32 a, a, $MAX;\n  min.f32 b, b, $MAX;\n"
        )
    };
}

/// No less than 0, at most the largest number, or NaN.
macro_rules! positive {
    () => {
        concat!(
            "  max.NaN.f32 a, $X, 0f00000000;\n  max.NaN.f32 b, $Y, 0f00000000;\n",
            "  min.NaN.f32 a, a, $MAX;\n  min.NaN.f32 b, b, $MAX;\n"
        )
    };
}

/// The same without max.NaN and min.NaN.
macro_rules! positive_by_select {
    () => {
        concat!(
            "  .reg .pred o;\n  setp.gt.f32 o, $X, $MAX;\n  selp.b32 a, $MAX, $X, o;\n",
            "  setp.le.f32 o, a, 0f00000000;\n  selp.b32 a, 0, a, o;\n  setp.gt.f32 o, $Y, $MAX;\n",
            "  selp.b32 b, $MAX, $Y, o;\n  setp.le.f32 o, b, 0f00000000;\n  selp.b32 b, 0, b, o;\n"
        )
    };
}

/// No less than 0, at most the largest number, which NaN becomes too.
macro_rules! positive_numbers {
    () => {
        concat!(
            "  min.f32 a, $X, $MAX;\n  min.f32 b, $Y, $MAX;\n",
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

/// A block: declarations, the elements, the given steps, and the destination.
macro_rules! block {
    ($($step:expr),*) => {
        concat!(
            "{\n  .reg .b32 a, b, p, q, s;\n  .reg .b16 t;\n$ELEMENTS",
            $($step,)*
            "  mov.b32 {%0, t}, a;\n}"
        )
    };
}

/// The signs come back from the sources, but not to a NaN, whose uppermost bit says so.
macro_rules! eight {
    ($magnitudes:ident) => {
        block!(
            $magnitudes!(),
            rounds!("$ADD", "$ADD"),
            bytes!("$CODE"),
            "  prmt.b32 s, $Y, $X, 0x0073;\n  lop3.b32 a, a, s, 0x8080, 0x58;\n"
        )
    };
}

macro_rules! eight_relu {
    ($magnitudes:ident) => {
        block!($magnitudes!(), rounds!("$ADD", "$ADD"), bytes!("$CODE"), "  and.b32 a, a, 0x7f7f;\n")
    };
}

/// The forms with these modifiers, to nearest and towards zero, to these formats, from each source.
macro_rules! forms {
    ($modifiers:literal, $($to:literal),*) => {
        &[$(
            concat!("cvt.rn.", $modifiers, ".", $to, ".f32"),
            concat!("cvt.rz.", $modifiers, ".", $to, ".f32"),
            concat!("cvt.rn.", $modifiers, ".", $to, ".f16x2"),
            concat!("cvt.rz.", $modifiers, ".", $to, ".f16x2"),
            concat!("cvt.rn.", $modifiers, ".", $to, ".bf16x2"),
            concat!("cvt.rz.", $modifiers, ".", $to, ".bf16x2"),
        )*]
    };
}

const EIGHT: &[&str] = forms!("satfinite", "e4m3x2", "e5m2x2");
const EIGHT_RELU: &[&str] = forms!("satfinite.relu", "e4m3x2", "e5m2x2");
const SIX: &[&str] = forms!("satfinite", "e2m3x2", "e3m2x2");
const SIX_RELU: &[&str] = forms!("satfinite.relu", "e2m3x2", "e3m2x2");
const FOUR: &[&str] = forms!("satfinite", "e2m1x2");
const FOUR_RELU: &[&str] = forms!("satfinite.relu", "e2m1x2");

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "fma", serves: EIGHT, contract: EVERY,
        source: "one fma an element rounds at the right place; NaN becomes all ones",
        text: eight!(magnitudes),
    },
    Row {
        name: "fma-select", serves: EIGHT, contract: EVERY,
        source: "as fma, with a comparison in place of min.NaN, which came with sm_80",
        text: eight!(magnitudes_by_select),
    },
    Row {
        name: "fma", serves: EIGHT_RELU, contract: EVERY,
        source: "as without .relu; maximum and minimum keep NaN",
        text: eight_relu!(positive),
    },
    Row {
        name: "fma-select", serves: EIGHT_RELU, contract: EVERY,
        source: "as fma, with comparisons",
        text: eight_relu!(positive_by_select),
    },
    Row {
        name: "fma", serves: SIX, contract: EVERY,
        source: "as for FP8; the sign is repeated through its byte, so that it needs no shift to where FP6 has it",
        text: block!(magnitudes!(), rounds!("$ADD", "$ADD"), bytes!("$CODE"),
            "  prmt.b32 s, $Y, $X, 0x00fb;\n  lop3.b32 a, a, s, 0x2020, 0x58;\n  and.b32 a, a, 0x3f3f;\n"),
    },
    Row {
        name: "fma-min", serves: SIX, contract: EVERY,
        source: "as fma; the first min turns NaN into the largest number, as FP6 wants it",
        text: block!(magnitudes_of_numbers!(), rounds!("$ADD_PLAIN", "$ADD_PLAIN"), bytes!("$CODE_PLAIN"),
            "  prmt.b32 s, w, v, 0x00fb;\n  lop3.b32 a, a, s, 0x2020, 0xf8;\n"),
    },
    Row {
        name: "fma", serves: SIX_RELU, contract: EVERY,
        source: "as without .relu; min turns NaN into the largest number",
        text: block!(positive_numbers!(), rounds!("$ADD_PLAIN", "$ADD_PLAIN"), bytes!("$CODE_PLAIN")),
    },
    Row {
        name: "fma", serves: FOUR, contract: EVERY,
        source: "as for FP8; one code is made at the top of its word, the other below that place",
        text: block!(magnitudes!(), rounds!("$ADD_TOP", "$ADD"),
            "  mul.lo.u32 a, a, $CODE_TOP;\n  mul.lo.u32 b, b, $CODE;\n  lop3.b32 a, a, b, 0xf0000000, 0xe4;\n",
            "  shr.b32 s, $Y, 4;\n  lop3.b32 s, $X, s, 0xf0000000, 0xe4;\n",
            "  lop3.b32 a, a, s, 0x88000000, 0x58;\n  shr.u32 a, a, 24;\n"),
    },
    Row {
        name: "fma-min", serves: FOUR, contract: EVERY,
        source: "as fma; the first min turns NaN into 6, as FP4 wants it; without NaN one multiplication and addition \
                 puts both codes into a byte",
        text: block!(magnitudes_of_numbers!(), rounds!("$ADD_TOP_PLAIN", "$ADD_PLAIN"),
            "  mul.lo.u32 b, b, $CODE_PLAIN;\n  mad.lo.u32 a, a, $CODE_TOP_PLAIN, b;\n  shr.u32 w, w, 4;\n",
            "  lop3.b32 s, v, w, 0xf0000000, 0xe4;\n  lop3.b32 a, a, s, 0x88000000, 0xf8;\n  shr.u32 a, a, 24;\n"),
    },
    Row {
        name: "fma", serves: FOUR_RELU, contract: EVERY,
        source: "as without .relu; min turns NaN into 6",
        text: block!(positive_numbers!(), rounds!("$ADD_TOP_PLAIN", "$ADD_PLAIN"),
            "  mul.lo.u32 b, b, $CODE_PLAIN;\n  mad.lo.u32 a, a, $CODE_TOP_PLAIN, b;\n  shr.u32 a, a, 24;\n"),
    },
];
