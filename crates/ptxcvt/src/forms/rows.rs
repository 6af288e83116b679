//! THE TABLE: one row per syntax line of the manual, as plain const data.
//!
//! PTX ISA 9.1 sections 9.7.9.21 `cvt` and 9.7.9.22 `cvt.pack`, the lines that ISA 9.2 and 9.4 added, and
//! the corrections that ptxas makes to the text (which modifiers it takes, and from where on).
//! Legality, parsing, printing, hints and enumeration are all read off these rows.
//!
//! How to read a row: `types` lists (destinations) × (sources); `rounding` the choices, `NO` meaning that
//! none may be written; `modifiers` stand in printed order, `opt` optional, `req` required; a `gate` on a
//! single choice applies on top of the row's own. Where two rows admit the same spelling, the first owns it.

use super::form::Opcode::{self, Cvt, CvtPack};
use super::modifier::Modifier::{self, Ftz, Pzo, Relu, Sat, Satfinite, ScaledN1, ScaledN2};
use super::target::IsaVersion;
use super::target::{Gate, Targets};
use crate::round::Rounding::{self, *};
use crate::types::Type;

/// A syntax line.
#[derive(Debug)]
pub(super) struct Row {
    pub opcode: Opcode,
    pub rounding: &'static [(Option<Rounding>, Gate)],
    pub modifiers: &'static [(Modifier, Need, Gate)],
    pub types: &'static [(&'static [Type], &'static [Type])],
    pub shape: Shape,
    pub registers: Registers,
    pub gate: Gate,
}

/// How a row takes a modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    Optional,
    Required,
    /// Legal only where the destination's range does not hold the source's (the `.sat` of integers).
    WhereRangeShrinks,
}

/// The source operands; `rbits` and `scale-factor` follow from the modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `d, a`
    One,
    /// `d, a, b`: one source register per element, the first to the upper half.
    Two,
    /// `d, {a, b, e, f}`
    Vector,
    /// `d, a, b, c` of `cvt.pack`.
    TwoAndRest,
}

/// Whether a register wider than the type will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registers {
    Relaxed,
    Exact,
}

// Gates: from which ISA version on which targets. The first entry that holds the target decides.
const fn isa(major: u8, minor: u8) -> IsaVersion {
    IsaVersion::new(major, minor)
}
const ALWAYS: Gate = &[(Targets::From(0), isa(1, 0))];
const SM70_81: Gate = &[(Targets::From(70), isa(8, 1))];
const SM72_65: Gate = &[(Targets::From(72), isa(6, 5))];
const SM75_65: Gate = &[(Targets::From(75), isa(6, 5))];
const SM80_70: Gate = &[(Targets::From(80), isa(7, 0))];
const SM80_71: Gate = &[(Targets::From(80), isa(7, 1))];
const SM80_81: Gate = &[(Targets::From(80), isa(8, 1))];
const SM90_78: Gate = &[(Targets::From(90), isa(7, 8))];
const FP8: Gate = &[(Targets::Only(89), isa(8, 1)), (Targets::From(90), isa(7, 8))];
const SM100_86: Gate = &[(Targets::From(100), isa(8, 6))];
/// The architectures with block formats; `f` targets exist from ISA 8.8 on.
const BLOCK: &[u16] = &[100, 101, 103, 107, 110, 120, 121];
const BLOCK_86: Gate = &[(Targets::Specific(BLOCK), isa(8, 6))];
const BLOCK_91: Gate = &[(Targets::Specific(BLOCK), isa(9, 1))];
const BLOCK_92: Gate = &[(Targets::Specific(BLOCK), isa(9, 2))];
const RS_87: Gate = &[(Targets::Architecture(&[100, 103, 107]), isa(8, 7))];
const S2F6_91: Gate = &[(Targets::Architecture(&[100, 103, 107, 110, 120, 121]), isa(9, 1))];
const RUBIN_94: Gate = &[(Targets::Specific(&[107]), isa(9, 4))];
const RUBIN_A_94: Gate = &[(Targets::Architecture(&[107]), isa(9, 4))];

