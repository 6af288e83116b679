//! Short sequences among f32, tf32, f16 and bf16 for targets that lack these conversions.
//!
//! PTX ISA section 9.7.9.21.

use super::row::Row;
use crate::contract::Contract;

const EVERY: Contract = Contract::EVERY;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "upper-half",
        serves: &["cvt.f32.bf16", "cvt.rn.f32.bf16", "cvt.rz.f32.bf16", "cvt.rm.f32.bf16", "cvt.rp.f32.bf16"],
        contract: EVERY,
        idea: "By definition, bf16 is the upper half of f32.",
        text: include_str!("halves/upper-half.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rn.bf16.f32"], contract: EVERY,
        idea: "PyTorch and XLA round to bf16 like this on a CPU.",
        text: include_str!("halves/bf16.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rn.bf16x2.f32"], contract: EVERY,
        idea: "Like the sequence for one element.",
        text: include_str!("halves/bf16x2.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rn.relu.bf16.f32"], contract: EVERY,
        idea: "Like the sequence without `.relu`.",
        text: include_str!("halves/bf16-relu.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rn.relu.bf16x2.f32"], contract: EVERY,
        idea: "Like the sequence without `.relu`.",
        text: include_str!("halves/bf16x2-relu.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rz.bf16.f32"], contract: EVERY,
        idea: "The upper half of f32 is its value rounded towards zero.",
        text: include_str!("halves/bf16-rz.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rz.bf16x2.f32"], contract: EVERY,
        idea: "The upper halves of f32 are the values rounded towards zero.",
        text: include_str!("halves/bf16x2-rz.ptx"),
    },
    Row {
        name: "permute-of-numbers", serves: &["cvt.rz.bf16x2.f32"], contract: Contract::NUMBERS,
        idea: "The upper halves of f32 are the values rounded towards zero. NaN is not handled.",
        text: include_str!("halves/bf16x2-rz-numbers.ptx"),
    },
    Row {
        name: "one-by-one", serves: &["cvt.rn.f16x2.f32", "cvt.rz.f16x2.f32"], contract: EVERY,
        idea: "The instruction for one element is applied to both.",
        text: include_str!("halves/f16x2.ptx"),
    },
    Row {
        name: "one-by-one", serves: &["cvt.rn.relu.f16x2.f32", "cvt.rz.relu.f16x2.f32"], contract: EVERY,
        idea: "The instruction for one element is applied to both.",
        text: include_str!("halves/f16x2-relu.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rn.tf32.f32"], contract: EVERY,
        idea: "Like the sequence to bf16.",
        text: include_str!("halves/tf32.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rn.relu.tf32.f32"], contract: EVERY,
        idea: "Like the sequence to bf16.",
        text: include_str!("halves/tf32-relu.ptx"),
    },
    Row {
        name: "mask", serves: &["cvt.rz.tf32.f32"], contract: EVERY,
        idea: "A sum with −0 makes every NaN the canonical one, and a mask clears the bits below the last place.",
        text: include_str!("halves/tf32-rz.ptx"),
    },
    Row {
        name: "mask", serves: &["cvt.rz.relu.tf32.f32"], contract: EVERY,
        idea: "Like the sequence without `.relu`.",
        text: include_str!("halves/tf32-rz-relu.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rna.tf32.f32"], contract: EVERY,
        idea: "Half a unit in the last place is added to the magnitude, which is limited so that the sum cannot \
               reach the sign.",
        text: include_str!("halves/tf32-rna.ptx"),
    },
    Row {
        name: "integer-of-numbers", serves: &["cvt.rna.tf32.f32"], contract: Contract::NUMBERS,
        idea: "Half a unit in the last place is added to the bits.",
        text: include_str!("halves/tf32-rna-numbers.ptx"),
    },
];
