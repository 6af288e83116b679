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
        source: "the definition of bf16",
        text: include_str!("halves/upper-half.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rn.bf16.f32"], contract: EVERY,
        source: "as PyTorch's and XLA's rounding to bf16 on a CPU",
        text: include_str!("halves/bf16.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rn.bf16x2.f32"], contract: EVERY,
        source: "as of one",
        text: include_str!("halves/bf16x2.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rn.relu.bf16.f32"], contract: EVERY,
        source: "as without .relu",
        text: include_str!("halves/bf16-relu.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rn.relu.bf16x2.f32"], contract: EVERY,
        source: "as without .relu",
        text: include_str!("halves/bf16x2-relu.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rz.bf16.f32"], contract: EVERY,
        source: "the upper half",
        text: include_str!("halves/bf16-rz.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rz.bf16x2.f32"], contract: EVERY,
        source: "the upper halves",
        text: include_str!("halves/bf16x2-rz.ptx"),
    },
    Row {
        name: "permute-of-numbers", serves: &["cvt.rz.bf16x2.f32"], contract: Contract::NUMBERS,
        source: "the upper halves, without a look at NaN",
        text: include_str!("halves/bf16x2-rz-numbers.ptx"),
    },
    Row {
        name: "one-by-one", serves: &["cvt.rn.f16x2.f32", "cvt.rz.f16x2.f32"], contract: EVERY,
        source: "the instruction for one",
        text: include_str!("halves/f16x2.ptx"),
    },
    Row {
        name: "one-by-one", serves: &["cvt.rn.relu.f16x2.f32", "cvt.rz.relu.f16x2.f32"], contract: EVERY,
        source: "the instruction for one",
        text: include_str!("halves/f16x2-relu.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rn.tf32.f32"], contract: EVERY,
        source: "as to bf16",
        text: include_str!("halves/tf32.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rn.relu.tf32.f32"], contract: EVERY,
        source: "as to bf16",
        text: include_str!("halves/tf32-relu.ptx"),
    },
    Row {
        name: "mask", serves: &["cvt.rz.tf32.f32"], contract: EVERY,
        source: "a sum with −0 makes every NaN the canonical one, a mask cuts off",
        text: include_str!("halves/tf32-rz.ptx"),
    },
    Row {
        name: "mask", serves: &["cvt.rz.relu.tf32.f32"], contract: EVERY,
        source: "as without .relu",
        text: include_str!("halves/tf32-rz-relu.ptx"),
    },
    Row {
        name: "integer", serves: &["cvt.rna.tf32.f32"], contract: EVERY,
        source: "half a place added to the magnitude, which is limited so that it cannot become a sign",
        text: include_str!("halves/tf32-rna.ptx"),
    },
    Row {
        name: "integer-of-numbers", serves: &["cvt.rna.tf32.f32"], contract: Contract::NUMBERS,
        source: "half a place added to the bits",
        text: include_str!("halves/tf32-rna-numbers.ptx"),
    },
];
