//! THE TABLE: one row per syntax line of the manual, as plain const data.
//!
//! PTX ISA sections 9.7.1 (integer), 9.7.2 (extended precision), 9.7.3 to 9.7.5 (floating point, half, mixed
//! precision), 9.7.6 and 9.7.7 (comparison and selection), 9.7.8 (logic and shift), 9.7.9 (`mov`, `prmt`), and the SIMD
//! video instructions.
//!
//! A row has, in this order:
//!
//! 1. the name;
//! 2. the modifiers in printed order: `opt` accepts one of these or none, `req` needs one of these;
//! 3. the choices for each type;
//! 4. the operands;
//! 5. the gate: which targets and ISA versions accept it;
//! 6. the function that computes it;
//! 7. optionally, which source bits a bit of the result depends on ([`Dependence`](super::row::Dependence)).
//!
//! If two rows accept the same spelling, the first one owns it. docs/add-an-instruction.md shows how to add a row.

use super::row::Dependence::{Bitwise, Difference, Everything, Moved, Product, Sum};
use super::row::Of::{self, Is, Type, Wide as Twice};
use super::row::Semantics::{Approximate, Carrying, Exact, Move, Simd};
use super::row::{ALWAYS, Gate, Kind, Operand, Row, Semantics, Slot, d, gate, opt, req, s};
use crate::modifier::Modifier::{self, *};
use crate::semantics::{approximate, bits, compare, extended, float, integer, permute, video};
use crate::ty::Ty::{self, *};

// Gates.
const ISA_30: Gate = gate(0, 3, 0);
const ISA_43: Gate = gate(0, 4, 3);
const SM53: Gate = gate(53, 4, 2);
const SM53_65: Gate = gate(53, 6, 5);
const SM61: Gate = gate(61, 5, 0);
const SM70_76: Gate = gate(70, 7, 6);
const SM75: Gate = gate(75, 7, 0);
const SM80: Gate = gate(80, 7, 0);
const SM86: Gate = gate(86, 7, 2);
const SM90: Gate = gate(90, 7, 8);
const SM90_80: Gate = gate(90, 8, 0);
const SM100: Gate = gate(100, 8, 6);
const SM100_88: Gate = gate(100, 8, 8);

// Types.
const B: &[Ty] = &[B16, B32, B64];
const BP: &[Ty] = &[B16, B32, B64, Pred];
const I: &[Ty] = &[U16, U32, U64, S16, S32, S64];
const S: &[Ty] = &[S16, S32, S64];
const UNSIGNED: &[Ty] = &[U16, U32, U64];
const I16X2: &[Ty] = &[U16x2, S16x2];
const I3264: &[Ty] = &[U32, S32, U64, S64];
const I32: &[Ty] = &[U32, S32];
const I64: &[Ty] = &[U64, S64];
const HALF: &[Ty] = &[F16, F16x2];
const BF: &[Ty] = &[Bf16, Bf16x2];
const FLOAT32: &[Ty] = &[F32];
const FLOAT64: &[Ty] = &[F64];
const PAIR32: &[Ty] = &[F32x2];
const NARROW: &[Ty] = &[F16, Bf16];
const ANY: &[Ty] = &[B16, B32, B64, U16, U32, U64, S16, S32, S64, F32, F64];

// Modifiers.
const RND: Slot = opt(&[Rn, Rz, Rm, Rp]);
const ROUNDED: Slot = req(&[Rn, Rz, Rm, Rp]);
const RN: Slot = opt(&[Rn]);
const RN_NEEDED: Slot = req(&[Rn]);
const FTZ: Slot = opt(&[Ftz]);
const FTZ_NEEDED: Slot = req(&[Ftz]);
const SAT: Slot = opt(&[Sat]);
const RELU: Slot = opt(&[Relu]);
const RELU_NEEDED: Slot = req(&[Relu]);
const NAN: Slot = opt(&[NaN]);
const APPROX: Slot = req(&[Modifier::Approx]);
const PLAIN: &[Slot] = &[];
const ADD_F32: &[Slot] = &[RND, FTZ, SAT];
const HALVES: &[Slot] = &[RN, FTZ, SAT];
const MIN: &[Slot] = &[FTZ, NAN.from(SM80)];
const MIN_XOR: &[Slot] = &[FTZ, NAN, req(&[Xorsign]).from(SM86), req(&[Abs])];
const COMPARE: Slot = req(&[Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan]);
const COMPARE_UNSIGNED: Slot = req(&[Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs]);
const COMPARE_SIGNED: Slot = req(&[Eq, Ne, Lt, Le, Gt, Ge]);
const COMPARE_BITS: Slot = req(&[Eq, Ne]);
const CC: Slot = req(&[Cc]);
const HALF_OF_PRODUCT: Slot = req(&[Hi, Lo]);
const SIMD_SAT: &[Slot] = &[SAT.last()];
const SIMD_ADD: &[Slot] = &[req(&[Modifier::Add]).last()];
const SIMD_SET: &[Slot] = &[COMPARE_SIGNED.last(), opt(&[Modifier::Add]).last()];
const COMBINE: Slot = req(&[And, Or, Xor]);

