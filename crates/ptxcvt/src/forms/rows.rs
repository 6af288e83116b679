//! The table of forms: one row per syntax line of the manual, as plain const data.
//!
//! PTX ISA 9.1 sections 9.7.9.21 `cvt` and 9.7.9.22 `cvt.pack`, the lines that ISA 9.2 and 9.4 added, and
//! the corrections by ptxas (the modifiers that it accepts, and their targets and versions).
//! Legality, parsing, printing, hints and enumeration are derived from these rows.
//!
//! Each line of the manual has its rows below it, with the modifiers that later versions added: `.frnd2` is `.rn` and
//! `.rz`, `.frnd3` `.rz` and `.rp`, `.frnd4` all three. The columns of a row: `types` lists (destinations) × (sources).
//! `rounding` lists the choices; `NO` means no rounding. `modifiers` are in printed order, `opt` optional, `req`
//! required. The `gate` of a single choice applies in addition to the row's. If two rows admit the same spelling, the
//! first one counts.

use super::gates::*;
use super::modifier::Modifier::{Ftz, Pzo, Relu, Satfinite, ScaledN1, ScaledN2};
use super::row::Registers::{Exact, Relaxed};
use super::row::Shape::{One, Two, TwoAndRest, Vector};
use super::row::{Row, rows};
use super::sets::*;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = rows! {
    "cvt{.sat}.dtype.atype d, a;" => [
        Row::cvt(NONE, INTEGER_SAT, &[(INT, INT)], One, Relaxed, ALWAYS),
    ]
    "cvt.frnd{.ftz}{.sat}.dtype.atype d, a;" => [  // integer to float
        Row::cvt(FRND, SAT,     &[(F16, INT), (F64, INT)], One, Relaxed, ALWAYS),
        Row::cvt(FRND, FTZ15_SAT, &[(F32, INT8)],          One, Relaxed, ALWAYS),
        Row::cvt(FRND, FTZ_SAT, &[(F32, INT16_64)],        One, Relaxed, ALWAYS),
        Row::cvt(FRND, PLAIN,   &[(BF16, INT)],            One, Exact,   SM90_78),
    ]
    "cvt.irnd{.ftz}{.sat}.dtype.atype d, a;" => [  // float to integer
        Row::cvt(IRND, SAT,     &[(INT, F16), (INT, F64)], One, Relaxed, ALWAYS),
        Row::cvt(IRND, FTZ_SAT, &[(INT8_32, F32)],         One, Relaxed, ALWAYS),
        Row::cvt(IRND, FTZ15_SAT, &[(INT64, F32)],         One, Relaxed, ALWAYS),
        Row::cvt(IRND, PLAIN,   &[(INT, BF16)],            One, Exact,   SM90_78),
    ]
    "cvt{.irnd}{.ftz}{.sat}.dtype.dtype d, a;" => [  // to an integral value, or a move
        Row::cvt(NO_IRND, SAT,     &[(F16, F16), (F64, F64)], One, Relaxed, ALWAYS),
        Row::cvt(NO_IRND, FTZ_SAT, &[(F32, F32)],             One, Relaxed, ALWAYS),
        Row::cvt(NO_IRND, PLAIN,   &[(BF16, BF16)],           One, Exact,   SM90_78),
    ]
    "cvt{.frnd}{.ftz}{.sat}.dtype.atype d, a;" => [  // float to float
        Row::cvt(NONE, FTZ_SAT, &[(F32, F16)],             One, Relaxed, ALWAYS),
        Row::cvt(NONE, FTZ15_SAT, &[(F64, F32)],           One, Relaxed, ALWAYS),
        Row::cvt(NONE, SAT,     &[(F64, F16)],             One, Relaxed, ALWAYS),
        Row::cvt(FRND, FTZ_SAT, &[(F32, F64), (F16, F32)], One, Relaxed, ALWAYS),
        Row::cvt(FRND, SAT,     &[(F16, F64)],             One, Relaxed, ALWAYS),
        Row::cvt(FRND, PLAIN,   &[(BF16, F64)],            One, Exact,   SM90_78),
        Row::cvt(NO_FRND, PLAIN, &[(BF16, F16), (F16, BF16), (F64, BF16)],  One, Exact, SM90_78),
        Row::cvt(NO_FRND, &[opt_from(Ftz, SM90_78)], &[(F32, BF16)],        One, Exact, SM80_71),
        Row::cvt(FRND, &[opt(Ftz)],           &[(BF16, F32)], One, Exact, SM80_70),
    ]
    "cvt.frnd.ftz.pzo.bf16.f32 d, a;" => [  // ISA 9.4
        Row::cvt(FRND, &[req(Ftz), req(Pzo)], &[(BF16, F32)], One, Exact, RUBIN_94),
    ]

    "cvt.frnd2{.relu}{.satfinite}{.pzo}.f16.f32 d, a;" => [
        // (ptxas 13.5 reads .rm and .rp with .pzo here too, but its code generator then fails: no form)
        Row::cvt(FRND2, &[opt_from(Relu, SM80_70), opt_from(Satfinite, SM70_81), opt_from(Pzo, RUBIN_94)],
            &[(F16, F32)], One, Relaxed, ALWAYS),
    ]
    "cvt.frnd2{.relu}{.satfinite}{.pzo}.bf16.f32 d, a;" => [
        Row::cvt(FRND2, &[opt(Relu), opt_from(Satfinite, SM80_81), opt_from(Pzo, RUBIN_94)],
            &[(BF16, F32)], One, Exact, SM80_70),
    ]
    "cvt.frnd2{.relu}{.satfinite}{.pzo}.f16x2.f32 d, a, b;" => [
        Row::cvt(FRND2, &[opt(Relu), opt_from(Satfinite, SM80_81), opt_from(Pzo, RUBIN_94)],
            &[(F16X2, F32)], Two, Relaxed, SM80_70),
    ]
    "cvt.frnd2{.relu}{.satfinite}{.pzo}.bf16x2.f32 d, a, b;" => [
        Row::cvt(FRND2, &[opt(Relu), opt_from(Satfinite, SM80_81), opt_from(Pzo, RUBIN_94)],
            &[(BF16X2, F32)], Two, Exact, SM80_70),
    ]
    "cvt.rs{.relu}{.satfinite}.f16x2.f32 d, a, b, rbits;" => [
        Row::cvt(RS, &[opt(Relu), opt(Satfinite)], &[(F16X2, F32)], Two, Relaxed, RS_87),
    ]
    "cvt.rs{.relu}{.satfinite}.bf16x2.f32 d, a, b, rbits;" => [
        Row::cvt(RS, &[opt(Relu), opt(Satfinite)], &[(BF16X2, F32)], Two, Exact, RS_87),
    ]

    "cvt.rna{.satfinite}.tf32.f32 d, a;" => [
        Row::cvt(RNA, &[opt_from(Satfinite, SM80_81)], &[(TF32, F32)], One, Exact, SM80_70),
    ]
    "cvt.frnd2{.satfinite}{.relu}{.pzo}.tf32.f32 d, a;" => [
        Row::cvt(FRND2, &[opt_from(Satfinite, SM100_86), opt(Relu), opt_from(Pzo, RUBIN_94)],
            &[(TF32, F32)], One, Exact, SM90_78),
    ]

    "cvt.frnd2.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f8x2type.f32 d, a, b{, scale-factor};" => [
        Row::cvt(RN_RZ94, NARROWING, &[(FP8X2, F32)], Two, Exact, FP8),
    ]
    "cvt.frnd2.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f6x2type.f32 d, a, b{, scale-factor};" => [
        Row::cvt(RN_RZ94, NARROWING, &[(FP6X2, F32)], Two, Exact, BLOCK_86),
    ]
    "cvt.frnd2.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f4x2type.f32 d, a, b{, scale-factor};" => [
        Row::cvt(RN_RZ94, NARROWING, &[(FP4X2, F32)], Two, Exact, BLOCK_86),
    ]
    "cvt.frnd2.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f8x2type.f16x2 d, a{, scale-factor};" => [
        Row::cvt(RN_RZ94, NARROWING, &[(FP8X2, F16X2)], One, Exact, FP8),
    ]
    "cvt.frnd2.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f8x2type.bf16x2 d, a{, scale-factor};" => [
        Row::cvt(RN_RZ94, NARROWING, &[(FP8X2, BF16X2)], One, Exact, BLOCK_91),
    ]
    "cvt.frnd2.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f6x2type.fp16x2type d, a{, scale-factor};" => [
        Row::cvt(RN_RZ94, NARROWING, &[(FP6X2, FP16X2)], One, Exact, BLOCK_91),
    ]
    "cvt.frnd2.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f4x2type.fp16x2type d, a{, scale-factor};" => [
        Row::cvt(RN_RZ94, NARROWING, &[(FP4X2, FP16X2)], One, Exact, BLOCK_91),
    ]
    "cvt.rs{.relu}.satfinite.f8x4type.f32 d, {a, b, e, f}, rbits;" => [
        Row::cvt(RS, &[opt(Relu), req(Satfinite)], &[(FP8X4, F32)], Vector, Exact, RS_87),
    ]
    "cvt.rs{.relu}.satfinite.f6x4type.f32 d, {a, b, e, f}, rbits;" => [
        Row::cvt(RS, &[opt(Relu), req(Satfinite)], &[(FP6X4, F32)], Vector, Exact, RS_87),
    ]
    "cvt.rs{.relu}.satfinite.f4x4type.f32 d, {a, b, e, f}, rbits;" => [
        Row::cvt(RS, &[opt(Relu), req(Satfinite)], &[(FP4X4, F32)], Vector, Exact, RS_87),
    ]

    "cvt.rn{.relu}.f16x2.f8x2type d, a;" => [
        Row::cvt(RN, &[opt(Relu)], &[(F16X2, FP8X2)], One, Exact, FP8),
    ]
    "cvt.rn{.relu}.f16x2.f6x2type d, a;" => [
        Row::cvt(RN, &[opt(Relu)], &[(F16X2, FP6X2)], One, Exact, BLOCK_86),
    ]
    "cvt.rn{.relu}.f16x2.f4x2type d, a;" => [
        Row::cvt(RN, &[opt(Relu)], &[(F16X2, FP4X2)], One, Exact, BLOCK_86),
    ]
    "cvt.rn{.relu}{.satfinite}{.scaled::n2::ue8m0}.bf16x2.f8x2type d, a{, scale-factor};" => [  // ISA 9.2
        Row::cvt(RN, &[opt(Relu), opt(Satfinite), opt(ScaledN2)], &[(BF16X2, FP8X2)], One, Exact, BLOCK_92),
    ]
    "cvt.rn{.relu}{.satfinite}{.scaled::n2::ue8m0}.bf16x2.f6x2type d, a{, scale-factor};" => [  // ISA 9.2
        Row::cvt(RN, &[opt(Relu), opt(Satfinite), opt(ScaledN2)], &[(BF16X2, FP6X2)], One, Exact, BLOCK_92),
    ]
    "cvt.rn{.relu}{.satfinite}{.scaled::n2::ue8m0}.bf16x2.f4x2type d, a{, scale-factor};" => [  // ISA 9.2
        Row::cvt(RN, &[opt(Relu), opt(Satfinite), opt(ScaledN2)], &[(BF16X2, FP4X2)], One, Exact, BLOCK_92),
    ]

    "cvt.frnd3{.satfinite}.ue8m0x2.f32 d, a, b;" => [
        Row::cvt(FRND3, &[opt(Satfinite)], &[(UE8M0X2, F32)], Two, Exact, BLOCK_86),
    ]
    "cvt.frnd3{.satfinite}.ue8m0x2.bf16x2 d, a;" => [
        Row::cvt(FRND3, &[opt(Satfinite)], &[(UE8M0X2, BF16X2)], One, Exact, BLOCK_86),
    ]
    "cvt.rn.bf16x2.ue8m0x2 d, a;" => [
        Row::cvt(RN, PLAIN, &[(BF16X2, UE8M0X2)], One, Exact, BLOCK_86),
    ]

    "cvt.frnd2.satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.f32 d, a, b{, scale-factor};" => [
        Row::cvt(RN_RZ94A, &[req(Satfinite), opt(Relu), opt(ScaledN2)], &[(S2F6X2, F32)], Two, Exact, S2F6_91),
    ]
    "cvt.frnd2.satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.bf16x2 d, a{, scale-factor};" => [
        Row::cvt(RN_RZ94A, &[req(Satfinite), opt(Relu), opt(ScaledN2)], &[(S2F6X2, BF16X2)], One, Exact, S2F6_91),
    ]
    "cvt.rn{.satfinite}{.relu}{.scaled::n2::ue8m0}.bf16x2.s2f6x2 d, a{, scale-factor};" => [
        Row::cvt(RN, &[opt(Satfinite), opt(Relu), opt(ScaledN2)], &[(BF16X2, S2F6X2)], One, Exact, S2F6_91),
    ]

    "cvt.frnd4{.satfinite}.ue5m3x2.f32 d, a, b;" => [  // ISA 9.4
        Row::cvt(FRND4, &[opt(Satfinite)], &[(UE5M3X2, F32)], Two, Exact, RUBIN_94),
    ]
    "cvt.frnd4{.satfinite}.ue5m3x2.fp16x2type d, a;" => [
        Row::cvt(FRND4, &[opt(Satfinite)], &[(UE5M3X2, FP16X2)], One, Exact, RUBIN_94),
    ]
    "cvt.frnd2{.satfinite}.scaled::n1::ue8m0.ue5m3x2.f32 d, a, b, scale-factor;" => [
        Row::cvt(FRND2, &[opt(Satfinite), req(ScaledN1)], &[(UE5M3X2, F32)], Two, Exact, RUBIN_94),
    ]
    "cvt.frnd2{.satfinite}.scaled::n1::ue8m0.ue5m3x2.fp16x2type d, a, scale-factor;" => [
        Row::cvt(FRND2, &[opt(Satfinite), req(ScaledN1)], &[(UE5M3X2, FP16X2)], One, Exact, RUBIN_94),
    ]
    "cvt.rn.f16x2.ue5m3x2 d, a;" => [
        Row::cvt(RN, PLAIN, &[(F16X2, UE5M3X2)], One, Exact, RUBIN_94),
    ]
    "cvt.rn{.satfinite}{.scaled::n2::ue8m0}.bf16x2.ue5m3x2 d, a{, scale-factor};" => [
        Row::cvt(RN, &[opt(Satfinite), opt(ScaledN2)], &[(BF16X2, UE5M3X2)], One, Exact, RUBIN_94),
    ]

    "cvt.pack.sat.convertType.abType d, a, b;" => [
        Row::pack(&[(INT16, S32)],                     Two,        SM72_65),
    ]
    "cvt.pack.sat.convertType.abType.cType d, a, b, c;" => [
        Row::pack(&[(INT8, S32)],                       TwoAndRest, SM72_65),
        Row::pack(&[(INT4_2, S32)],   TwoAndRest, SM75_65),
    ]
};