// Types.
const INT: &[Type] = &[Type::U8, Type::U16, Type::U32, Type::U64, Type::S8, Type::S16, Type::S32, Type::S64];
const F16: &[Type] = &[Type::F16];
const BF16: &[Type] = &[Type::BF16];
const F32: &[Type] = &[Type::F32];
const F64: &[Type] = &[Type::F64];
const F16X2: &[Type] = &[Type::F16X2];
const BF16X2: &[Type] = &[Type::BF16X2];
const FP16X2: &[Type] = &[Type::F16X2, Type::BF16X2];
const FP8X2: &[Type] = &[Type::E4M3X2, Type::E5M2X2];
const FP6FP4X2: &[Type] = &[Type::E2M3X2, Type::E3M2X2, Type::E2M1X2];
const NARROWX2: &[Type] = &[Type::E4M3X2, Type::E5M2X2, Type::E2M3X2, Type::E3M2X2, Type::E2M1X2];
const NARROWX4: &[Type] = &[Type::E4M3X4, Type::E5M2X4, Type::E2M3X4, Type::E3M2X4, Type::E2M1X4];
const UE8M0X2: &[Type] = &[Type::UE8M0X2];
const UE5M3X2: &[Type] = &[Type::UE5M3X2];
const S2F6X2: &[Type] = &[Type::S2F6X2];

// Rounding choices.
const fn r(rounding: Rounding) -> (Option<Rounding>, Gate) {
    (Some(rounding), ALWAYS)
}
const NO: (Option<Rounding>, Gate) = (None, ALWAYS);
const NONE: &[(Option<Rounding>, Gate)] = &[NO];
const IRND: &[(Option<Rounding>, Gate)] = &[r(Rni), r(Rzi), r(Rmi), r(Rpi)];
const NO_IRND: &[(Option<Rounding>, Gate)] = &[NO, r(Rni), r(Rzi), r(Rmi), r(Rpi)];
const FRND: &[(Option<Rounding>, Gate)] = &[r(Rn), r(Rz), r(Rm), r(Rp)];
const NO_FRND: &[(Option<Rounding>, Gate)] = &[NO, r(Rn), r(Rz), r(Rm), r(Rp)];
const FRND2: &[(Option<Rounding>, Gate)] = &[r(Rn), r(Rz)];
const FRND3: &[(Option<Rounding>, Gate)] = &[r(Rz), r(Rp)];
const FRND4: &[(Option<Rounding>, Gate)] = &[r(Rn), r(Rz), r(Rp)];
const RN: &[(Option<Rounding>, Gate)] = &[r(Rn)];
const RNA: &[(Option<Rounding>, Gate)] = &[r(Rna)];
const RS: &[(Option<Rounding>, Gate)] = &[r(Rs)];
/// `.rz` came to FP8, FP6 and FP4 with ISA 9.4.
const RN_RZ94: &[(Option<Rounding>, Gate)] = &[r(Rn), (Some(Rz), RUBIN_94)];
const RN_RZ94A: &[(Option<Rounding>, Gate)] = &[r(Rn), (Some(Rz), RUBIN_A_94)];

// Modifiers.
const fn opt(modifier: Modifier) -> (Modifier, Need, Gate) {
    (modifier, Need::Optional, ALWAYS)
}
const fn opt_from(modifier: Modifier, gate: Gate) -> (Modifier, Need, Gate) {
    (modifier, Need::Optional, gate)
}
const fn req(modifier: Modifier) -> (Modifier, Need, Gate) {
    (modifier, Need::Required, ALWAYS)
}
const PLAIN: &[(Modifier, Need, Gate)] = &[];
const SAT: &[(Modifier, Need, Gate)] = &[opt(Sat)];
const REQUIRED_SAT: &[(Modifier, Need, Gate)] = &[req(Sat)];
const FTZ_SAT: &[(Modifier, Need, Gate)] = &[opt(Ftz), opt(Sat)];
const NARROWING: &[(Modifier, Need, Gate)] =
    &[req(Satfinite), opt(Relu), opt_from(Pzo, RUBIN_94), opt_from(ScaledN1, RUBIN_94)];

const fn cvt(
    rounding: &'static [(Option<Rounding>, Gate)],
    modifiers: &'static [(Modifier, Need, Gate)],
    types: &'static [(&'static [Type], &'static [Type])],
    shape: Shape,
    registers: Registers,
    gate: Gate,
) -> Row {
    Row { opcode: Cvt, rounding, modifiers, types, shape, registers, gate }
}

