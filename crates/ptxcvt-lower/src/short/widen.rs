//! Short sequences from FP8, FP6 and FP4 to f16 and bf16 (`$HALF`), with or without `.relu` (`$RELU`).
//!
//! PTX ISA section 9.7.9.21.

use super::row::Row;
use crate::contract::Contract;

const EVERY: Contract = Contract::EVERY;
const NUMBERS: Contract = Contract::NUMBERS;

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
        idea: "Marlin dequantizes like this, but without NaN. PRMT repeats the sign, so that one mask clears what \
               is left over. The bits of bf16, too, are compared as f16, for which older targets have the \
               instruction.",
        text: include_str!("widen/product-e4m3.ptx"),
    },
    Row {
        name: "product-of-numbers", contract: NUMBERS,
        serves: &["cvt.rn.f16x2.e4m3x2", "cvt.rn.bf16x2.e4m3x2", "cvt.rn.satfinite.bf16x2.e4m3x2"],
        idea: "Marlin dequantizes like this. Both NaNs become ±480.",
        text: include_str!("widen/product-of-numbers.ptx"),
    },
    Row {
        name: "product", serves: forms!("e2m3x2", "e3m2x2"), contract: EVERY,
        idea: "Like the sequence from e4m3, but FP6 has no NaN.",
        text: include_str!("widen/product-6.ptx"),
    },
    Row {
        name: "product", serves: forms!("e2m1x2"), contract: EVERY,
        idea: "Marlin dequantizes like this, here from packed codes.",
        text: include_str!("widen/product-4.ptx"),
    },
    Row {
        name: "permute", serves: &["cvt.rn.f16x2.e5m2x2"], contract: EVERY,
        idea: "This is Triton's sequence. A sum with −0, which is added here, makes every NaN the canonical one.",
        text: include_str!("widen/permute.ptx"),
    },
    Row {
        name: "permute-any-nan", serves: &["cvt.rn.f16x2.e5m2x2"], contract: Contract::ANY_NAN,
        idea: "This is Triton's sequence. A NaN keeps its payload.",
        text: include_str!("widen/permute-any-nan.ptx"),
    },
    Row {
        name: "permute", serves: &["cvt.rn.relu.f16x2.e5m2x2"], contract: EVERY,
        idea: "Like the sequence without `.relu`.",
        text: include_str!("widen/permute-relu.ptx"),
    },
    Row {
        name: "by-f32", contract: EVERY,
        serves: &["cvt.rn.bf16x2.e5m2x2", "cvt.rn.relu.bf16x2.e5m2x2", "cvt.rn.satfinite.bf16x2.e5m2x2", "cvt.rn.relu.satfinite.bf16x2.e5m2x2"],
        idea: "A code of e5m2 is the upper half of an f16. The instruction that packs two f32 makes NaN canonical.",
        text: include_str!("widen/by-f32.ptx"),
    },
];
