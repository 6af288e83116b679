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
        idea: "The code is the exponent field of f32.",
        text: include_str!("powers/rz-f32.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rp.ue8m0x2.f32"], contract: EVERY,
        idea: "The product with a little less than 2 stays in the binade only for powers of two.",
        text: include_str!("powers/rp-f32.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rz.satfinite.ue8m0x2.f32"], contract: EVERY,
        idea: "The code is the exponent field of f32, and `min.NaN` makes infinity finite.",
        text: include_str!("powers/rz-satfinite-f32.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rp.satfinite.ue8m0x2.f32"], contract: EVERY,
        idea: "Like the sequence without `.satfinite`.",
        text: include_str!("powers/rp-satfinite-f32.ptx"),
    },
    Row {
        name: "field-select", serves: &["cvt.rz.satfinite.ue8m0x2.f32"], contract: EVERY,
        idea: "A comparison replaces `min.NaN`, which came with sm_80.",
        text: include_str!("powers/rz-satfinite-select-f32.ptx"),
    },
    Row {
        name: "field-select", serves: &["cvt.rp.satfinite.ue8m0x2.f32"], contract: EVERY,
        idea: "A comparison replaces `min.NaN`, which came with sm_80.",
        text: include_str!("powers/rp-satfinite-select-f32.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rz.ue8m0x2.bf16x2"], contract: EVERY,
        idea: "The code is the exponent field of bf16.",
        text: include_str!("powers/rz-bf16x2.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rp.ue8m0x2.bf16x2"], contract: EVERY,
        idea: "Like the sequence from f32.",
        text: include_str!("powers/rp-bf16x2.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rz.satfinite.ue8m0x2.bf16x2"], contract: EVERY,
        idea: "Like the sequence from f32.",
        text: include_str!("powers/rz-satfinite-bf16x2.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rp.satfinite.ue8m0x2.bf16x2"], contract: EVERY,
        idea: "Like the sequence from f32.",
        text: include_str!("powers/rp-satfinite-bf16x2.ptx"),
    },
    Row {
        name: "field", serves: &["cvt.rn.bf16x2.ue8m0x2"], contract: EVERY,
        idea: "MX decoders shift the code to the exponent field. The maximum gives code 0 its value, and infinity \
               times 0 is the NaN.",
        text: include_str!("powers/widen.ptx"),
    },
];