const fn pack(types: &'static [(&'static [Type], &'static [Type])], shape: Shape, gate: Gate) -> Row {
    Row {
        opcode: CvtPack,
        rounding: NONE,
        modifiers: REQUIRED_SAT,
        types,
        shape,
        registers: Registers::Relaxed,
        gate,
    }
}

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = {
    use Registers::{Exact, Relaxed};
    use Shape::{One, Two, TwoAndRest, Vector};
    const S32: &[Type] = &[Type::S32];
    &[
        // cvt{.sat}.dtype.atype  d, a;
        cvt(NONE, &[(Sat, Need::WhereRangeShrinks, ALWAYS)], &[(INT, INT)], One, Relaxed, ALWAYS),
        // cvt.frnd{.ftz}{.sat}.dtype.atype  d, a;                integer to float
        cvt(FRND, SAT,     &[(F16, INT), (F64, INT)], One, Relaxed, ALWAYS),
        cvt(FRND, FTZ_SAT, &[(F32, INT)],             One, Relaxed, ALWAYS),
        cvt(FRND, PLAIN,   &[(BF16, INT)],            One, Exact,   SM90_78),
        // cvt.irnd{.ftz}{.sat}.dtype.atype  d, a;                float to integer
        cvt(IRND, SAT,     &[(INT, F16), (INT, F64)], One, Relaxed, ALWAYS),
        cvt(IRND, FTZ_SAT, &[(INT, F32)],             One, Relaxed, ALWAYS),
        cvt(IRND, PLAIN,   &[(INT, BF16)],            One, Exact,   SM90_78),
        // cvt{.irnd}{.ftz}{.sat}.dtype.dtype  d, a;              to an integral value, or a move
        cvt(NO_IRND, SAT,     &[(F16, F16), (F64, F64)], One, Relaxed, ALWAYS),
        cvt(NO_IRND, FTZ_SAT, &[(F32, F32)],             One, Relaxed, ALWAYS),
        cvt(NO_IRND, PLAIN,   &[(BF16, BF16)],           One, Exact,   SM90_78),
        // cvt{.frnd}{.ftz}{.sat}.dtype.atype  d, a;              float to float
        cvt(NONE, FTZ_SAT, &[(F32, F16), (F64, F32)], One, Relaxed, ALWAYS),
        cvt(NONE, SAT,     &[(F64, F16)],             One, Relaxed, ALWAYS),
        cvt(FRND, FTZ_SAT, &[(F32, F64), (F16, F32)], One, Relaxed, ALWAYS),
        cvt(FRND, SAT,     &[(F16, F64)],             One, Relaxed, ALWAYS),
        cvt(FRND, PLAIN,   &[(BF16, F64)],            One, Exact,   SM90_78),
        cvt(NO_FRND, PLAIN, &[(BF16, F16), (F16, BF16), (F64, BF16)],  One, Exact, SM90_78),
        cvt(NO_FRND, &[opt_from(Ftz, SM90_78)], &[(F32, BF16)],        One, Exact, SM80_71),
        cvt(FRND, &[opt(Ftz)],           &[(BF16, F32)], One, Exact, SM80_70),
        cvt(FRND, &[req(Ftz), req(Pzo)], &[(BF16, F32)], One, Exact, RUBIN_94),

        // cvt.frnd2{.relu}{.satfinite}{.pzo}.f16.f32  d, a;      and bf16
        // (ptxas 13.5 reads .rm and .rp with .pzo here too, but its code generator then fails: no form)
        cvt(FRND2, &[opt_from(Relu, SM80_70), opt_from(Satfinite, SM70_81), opt_from(Pzo, RUBIN_94)],
            &[(F16, F32)], One, Relaxed, ALWAYS),
        cvt(FRND2, &[opt(Relu), opt_from(Satfinite, SM80_81), opt_from(Pzo, RUBIN_94)],
            &[(BF16, F32)], One, Exact, SM80_70),
        // cvt.frnd2{.relu}{.satfinite}{.pzo}.f16x2.f32  d, a, b;
        cvt(FRND2, &[opt(Relu), opt_from(Satfinite, SM80_81), opt_from(Pzo, RUBIN_94)],
            &[(F16X2, F32)], Two, Relaxed, SM80_70),
        cvt(FRND2, &[opt(Relu), opt_from(Satfinite, SM80_81), opt_from(Pzo, RUBIN_94)],
            &[(BF16X2, F32)], Two, Exact, SM80_70),
        // cvt.rs{.relu}{.satfinite}.f16x2.f32  d, a, b, rbits;
        cvt(RS, &[opt(Relu), opt(Satfinite)], &[(F16X2, F32)],  Two, Relaxed, RS_87),
        cvt(RS, &[opt(Relu), opt(Satfinite)], &[(BF16X2, F32)], Two, Exact,   RS_87),

        // cvt.rna{.satfinite}.tf32.f32  d, a;
        cvt(RNA, &[opt_from(Satfinite, SM80_81)], &[(&[Type::TF32], F32)], One, Exact, SM80_70),
        // cvt.frnd2{.satfinite}{.relu}{.pzo}.tf32.f32  d, a;
        cvt(FRND2, &[opt_from(Satfinite, SM100_86), opt(Relu), opt_from(Pzo, RUBIN_94)],
            &[(&[Type::TF32], F32)], One, Exact, SM90_78),

        // cvt.rn.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f8x2type.f32  d, a, b{, scale-factor};
        cvt(RN_RZ94, NARROWING, &[(FP8X2, F32)],       Two, Exact, FP8),
        cvt(RN_RZ94, NARROWING, &[(FP6FP4X2, F32)],    Two, Exact, BLOCK_86),
        // cvt.rn.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.f8x2type.fp16x2type  d, a{, scale-factor};
        cvt(RN_RZ94, NARROWING, &[(FP8X2, F16X2)],     One, Exact, FP8),
        cvt(RN_RZ94, NARROWING, &[(FP8X2, BF16X2), (FP6FP4X2, FP16X2)], One, Exact, BLOCK_91),
        // cvt.rs{.relu}.satfinite.f8x4type.f32  d, {a, b, e, f}, rbits;
        cvt(RS, &[opt(Relu), req(Satfinite)], &[(NARROWX4, F32)], Vector, Exact, RS_87),

        // cvt.rn{.relu}.f16x2.f8x2type  d, a;
        cvt(RN, &[opt(Relu)], &[(F16X2, FP8X2)],       One, Exact, FP8),
        cvt(RN, &[opt(Relu)], &[(F16X2, FP6FP4X2)],    One, Exact, BLOCK_86),
        // cvt.rn{.relu}{.satfinite}{.scaled::n2::ue8m0}.bf16x2.f8x2type  d, a{, scale-factor};      ISA 9.2
        cvt(RN, &[opt(Relu), opt(Satfinite), opt(ScaledN2)], &[(BF16X2, NARROWX2)], One, Exact, BLOCK_92),

        // cvt.frnd3{.satfinite}.ue8m0x2.f32  d, a, b;
        cvt(FRND3, &[opt(Satfinite)], &[(UE8M0X2, F32)],    Two, Exact, BLOCK_86),
        cvt(FRND3, &[opt(Satfinite)], &[(UE8M0X2, BF16X2)], One, Exact, BLOCK_86),
        cvt(RN, PLAIN, &[(BF16X2, UE8M0X2)],                One, Exact, BLOCK_86),

        // cvt.rn.satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.f32  d, a, b{, scale-factor};
        cvt(RN_RZ94A, &[req(Satfinite), opt(Relu), opt(ScaledN2)], &[(S2F6X2, F32)],    Two, Exact, S2F6_91),
        cvt(RN_RZ94A, &[req(Satfinite), opt(Relu), opt(ScaledN2)], &[(S2F6X2, BF16X2)], One, Exact, S2F6_91),
        cvt(RN, &[opt(Satfinite), opt(Relu), opt(ScaledN2)], &[(BF16X2, S2F6X2)],       One, Exact, S2F6_91),

        // cvt.frnd4{.satfinite}.ue5m3x2.f32  d, a, b;                                          ISA 9.4
        cvt(FRND4, &[opt(Satfinite)], &[(UE5M3X2, F32)],    Two, Exact, RUBIN_94),
        cvt(FRND4, &[opt(Satfinite)], &[(UE5M3X2, FP16X2)], One, Exact, RUBIN_94),
        // cvt.frnd2{.satfinite}.scaled::n1::ue8m0.ue5m3x2.f32  d, a, b, scale-factor;
        cvt(FRND2, &[opt(Satfinite), req(ScaledN1)], &[(UE5M3X2, F32)],    Two, Exact, RUBIN_94),
        cvt(FRND2, &[opt(Satfinite), req(ScaledN1)], &[(UE5M3X2, FP16X2)], One, Exact, RUBIN_94),
        cvt(RN, PLAIN, &[(F16X2, UE5M3X2)],                                One, Exact, RUBIN_94),
        cvt(RN, &[opt(Satfinite), opt(ScaledN2)], &[(BF16X2, UE5M3X2)],    One, Exact, RUBIN_94),

        // cvt.pack.sat.convertType.abType  d, a, b;
        pack(&[(&[Type::U16, Type::S16], S32)],                     Two,        SM72_65),
        // cvt.pack.sat.convertType.abType.cType  d, a, b, c;
        pack(&[(&[Type::U8, Type::S8], S32)],                       TwoAndRest, SM72_65),
        pack(&[(&[Type::U4, Type::S4, Type::U2, Type::S2], S32)],   TwoAndRest, SM75_65),
    ]
};