// Operands.
const D: Operand = d(Type(0));
const A: Operand = s("a", Type(0));
const B_: Operand = s("b", Type(0));
const C: Operand = s("c", Type(0));
const U: Ty = U32;
const P: Operand = Operand { name: "p", of: Is(Pred), kind: Kind::Predicates };
const Q: Operand = s("c", Is(Pred));
const LUT: Operand = Operand { name: "immLut", of: Is(U32), kind: Kind::Constant };
const DA: &[Operand] = &[D, A];
/// The destination with the carry flag.
const DC: Operand = Operand { kind: Kind::Carrying, ..D };
/// The carry flag as a source.
const CARRY: Operand = Operand { name: "CC.CF", of: Is(Pred), kind: Kind::Carry };
const fn register(name: &'static str, of: Of) -> Operand {
    Operand { kind: Kind::Register, ..s(name, of) }
}
const SIMD: &[Operand] = &[D, register("a", Type(1)), register("b", Type(2)), register("c", Type(0))];
const SIMD_SETS: &[Operand] =
    &[d(Is(U32)), register("a", Type(0)), register("b", Type(1)), register("c", Is(U32))];
const DAB: &[Operand] = &[D, A, B_];
const DABC: &[Operand] = &[D, A, B_, C];
/// `a` and `b` have the second type, `c` the first.
const MIXED2: &[Operand] = &[D, s("a", Type(1)), s("c", Type(0))];
const MIXED3: &[Operand] = &[D, s("a", Type(1)), s("b", Type(1)), s("c", Type(0))];
/// The position or length of a bit field.
const fn field(name: &'static str) -> Operand {
    Operand { kind: Kind::Field, ..s(name, Is(U)) }
}
const SHIFT: &[Operand] = &[D, A, s("b", Is(U))];
const FUNNEL: &[Operand] = &[D, A, B_, s("c", Is(U))];
const COUNT: &[Operand] = &[d(Is(U)), A];
const SETP: &[Operand] = &[P, A, B_];
const SETP_C: &[Operand] = &[P, A, B_, Q];
const SET: &[Operand] = &[D, s("a", Type(1)), s("b", Type(1))];
const SET_C: &[Operand] = &[D, s("a", Type(1)), s("b", Type(1)), Q];

const fn row(
    name: &'static str,
    modifiers: &'static [Slot],
    types: &'static [&'static [Ty]],
    operands: &'static [Operand],
    gate: Gate,
    semantics: Semantics,
) -> Row {
    Row { name, modifiers, types, operands, gate, semantics, dependence: Everything }
}

