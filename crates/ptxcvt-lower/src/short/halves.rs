//! Short sequences among f32, tf32 and bf16; what is not here, the systematic lowering does as shortly.

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
        text: "{\n  .reg .b16 zero;\n  mov.b16 zero, 0;\n  mov.b32 %0, {zero, %1};\n}",
    },
    Row {
        name: "permute-of-numbers", serves: &["cvt.rz.bf16x2.f32"], contract: Contract::NUMBERS,
        source: "the upper halves, without a look at NaN",
        text: "prmt.b32 %0, %2, %1, 0x7632;",
    },
    Row {
        name: "mask", serves: &["cvt.rz.tf32.f32"], contract: EVERY,
        source: "a sum with −0 makes every NaN the canonical one, a mask cuts off",
        text: "{\n  .reg .b32 a;\n  add.rn.f32 a, %1, 0f80000000;\n  and.b32 %0, a, 0xffffe000;\n}",
    },
    Row {
        name: "mask", serves: &["cvt.rz.relu.tf32.f32"], contract: EVERY,
        source: "as without .relu",
        text: "{\n  .reg .b32 a;\n  max.NaN.f32 a, %1, 0f00000000;\n  and.b32 %0, a, 0xffffe000;\n}",
    },
    Row {
        name: "integer-of-numbers", serves: &["cvt.rna.tf32.f32"], contract: Contract::NUMBERS,
        source: "half a place added to the bits",
        text: "{\n  .reg .b32 a;\n  mov.b32 a, %1;\n  add.u32 a, a, 0x1000;\n  and.b32 %0, a, 0xffffe000;\n}",
    },
];
