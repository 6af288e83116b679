//! Short sequences for `.rs`: one sum adds the random bits below the last place, a second one truncates.
//!
//! PTX ISA section 9.7.9.21, "Random bits `rbits` semantics for `.rs` rounding".

use super::row::Row;
use crate::contract::Contract;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "fma", serves: &["cvt.rs.satfinite.e4m3x4.f32", "cvt.rs.satfinite.e5m2x4.f32"], contract: Contract::EVERY,
        idea: "Like the sequence without `.rs`, with a second sum for the random bits.",
        text: include_str!("random/fma-8.ptx"),
    },
    Row {
        name: "fma", serves: &["cvt.rs.satfinite.e2m3x4.f32", "cvt.rs.satfinite.e3m2x4.f32"], contract: Contract::EVERY,
        idea: "Like the sequence to FP8.",
        text: include_str!("random/fma-6.ptx"),
    },
    Row {
        name: "fma", serves: &["cvt.rs.relu.satfinite.e4m3x4.f32", "cvt.rs.relu.satfinite.e5m2x4.f32"], contract: Contract::EVERY,
        idea: "Like the sequence without `.relu`. The byte of a negative number is cleared, that of a NaN is not.",
        text: include_str!("random/fma-relu-8.ptx"),
    },
    Row {
        name: "fma", serves: &["cvt.rs.relu.satfinite.e2m3x4.f32", "cvt.rs.relu.satfinite.e3m2x4.f32"], contract: Contract::EVERY,
        idea: "Like the sequence to FP8.",
        text: include_str!("random/fma-relu-6.ptx"),
    },
    Row {
        name: "fma", serves: &["cvt.rs.satfinite.e2m1x4.f32"], contract: Contract::EVERY,
        idea: "Like the sequence to FP8. The first code of each pair is in the upper half of its byte.",
        text: include_str!("random/fma-4.ptx"),
    },
    Row {
        name: "sum", serves: &["cvt.rs.f16x2.f32", "cvt.rs.satfinite.f16x2.f32"], contract: Contract::EVERY,
        idea: "The product with 2^-112 has the fields of f16 at other places, so an integer sum adds the random \
               bits.",
        text: include_str!("random/sum-f16x2.ptx"),
    },
    Row {
        name: "sum", serves: &["cvt.rs.relu.f16x2.f32", "cvt.rs.relu.satfinite.f16x2.f32"], contract: Contract::EVERY,
        idea: "Like the sequence without `.relu`. The maximum and the minimum keep NaN.",
        text: include_str!("random/sum-relu-f16x2.ptx"),
    },
];