#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    // Data movement and conversion.
    row("mov",  PLAIN, &[ANY],  DA, ALWAYS, Move),
    row("mov",  PLAIN, &[&[Pred]], DA, ALWAYS, Move),
    row("prmt", &[], &[&[B32]], DABC, ALWAYS, Exact(permute::prmt)).depends(Moved(2)),

    // Logic and shift.
    row("and",  PLAIN, &[BP], DAB, ALWAYS, Exact(bits::and)).depends(Bitwise),
    row("or",   PLAIN, &[BP], DAB, ALWAYS, Exact(bits::or)).depends(Bitwise),
    row("xor",  PLAIN, &[BP], DAB, ALWAYS, Exact(bits::xor)).depends(Bitwise),
    row("not",  PLAIN, &[BP], DA,  ALWAYS, Exact(bits::not)).depends(Bitwise),
    row("cnot", PLAIN, &[B],  DA,  ALWAYS, Exact(bits::cnot)),
    row("lop3", PLAIN, &[&[B32]], &[Operand { kind: Kind::Discardable, ..D }, A, B_, C, LUT], gate(50, 4, 3), Exact(bits::lop3)).depends(Bitwise),
    row("shl",  PLAIN, &[B], SHIFT, ALWAYS, Exact(bits::shl)).depends(Moved(1)),
    row("shr",  PLAIN, &[&[B16, B32, B64, U16, U32, U64, S16, S32, S64]], SHIFT, ALWAYS, Exact(bits::shr)).depends(Moved(1)),
    row("shf",  &[req(&[L, R]), req(&[Clamp, Wrap])], &[&[B32]], FUNNEL, gate(32, 3, 1), Exact(bits::shf)).depends(Moved(2)),
    row("prmt", &[req(&[F4e, B4e, Rc8, Ecl, Ecr, Rc16])], &[&[B32]], DABC, ALWAYS, Exact(permute::prmt)).depends(Moved(2)),

    // Integers.
    row("add", PLAIN,  &[I],     DAB, ALWAYS, Exact(integer::add)).depends(Sum),
    row("add", PLAIN,  &[I16X2], DAB, SM90_80, Exact(integer::add)),
    row("add", &[req(&[Sat])], &[&[S32]], DAB, ALWAYS, Exact(integer::add)),
    row("sub", PLAIN,  &[I],     DAB, ALWAYS, Exact(integer::sub)).depends(Difference),
    row("sub", &[req(&[Sat])], &[&[S32]], DAB, ALWAYS, Exact(integer::sub)),
    row("mul", &[req(&[Hi, Lo])], &[I], DAB, ALWAYS, Exact(integer::mul)).depends(Product),
    row("mul", &[req(&[Wide])], &[&[U16, U32, S16, S32]], &[d(Twice), A, B_], ALWAYS, Exact(integer::mul)),
    row("mad", &[req(&[Hi, Lo])], &[I], DABC, ALWAYS, Exact(integer::mad)).depends(Product),
    row("mad", &[req(&[Wide])], &[&[U16, U32, S16, S32]], &[d(Twice), A, B_, s("c", Twice)], ALWAYS, Exact(integer::mad)),
    row("mad", &[req(&[Hi]), req(&[Sat])], &[&[S32]], DABC, ALWAYS, Exact(integer::mad)),
    row("min", PLAIN, &[I],      DAB, ALWAYS, Exact(integer::min)),
    row("min", &[opt(&[Relu])], &[&[S16x2, S32]], DAB, SM90_80, Exact(integer::min)),
    row("min", PLAIN, &[&[U16x2]], DAB, SM90_80, Exact(integer::min)),
    row("max", PLAIN, &[I],      DAB, ALWAYS, Exact(integer::max)),
    row("max", &[opt(&[Relu])], &[&[S16x2, S32]], DAB, SM90_80, Exact(integer::max)),
    row("max", PLAIN, &[&[U16x2]], DAB, SM90_80, Exact(integer::max)),
    row("abs", PLAIN, &[S], DA, ALWAYS, Exact(integer::abs)),
    row("neg", PLAIN, &[S], DA, ALWAYS, Exact(integer::neg)),
    row("sad", PLAIN, &[I], DABC, ALWAYS, Exact(integer::sad)),
    row("dp4a", PLAIN, &[I32, I32], &[d(Is(B32)), A, s("b", Type(1)), s("c", Is(B32))], SM61, Exact(integer::dp4a)),
    row("dp2a", &[req(&[Lo, Hi])], &[I32, I32], &[d(Is(B32)), A, s("b", Type(1)), s("c", Is(B32))], SM61, Exact(integer::dp2a)),
    row("bfe",  PLAIN, &[I3264], &[D, A, field("b"), field("c")], ALWAYS, Exact(bits::bfe)).depends(Moved(1)),
    row("bfi",  PLAIN, &[&[B32, B64]], &[D, A, B_, field("c"), field("d")], ALWAYS, Exact(bits::bfi)).depends(Moved(2)),
    row("bfind", &[opt(&[Shiftamt])], &[I3264], COUNT, ALWAYS, Exact(bits::bfind)),
    row("brev", PLAIN, &[&[B32, B64]], DA, ALWAYS, Exact(bits::brev)).depends(Moved(1)),
    row("clz",  PLAIN, &[&[B32, B64]], COUNT, ALWAYS, Exact(bits::clz)),
    row("popc", PLAIN, &[&[B32, B64]], COUNT, ALWAYS, Exact(bits::popc)),
    row("szext", &[req(&[Clamp, Wrap])], &[I32], SHIFT, SM70_76, Exact(bits::szext)).depends(Moved(1)),
    row("bmsk", &[req(&[Clamp, Wrap])], &[&[B32]], &[d(Is(B32)), s("a", Is(B32)), s("b", Is(B32))], SM70_76, Exact(bits::bmsk)),

    // Extended precision: with the carry flag.
    row("add",  &[CC], &[I32], &[DC, A, B_], ALWAYS, Carrying(extended::add, extended::carry_of_add)).depends(Sum),
    row("add",  &[CC], &[I64], &[DC, A, B_], ISA_43, Carrying(extended::add, extended::carry_of_add)).depends(Sum),
    row("addc", PLAIN, &[I32], &[D, A, B_, CARRY], ALWAYS, Exact(extended::addc)).depends(Sum),
    row("addc", PLAIN, &[I64], &[D, A, B_, CARRY], ALWAYS, Exact(extended::addc)).depends(Sum),
    row("addc", &[CC], &[I32], &[DC, A, B_, CARRY], ALWAYS, Carrying(extended::addc, extended::carry_of_addc)).depends(Sum),
    row("addc", &[CC], &[I64], &[DC, A, B_, CARRY], ISA_43, Carrying(extended::addc, extended::carry_of_addc)).depends(Sum),
    row("sub",  &[CC], &[I32], &[DC, A, B_], ALWAYS, Carrying(extended::sub, extended::carry_of_sub)).depends(Difference),
    row("sub",  &[CC], &[I64], &[DC, A, B_], ISA_43, Carrying(extended::sub, extended::carry_of_sub)).depends(Difference),
    row("subc", PLAIN, &[I32], &[D, A, B_, CARRY], ALWAYS, Exact(extended::subc)).depends(Difference),
    row("subc", PLAIN, &[I64], &[D, A, B_, CARRY], ALWAYS, Exact(extended::subc)).depends(Difference),
    row("subc", &[CC], &[I32], &[DC, A, B_, CARRY], ALWAYS, Carrying(extended::subc, extended::carry_of_subc)).depends(Difference),
    row("subc", &[CC], &[I64], &[DC, A, B_, CARRY], ISA_43, Carrying(extended::subc, extended::carry_of_subc)).depends(Difference),
    row("mad",  &[HALF_OF_PRODUCT, CC], &[I32], &[DC, A, B_, C], ISA_30, Carrying(extended::mad, extended::carry_of_mad)).depends(Product),
    row("mad",  &[HALF_OF_PRODUCT, CC], &[I64], &[DC, A, B_, C], ISA_43, Carrying(extended::mad, extended::carry_of_mad)).depends(Product),
    row("madc", &[HALF_OF_PRODUCT], &[I32], &[D, A, B_, C, CARRY], ISA_30, Exact(extended::madc)),
    row("madc", &[HALF_OF_PRODUCT], &[I64], &[D, A, B_, C, CARRY], ISA_30, Exact(extended::madc)),
    row("madc", &[HALF_OF_PRODUCT, CC], &[I32], &[DC, A, B_, C, CARRY], ISA_30, Carrying(extended::madc, extended::carry_of_madc)),
    row("madc", &[HALF_OF_PRODUCT, CC], &[I64], &[DC, A, B_, C, CARRY], ISA_43, Carrying(extended::madc, extended::carry_of_madc)),

    // SIMD video instructions, without selectors and masks.
    row("vadd2", SIMD_SAT, &[I32, I32, I32], SIMD, ISA_30, Simd(2, video::add::<2>)),
    row("vadd2", SIMD_ADD, &[I32, I32, I32], SIMD, ISA_30, Simd(2, video::add::<2>)),
    row("vsub2", SIMD_SAT, &[I32, I32, I32], SIMD, ISA_30, Simd(2, video::sub::<2>)),
    row("vsub2", SIMD_ADD, &[I32, I32, I32], SIMD, ISA_30, Simd(2, video::sub::<2>)),
    row("vavrg2", SIMD_SAT, &[I32, I32, I32], SIMD, ISA_30, Simd(2, video::average::<2>)),
    row("vavrg2", SIMD_ADD, &[I32, I32, I32], SIMD, ISA_30, Simd(2, video::average::<2>)),
    row("vabsdiff2", SIMD_SAT, &[I32, I32, I32], SIMD, ISA_30, Simd(2, video::distance::<2>)),
    row("vabsdiff2", SIMD_ADD, &[I32, I32, I32], SIMD, ISA_30, Simd(2, video::distance::<2>)),
    row("vmin2", SIMD_SAT, &[I32, I32, I32], SIMD, ISA_30, Simd(2, video::min::<2>)),
    row("vmin2", SIMD_ADD, &[I32, I32, I32], SIMD, ISA_30, Simd(2, video::min::<2>)),
    row("vmax2", SIMD_SAT, &[I32, I32, I32], SIMD, ISA_30, Simd(2, video::max::<2>)),
    row("vmax2", SIMD_ADD, &[I32, I32, I32], SIMD, ISA_30, Simd(2, video::max::<2>)),
    row("vadd4", SIMD_SAT, &[I32, I32, I32], SIMD, ISA_30, Simd(4, video::add::<4>)),
    row("vadd4", SIMD_ADD, &[I32, I32, I32], SIMD, ISA_30, Simd(4, video::add::<4>)),
    row("vsub4", SIMD_SAT, &[I32, I32, I32], SIMD, ISA_30, Simd(4, video::sub::<4>)),
    row("vsub4", SIMD_ADD, &[I32, I32, I32], SIMD, ISA_30, Simd(4, video::sub::<4>)),
    row("vavrg4", SIMD_SAT, &[I32, I32, I32], SIMD, ISA_30, Simd(4, video::average::<4>)),
    row("vavrg4", SIMD_ADD, &[I32, I32, I32], SIMD, ISA_30, Simd(4, video::average::<4>)),
    row("vabsdiff4", SIMD_SAT, &[I32, I32, I32], SIMD, ISA_30, Simd(4, video::distance::<4>)),
    row("vabsdiff4", SIMD_ADD, &[I32, I32, I32], SIMD, ISA_30, Simd(4, video::distance::<4>)),
    row("vmin4", SIMD_SAT, &[I32, I32, I32], SIMD, ISA_30, Simd(4, video::min::<4>)),
    row("vmin4", SIMD_ADD, &[I32, I32, I32], SIMD, ISA_30, Simd(4, video::min::<4>)),
    row("vmax4", SIMD_SAT, &[I32, I32, I32], SIMD, ISA_30, Simd(4, video::max::<4>)),
    row("vmax4", SIMD_ADD, &[I32, I32, I32], SIMD, ISA_30, Simd(4, video::max::<4>)),
    row("vset2", SIMD_SET, &[I32, I32], SIMD_SETS, ISA_30, Simd(2, video::set::<2>)),
    row("vset4", SIMD_SET, &[I32, I32], SIMD_SETS, ISA_30, Simd(4, video::set::<4>)),

    // Floating point.
    row("add", ADD_F32, &[FLOAT32], DAB, ALWAYS, Exact(float::add)),
    row("add", &[RND],  &[FLOAT64], DAB, ALWAYS, Exact(float::add)),
    row("add", &[RND, FTZ], &[PAIR32], DAB, SM100, Exact(float::add)),
    row("add", HALVES,  &[HALF], DAB, SM53, Exact(float::add)),
    row("add", &[RN],   &[BF],   DAB, SM90, Exact(float::add)),
    row("add", &[RND, SAT], &[FLOAT32, NARROW], MIXED2, SM100, Exact(float::add)),
    row("sub", ADD_F32, &[FLOAT32], DAB, ALWAYS, Exact(float::sub)),
    row("sub", &[RND],  &[FLOAT64], DAB, ALWAYS, Exact(float::sub)),
    row("sub", &[RND, FTZ], &[PAIR32], DAB, SM100, Exact(float::sub)),
    row("sub", HALVES,  &[HALF], DAB, SM53, Exact(float::sub)),
    row("sub", &[RN],   &[BF],   DAB, SM90, Exact(float::sub)),
    row("sub", &[RND, SAT], &[FLOAT32, NARROW], MIXED2, SM100, Exact(float::sub)),
    row("mul", ADD_F32, &[FLOAT32], DAB, ALWAYS, Exact(float::mul)),
    row("mul", &[RND],  &[FLOAT64], DAB, ALWAYS, Exact(float::mul)),
    row("mul", &[RND, FTZ], &[PAIR32], DAB, SM100, Exact(float::mul)),
    row("mul", HALVES,  &[HALF], DAB, SM53, Exact(float::mul)),
    row("mul", &[RN],   &[BF],   DAB, SM90, Exact(float::mul)),
    row("fma", &[ROUNDED, FTZ, SAT], &[FLOAT32], DABC, ALWAYS, Exact(float::fma)),
    row("fma", &[ROUNDED], &[FLOAT64], DABC, ALWAYS, Exact(float::fma)),
    row("fma", &[ROUNDED, FTZ], &[PAIR32], DABC, SM100, Exact(float::fma)),
    row("fma", &[RN_NEEDED, FTZ, SAT],  &[HALF], DABC, SM53, Exact(float::fma)),
    row("fma", &[RN_NEEDED, FTZ, RELU_NEEDED], &[HALF], DABC, SM80, Exact(float::fma)),
    row("fma", &[RN_NEEDED, RELU], &[BF], DABC, SM80, Exact(float::fma)),
    row("fma", &[ROUNDED, SAT], &[FLOAT32, NARROW], MIXED3, SM100, Exact(float::fma)),
    row("mad", &[ROUNDED, FTZ, SAT], &[FLOAT32], DABC, ALWAYS, Exact(float::fma)),
    row("mad", &[ROUNDED], &[FLOAT64], DABC, ALWAYS, Exact(float::fma)),
    row("div", &[ROUNDED, FTZ], &[FLOAT32], DAB, ALWAYS, Exact(float::div)),
    row("div", &[ROUNDED], &[FLOAT64], DAB, ALWAYS, Exact(float::div)),
    row("rcp", &[ROUNDED, FTZ], &[FLOAT32], DA, ALWAYS, Exact(float::rcp)),
    row("rcp", &[ROUNDED], &[FLOAT64], DA, ALWAYS, Exact(float::rcp)),
    row("sqrt", &[ROUNDED, FTZ], &[FLOAT32], DA, ALWAYS, Exact(float::sqrt)),
    row("sqrt", &[ROUNDED], &[FLOAT64], DA, ALWAYS, Exact(float::sqrt)),
    row("min", MIN, &[FLOAT32], DAB, ALWAYS, Exact(float::min)),
    row("min", MIN_XOR, &[FLOAT32], DAB, SM86, Exact(float::min)),
    row("min", &[FTZ, NAN, opt(&[Abs])], &[FLOAT32], DABC, SM100_88, Exact(float::min)),
    row("min", PLAIN, &[FLOAT64], DAB, ALWAYS, Exact(float::min)),
    row("min", MIN, &[HALF], DAB, SM80, Exact(float::min)),
    row("min", MIN_XOR, &[HALF], DAB, SM86, Exact(float::min)),
    row("min", &[NAN], &[BF], DAB, SM80, Exact(float::min)),
    row("min", &[NAN, req(&[Xorsign]), req(&[Abs])], &[BF], DAB, SM86, Exact(float::min)),
    row("max", MIN, &[FLOAT32], DAB, ALWAYS, Exact(float::max)),
    row("max", MIN_XOR, &[FLOAT32], DAB, SM86, Exact(float::max)),
    row("max", &[FTZ, NAN, opt(&[Abs])], &[FLOAT32], DABC, SM100_88, Exact(float::max)),
    row("max", PLAIN, &[FLOAT64], DAB, ALWAYS, Exact(float::max)),
    row("max", MIN, &[HALF], DAB, SM80, Exact(float::max)),
    row("max", MIN_XOR, &[HALF], DAB, SM86, Exact(float::max)),
    row("max", &[NAN], &[BF], DAB, SM80, Exact(float::max)),
    row("max", &[NAN, req(&[Xorsign]), req(&[Abs])], &[BF], DAB, SM86, Exact(float::max)),
    row("abs", &[FTZ], &[FLOAT32], DA, ALWAYS, Exact(float::abs)),
    row("abs", PLAIN,  &[FLOAT64], DA, ALWAYS, Exact(float::abs)),
    row("abs", &[FTZ], &[HALF], DA, SM53_65, Exact(float::abs)),
    row("abs", PLAIN,  &[BF],   DA, SM80, Exact(float::abs)),
    row("neg", &[FTZ], &[FLOAT32], DA, ALWAYS, Exact(float::neg)),
    row("neg", PLAIN,  &[FLOAT64], DA, ALWAYS, Exact(float::neg)),
    row("neg", &[FTZ], &[HALF], DA, gate(53, 5, 1), Exact(float::neg)),
    row("neg", PLAIN,  &[BF],   DA, SM80, Exact(float::neg)),
    row("copysign", PLAIN, &[&[F32, F64]], DAB, ALWAYS, Exact(float::copysign)),

    // Comparison and selection.
    row("setp", &[COMPARE_BITS],     &[B],  SETP, ALWAYS, Exact(compare::setp)),
    row("setp", &[COMPARE_UNSIGNED], &[UNSIGNED],  SETP, ALWAYS, Exact(compare::setp)),
    row("setp", &[COMPARE_SIGNED], &[S],  SETP, ALWAYS, Exact(compare::setp)),
    row("setp", &[COMPARE, FTZ], &[FLOAT32], SETP, ALWAYS, Exact(compare::setp)),
    row("setp", &[COMPARE],      &[FLOAT64], SETP, ALWAYS, Exact(compare::setp)),
    row("setp", &[COMPARE, FTZ], &[HALF],    SETP, SM53,   Exact(compare::setp)),
    row("setp", &[COMPARE],      &[BF],      SETP, SM90,   Exact(compare::setp)),
    row("setp", &[COMPARE_BITS, COMBINE],     &[B],  SETP_C, ALWAYS, Exact(compare::setp)),
    row("setp", &[COMPARE_UNSIGNED, COMBINE], &[UNSIGNED],  SETP_C, ALWAYS, Exact(compare::setp)),
    row("setp", &[COMPARE_SIGNED, COMBINE], &[S],  SETP_C, ALWAYS, Exact(compare::setp)),
    row("setp", &[COMPARE, COMBINE, FTZ], &[FLOAT32], SETP_C, ALWAYS, Exact(compare::setp)),
    row("setp", &[COMPARE, COMBINE],      &[FLOAT64], SETP_C, ALWAYS, Exact(compare::setp)),
    row("setp", &[COMPARE, COMBINE, FTZ], &[HALF],    SETP_C, SM53,   Exact(compare::setp)),
    row("setp", &[COMPARE, COMBINE],      &[BF],      SETP_C, SM90,   Exact(compare::setp)),
    row("set", &[COMPARE_BITS], &[&[U32, S32, F32], B], SET, ALWAYS, Exact(compare::set)),
    row("set", &[COMPARE_UNSIGNED], &[&[U32, S32, F32], UNSIGNED], SET, ALWAYS, Exact(compare::set)),
    row("set", &[COMPARE_SIGNED], &[&[U32, S32, F32], S], SET, ALWAYS, Exact(compare::set)),
    row("set", &[COMPARE, FTZ], &[&[U32, S32, F32], FLOAT32], SET, ALWAYS, Exact(compare::set)),
    row("set", &[COMPARE], &[&[U32, S32, F32], FLOAT64], SET, ALWAYS, Exact(compare::set)),
    row("set", &[COMPARE_BITS], &[&[F16], B], SET, SM53, Exact(compare::set)),
    row("set", &[COMPARE_UNSIGNED], &[&[F16], UNSIGNED], SET, SM53, Exact(compare::set)),
    row("set", &[COMPARE_SIGNED], &[&[F16], S], SET, SM53, Exact(compare::set)),
    row("set", &[COMPARE, FTZ], &[&[F16], FLOAT32], SET, SM53, Exact(compare::set)),
    row("set", &[COMPARE], &[&[F16], FLOAT64], SET, SM53, Exact(compare::set)),
    row("set", &[COMPARE_BITS], &[&[Bf16], B], SET, SM90, Exact(compare::set)),
    row("set", &[COMPARE_UNSIGNED], &[&[Bf16], UNSIGNED], SET, SM90, Exact(compare::set)),
    row("set", &[COMPARE_SIGNED], &[&[Bf16], S], SET, SM90, Exact(compare::set)),
    row("set", &[COMPARE], &[&[Bf16], FLOAT32], SET, SM90, Exact(compare::set)),
    row("set", &[COMPARE], &[&[Bf16], FLOAT64], SET, SM90, Exact(compare::set)),
    row("set", &[COMPARE, FTZ], &[&[F16], &[F16]], SET, SM53, Exact(compare::set)),
    row("set", &[COMPARE, FTZ], &[&[F16x2], &[F16x2]], SET, SM53, Exact(compare::set)),
    row("set", &[COMPARE, FTZ], &[&[U16, S16, U32, S32], &[F16]], SET, SM53_65, Exact(compare::set)),
    row("set", &[COMPARE, FTZ], &[&[U32, S32], &[F16x2]], SET, SM53_65, Exact(compare::set)),
    row("set", &[COMPARE], &[&[Bf16, U16, S16, U32, S32], &[Bf16]], SET, SM90, Exact(compare::set)),
    row("set", &[COMPARE], &[&[Bf16], &[F16]], SET, SM90, Exact(compare::set)),
    row("set", &[COMPARE], &[&[Bf16x2, U32, S32], &[Bf16x2]], SET, SM90, Exact(compare::set)),
    row("set", &[COMPARE_BITS, COMBINE], &[&[U32, S32, F32], B], SET_C, ALWAYS, Exact(compare::set)),
    row("set", &[COMPARE_UNSIGNED, COMBINE], &[&[U32, S32, F32], UNSIGNED], SET_C, ALWAYS, Exact(compare::set)),
    row("set", &[COMPARE_SIGNED, COMBINE], &[&[U32, S32, F32], S], SET_C, ALWAYS, Exact(compare::set)),
    row("set", &[COMPARE, COMBINE, FTZ], &[&[U32, S32, F32], FLOAT32], SET_C, ALWAYS, Exact(compare::set)),
    row("set", &[COMPARE, COMBINE], &[&[U32, S32, F32], FLOAT64], SET_C, ALWAYS, Exact(compare::set)),
    row("set", &[COMPARE_BITS, COMBINE], &[&[F16], B], SET_C, SM53, Exact(compare::set)),
    row("set", &[COMPARE_UNSIGNED, COMBINE], &[&[F16], UNSIGNED], SET_C, SM53, Exact(compare::set)),
    row("set", &[COMPARE_SIGNED, COMBINE], &[&[F16], S], SET_C, SM53, Exact(compare::set)),
    row("set", &[COMPARE, COMBINE, FTZ], &[&[F16], FLOAT32], SET_C, SM53, Exact(compare::set)),
    row("set", &[COMPARE, COMBINE], &[&[F16], FLOAT64], SET_C, SM53, Exact(compare::set)),
    row("set", &[COMPARE_BITS, COMBINE], &[&[Bf16], B], SET_C, SM90, Exact(compare::set)),
    row("set", &[COMPARE_UNSIGNED, COMBINE], &[&[Bf16], UNSIGNED], SET_C, SM90, Exact(compare::set)),
    row("set", &[COMPARE_SIGNED, COMBINE], &[&[Bf16], S], SET_C, SM90, Exact(compare::set)),
    row("set", &[COMPARE, COMBINE], &[&[Bf16], FLOAT32], SET_C, SM90, Exact(compare::set)),
    row("set", &[COMPARE, COMBINE], &[&[Bf16], FLOAT64], SET_C, SM90, Exact(compare::set)),
    row("set", &[COMPARE, COMBINE, FTZ], &[&[F16], &[F16]], SET_C, SM53, Exact(compare::set)),
    row("set", &[COMPARE, COMBINE, FTZ], &[&[F16x2], &[F16x2]], SET_C, SM53, Exact(compare::set)),
    row("set", &[COMPARE, COMBINE, FTZ], &[&[U16, S16, U32, S32], &[F16]], SET_C, SM53_65, Exact(compare::set)),
    row("set", &[COMPARE, COMBINE, FTZ], &[&[U32, S32], &[F16x2]], SET_C, SM53_65, Exact(compare::set)),
    row("set", &[COMPARE, COMBINE], &[&[Bf16, U16, S16, U32, S32], &[Bf16]], SET_C, SM90, Exact(compare::set)),
    row("set", &[COMPARE, COMBINE], &[&[Bf16], &[F16]], SET_C, SM90, Exact(compare::set)),
    row("set", &[COMPARE, COMBINE], &[&[Bf16x2, U32, S32], &[Bf16x2]], SET_C, SM90, Exact(compare::set)),
    row("testp", &[req(&[Finite, Infinite, Number, Notanumber, Normal, Subnormal])], &[&[F32, F64]], &[d(Is(Pred)), A], ALWAYS, Exact(compare::testp)),
    row("selp", PLAIN, &[ANY], &[D, A, B_, Q], ALWAYS, Exact(compare::selp)).depends(Bitwise),
    row("slct", PLAIN, &[ANY, &[S32]], &[D, A, B_, s("c", Type(1))], ALWAYS, Exact(compare::slct)),
    row("slct", &[FTZ], &[ANY, FLOAT32], &[D, A, B_, s("c", Type(1))], ALWAYS, Exact(compare::slct)),

    // Approximations: the manual bounds the error and does not define the bits.
    row("ex2",   &[APPROX, FTZ], &[FLOAT32], DA, ALWAYS, Approximate(approximate::ex2)),
    row("ex2",   &[APPROX],      &[HALF],    DA, SM75,   Approximate(approximate::ex2)),
    row("ex2",   &[APPROX, FTZ_NEEDED], &[BF], DA, SM90, Approximate(approximate::ex2)),
    row("lg2",   &[APPROX, FTZ], &[FLOAT32], DA, ALWAYS, Approximate(approximate::lg2)),
    row("rcp",   &[APPROX, FTZ], &[FLOAT32], DA, ALWAYS, Approximate(approximate::rcp)),
    row("rcp",   &[APPROX, FTZ_NEEDED], &[FLOAT64], DA, ALWAYS, Approximate(approximate::rcp)),
    row("rsqrt", &[APPROX, FTZ], &[&[F32, F64]], DA, ALWAYS, Approximate(approximate::rsqrt)),
    row("sqrt",  &[APPROX, FTZ], &[FLOAT32], DA, ALWAYS, Approximate(approximate::sqrt)),
    row("div",   &[req(&[Modifier::Approx, Full]), FTZ], &[FLOAT32], DAB, ALWAYS, Approximate(approximate::div)),
    row("sin",   &[APPROX, FTZ], &[FLOAT32], DA, ALWAYS, Approximate(approximate::sin)),
    row("cos",   &[APPROX, FTZ], &[FLOAT32], DA, ALWAYS, Approximate(approximate::cos)),
    row("tanh",  &[APPROX], &[FLOAT32], DA, SM75, Approximate(approximate::tanh)),
    row("tanh",  &[APPROX], &[HALF],    DA, SM75, Approximate(approximate::tanh)),
    row("tanh",  &[APPROX], &[BF],      DA, SM90, Approximate(approximate::tanh)),
];
