//! THE TABLE of short sequences: plain data, one row each.
//!
//! How to read a row: [`Row`] says what each field means. The targets and ISA versions of a row are those of its
//! instructions; among the rows that a target takes, the one that is expected to cost least is chosen.

use super::row::{Row, Served};
use crate::contract::Contract;

const fn plain(opcode: &'static str) -> Served {
    Served::plain(opcode)
}

/// Every short sequence.
#[rustfmt::skip]
pub const ROWS: &[Row] = &[
    Row {
        name: "upper-half",
        serves: &[
            plain("cvt.f32.bf16"), plain("cvt.rn.f32.bf16"), plain("cvt.rz.f32.bf16"), plain("cvt.rm.f32.bf16"),
            plain("cvt.rp.f32.bf16"),
        ],
        contract: Contract::EVERY,
        text: "{\n  .reg .b16 zero;\n  mov.b16 zero, 0;\n  mov.b32 %0, {zero, %1};\n}",
        source: "the definition of bf16",
    },
];
