//! Short sequences to s2f6, a fixed-point format of eight bits.
//!
//! PTX ISA section 9.7.9.21. In the templates, `$X` and `$Y` are the elements as f32, as in `narrow.rs`.

use super::row::Row;
use crate::contract::Contract;

const EVERY: Contract = Contract::EVERY;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "sum", serves: &["cvt.rn.satfinite.s2f6x2.f32", "cvt.rn.satfinite.s2f6x2.bf16x2"], contract: EVERY,
        idea: "A sum with a power of two rounds at the last place of s2f6 and leaves the code in the lowest byte.",
        text: include_str!("fixed/sum.ptx"),
    },
    Row {
        name: "sum", serves: &["cvt.rn.satfinite.relu.s2f6x2.f32", "cvt.rn.satfinite.relu.s2f6x2.bf16x2"], contract: EVERY,
        idea: "Like the sequence without `.relu`.",
        text: include_str!("fixed/sum-relu.ptx"),
    },
];
