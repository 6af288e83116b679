//! Short sequences to and from ue8m0, which is the exponent field of f32 and bf16.
//!
//! PTX ISA section 9.7.9.21.

use super::row::Row;
use crate::contract::Contract;

const EVERY: Contract = Contract::EVERY;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    Row {
        name: "field", serves: &["cvt.rz.ue8m0x2.f32"], contract: EVERY,
        source: "the definition",
        text: include_str!("powers/rz-f32.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rp.ue8m0x2.f32"], contract: EVERY,
        source: "a product leaves the binade of all but powers of two",
        text: include_str!("powers/rp-f32.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rz.satfinite.ue8m0x2.f32"], contract: EVERY,
        source: "min.NaN makes infinity finite",
        text: include_str!("powers/rz-satfinite-f32.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rp.satfinite.ue8m0x2.f32"], contract: EVERY,
        source: "as without .satfinite",
        text: include_str!("powers/rp-satfinite-f32.ptx"),
    },
    Row {
        name: "field-select", serves: &["cvt.rz.satfinite.ue8m0x2.f32"], contract: EVERY,
        source: "a comparison in place of min.NaN, which came with sm_80",
        text: include_str!("powers/rz-satfinite-select-f32.ptx"),
    },
    Row {
        name: "field-select", serves: &["cvt.rp.satfinite.ue8m0x2.f32"], contract: EVERY,
        source: "a comparison in place of min.NaN, which came with sm_80",
        text: include_str!("powers/rp-satfinite-select-f32.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rz.ue8m0x2.bf16x2"], contract: EVERY,
        source: "the definition",
        text: include_str!("powers/rz-bf16x2.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rp.ue8m0x2.bf16x2"], contract: EVERY,
        source: "as from f32",
        text: include_str!("powers/rp-bf16x2.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rz.satfinite.ue8m0x2.bf16x2"], contract: EVERY,
        source: "as from f32",
        text: include_str!("powers/rz-satfinite-bf16x2.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rp.satfinite.ue8m0x2.bf16x2"], contract: EVERY,
        source: "as from f32",
        text: include_str!("powers/rp-satfinite-bf16x2.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rn.bf16x2.ue8m0x2"], contract: EVERY,
        source: "the shift of MX decoders; the maximum gives code 0 its value, the product of infinity with 0 the NaN",
        text: include_str!("powers/widen.ptx"),
    },
];
