//! The sets of types, roundings and modifiers that rows choose from, by name.
//!
//! The names follow PTX ISA section 9.7.9.21: `.frnd2`, `.irnd`, `.f8x2type`.

use super::gates::{ALWAYS, FTZ_14, FTZ_15, Gate, RUBIN_94, RUBIN_A_94};
use super::modifier::Modifier::{self, Ftz, Pzo, Relu, Sat, Satfinite, ScaledN1};
use super::row::Need;
use crate::round::Rounding::{self, *};
use crate::types::Type;

// Types.
pub const INT: &[Type] =
    &[Type::U8, Type::U16, Type::U32, Type::U64, Type::S8, Type::S16, Type::S32, Type::S64];
pub const INT8_32: &[Type] = &[Type::U8, Type::U16, Type::U32, Type::S8, Type::S16, Type::S32];
pub const INT16_64: &[Type] = &[Type::U16, Type::U32, Type::U64, Type::S16, Type::S32, Type::S64];
pub const INT64: &[Type] = &[Type::U64, Type::S64];
pub const S32: &[Type] = &[Type::S32];
pub const INT16: &[Type] = &[Type::U16, Type::S16];
pub const INT8: &[Type] = &[Type::U8, Type::S8];
pub const INT4_2: &[Type] = &[Type::U4, Type::S4, Type::U2, Type::S2];
pub const TF32: &[Type] = &[Type::TF32];
pub const F16: &[Type] = &[Type::F16];
pub const BF16: &[Type] = &[Type::BF16];
pub const F32: &[Type] = &[Type::F32];
pub const F64: &[Type] = &[Type::F64];
pub const F16X2: &[Type] = &[Type::F16X2];
pub const BF16X2: &[Type] = &[Type::BF16X2];
pub const FP16X2: &[Type] = &[Type::F16X2, Type::BF16X2];
pub const FP8X2: &[Type] = &[Type::E4M3X2, Type::E5M2X2];
pub const FP6X2: &[Type] = &[Type::E2M3X2, Type::E3M2X2];
pub const FP4X2: &[Type] = &[Type::E2M1X2];
pub const FP8X4: &[Type] = &[Type::E4M3X4, Type::E5M2X4];
pub const FP6X4: &[Type] = &[Type::E2M3X4, Type::E3M2X4];
pub const FP4X4: &[Type] = &[Type::E2M1X4];
pub const UE8M0X2: &[Type] = &[Type::UE8M0X2];
pub const UE5M3X2: &[Type] = &[Type::UE5M3X2];
pub const S2F6X2: &[Type] = &[Type::S2F6X2];

// Rounding choices.
const fn r(rounding: Rounding) -> (Option<Rounding>, Gate) {
    (Some(rounding), ALWAYS)
}
const NO: (Option<Rounding>, Gate) = (None, ALWAYS);
pub const NONE: &[(Option<Rounding>, Gate)] = &[NO];
pub const IRND: &[(Option<Rounding>, Gate)] = &[r(Rni), r(Rzi), r(Rmi), r(Rpi)];
pub const NO_IRND: &[(Option<Rounding>, Gate)] = &[NO, r(Rni), r(Rzi), r(Rmi), r(Rpi)];
pub const FRND: &[(Option<Rounding>, Gate)] = &[r(Rn), r(Rz), r(Rm), r(Rp)];
pub const NO_FRND: &[(Option<Rounding>, Gate)] = &[NO, r(Rn), r(Rz), r(Rm), r(Rp)];
pub const FRND2: &[(Option<Rounding>, Gate)] = &[r(Rn), r(Rz)];
pub const FRND3: &[(Option<Rounding>, Gate)] = &[r(Rz), r(Rp)];
pub const FRND4: &[(Option<Rounding>, Gate)] = &[r(Rn), r(Rz), r(Rp)];
pub const RN: &[(Option<Rounding>, Gate)] = &[r(Rn)];
pub const RNA: &[(Option<Rounding>, Gate)] = &[r(Rna)];
pub const RS: &[(Option<Rounding>, Gate)] = &[r(Rs)];
/// `.rz` to FP8, FP6 and FP4 exists from ISA 9.4 on.
pub const RN_RZ94: &[(Option<Rounding>, Gate)] = &[r(Rn), (Some(Rz), RUBIN_94)];
pub const RN_RZ94A: &[(Option<Rounding>, Gate)] = &[r(Rn), (Some(Rz), RUBIN_A_94)];

// Modifiers.
pub const fn opt(modifier: Modifier) -> (Modifier, Need, Gate) {
    (modifier, Need::Optional, ALWAYS)
}
pub const fn opt_from(modifier: Modifier, gate: Gate) -> (Modifier, Need, Gate) {
    (modifier, Need::Optional, gate)
}
pub const fn req(modifier: Modifier) -> (Modifier, Need, Gate) {
    (modifier, Need::Required, ALWAYS)
}
pub const PLAIN: &[(Modifier, Need, Gate)] = &[];
pub const SAT: &[(Modifier, Need, Gate)] = &[opt(Sat)];
pub const INTEGER_SAT: &[(Modifier, Need, Gate)] = &[(Sat, Need::WhereRangeShrinks, ALWAYS)];
pub const FTZ_SAT: &[(Modifier, Need, Gate)] = &[opt_from(Ftz, FTZ_14), opt(Sat)];
pub const FTZ15_SAT: &[(Modifier, Need, Gate)] = &[opt_from(Ftz, FTZ_15), opt(Sat)];
pub const NARROWING: &[(Modifier, Need, Gate)] =
    &[req(Satfinite), opt(Relu), opt_from(Pzo, RUBIN_94), opt_from(ScaledN1, RUBIN_94)];
