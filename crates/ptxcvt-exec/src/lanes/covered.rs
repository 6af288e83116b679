//! Which modifiers the kernels implement. An instruction with another modifier is computed by the reference, so that a new
//! row of the table is never computed by a kernel that ignores its modifier.

use crate::modifier::Modifier::{self, *};
use crate::table::Op;

/// Instructions, and the modifiers that their kernels implement or leave to the reference.
type Covered = (&'static [&'static str], &'static [Modifier]);

const NONE: &[Modifier] = &[];
const SIMD: &[&str] =
    &["vadd2", "vsub2", "vmin2", "vmax2", "vabsdiff2", "vadd4", "vsub4", "vmin4", "vmax4", "vabsdiff4"];

#[rustfmt::skip]
const COVERED: &[Covered] = &[
    (&["and", "or", "xor", "not", "lop3", "selp", "shl", "shr", "bfe", "bfi", "clz", "popc", "brev", "cnot", "sad"], NONE),
    (&["copysign"], NONE),
    (&["prmt"], &[F4e, B4e, Rc8, Ecl, Ecr, Rc16]),
    (&["shf"], &[L, R, Clamp, Wrap]),
    (&["abs", "neg", "slct"], &[Ftz]),
    (&["add", "sub"], &[Rn, Rz, Rm, Rp, Ftz, Sat, Cc]),
    (&["addc", "subc"], &[Cc]),
    (&["madc"], &[Hi, Lo, Cc]),
    (&["mul"], &[Hi, Lo, Wide, Rn, Rz, Rm, Rp, Ftz, Sat]),
    (&["mad"], &[Hi, Lo, Wide, Rn, Rz, Rm, Rp, Ftz, Sat, Cc]),
    (&["fma"], &[Rn, Rz, Rm, Rp, Ftz, Sat, Relu]),
    (&["div"], &[Rn, Rz, Rm, Rp, Ftz, Approx, Full]),
    (&["rcp", "sqrt"], &[Rn, Rz, Rm, Rp, Ftz, Approx]),
    (&["min", "max"], &[Ftz, NaN, Xorsign, Abs, Relu]),
    (&["setp", "set"], &[
        Eq, Ne, Lt, Le, Gt, Ge, Lo, Ls, Hi, Hs, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan, And, Or, Xor, Ftz,
    ]),
    (SIMD, &[Sat, Add]),
    (&["vset2", "vset4"], &[Eq, Ne, Lt, Le, Gt, Ge, Add]),
];

/// True if kernels follow every modifier of the instruction.
pub(super) fn is_covered(op: &Op) -> bool {
    let row = COVERED.iter().find(|(names, _)| names.contains(&op.name()));
    row.is_some_and(|(_, modifiers)| op.modifiers().iter().all(|m| modifiers.contains(&m)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row of the table has its kernels with all modifiers, and the list has no entry without a row.
    #[test]
    fn the_list_is_the_tables() {
        let named = |names: &'static [&str]| Op::all().filter(|op| names.contains(&op.name()));
        for (names, modifiers) in COVERED {
            assert!(named(names).all(|op| is_covered(&op)), "{names:?}");
            for modifier in *modifiers {
                assert!(named(names).any(|op| op.modifiers().has(*modifier)), "{names:?}: {modifier:?}");
            }
            assert!(names.iter().all(|name| Op::all().any(|op| op.name() == *name)), "{names:?}");
        }
    }
}
