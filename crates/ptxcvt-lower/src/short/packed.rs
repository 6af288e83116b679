//! Short sequences from pairs of f16 and bf16 to FP8, FP6 and FP4 by arithmetic on both halves at once; `pairs.rs` says how
//! they round.
//!
//! PTX ISA section 9.7.9.21.

use super::row::Row;
use crate::contract::Contract;

const EVERY: Contract = Contract::EVERY;

/// The forms with these modifiers to these formats from pairs of f16 and bf16.
macro_rules! forms {
    ($modifiers:literal, $($to:literal),*) => {
        &[$(
            concat!("cvt.rn.", $modifiers, ".", $to, ".f16x2"),
            concat!("cvt.rn.", $modifiers, ".", $to, ".bf16x2"),
        )*]
    };
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "fma-f16x2", serves: &["cvt.rn.satfinite.e4m3x2.f16x2"], contract: EVERY,
        idea: "Like the sequence from f32, for both elements at once. A sum with 2^7 times the binade's power of \
               two rounds at the third fraction bit. The product with 0x102 brings exponent and fraction \
               together, and its carry out of the lower half stays below the upper code.",
        text: include_str!("packed/fma-f16x2.ptx"),
    },
    Row {
        name: "fma-both", serves: &["cvt.rn.satfinite.e4m3x2.f16x2", "cvt.rn.satfinite.e4m3x2.bf16x2"], contract: EVERY,
        idea: "One fma rounds both elements. Two multiplications move fractions and exponents to their places in \
               the codes.",
        text: include_str!("packed/fma-8.ptx"),
    },
    Row {
        name: "fma-both", serves: &["cvt.rn.satfinite.e5m2x2.bf16x2"], contract: EVERY,
        idea: "Like the sequence to e4m3. The constants give NaN another sign than numbers, without a further \
               step.",
        text: include_str!("packed/fma-inf-8.ptx"),
    },
    Row {
        name: "fma-both", contract: EVERY,
        serves: &["cvt.rn.satfinite.relu.e4m3x2.f16x2", "cvt.rn.satfinite.relu.e4m3x2.bf16x2"],
        idea: "Like the sequence without `.relu`. The maximum and the minimum keep NaN.",
        text: include_str!("packed/fma-relu-8.ptx"),
    },
    Row {
        name: "fma-both", serves: &["cvt.rn.satfinite.relu.e5m2x2.bf16x2"], contract: EVERY,
        idea: "Like the sequence without `.relu`. The maximum and the minimum keep NaN.",
        text: include_str!("packed/fma-inf-relu-8.ptx"),
    },
    Row {
        name: "fma-both", serves: forms!("satfinite", "e2m3x2", "e3m2x2"), contract: EVERY,
        idea: "Like the sequence to e4m3. The first min turns NaN into the largest number, as the forms to FP6 do.",
        text: include_str!("packed/fma-6.ptx"),
    },
    Row {
        name: "fma-both", serves: forms!("satfinite.relu", "e2m3x2", "e3m2x2"), contract: EVERY,
        idea: "Like the sequence without `.relu`. The min turns NaN into the largest number.",
        text: include_str!("packed/fma-relu-6.ptx"),
    },
    Row {
        name: "fma-both", serves: forms!("satfinite", "e2m1x2"), contract: EVERY,
        idea: "Like the sequence to FP6. A multiplication puts one code next to the other.",
        text: include_str!("packed/fma-4.ptx"),
    },
    Row {
        name: "fma-both", serves: forms!("satfinite.relu", "e2m1x2"), contract: EVERY,
        idea: "Like the sequence without `.relu`. The min turns NaN into 6.",
        text: include_str!("packed/fma-relu-4.ptx"),
    },
    Row {
        name: "integer-f16x2", serves: &["cvt.rn.satfinite.e5m2x2.f16x2"], contract: EVERY,
        idea: "A code of e5m2 is the upper half of an f16. Half a unit in the last place less a bit is added, and the \
               lowest bit that stays.",
        text: include_str!("packed/integer-f16x2.ptx"),
    },
];
